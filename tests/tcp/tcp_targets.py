# SPDX-License-Identifier: Apache-2.0
"""Targets of the TCP suite: the Linux kernel behind a TAP, and a node of the TCP engine."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kumihimo.bench.tcp.linux_host import LinuxStation, read_frame
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut
from tcp_peer import Target, Times

# What Linux has for machines under attack or with few CPUs would make tests slow, or blind.
LINUX_SETTINGS = {
    "tcp_rfc1337": 1,  # as this suite wants it of every target
    "tcp_invalid_ratelimit": 0,  # each bad segment gets its answer
    "tcp_comp_sack_nr": 0,  # SACKs at once
    "tcp_congestion_control": "reno",
    "tcp_no_metrics_save": 1,  # tests do not learn from each other
    "tcp_fin_timeout": 3,
    "tcp_syncookies": 1,
}
LINUX_TIMES = Times(
    patience=15.0, hush=0.06, rto=0.19, syn=1.0, ack=1.0, keep_idle=2.0, keep_all=4.0
)


class TapWire:
    """The other end of a TAP, in wall time."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def send(self, frame: bytes) -> None:
        os.write(self._fd, frame)

    def receive(self, seconds: float) -> bytes | None:
        frame = read_frame(self._fd)
        if frame is None and select.select([self._fd], [], [], max(0.0, seconds))[0]:
            frame = read_frame(self._fd)
        return frame

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        """The station closes the TAP."""


@contextmanager
def linux() -> Iterator[Target]:
    """The Linux kernel of this machine, in a namespace."""
    with LinuxStation(settings=LINUX_SETTINGS) as station:
        station.serve(["--receive", "32768"])
        yield Target(
            name="linux",
            wire=TapWire(station.fd),
            ip=station.ip,
            times=LINUX_TIMES,
            mss=8960,
            bad_checksums=lambda: station.counter("Tcp", "InCsumErrors"),
        )


# ---- the engine --------------------------------------------------------------------------------

PERIOD_PS = 6400
DESIGN = "tcp_server"
NODE_IP, NODE_MAC = "10.77.0.30", 0x02_4B_4D_00_03_1E
# Microseconds: short, as all of it is simulated cycle by cycle.
NODE_SETTINGS = {
    "rto_init": 200,
    "rto_min": 100,
    "rto_max": 20_000,
    "tlp_delay": 80,
    "tlp_guard": 10,
    "ack_delay": 20,
    "time_wait": 5_000,
    "fin_wait": 5_000,
    "linger": 5_000,
    "keep_idle_ms": 1,
    "keep_interval_ms": 1,
}
NODE_TIMES = Times(
    patience=1.5e-3, hush=40e-6, rto=90e-6, syn=200e-6, ack=30e-6, keep_idle=1e-3, keep_all=4e-3
)


class NodeWire:
    """The Ethernet port of a node under test, in the node's own time."""

    LEAST = 400  # cycles: what needs no timer comes within

    def __init__(self, dut: Dut) -> None:
        self.dut = dut
        self._frames: list[bytes] = []

    def read(self, addr: int) -> int:
        """For the register map."""
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        """For the register map."""
        self.dut.axil_write(addr, data)

    def send(self, frame: bytes) -> None:
        self.dut.send("s_axis_eth0", [frame.ljust(60, b"\0")])

    def receive(self, seconds: float) -> bytes | None:
        end = self.dut.cycle + max(round(seconds * 1e12 / PERIOD_PS), self.LEAST)
        while not self._frames:
            left = end - self.dut.cycle
            if left <= 0:
                return None
            self.dut.node.run_until_frames("m_axis_eth0", 1, left)
            frames = self.dut.recv("m_axis_eth0")
            assert not any(frame.bad for frame in frames), "a frame that is marked bad"
            self._frames = [frame.data for frame in frames]
        return self._frames.pop(0)

    def now(self) -> float:
        return self.dut.cycle * PERIOD_PS * 1e-12

    def close(self) -> None:
        """Nothing to do."""


@contextmanager
def node() -> Iterator[Target]:
    """The TCP server node, 64 bits wide."""
    params = {"DATA_W": 64, "SESSIONS": 64, "RING": 32768}
    dut = Dut(DESIGN, params=params, profile="soak")
    wire = NodeWire(dut)
    regs = RegisterMap(wire)
    regs.ip.mac_hi.write(NODE_MAC >> 32)
    regs.ip.mac_lo.write(NODE_MAC & 0xFFFF_FFFF)
    regs.ip.ip.write(int.from_bytes(bytes(map(int, NODE_IP.split("."))), "big"))
    regs.ip.netmask.write(0xFFFF_FF00)
    tcp = regs.tcp
    tcp.period.write(PERIOD_PS)
    tcp.segment.set(mss=8960)
    tcp.retries.set(syn=6, data=8, keep=2)
    for name, value in NODE_SETTINGS.items():
        getattr(tcp, name).write(value)
    dut.run_until(lambda: tcp.status.get("ready"), step=100, what="the tables are clear")
    yield Target(
        name="node",
        wire=wire,
        ip=NODE_IP,
        times=NODE_TIMES,
        mss=8960,
        bad_checksums=lambda: tcp.counters()["drop_checksum"],
    )
