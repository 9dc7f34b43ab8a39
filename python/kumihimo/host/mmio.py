# SPDX-License-Identifier: Apache-2.0
"""A window of registers by offset, with PYNQ's MMIO interface."""

from __future__ import annotations

from ..regs import Mmio


class MMIO:
    """Registers from a base address on."""

    def __init__(self, registers: Mmio, base_addr: int = 0, length: int = 4096) -> None:
        self._registers = registers
        self.base_addr = base_addr
        self.length = length

    def _at(self, offset: int, size: int) -> int:
        if offset % 4 or size % 4:
            raise ValueError("Registers are words: offset and length must be multiples of 4.")
        if not 0 <= offset <= self.length - size:
            raise ValueError(f"Offset {offset:#x} is beyond the window of {self.length:#x} bytes.")
        return self.base_addr + offset

    def read(self, offset: int = 0, length: int = 4) -> int:
        """Read a word, or two as one number (low word first)."""
        if length not in (4, 8):
            raise ValueError("Only 4 or 8 bytes can be read at a time.")
        at = self._at(offset, length)
        value = self._registers.read(at)
        if length == 8:
            value |= self._registers.read(at + 4) << 32
        return value

    def write(self, offset: int, data: int | bytes) -> None:
        """Write a word (negative numbers as two's complement), or bytes as consecutive words."""
        if isinstance(data, bytes):
            at = self._at(offset, len(data))
            for i in range(0, len(data), 4):
                self._registers.write(at + i, int.from_bytes(data[i : i + 4], "little"))
            return
        if not -(1 << 31) <= data < 1 << 32:
            raise ValueError(f"{data:#x} does not fit a word.")
        self._registers.write(self._at(offset, 4), data & 0xFFFFFFFF)
