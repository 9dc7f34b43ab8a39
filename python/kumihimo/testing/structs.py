# SPDX-License-Identifier: Apache-2.0
"""Packed structs of the RTL as dictionaries of integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kumihimo.common.errors import did_you_mean


@dataclass(frozen=True)
class StructType:
    """A packed struct: rows are (name, lowest bit, bits); fields of inner structs are dotted."""

    name: str
    rows: tuple[tuple[str, int, int], ...]

    @property
    def bits(self) -> int:
        """Bits of the whole struct."""
        return max((low + width for _, low, width in self.rows), default=0)

    @property
    def byte_count(self) -> int:
        """Bytes that hold the struct."""
        return (self.bits + 7) // 8

    def pack(self, values: Mapping[str, int] | None = None, /, **more: int) -> int:
        """Integer with the named fields set, the others zero."""
        known = {name: (low, width) for name, low, width in self.rows}
        out = 0
        for name, value in {**(values or {}), **more}.items():
            if name not in known:
                raise KeyError(f"{self.name} has no field {name}." + did_you_mean(name, known))
            low, width = known[name]
            mask = (1 << width) - 1
            if not -(1 << width) < int(value) <= mask:
                raise ValueError(f"{self.name}.{name} has {width} bits, {value} does not fit")
            out = (out & ~(mask << low)) | ((int(value) & mask) << low)
        return out

    def unpack(self, value: int | bytes) -> dict[str, int]:
        """Every field of a packed value."""
        number = int.from_bytes(value, "little") if isinstance(value, bytes) else value
        return {name: number >> low & ((1 << width) - 1) for name, low, width in self.rows}

    def to_bytes(self, values: Mapping[str, int] | None = None, /, **more: int) -> bytes:
        """Like `pack`, as the bytes of a header stream."""
        return self.pack(values, **more).to_bytes(self.byte_count, "little")
