# SPDX-License-Identifier: Apache-2.0
"""A driver that keeps the rings of a network card full: each descriptor has a buffer for good.

What Linux does, as far as the card can see it: single descriptors for receive buffers and short
packets, an indirect table with header and data apart for long ones, a notification when the card
has asked for it, an interrupt when half of a ring has been used.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from kumihimo.testing import Dut
from kumihimo.testing.virtio import HEADER, INDIRECT, NEXT, WRITE, Driver, Queue

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


class Rings(Driver):
    """The driver's side of a card with all of its pairs in use."""

    def __init__(self, dut: Dut, pairs: int) -> None:
        super().__init__(dut)
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
        for i in range(SIZE):
            entry = struct.pack("<QIHH", base + i * length, length, WRITE, 0)
            self.memory.write(ring.q.desc + 16 * i, entry)
        ring.q.chains = {i: [base + i * length] for i in range(SIZE)}

    def post_frames(self, ring: Ring, frames: Sequence[bytes], indirect: bool) -> None:
        """Frames for the whole ring, in turn."""
        for i in range(SIZE):
            data = bytes(HEADER) + frames[i % len(frames)]
            at = self.buffer(data)
            if indirect:
                table = self.place(32, 16)
                first = struct.pack("<QIHH", at, HEADER + FRONT, NEXT, 1)
                rest = len(data) - HEADER - FRONT
                second = struct.pack("<QIHH", at + HEADER + FRONT, rest, 0, 0)
                self.memory.write(table, first + second)
                entry = struct.pack("<QIHH", table, 32, INDIRECT, 0)
            else:
                entry = struct.pack("<QIHH", at, len(data), 0, 0)
            self.memory.write(ring.q.desc + 16 * i, entry)

    def give(self, ring: Ring, heads: Sequence[int]) -> None:
        """Make chains available again; notify if the card wants to know."""
        if not heads:
            return
        q = ring.q
        old = q.available
        for head in heads:
            at = q.driver + 4 + 2 * (q.available % SIZE)
            self.memory.write(at, head.to_bytes(2, "little"))
            q.available = q.available + 1 & 0xFFFF
        event = self.avail_event(q)
        # 2.7.10: the index that the card waits for was passed.
        wanted = (q.available - event - 1) & 0xFFFF < (q.available - old) & 0xFFFF
        self.publish(q, notify=wanted)
        ring.told += wanted

    def collect(self, ring: Ring) -> int:
        """Take the used entries; the next interrupt is asked for when half of the ring is used."""
        q = ring.q
        index = int.from_bytes(self.memory.read(q.device + 2, 2), "little")
        count = (index - q.used) & 0xFFFF
        if not count:
            return 0
        used = self.memory.read(q.device + 4, 8 * SIZE)
        for i in range(count):
            head, length = struct.unpack_from("<II", used, 8 * ((q.used + i) % SIZE))
            ring.heads.append(head)
            ring.lengths.append(length)
        passed = (index - ring.event - 1) & 0xFFFF < (index - q.used) & 0xFFFF
        q.used = index
        if passed:
            ring.event = index + SIZE // 2 - 1 & 0xFFFF
            self.event(q, ring.event)
        return count
