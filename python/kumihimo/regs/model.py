# SPDX-License-Identifier: Apache-2.0
"""Plain description of a register block: what the generator writes and the access objects read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FieldInfo:
    """A run of bits of a register."""

    name: str
    lsb: int
    width: int
    access: str
    """"r", "w" or "rw", as software sees it."""
    reset: int | None
    """Value after reset; None when hardware drives the field."""
    description: str = ""

    @property
    def mask(self) -> int:
        """Mask of the field within its register."""
        return ((1 << self.width) - 1) << self.lsb

    def extract(self, word: int) -> int:
        """Value of the field in a register word."""
        return (word & self.mask) >> self.lsb

    def insert(self, word: int, value: int) -> int:
        """Register word with the field replaced."""
        if not 0 <= value < (1 << self.width):
            bits = f"{self.width} bit{'s' * (self.width > 1)}"
            raise ValueError(f"{value:#x} does not fit the {bits} of field {self.name}.")
        return (word & ~self.mask) | (value << self.lsb)


@dataclass(frozen=True)
class RegInfo:
    """A 32-bit register, or an array of them when count is above 1."""

    name: str
    offset: int
    fields: tuple[FieldInfo, ...]
    count: int = 1
    stride: int = 4
    group: str = ""
    """Register file that the register is in: "counters" for event counters."""
    description: str = ""

    @property
    def access(self) -> str:
        """Union of the fields' access."""
        modes = {mode for field in self.fields for mode in field.access}
        return "".join(mode for mode in "rw" if mode in modes)

    @property
    def reset(self) -> int | None:
        """Value after reset; None when hardware drives any of it."""
        value = 0
        for field in self.fields:
            if field.reset is None:
                return None
            value |= field.reset << field.lsb
        return value


@dataclass(frozen=True)
class BlockInfo:
    """A register block: one 4 KiB window."""

    name: str
    kind: str
    """Four characters by which software finds the block."""
    version: int
    title: str
    regs: tuple[RegInfo, ...]
    description: str = ""

    def reg(self, name: str) -> RegInfo:
        """Register by name."""
        for reg in self.regs:
            if reg.name == name:
                return reg
        raise KeyError(name)
