# SPDX-License-Identifier: Apache-2.0
"""Split virtqueues (virtio 1.2, 2.7) of the driver in Python that `virtio` has."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field
from typing import Protocol

NEXT, WRITE, INDIRECT = 1, 2, 4
NO_INTERRUPT = 1

Segment = tuple[int, int, bool]  # address, bytes, whether the device may write


class Memory(Protocol):
    """A host's memory."""

    def read(self, addr: int, length: int) -> bytes:
        """Bytes."""

    def write(self, addr: int, data: bytes) -> None:
        """Write bytes."""


@dataclass
class Queue:
    """A virtqueue in memory; a split one unless it is a PackedQueue."""

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

    def show(self, memory: Memory) -> None:
        """Make what was added available."""
        memory.write(self.driver + 2, struct.pack("<H", self.available))

    def add(self, memory: Memory, segments: list[Segment], table: int, rng: random.Random) -> int:
        """A chain, in an indirect table if there is an address for it; returns its head."""
        if table:
            self._link(memory, table, list(range(len(segments))), segments)
            ids = [self.free.pop(0)]
            entry = struct.pack("<QIHH", table, 16 * len(segments), INDIRECT, 0)
            memory.write(self.desc + 16 * ids[0], entry)
        else:
            ids = [self.free.pop(rng.randrange(len(self.free))) for _ in segments]
            self._link(memory, self.desc, ids, segments)
        head = ids[0]
        self.chains[head] = ids
        at = self.driver + 4 + 2 * (self.available % self.size)
        memory.write(at, struct.pack("<H", head))
        self.available = self.available + 1 & 0xFFFF
        return head

    def _link(self, memory: Memory, table: int, ids: list[int], segments: list[Segment]) -> None:
        for i, (addr, length, write) in enumerate(segments):
            more = i + 1 < len(ids)
            flags = NEXT * more | WRITE * write
            entry = struct.pack("<QIHH", addr, length, flags, ids[i + 1] if more else 0)
            memory.write(table + 16 * ids[i], entry)

    def take(self, memory: Memory) -> None:
        """Move used chains to `done`."""
        index = int.from_bytes(memory.read(self.device + 2, 2), "little")
        while self.used != index:
            at = self.device + 4 + 8 * (self.used % self.size)
            head, length = struct.unpack("<II", memory.read(at, 8))
            self.free += self.chains.pop(head)
            self.done.append((head, length))
            self.used = self.used + 1 & 0xFFFF

    def event(self, memory: Memory, index: int) -> None:
        """used_event: interrupt when that entry is used."""
        memory.write(self.driver + 4 + 2 * self.size, struct.pack("<H", index & 0xFFFF))

    def interrupts(self, memory: Memory, on: bool) -> None:
        """Without event indices: interrupt for each used chain, or not at all."""
        memory.write(self.driver, struct.pack("<H", 0 if on else NO_INTERRUPT))

    def avail_event(self, memory: Memory) -> int:
        """The device asks to be notified at this index."""
        return int.from_bytes(memory.read(self.device + 4 + 8 * self.size, 2), "little")

    def asks(self, memory: Memory, before: int) -> bool:
        """Whether the device wants to know of what was added since `available` was that."""
        event = self.avail_event(memory)
        return (self.available - event - 1) & 0xFFFF < (self.available - before) & 0xFFFF
