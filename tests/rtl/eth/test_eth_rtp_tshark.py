# SPDX-License-Identifier: Apache-2.0
"""tshark with the project's dissector on the frames of the core under test."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from kumihimo.proto import DISSECTOR
from kumihimo.proto.eth_rtp import Frame, Type
from kumihimo.testing import Frame as Message
from rtp_endpoint_bench import OWN, Bench, its_number, transport
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap


def read(file: Path, display: str, *fields: str) -> list[list[str]]:
    """Fields of the frames that a display filter lets through."""
    program = shutil.which("tshark")
    if program is None:
        pytest.fail("tshark is missing: make setup-test installs it")
    argv = [program, "-n", "-X", f"lua_script:{DISSECTOR}", "-r", str(file), "-Y", display]
    argv += ["-T", "fields", "-E", "separator=|", *(p for f in fields for p in ("-e", f))]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "Lua Error" not in done.stdout, done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]


def test_session(tmp_path: Path) -> None:
    """A session with losses and a restart: nothing malformed, and the messages are in there."""
    rng = random.Random(1)
    bench = Bench(transport())
    bench.open()
    bench.to_end = bench.to_dut = lambda _: [] if rng.random() < 0.05 else [64]
    text = rng.randbytes(20_000)
    bench.dut.send("s_msg", Message(text, dest=2))
    bench.ends[2].send(its_number(2), rng.randbytes(20_000))
    bench.until(lambda: bench.messages(2) and bench.ends[2].messages(its_number(2)), 200_000)
    tag = bench.link(2).own
    bench.ends[2] = bench.endpoint(2, 0x9000)
    bench.ends[2].open(its_number(2))
    bench.until(lambda: len(bench.status) >= 3)
    bench.run(2000)

    file = tmp_path / "session.pcap"
    packets = []
    for cycle, data in bench.log:
        packets.append(Ether(data))
        packets[-1].time = cycle * 3.2e-9
    wrpcap(str(file), packets, nano=True, linktype=1)
    assert len(read(file, "kumi_rtp", "frame.number")) == len(packets) > 60
    wrong = "_ws.malformed || _ws.expert.severity >= 0x600000"  # warnings and errors
    assert read(file, wrong, "_ws.col.Info") == []
    mine = f"eth.src == {OWN} && kumi_rtp.tag == {tag}"
    rows = read(file, f"{mine} && kumi_rtp.type == 0", "kumi_rtp.seq", "kumi_rtp.data")
    parts = {int(seq): bytes.fromhex(data) for seq, data in rows}
    assert b"".join(parts[i] for i in range(len(parts))) == text
    again = read(file, f"{mine} && kumi_rtp.retransmission", "kumi_rtp.seq")
    assert len(again) == len(rows) - len(parts) > 0
    sacks = read(file, f"{mine} && kumi_rtp.sack.count > 0", "kumi_rtp.sack.seq", "frame.number")
    assert sacks
    for seqs, num in sacks:
        frame = Frame.parse(bench.log[int(num) - 1][1])
        assert frame.type == Type.ACK and not isinstance(frame.body, bytes)
        assert [int(s) for s in seqs.split(",")] == frame.body.received(frame.ack)  # type: ignore[union-attr]
