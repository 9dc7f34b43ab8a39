# SPDX-License-Identifier: Apache-2.0
"""ECN between the Linux kernel and a node, with congestion marks that the cable puts on (RFC 3168).

The cable is this test: it carries frames between the TAP of a namespace and a simulated node, and
marks packets that are ECN-capable.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from kumihimo.bench.tcp.linux_host import LinuxStation, read_frame
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut

PERIOD_PS = 6400
NODE_IP, NODE_MAC = "10.77.0.30", 0x02_4B_4D_00_03_1E
ECT0, CE = 2, 3
ECE, CWR, SYN = 0x40, 0x80, 0x02
DISCARD, CHARGEN, IPERF = 9, 19, 5001
CLIENT = f"""
import socket, struct, sys
port, size = int(sys.argv[1]), int(sys.argv[2])
s = socket.create_connection(("{NODE_IP}", port))
if port == {DISCARD}:
    s.sendall(bytes(size))
elif port == {CHARGEN}:
    while size > 0:
        size -= len(s.recv(65536))
else:  # as iperf -r: after this stream the node connects back and sends
    server = socket.create_server(("", 6001))
    s.sendall(struct.pack(">IIIIII", 1 << 31, 1, 6001, 0, 0, size) + bytes(100))
    s.close()
    back, _ = server.accept()
    while part := back.recv(65536):
        size -= len(part)
    assert size <= 0, size
print("done")
"""


class NodeBus:
    """Registers of a node under test."""

    def __init__(self, dut: Dut) -> None:
        self.dut = dut

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data)


@dataclass
class Marking:
    """One direction: every so many ECN-capable packets are marked (0: none), all are counted."""

    every: int = 0
    capable: int = 0
    marked: int = 0
    segments: int = 0
    ece: int = 0
    cwr: int = 0
    syn: list[int] = field(default_factory=list)

    def carry(self, frame: bytes) -> bytes:
        """The frame, marked or not."""
        if frame[12:14] != b"\x08\x00" or frame[23] != 6:
            return frame
        self.segments += 1
        flags = frame[47]
        if flags & SYN:
            self.syn.append(flags & (ECE | CWR))
        else:
            self.ece += bool(flags & ECE)
            self.cwr += bool(flags & CWR)
        if frame[15] & 3 != ECT0:
            assert frame[15] & 3 == 0
            return frame
        self.capable += 1
        if not self.every or self.capable % self.every:
            return frame
        self.marked += 1
        check = int.from_bytes(frame[24:26], "big") - (CE - ECT0)  # RFC 1624, one's complement
        check = check if check > 0 else check + 0xFFFF
        return (
            frame[:15]
            + bytes([frame[15] | CE])
            + frame[16:24]
            + check.to_bytes(2, "big")
            + (frame[26:])
        )


class Cable:
    """Linux, a node, and the cable between them. Linux runs in wall time, the node in its own."""

    def __init__(self, linux: LinuxStation, dut: Dut, node_ecn: int) -> None:
        self.linux, self.dut = linux, dut
        self.to_node, self.to_linux = Marking(), Marking()
        self.regs = RegisterMap(NodeBus(dut))
        self.regs.ip.mac_hi.write(NODE_MAC >> 32)
        self.regs.ip.mac_lo.write(NODE_MAC & 0xFFFF_FFFF)
        self.regs.ip.ip.write(int.from_bytes(socket.inet_aton(NODE_IP), "big"))
        self.regs.tcp.period.write(PERIOD_PS)
        self.regs.tcp.ctrl.set(ecn=node_ecn)
        dut.run_until(lambda: self.regs.tcp.status.get("ready"), step=100, what="tables")

    def step(self) -> None:
        """Carry what there is, both ways."""
        while frame := read_frame(self.linux.fd):
            self.dut.send("s_axis_eth0", [self.to_node.carry(frame).ljust(60, b"\0")])
        self.dut.run(2000)
        for out in self.dut.recv("m_axis_eth0"):
            os.write(self.linux.fd, self.to_linux.carry(out.data))

    def client(self, port: int, size: int) -> None:
        """An ordinary program on Linux, until it is done."""
        argv = [sys.executable, "-I", "-S", "-c", CLIENT, str(port), str(size)]
        tool = self.linux.namespace.popen(argv, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + 120
        while tool.poll() is None:
            assert time.monotonic() < end, self.regs.tcp.counters("core")
            self.step()
        assert tool.stdout is not None and tool.stdout.read().strip() == "done"
        tool.stdout.close()

    def core(self, name: str) -> int:
        """A counter of the node's TCP core."""
        return int(self.regs.tcp.counters("core")[name])


@contextmanager
def cable(linux_ecn: int, node_ecn: int = 2) -> Iterator[Cable]:
    """tcp_ecn of Linux, ctrl.ecn of the node: 1 requests ECN, 2 accepts it (both defaults)."""
    dut = Dut("tcp_server", params={"DATA_W": 64, "SESSIONS": 64, "RING": 32768}, profile="soak")
    with LinuxStation(settings={"tcp_ecn": linux_ecn, "tcp_no_metrics_save": 1}) as linux:
        yield Cable(linux, dut, node_ecn)


def test_linux_sends() -> None:
    """Linux requests it; the node reports each mark until Linux says that it has slowed down."""
    with cable(1) as c:
        c.to_node.every = 10
        c.client(DISCARD, 400_000)
        assert (c.to_node.syn, c.to_linux.syn) == ([ECE | CWR], [ECE])
        assert c.to_node.marked == c.core("ecn_ce") > 5
        assert c.to_linux.ece >= c.to_node.cwr > 0
        assert c.core("ecn_reduced") == 0


def test_node_sends() -> None:
    """Linux reports the marks; the node reduces its window, and says so."""
    with cable(1) as c:
        c.to_linux.every = 25
        c.client(CHARGEN, 400_000)
        assert c.to_linux.marked > 5 and c.to_node.ece > 0
        assert c.linux.counter("IpExt", "InCEPkts") == c.to_linux.marked
        assert 0 < c.core("ecn_reduced") <= c.to_linux.marked
        assert 0 < c.to_linux.cwr <= c.core("ecn_reduced")
        assert c.core("rto") == 0 and c.core("fast_recovery") == 0


def test_not_asked_for() -> None:
    """Linux as it comes requests nothing: no packet is ECN-capable."""
    with cable(2) as c:
        c.client(DISCARD, 50_000)
        c.client(CHARGEN, 50_000)
        assert c.to_node.capable == c.to_linux.capable == 0 and c.to_node.segments > 50
        assert set(c.to_node.syn + c.to_linux.syn) == {0}


def test_node_refuses() -> None:
    """With ctrl.ecn 0 the request is not answered."""
    with cable(1, node_ecn=0) as c:
        c.client(DISCARD, 50_000)
        assert (c.to_node.syn, c.to_linux.syn) == ([ECE | CWR], [0])
        assert c.to_node.capable == 0


@pytest.mark.parametrize("linux_ecn", [0, 2])
def test_node_asks(linux_ecn: int) -> None:
    """The node opens and requests it: Linux accepts by default, and refuses with 0."""
    with cable(linux_ecn, node_ecn=1) as c:
        c.to_linux.every = 10
        c.client(IPERF, 200_000)
        agreed = linux_ecn == 2
        assert c.to_linux.syn == [0, ECE | CWR] and c.to_node.syn == [0, ECE if agreed else 0]
        assert (c.to_linux.marked > 5) == (c.core("ecn_reduced") > 0) == agreed
