# SPDX-License-Identifier: Apache-2.0
"""A virtio network driver in Python, as the standard has it (virtio 1.2), for one NIC under test.

Its queues are split ones, or packed ones if it is told so and the device offers them. What a real
driver does is tested with real ones (tests/cluster).
"""

from __future__ import annotations

import itertools
import random
import struct

from kumihimo.testing import Dut
from kumihimo.testing.virtio_packed import AVAIL, USED, PackedQueue
from kumihimo.testing.virtio_split import Queue, Segment

AXIL = "s_axil_host"
MEMORY = "m_axi_host"
IRQ = "m_hdr_host_irq"
ETH = "eth0"

VERSION_1, EVENT_IDX, INDIRECT_DESC, MQ, MRG_RXBUF = 1 << 32, 1 << 29, 1 << 28, 1 << 22, 1 << 15
CTRL_VQ, CTRL_VLAN, RING_PACKED = 1 << 17, 1 << 19, 1 << 34
HASH_REPORT, VQ_NOTF_COAL = 1 << 57, 1 << 52
GUEST_CSUM, CTRL_GUEST_OFFLOADS, GUEST_TSO4, GUEST_TSO6 = (1 << n for n in (1, 2, 7, 8))
HEADER, HASH = 12, 8  # bytes of virtio_net_hdr, and of what a reported hash adds


class Driver:
    """The driver's side of one device."""

    def __init__(
        self,
        dut: Dut,
        features: int = ~0,
        seed: int = 1,
        packed: bool = False,
        hashes: bool = False,
        coalesce: bool = False,
    ) -> None:
        self.dut = dut
        self.memory = dut.memory(MEMORY)
        self.rng = random.Random(seed)
        self.top = 0x10_0000
        self.queues: dict[int, Queue] = {}
        self.status(0)
        while self.read(0x14) & 0xFF:
            dut.run(16)
        self.status(3)
        offered = self.feature(0) | self.feature(1) << 32
        self.features = offered & features & (~0 if packed else ~RING_PACKED)
        self.features &= ~0 if hashes else ~HASH_REPORT
        self.features &= ~0 if coalesce else ~(GUEST_TSO4 | GUEST_TSO6)
        self.packed = self.features & RING_PACKED != 0
        self.header = HEADER + (HASH if self.features & HASH_REPORT else 0)
        for word in (0, 1):
            self.write(0x08, word)
            self.write(0x0C, self.features >> 32 * word & 0xFFFFFFFF)
        self.status(11)
        assert self.read(0x14) & 8, "FEATURES_OK"

    def read(self, addr: int) -> int:
        """A register."""
        return self.dut.axil_read(addr, AXIL)

    def write(self, addr: int, data: int, strb: int = 15) -> None:
        """Write a register."""
        self.dut.axil_write(addr, data, AXIL, strb)

    def write16(self, addr: int, data: int) -> None:
        """Write a field of 16 bits."""
        lane = addr % 4
        self.write(addr - lane, data << 8 * lane, 3 << lane)

    def status(self, value: int) -> None:
        """Write the status."""
        self.write(0x14, value, 1)

    def feature(self, word: int) -> int:
        """A word of the features that the device offers."""
        self.write(0x00, word)
        return self.read(0x04)

    def place(self, length: int, align: int = 1) -> int:
        """Memory that was not used before."""
        addr = -(-self.top // align) * align
        self.top = addr + length
        return addr

    def queue(self, number: int, size: int = 16, base: int = 0) -> Queue:
        """Set a queue up and enable it; base: chains (packed: descriptors) that it has had."""
        kind = PackedQueue if self.packed else Queue
        # Only as aligned as the standard demands.
        desc = self.place(16 * size, 4096) + 16 * self.rng.randrange(4)
        free = list(range(size))
        q = kind(number, size, desc, 0, 0, free=free, available=base, used=base)
        self.place(64)
        step = 4 if self.packed else 2
        q.driver = self.place(6 + 2 * size, 64) + step * self.rng.randrange(40 // step)
        self.place(64)
        q.device = self.place(6 + 8 * size, 64) + 4 * self.rng.randrange(14)
        self.place(128)
        if isinstance(q, PackedQueue):
            first = q.place(base)
            self.memory.write(q.driver, bytes(4))
            self.memory.write(q.device, bytes(4))
            # Not available in this lap, and not used.
            for n in range(base, base + size):
                entry = struct.pack("<QIHH", 0, 0, 0, 0 if q.wrap(n) else AVAIL | USED)
                self.memory.write(q.at(n), entry)
        else:
            first = base
            self.memory.write(q.driver, struct.pack("<HH", 0, base))
            self.memory.write(q.device, struct.pack("<HH", 0, base))
        self.write16(0x16, number)
        self.write16(0x18, size)
        self.write16(0x1A, number)
        for at, addr in ((0x20, q.desc), (0x28, q.driver), (0x30, q.device)):
            self.write(at, addr & 0xFFFFFFFF)
            self.write(at + 4, addr >> 32)
        if base:
            self.write(0x300, first * 0x10001)
        self.write16(0x1C, 1)
        self.queues[number] = q
        return q

    def start(self) -> None:
        """DRIVER_OK."""
        self.status(15)

    # ---- chains ---------------------------------------------------------------------------

    def add(self, q: Queue, segments: list[Segment], indirect: bool = False) -> int:
        """Make a chain available; returns its head."""
        table = self.place(16 * len(segments), 16) if indirect else 0
        return q.add(self.memory, segments, table, self.rng)

    def publish(self, q: Queue, notify: bool = True) -> None:
        """Show the device what was added."""
        q.show(self.memory)
        if notify:
            self.write(0x2000 + 4 * q.number, q.number)

    def event(self, q: Queue, index: int) -> None:
        """Interrupt when that chain (packed: descriptor) is used."""
        q.event(self.memory, index)

    def avail_event(self, q: Queue) -> int:
        """The device asks to be notified at this index."""
        return q.avail_event(self.memory)

    def take(self, q: Queue) -> int:
        """Look at the used ring; returns how many used chains nobody has asked for."""
        q.take(self.memory)
        return len(q.done)

    def wait(self, q: Queue, count: int = 1, cycles: int = 20_000) -> list[tuple[int, int]]:
        """The next used chains: (head, bytes)."""
        for _ in range(cycles // 16):
            if self.take(q) >= count:
                break
            self.dut.run(16)
        assert len(q.done) >= count, f"{len(q.done)} of {count} chains used"
        out, q.done = q.done[:count], q.done[count:]
        return out

    # ---- frames ---------------------------------------------------------------------------

    def buffer(self, data: bytes) -> int:
        """Data somewhere in memory, at any alignment."""
        addr = self.place(len(data)) + self.rng.randrange(64)
        self.place(64)
        self.memory.write(addr, data)
        return addr

    def pieces(self, data: bytes, count: int) -> list[Segment]:
        """Data in so many segments."""
        cuts = sorted(self.rng.sample(range(1, len(data)), count - 1))
        edges = [0, *cuts, len(data)]
        parts = [data[a:b] for a, b in itertools.pairwise(edges)]
        return [(self.buffer(part), len(part), False) for part in parts]

    def send(self, q: Queue, frame: bytes, pieces: int = 1, indirect: bool = False) -> int:
        """Make a frame available for sending; returns its head."""
        return self.add(q, self.pieces(bytes(self.header) + frame, pieces), indirect)

    def command(self, q: Queue, data: bytes) -> int:
        """A command of the control queue; returns its answer."""
        return self.ask(q, data, [1])[0][0]

    def ask(self, q: Queue, data: bytes, sizes: list[int]) -> tuple[bytes, int]:
        """A command with so many bytes for its answer in segments; they, and how many are used."""
        answer = [(self.buffer(b"\xff" * size), size, True) for size in sizes]
        parts = [(self.buffer(data[:2]), 2, False)]
        if data[2:]:
            parts.append((self.buffer(data[2:]), len(data) - 2, False))
        self.add(q, [*parts, *answer])
        self.publish(q)
        ((_head, used),) = self.wait(q, 1)
        return b"".join(self.memory.read(addr, size) for addr, size, _ in answer), used
