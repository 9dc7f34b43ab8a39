# SPDX-License-Identifier: Apache-2.0
"""Damage that only TCP can find: bits change in frames whose FCS is right, as in a bad switch."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

from kumihimo.bench.tcp.fuzz import Server
from kumihimo.bench.tcp.linux_host import LinuxStation, read_frame
from kumihimo.common.paths import project_root

CLIENT = project_root() / "examples" / "tcp_echo_client.py"
SHARE, HEADERS = 0.05, 34  # of the frames; Ethernet and IPv4, which have other checks
BYTES, CONNECTIONS = 60_000, 3


def damaged(frame: bytes, rng: random.Random) -> bytes:
    """One bit of the segment is another, now and then."""
    if rng.random() >= SHARE or frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return frame
    length = int.from_bytes(frame[16:18], "big") + 14
    bit = rng.randrange(8 * HEADERS, 8 * length)
    return frame[: bit // 8] + bytes([frame[bit // 8] ^ 1 << bit % 8]) + frame[bit // 8 + 1 :]


def test_every_byte_is_right() -> None:
    """Linux and the node find each damaged segment, and no damaged byte is accepted."""
    server, rng = Server(), random.Random(5)
    dut, tcp = server.dut, server.regs.tcp
    tcp.retries.set(syn=7, data=15, keep=9)  # the node is slower than Linux
    tcp.keep_idle_ms.write(0)
    hit = [0, 0]
    with LinuxStation(address="10.77.0.1/24") as linux:
        argv = [sys.executable, str(CLIENT), server.ip, "--json", "--timeout", "120"]
        argv += ["--bytes", str(BYTES), "--connections", str(CONNECTIONS)]
        program = linux.namespace.popen(argv, stdout=subprocess.PIPE, text=True)
        with program:
            while program.poll() is None:
                while (frame := read_frame(linux.fd)) is not None:
                    sent = damaged(frame, rng)
                    hit[0] += sent != frame
                    dut.send("s_axis_eth0", [sent.ljust(60, b"\0")])
                dut.run(3000)
                for out in dut.recv("m_axis_eth0"):
                    sent = damaged(out.data, rng)
                    hit[1] += sent != out.data
                    os.write(linux.fd, sent)
            assert program.stdout is not None
            result = json.loads(program.stdout.read())
        assert program.returncode == 0, result
        refused = linux.counter("Tcp", "InCsumErrors")
    counters = tcp.counters()
    assert counters["drop_checksum"] + counters["drop_offset"] == hit[0]
    assert min(hit) > 3 and counters["drop_checksum"] > 0 and refused > 0
