# SPDX-License-Identifier: Apache-2.0
"""Software side of a descriptor ring of `kumi_dma` (docs/blocks/dma.md)."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntFlag

from ..common.errors import KumiError
from ..regs import Block
from .allocate import Pool
from .platform import Platform, wait_for

DESCRIPTOR = struct.Struct("<QII")
RESULT = struct.Struct("<II")
MAX_LENGTH = (1 << 24) - 1
DONE = 1 << 31
IDLE, RUNNING, FETCH_ERROR, WRITE_ERROR, TAIL_ERROR = 1, 2, 1 << 8, 1 << 9, 1 << 10
CODES = {
    1: "the memory answered with an error",
    2: "there is no memory at the address",
    3: "illegal descriptor",
}


class DmaError(KumiError):
    """The DMA engine reported an error."""


class Flag(IntFlag):
    """Flags of a descriptor."""

    EOP = 1
    SOP = 2
    IRQ = 4
    BAD = 8


@dataclass(frozen=True)
class Completion:
    """Completion of a descriptor."""

    length: int
    """Bytes moved."""
    flags: Flag
    code: int
    """0: well; else a key of CODES."""
    dest: int
    """Receive: tid of the packet."""


class Ring:
    """A ring of descriptors: post, ring the doorbell, reap."""

    def __init__(
        self, platform: Platform, block: Block, index: int, pool: Pool, log2: int = 8
    ) -> None:
        """Ring 0 of the block sends, ring 1 receives; 2**log2 descriptors."""
        if not 2 <= log2 <= 15:
            raise ValueError("A ring has 4 to 32768 descriptors.")
        self._platform = platform
        self._block = block
        self._index = index
        self._log2 = log2
        self.size = 1 << log2
        self._pool = pool
        self._base = pool.take(16 * self.size)
        self._head = pool.take(8)
        self._posted = 0
        self._rung = 0
        self._reaped = 0

    @property
    def status(self) -> int:
        """Status register."""
        return self._block.ring_status.read(self._index)

    @property
    def free(self) -> int:
        """Number of descriptors that may be posted."""
        return self.size - (self._posted - self._reaped)

    @property
    def pending(self) -> int:
        """Number of posted descriptors not yet reaped."""
        return self._posted - self._reaped

    def start(self, count: int = 1, ticks: int = 0, write_head: bool = False) -> None:
        """Run from index 0.

        Args:
            count: completions per report (interrupt, head write-back).
            ticks: maximum delay of a report in units of 16 cycles; 0: none.
            write_head: write the head to memory with each report.
        """
        if not self.status & IDLE:
            self.stop()
        block, i = self._block, self._index
        block.ring_base_lo.write(self._base & 0xFFFFFFFF, i)
        block.ring_base_hi.write(self._base >> 32, i)
        block.ring_head_addr_lo.write(self._head & 0xFFFFFFFF, i)
        block.ring_head_addr_hi.write(self._head >> 32, i)
        block.ring_size.write(self._log2, i)
        block.ring_coalesce.write(count | ticks << 16, i)
        self._platform.memory.write(self._base, bytes(16 * self.size))
        self._platform.memory.write(self._head, bytes(8))
        self._posted = self._rung = self._reaped = 0
        block.ring_ctrl.write(1 | write_head << 1, i)

    def stop(self) -> None:
        """Stop; the hardware then no longer accesses memory. Posted descriptors are dropped."""
        self._block.ring_ctrl.write(0, self._index)
        wait_for(self._platform, lambda: self.status & IDLE, "the end of a DMA ring")

    def close(self) -> None:
        """Stop and free the ring's memory."""
        self.stop()
        self._pool.give(self._base, 16 * self.size)
        self._pool.give(self._head, 8)

    def post(self, addr: int, length: int, flags: Flag = Flag(0), dest: int = 0) -> None:
        """Put a descriptor into the ring; `doorbell` passes it to the hardware."""
        if self.free == 0:
            raise DmaError("The ring is full; reap completions first.")
        if not 0 < length <= MAX_LENGTH:
            raise ValueError(f"A descriptor moves 1 to {MAX_LENGTH} bytes, not {length}.")
        at = self._base + self._posted % self.size * 16
        self._platform.memory.write(at, DESCRIPTOR.pack(addr, length, int(flags) | dest << 8))
        self._posted += 1

    def doorbell(self) -> None:
        """Pass all posted descriptors to the hardware."""
        if self._rung != self._posted:
            self._rung = self._posted
            self._block.ring_tail.write(self._posted & 0xFFFF, self._index)

    def reap(self, limit: int = 0) -> list[Completion]:
        """Available completions, oldest first."""
        found: list[Completion] = []
        while self._reaped < self._rung and (not limit or len(found) < limit):
            # Memory reads may be expensive, so read several descriptors at a time.
            first = self._reaped % self.size
            count = min(16, self._rung - self._reaped, self.size - first)
            raw = self._platform.memory.read(self._base + first * 16, count * 16)
            for i in range(count):
                _, length, word = DESCRIPTOR.unpack_from(raw, i * 16)
                if not word & DONE or (limit and len(found) == limit):
                    return found
                found.append(
                    Completion(length, Flag(word & 0xF), word >> 16 & 0xF, word >> 8 & 0xFF)
                )
                self._reaped += 1
        return found

    def check(self) -> None:
        """Raise if the ring has stopped with an error."""
        status = self.status
        if status & FETCH_ERROR:
            raise DmaError("The DMA engine could not read a descriptor; start the ring again.")
        if status & WRITE_ERROR:
            raise DmaError("The DMA engine could not write a completion; start the ring again.")
        if status & TAIL_ERROR:
            raise DmaError("The DMA engine refused a doorbell; start the ring again.")
