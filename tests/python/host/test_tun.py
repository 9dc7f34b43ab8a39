# SPDX-License-Identifier: Apache-2.0
"""Real ping, TCP and UDP between two network namespaces over two DMA channels of a test node."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.host import DutPlatform, Overlay, Packet, TunBridge, serve
from kumihimo.net import Namespace, TapConfig
from kumihimo.net.namespace import probe
from kumihimo.testing import Dut

NODE = Path(__file__).resolve().parents[2] / "rtl/dma/kumi_t_dma.sv"
MTU = 1500

SERVER = """
import socket, hashlib
s = socket.create_server(("10.9.0.2", 5001))
print("ready", flush=True)
c, _ = s.accept()
h = hashlib.sha256()
while data := c.recv(65536):
    h.update(data)
    c.sendall(data)
c.close()
print(h.hexdigest())
"""
CLIENT = """
import socket, hashlib, random, threading
data = random.Random(1).randbytes(400_000)
c = socket.create_connection(("10.9.0.2", 5001), timeout=30)
threading.Thread(target=lambda: (c.sendall(data), c.shutdown(socket.SHUT_WR))).start()
h, n = hashlib.sha256(), 0
while got := c.recv(65536):
    h.update(got)
    n += len(got)
assert n == len(data) and h.digest() == hashlib.sha256(data).digest()
print(h.hexdigest())
"""
UDP = """
import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.settimeout(10)
for n in (0, 1, 100, 1472, 4000, 65507):
    a.sendto(bytes([n & 255]) * n, ("10.9.0.2", 5002))
    data, _ = a.recvfrom(65536)
    assert data == bytes([n & 255]) * n, n
print("good")
"""
UDP_ECHO = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.9.0.2", 5002))
print("ready", flush=True)
for _ in range(6):
    data, who = s.recvfrom(65536)
    s.sendto(data, who)
"""


class Sockets:
    """Two namespaces, a TUN each, joined through the node."""

    def __init__(self) -> None:
        self.a = Namespace([TapConfig("link0", "", "10.9.0.1/24", MTU)])
        self.b = Namespace([TapConfig("link0", "", "10.9.0.2/24", MTU)])
        dut = Dut(NODE, {"DATA_W": 64}, profile="fast")
        dut.memory("host").configure(latency_ps=600_000)
        overlay = Overlay(DutPlatform(dut))
        self.overlay = overlay
        self.bridges = [
            TunBridge(self.a.tap_fds["link0"], overlay.dma.packets(64, MTU), {"10.9.0.2/32": 5}),
            TunBridge(self.b.tap_fds["link0"], overlay.dma1.packets(64, MTU)),
        ]
        self.ended = threading.Event()
        self.failure: list[BaseException] = []

        def work() -> None:
            try:
                serve(self.bridges, self.ended.is_set, lambda: dut.run(512))
            except BaseException as problem:
                self.failure.append(problem)

        self.thread = threading.Thread(target=work, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """End the thread and both networks."""
        self.ended.set()
        self.thread.join(20)
        self.a.close()
        self.b.close()
        if self.failure:
            raise self.failure[0]


@pytest.fixture(scope="module")
def sockets() -> Iterator[Sockets]:
    """One pair of networks for all tests."""
    problem = probe()
    if problem is not None:
        pytest.fail(str(problem))
    made = Sockets()
    yield made
    made.close()


def python(text: str) -> list[str]:
    """Command line of a little program."""
    return [sys.executable, "-c", text]


def talk(sockets: Sockets, server: str, client: str) -> tuple[str, str]:
    """Run a server in one network and a client in the other; what both said."""
    with sockets.b.popen(python(server), stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        done = sockets.a.run(python(client), timeout=60)
        assert done.returncode == 0, done.stderr
        said, _ = other.communicate(timeout=20)
    return said.strip(), done.stdout.strip()


def test_ping(sockets: Sockets) -> None:
    """ICMP, small and at the MTU, none lost."""
    for size in ("56", str(MTU - 28)):
        done = sockets.a.run(["ping", "-c5", "-i0.2", "-W20", "-s", size, "10.9.0.2"], timeout=60)
        assert done.returncode == 0 and " 0% packet loss" in done.stdout, done.stdout


def test_tcp_echo(sockets: Sockets) -> None:
    """400 kB there and back through the kernel's own TCP."""
    server, client = talk(sockets, SERVER, CLIENT)
    assert server == client and len(client) == 64


def test_udp_echo(sockets: Sockets) -> None:
    """Datagrams from nothing to the largest, in fragments."""
    assert talk(sockets, UDP_ECHO, UDP)[1] == "good"


def test_counts(sockets: Sockets) -> None:
    """What went in came out, and a destination without route is dropped and counted."""
    a, b = sockets.bridges
    before = a.counts.no_route
    sockets.a.run(["ping", "-c1", "-W1", "10.9.0.77"], timeout=20)
    time.sleep(0.2)
    assert a.counts.no_route > before
    assert a.counts.to_link == b.counts.from_link + b.counts.refused > 100
    assert b.counts.to_link == a.counts.from_link + a.counts.refused > 100
    assert sockets.overlay is not None


class Loop:
    """Packets that come back; room for two."""

    mtu = 100

    def __init__(self) -> None:
        self.packets: list[Packet] = []
        self.full = False

    def queue(self, data: bytes, dest: int = 0) -> bool:
        if self.full:
            return False
        self.packets.append(Packet(data, dest))
        return True

    def kick(self) -> None:
        pass

    def poll(self, limit: int = 0) -> list[Packet]:
        out, self.packets = self.packets, []
        return out


def packet(dst: str, length: int = 40) -> bytes:
    """Something that looks like IPv4."""
    address = bytes(int(part) for part in dst.split("."))
    return (b"\x45" + bytes(15) + address).ljust(length, b"\0")


@pytest.fixture
def pair() -> Iterator[tuple[int, int]]:
    """Descriptors like a TUN's: a packet a read."""
    import socket

    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    one.setblocking(False)
    two.setblocking(False)
    with one, two:
        yield one.fileno(), two.fileno()


def test_routes_and_refusals(pair: tuple[int, int]) -> None:
    """The longest route wins; what cannot go is dropped with its reason; a full ring holds back."""
    loop = Loop()
    tun, kernel = pair
    bridge = TunBridge(tun, loop, {"10.0.0.0/8": 1, "10.1.0.0/16": 2, "10.1.2.3/32": 3})
    for dst in ("10.9.9.9", "10.1.9.9", "10.1.2.3", "11.0.0.1"):
        os.write(kernel, packet(dst))
    os.write(kernel, b"\x60" + bytes(39))
    os.write(kernel, packet("10.1.2.3", 101))
    bridge._outward()
    assert [p.id for p in loop.packets] == [1, 2, 3]
    assert (bridge.counts.no_route, bridge.counts.not_ipv4, bridge.counts.too_long) == (1, 1, 1)
    bridge._inward()
    assert [os.read(kernel, 100)[16:20] for _ in range(3)][2] == bytes([10, 1, 2, 3])
    loop.full = True
    os.write(kernel, packet("10.9.9.9"))
    os.write(kernel, packet("10.1.9.9"))
    assert bridge.step() == 0 and bridge.blocked
    loop.full = False
    bridge._outward()
    assert [p.id for p in loop.packets] == [1, 2] and not bridge.blocked
    loop.packets = [Packet(b"short"), Packet(packet("10.0.0.1"))]
    bridge._inward()
    assert bridge.counts.not_ipv4 == 2 and len(os.read(kernel, 100)) == 40
