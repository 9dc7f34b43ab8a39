# SPDX-License-Identifier: Apache-2.0
"""A virtio network driver in Python, as the standard has it (virtio 1.2), for one NIC under test.

It knows split rings only. What a real driver does is tested with real ones (tests/cluster).
"""

from __future__ import annotations

import itertools
import random
import struct
from dataclasses import dataclass, field

from kumihimo.testing import Dut

AXIL = "s_axil_host"
MEMORY = "m_axi_host"
IRQ = "m_hdr_host_irq"
ETH = "eth0"

NEXT, WRITE, INDIRECT = 1, 2, 4
VERSION_1, EVENT_IDX, INDIRECT_DESC, MQ, MRG_RXBUF = 1 << 32, 1 << 29, 1 << 28, 1 << 22, 1 << 15
CTRL_VQ, CTRL_VLAN = 1 << 17, 1 << 19
HEADER = 12

Segment = tuple[int, int, bool]  # address, bytes, whether the device may write


@dataclass
class Queue:
    """A split virtqueue in memory."""

    number: int
    size: int
    desc: int
    driver: int
    device: int
    free: list[int] = field(default_factory=list)
    available: int = 0
    used: int = 0
    chains: dict[int, list[int]] = field(default_factory=dict)
    done: list[tuple[int, int]] = field(default_factory=list)
    """Used chains that nobody has asked for: (head, bytes)."""


class Driver:
    """The driver's side of one device."""

    def __init__(self, dut: Dut, features: int = ~0, seed: int = 1) -> None:
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
        self.features = offered & features
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
        """Set a queue up and enable it."""
        # Only as aligned as the standard demands.
        q = Queue(
            number,
            size,
            self.place(16 * size, 4096) + 16 * self.rng.randrange(4),
            0,
            0,
            free=list(range(size)),
            available=base,
            used=base,
        )
        self.place(64)
        q.driver = self.place(6 + 2 * size, 64) + 2 * self.rng.randrange(20)
        self.place(64)
        q.device = self.place(6 + 8 * size, 64) + 4 * self.rng.randrange(14)
        self.place(128)
        self.memory.write(q.driver, struct.pack("<HH", 0, base))
        self.memory.write(q.device, struct.pack("<HH", 0, base))
        self.write16(0x16, number)
        self.write16(0x18, size)
        self.write16(0x1A, number)
        for at, addr in ((0x20, q.desc), (0x28, q.driver), (0x30, q.device)):
            self.write(at, addr & 0xFFFFFFFF)
            self.write(at + 4, addr >> 32)
        self.write(0x300, base * 0x10001)
        self.write16(0x1C, 1)
        self.queues[number] = q
        return q

    def start(self) -> None:
        """DRIVER_OK."""
        self.status(15)

    # ---- chains ---------------------------------------------------------------------------

    def add(self, q: Queue, segments: list[Segment], indirect: bool = False) -> int:
        """Make a chain available; returns its head."""
        if indirect:
            table = self.place(16 * len(segments), 16)
            self._link(table, list(range(len(segments))), segments)
            head = q.free.pop(0)
            entry = struct.pack("<QIHH", table, 16 * len(segments), INDIRECT, 0)
            self.memory.write(q.desc + 16 * head, entry)
            q.chains[head] = [head]
        else:
            ids = [q.free.pop(self.rng.randrange(len(q.free))) for _ in segments]
            self._link(q.desc, ids, segments)
            head = ids[0]
            q.chains[head] = ids
        self.memory.write(q.driver + 4 + 2 * (q.available % q.size), struct.pack("<H", head))
        q.available = q.available + 1 & 0xFFFF
        return head

    def _link(self, table: int, ids: list[int], segments: list[Segment]) -> None:
        for i, (addr, length, write) in enumerate(segments):
            more = i + 1 < len(ids)
            flags = NEXT * more | WRITE * write
            entry = struct.pack("<QIHH", addr, length, flags, ids[i + 1] if more else 0)
            self.memory.write(table + 16 * ids[i], entry)

    def publish(self, q: Queue, notify: bool = True) -> None:
        """Show the device what was added."""
        self.memory.write(q.driver + 2, struct.pack("<H", q.available))
        if notify:
            self.write(0x2000 + 4 * q.number, q.number)

    def event(self, q: Queue, index: int) -> None:
        """used_event: interrupt when that entry is used."""
        self.memory.write(q.driver + 4 + 2 * q.size, struct.pack("<H", index & 0xFFFF))

    def avail_event(self, q: Queue) -> int:
        """The device asks to be notified at this index."""
        return int.from_bytes(self.memory.read(q.device + 4 + 8 * q.size, 2), "little")

    def take(self, q: Queue) -> int:
        """Look at the used ring; returns how many used chains nobody has asked for."""
        index = int.from_bytes(self.memory.read(q.device + 2, 2), "little")
        while q.used != index:
            at = q.device + 4 + 8 * (q.used % q.size)
            head, length = struct.unpack("<II", self.memory.read(at, 8))
            q.free += q.chains.pop(head)
            q.done.append((head, length))
            q.used = q.used + 1 & 0xFFFF
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
        return self.add(q, self.pieces(bytes(HEADER) + frame, pieces), indirect)

    def command(self, q: Queue, data: bytes) -> int:
        """A command of the control queue; returns its answer."""
        ack = self.buffer(b"\xff")
        parts = [(self.buffer(data[:2]), 2, False)]
        if data[2:]:
            parts.append((self.buffer(data[2:]), len(data) - 2, False))
        self.add(q, [*parts, (ack, 1, True)])
        self.publish(q)
        self.wait(q, 1)
        return self.memory.read(ack, 1)[0]
