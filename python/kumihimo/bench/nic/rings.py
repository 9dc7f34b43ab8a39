# SPDX-License-Identifier: Apache-2.0
"""A driver that keeps the rings of a network card full: each descriptor has a buffer for good.

What Linux does, as far as the card can see it: single descriptors for receive buffers and short
packets, an indirect table with header and data apart for long ones, a notification when the card
has asked for it, an interrupt when half of a ring has been used.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from kumihimo.testing import Dut
from kumihimo.testing.virtio import HEADER, Driver
from kumihimo.testing.virtio_packed import AVAIL, USED, PackedQueue
from kumihimo.testing.virtio_split import INDIRECT, NEXT, WRITE, Queue

SIZE = 256
FRONT = 66  # bytes of a frame's headers, which Linux keeps apart from its data


@dataclass
class Ring:
    """A queue, and what the driver knows of it."""

    q: Queue
    lengths: list[int]  # of the used entries since they were last taken
    heads: list[int]
    told: int = 0  # notifications
    event: int = 0  # index whose entry is to interrupt
    entries: list[tuple[int, int, int]] = field(default_factory=list)
    """Address, length and flags of each descriptor."""


class Rings(Driver):
    """The driver's side of a card with all of its pairs in use."""

    def __init__(self, dut: Dut, pairs: int, packed: bool = False) -> None:
        super().__init__(dut, packed=packed)
        self.rings: list[Ring] = []
        for number in range(2 * pairs):
            self.rings.append(Ring(self.queue(number, SIZE), [], []))
        control = self.queue(2 * pairs)
        self.start()
        if pairs > 1:
            assert self.command(control, b"\x04\x00" + pairs.to_bytes(2, "little")) == 0
        self.control = control

    def post_buffers(self, ring: Ring, length: int) -> None:
        """Receive buffers for the whole ring."""
        base = self.place(length * SIZE, 4096)
        self._post(ring, [(base + i * length, length, WRITE) for i in range(SIZE)])

    def post_frames(self, ring: Ring, frames: Sequence[bytes], indirect: bool) -> None:
        """Frames for the whole ring, in turn."""
        entries = []
        for i in range(SIZE):
            data = bytes(HEADER) + frames[i % len(frames)]
            at = self.buffer(data)
            if indirect:
                table = self.place(32, 16)
                # In a packed ring the table's length says that a second one follows.
                link = (0, 0) if self.packed else (NEXT, 1)
                first = struct.pack("<QIHH", at, HEADER + FRONT, *link)
                rest = len(data) - HEADER - FRONT
                second = struct.pack("<QIHH", at + HEADER + FRONT, rest, 0, 0)
                self.memory.write(table, first + second)
                entries.append((table, 32, INDIRECT))
            else:
                entries.append((at, len(data), 0))
        self._post(ring, entries)

    def _post(self, ring: Ring, entries: list[tuple[int, int, int]]) -> None:
        ring.entries = entries
        if self.packed:
            return
        for i, entry in enumerate(entries):
            self.memory.write(ring.q.desc + 16 * i, struct.pack("<QIHH", *entry, 0))

    def give(self, ring: Ring, heads: Sequence[int]) -> None:
        """Make chains available again; notify if the card wants to know."""
        if not heads:
            return
        q = ring.q
        old = q.available
        for head in heads:
            if isinstance(q, PackedQueue):
                addr, length, flags = ring.entries[head]
                flags |= AVAIL if q.wrap(q.available) else USED
                entry = struct.pack("<QIHH", addr, length, head, flags)
                self.memory.write(q.at(q.available), entry)
                q.available += 1
            else:
                at = q.driver + 4 + 2 * (q.available % SIZE)
                self.memory.write(at, head.to_bytes(2, "little"))
                q.available = q.available + 1 & 0xFFFF
        # 2.7.10, 2.8.10: what the card waits for was passed.
        self.publish(q, notify=False)
        if q.asks(self.memory, old):
            self.publish(q)
            ring.told += 1

    def collect(self, ring: Ring) -> int:
        """Take the used entries; the next interrupt is asked for when half of the ring is used."""
        q = ring.q
        old = q.used
        if isinstance(q, PackedQueue):
            index = self._collect_packed(ring, q)
        else:
            index = self._collect_split(ring)
        count = (index - old) & 0xFFFF
        if not count:
            return 0
        passed = (index - ring.event - 1) & 0xFFFF < (index - old) & 0xFFFF
        q.used = index
        if passed:
            ring.event = index + SIZE // 2 - 1
            self.event(q, ring.event)
        return count

    def _collect_split(self, ring: Ring) -> int:
        q = ring.q
        index = int.from_bytes(self.memory.read(q.device + 2, 2), "little")
        count = (index - q.used) & 0xFFFF
        used = self.memory.read(q.device + 4, 8 * SIZE)
        for i in range(count):
            head, length = struct.unpack_from("<II", used, 8 * ((q.used + i) % SIZE))
            ring.heads.append(head)
            ring.lengths.append(length)
        return index

    def _collect_packed(self, ring: Ring, q: PackedQueue) -> int:
        index = q.used
        descriptors = self.memory.read(q.desc, 16 * SIZE)
        while index != q.available:
            at = 16 * (index % SIZE) + 8
            length, head, flags = struct.unpack_from("<IHH", descriptors, at)
            if flags & (AVAIL | USED) != (AVAIL | USED) * q.wrap(index):
                break
            ring.heads.append(head)
            ring.lengths.append(length)
            index += 1
        return index
