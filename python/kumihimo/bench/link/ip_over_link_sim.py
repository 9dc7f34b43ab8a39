# SPDX-License-Identifier: Apache-2.0
"""The measurements of `kumi bench ip-over-link` in simulated time."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

from kumihimo.bench.core import BenchError
from kumihimo.bench.frames import checksum
from kumihimo.cluster import Cluster, Node
from kumihimo.host import NodePlatform, Overlay, PacketRing
from kumihimo.ip_over_link.boards import LinkedBoards
from kumihimo.regs import Mmio

STEP_PS = 100_000  # between two looks of the hosts
CHANNEL_BPS = 10e9  # payload of the lane: 64 of 66 bits at 10.3125 Gb/s
LOST_PS = 200_000_000  # nothing came for so long: lost
WINDOW = 256 * 1024  # bytes that an echo has under way

# Time of a register access of the host. The paper's 10 MB took 2,152 ms there and back; with the
# three accesses that a word of 4 bytes costs each host here, these are 287 ns each at the most.
PAPER_PACE_NS = 250
PACES_NS = (0, 100, PAPER_PACE_NS, 1000)  # 0: no longer than the bus takes
HOSTS = ("10.9.0.1", "10.9.0.2")
KERNEL = "10.9.1.2"


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))


def ipv4(body: bytes, source: str, target: str, protocol: int) -> bytes:
    """An IPv4 packet."""
    start = bytes([0x45, 0]) + (20 + len(body)).to_bytes(2) + b"\0\0\x40\0" + bytes([64, protocol])
    ends = _address(source) + _address(target)
    return start + checksum(start + ends).to_bytes(2) + ends + body


def ping(source: str, target: str, number: int, size: int = 56, answer: bool = False) -> bytes:
    """An echo request, or its answer."""
    first = b"\0\0" if answer else b"\x08\0"
    rest = b"\x4b\x4d" + number.to_bytes(2) + bytes(i & 0xFF for i in range(size))
    return ipv4(first + checksum(first + rest).to_bytes(2) + rest, source, target, 1)


class _Flow:
    """Packets from one ring to another, compared."""

    def __init__(self, source: PacketRing, sink: PacketRing, packets: list[bytes]) -> None:
        self.source, self.sink, self.packets = source, sink, packets
        self.queued = 0
        self.got: list[int] = []  # when each came, ps

    def step(self, now: int) -> None:
        start = self.queued
        while self.queued < len(self.packets) and self.source.queue(self.packets[self.queued]):
            self.queued += 1
        if self.queued > start:
            self.source.kick()
        for packet in self.sink.poll():
            if len(self.got) >= len(self.packets) or packet.data != self.packets[len(self.got)]:
                raise BenchError("a packet did not arrive as it was sent")
            self.got.append(now)

    @property
    def done(self) -> bool:
        return len(self.got) == len(self.packets)

    @property
    def rate(self) -> float:
        """Bits a second, steady: from an early packet to a late one (see `_steady`)."""
        return 8 * _steady([len(packet) for packet in self.packets], self.got)


def _steady(sizes: list[int], times: list[int]) -> float:
    """Bytes a second without the first and the last eighth.

    The last packets are known sooner than others: the completion of a packet waits behind the
    data of the next one.
    """
    first, last = len(times) // 8, len(times) - 1 - len(times) // 8
    return sum(sizes[first + 1 : last + 1]) / ((times[last] - times[first]) * 1e-12)


def stream(boards: LinkedBoards, name: str, size: int, moved: int) -> list[float]:
    """Bits a second of whole IP packets each way, both ways at once."""
    near, far = boards.circuit(name)
    rng = random.Random(size)
    count = -(-moved // size)
    flows = [
        _Flow(a, b, [ipv4(rng.randbytes(size - 20), x, y, 253) for _ in range(count)])
        for a, b, x, y in ((near, far, *HOSTS), (far, near, *HOSTS[::-1]))
    ]
    end = boards.cluster.now_ps + LOST_PS + 30 * moved * 1000
    while not all(flow.done for flow in flows):
        if boards.cluster.run(STEP_PS) > end:
            raise BenchError(f"of {count} packets only {[len(f.got) for f in flows]} arrived")
        for flow in flows:
            flow.step(boards.cluster.now_ps)
    return [flow.rate for flow in flows]


@dataclass
class Echo:
    """What an echo took."""

    moved: int
    """Bytes of payload that went and came back."""
    seconds: float
    rate: float
    """Payload bytes per second, one way, steady."""


def echo(boards: LinkedBoards, name: str, payload: int, head: int, moved: int, acks: bool) -> Echo:
    """Payload in packets of `payload` + `head` bytes to the other host and back.

    With `acks` each host also sends a packet of headers alone for every second one that it
    receives, as TCP does when the application's answer is not there yet.
    """
    near, far = boards.circuit(name)
    rng = random.Random(payload)
    protocol = 6 if acks else 17
    sizes = [payload] * (moved // payload) + [moved % payload] * (moved % payload > 0)
    bodies = [rng.randbytes(head - 20 + size) for size in sizes]
    bare = [ipv4(bytes(head - 20), x, y, protocol) for x, y in (HOSTS, HOSTS[::-1])]
    back: deque[bytes] = deque()
    sent = returned = under_way = heard = 0
    times: list[int] = []
    start = last = boards.cluster.now_ps
    while len(times) < len(bodies):
        while sent < len(bodies) and under_way < WINDOW:
            if not near.queue(ipv4(bodies[sent], *HOSTS, protocol)):
                break
            under_way += sizes[sent]
            sent += 1
        near.kick()
        now = boards.cluster.run(STEP_PS)
        for packet in far.poll():
            if acks and packet.data == bare[0]:
                continue
            back.append(ipv4(packet.data[20:], *HOSTS[::-1], protocol))
            heard += 1
            if acks and heard % 2 == 0:
                far.queue(bare[1])
        while back and far.queue(back[0]):
            back.popleft()
        far.kick()
        for packet in near.poll():
            if acks and packet.data == bare[1]:
                continue
            if packet.data[20:] != bodies[returned]:
                raise BenchError("an echo is not what was sent")
            under_way -= sizes[returned]
            returned += 1
            times.append(now)
            last = now
            if acks and returned % 2 == 0:
                near.queue(bare[0])
        if now - last > LOST_PS:
            raise BenchError(f"{returned} of {len(bodies)} packets came back")
    rate = _steady(sizes, times)
    near.kick()
    boards.cluster.run(20_000_000)  # acknowledgements that are still under way
    near.poll(), far.poll()
    return Echo(moved, (times[-1] - start) * 1e-12, rate)


def _trip(cluster: Cluster, ring: PacketRing, other: PacketRing | None, number: int) -> float:
    """Microseconds from the doorbell to the answer."""
    target = KERNEL if other is None else HOSTS[1]
    begin = cluster.now_ps
    ring.send(ping(HOSTS[0], target, number))
    while cluster.run(STEP_PS // 4) < begin + LOST_PS:
        for packet in other.poll() if other else ():
            if packet.data != ping(*HOSTS, number):
                raise BenchError("a request did not arrive as it was sent")
            other.send(ping(*HOSTS[::-1], number, answer=True))  # type: ignore[union-attr]
        for packet in ring.poll():
            wanted = ping(target, HOSTS[0], number, answer=True)
            if packet.data[20:] != wanted[20:] or packet.data[12:20] != wanted[12:20]:
                raise BenchError("the answer to a ping is wrong")
            return (cluster.now_ps - begin) * 1e-6
    raise BenchError("no answer to a ping")


def _trips(
    boards: LinkedBoards, ring: PacketRing, other: PacketRing | None, count: int
) -> list[float]:
    times = []
    for number in range(count):
        boards.cluster.run(1_000_000 + number * 37_000)  # another position of the TDM frame
        times.append(_trip(boards.cluster, ring, other, number))
    return times


def ping_host(boards: LinkedBoards, name: str, count: int) -> list[float]:
    """Round trips to the other host, which answers at its next look, in microseconds."""
    near, far = boards.circuit(name)
    return _trips(boards, near, far, count)


def ping_kernel(boards: LinkedBoards, name: str, count: int) -> list[float]:
    """Round trips to the IP kernel at the end of a circuit, in microseconds."""
    (here, _, channel), (there, _, _) = boards.ends(name)
    boards.kernel_address(there, f"{KERNEL}/24")
    return _trips(boards, boards.ring(here, channel), None, count)


class _Paced:
    """Registers of a host that needs a time for each access."""

    def __init__(self, cluster: Cluster, mmio: Mmio) -> None:
        self._cluster, self._mmio = cluster, mmio
        self.access_ps = 0
        self.spent_ps = 0
        self.accesses = 0

    def _wait(self, begin: int) -> None:
        rest = self.access_ps - (self._cluster.now_ps - begin)
        if rest > 0:
            self._cluster.run(rest)
        self.accesses += 1
        self.spent_ps += self._cluster.now_ps - begin

    def read(self, addr: int, /) -> int:
        begin = self._cluster.now_ps
        value = self._mmio.read(addr)
        self._wait(begin)
        return value

    def write(self, addr: int, data: int, /) -> None:
        begin = self._cluster.now_ps
        self._mmio.write(addr, data)
        self._wait(begin)


class _PacedPlatform(NodePlatform):
    """A host with slow registers."""

    def __init__(self, cluster: Cluster, node: Node) -> None:
        super().__init__(cluster, node)
        self.paced = _Paced(cluster, self.mmio)
        self.mmio = self.paced


@dataclass
class Fifo:
    """What the register fifo took."""

    moved: int
    rate: float
    """Payload bytes per second of an echo: each host pops every word and pushes it."""
    access_ns: float
    accesses_per_word: float


def register_fifo(boards: LinkedBoards, name: str, size: int, count: int, pace_ns: int) -> Fifo:
    """Packets pushed at one host and popped at the other, word by word.

    In an echo both hosts do both at the same time for different packets, so what bounds it is
    the sum of the two times.
    """
    ends = boards.ends(name)
    fifos, paced = [], []
    for board, _, channel in ends:
        platform = _PacedPlatform(boards.cluster, boards.cluster[board])
        overlay = Overlay(platform)
        if channel != boards.best_channel(board):  # as many circuits as best effort leaves
            raise BenchError(f"the circuit {name} does not end at the register fifo")
        fifos.append(overlay["mmio_fifo"])
        paced.append(platform.paced)
    rng = random.Random(pace_ns)
    head = 28
    spent = accesses = 0
    for _ in range(count):
        packet = ipv4(rng.randbytes(size - 20), *HOSTS, 17)
        for which in paced:
            which.access_ps, which.spent_ps, which.accesses = pace_ns * 1000, 0, 0
        fifos[0].send(packet)
        boards.cluster.run(10_000_000)  # it crosses the link
        got = fifos[1].poll()
        if [p.data for p in got] != [packet]:
            raise BenchError("a packet did not come through the register fifo as it was sent")
        spent += sum(which.spent_ps for which in paced)
        accesses += sum(which.accesses for which in paced)
    moved = count * (size - head)
    return Fifo(
        moved, moved / (spent * 1e-12), spent / accesses / 1000, accesses / (count * size / 4)
    )
