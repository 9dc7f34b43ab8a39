# SPDX-License-Identifier: Apache-2.0
"""Packed virtqueues (virtio 1.2, 2.8) of the driver in Python that `virtio` has."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from kumihimo.testing.virtio_split import INDIRECT, NEXT, WRITE, Memory, Queue, Segment

AVAIL, USED = 1 << 7, 1 << 15
EVENTS_ON, EVENTS_OFF, EVENTS_DESC = 0, 1, 2
WRAP = 1 << 15


@dataclass
class PackedQueue(Queue):
    """A packed virtqueue; `available` and `used` count descriptors since place 0 of the first lap.

    `free` has an id for each free descriptor of the ring.
    """

    heads: list[tuple[int, int]] = field(default_factory=list)
    """Heads that are not shown yet: (address of their flags, flags)."""

    def at(self, count: int) -> int:
        """Address of a descriptor."""
        return self.desc + 16 * (count % self.size)

    def wrap(self, count: int) -> bool:
        """The wrap counter in the lap of a descriptor."""
        return count // self.size % 2 == 0

    def place(self, count: int) -> int:
        """A place with its wrap counter, as events and vhost-user have it."""
        return count % self.size | WRAP * self.wrap(count)

    def count(self, place: int, near: int) -> int:
        """The count of a place, not beyond `near` and less than two laps before it."""
        first = (place & ~WRAP) + self.size * (not place & WRAP)
        return near - (near - first) % (2 * self.size)

    def show(self, memory: Memory) -> None:
        """Make what was added available: the flags of each head come last."""
        for addr, flags in self.heads:
            memory.write(addr, struct.pack("<H", flags))
        self.heads.clear()

    def add(self, memory: Memory, segments: list[Segment], table: int, rng: random.Random) -> int:
        """A chain, in an indirect table if there is an address for it; returns its id."""
        parts: list[tuple[int, int, int]] = []
        if table:
            for i, (addr, length, write) in enumerate(segments):
                # Flags other than WRITE, and the id, are to be ignored here.
                flags = WRITE * write | rng.choice([0, NEXT, AVAIL | USED])
                entry = struct.pack("<QIHH", addr, length, rng.getrandbits(16), flags)
                memory.write(table + 16 * i, entry)
            parts.append((table, 16 * len(segments), INDIRECT))
        else:
            for i, (addr, length, write) in enumerate(segments):
                parts.append((addr, length, WRITE * write | NEXT * (i + 1 < len(segments))))
        ids = [self.free.pop(rng.randrange(len(self.free))) for _ in parts]
        head = ids[-1]
        for i, (addr, length, flags) in enumerate(parts):
            at = self.at(self.available)
            flags |= AVAIL if self.wrap(self.available) else USED
            # The id counts in the last one only.
            number = head if i + 1 == len(parts) else rng.getrandbits(16)
            if i == 0:
                memory.write(at, struct.pack("<QIH", addr, length, number))
                self.heads.append((at + 14, flags))
            else:
                memory.write(at, struct.pack("<QIHH", addr, length, number, flags))
            self.available += 1
        self.chains[head] = ids
        return head

    def take(self, memory: Memory) -> None:
        """Move used chains to `done`."""
        while True:
            length, head, flags = struct.unpack("<IHH", memory.read(self.at(self.used) + 8, 8))
            wrap = self.wrap(self.used)
            if (flags & AVAIL != 0) != wrap or (flags & USED != 0) != wrap:
                return
            if self.used == self.available:
                raise AssertionError("a chain is used that was never available")
            ids = self.chains.pop(head)
            self.free += ids
            if flags & WRITE == 0 and length != 0:
                raise AssertionError("bytes were written, and the descriptor does not say so")
            self.done.append((head, length))
            self.used += len(ids)

    def event(self, memory: Memory, index: int) -> None:
        """Interrupt when that descriptor, counted as `used` is, is used."""
        memory.write(self.driver, struct.pack("<HH", self.place(index), EVENTS_DESC))

    def interrupts(self, memory: Memory, on: bool) -> None:
        """Interrupt for each used chain, or not at all."""
        memory.write(self.driver, struct.pack("<HH", 0, EVENTS_ON if on else EVENTS_OFF))

    def avail_event(self, memory: Memory) -> int:
        """The device asks to be notified at this descriptor, counted as `available` is."""
        place, _flags = struct.unpack("<HH", memory.read(self.device, 4))
        return self.count(place, self.available)

    def asks(self, memory: Memory, before: int) -> bool:
        """Whether the device wants to know of what was added since `available` was that."""
        place, flags = struct.unpack("<HH", memory.read(self.device, 4))
        if flags != EVENTS_DESC:
            return bool(flags == EVENTS_ON)
        # As Linux has it (virtqueue_kick_prepare_packed).
        event = (place & ~WRAP) - self.size * ((place & WRAP != 0) != self.wrap(self.available))
        new = self.available % self.size
        old = new - (self.available - before)
        return bool((new - event - 1) & 0xFFFF < (new - old) & 0xFFFF)
