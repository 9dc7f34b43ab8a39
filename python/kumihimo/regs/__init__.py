# SPDX-License-Identifier: Apache-2.0
"""Registers by name: `regs.ip.mac_hi.read()`, over anything that reads and writes 32-bit words.

    regs = RegisterMap(mmio)          # asks the identity block what the node has
    regs.echo.port.write(7)
    regs.ip.counters()                # {"rx_frames": 12, ...}

mmio is an object with read(addr) -> int and write(addr, data); a node of the simulator has one, and
a board has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from .generated import BLOCKS
from .model import BlockInfo, FieldInfo, RegInfo

__all__ = [
    "BLOCKS",
    "Block",
    "BlockInfo",
    "FieldInfo",
    "Mmio",
    "Reg",
    "RegInfo",
    "RegisterError",
    "RegisterMap",
    "design_name",
    "register_block",
]

MAGIC = int.from_bytes(b"KUMI", "little")
WINDOW = 4096


class RegisterError(Exception):
    """The node has no registers, or not the one asked for."""


class Mmio(Protocol):
    """What the access objects need: 32-bit words by byte address."""

    def read(self, addr: int, /) -> int:
        """Word at addr."""

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at addr."""


_KINDS: dict[str, BlockInfo] = {info.kind: info for info in BLOCKS.values()}


def register_block(info: BlockInfo) -> None:
    """Make a user's own block known, so that discovery can name its registers."""
    _KINDS[info.kind] = info


class Reg:
    """One register at its address."""

    def __init__(self, mmio: Mmio, info: RegInfo, base: int) -> None:
        """Access to the register described by info in the window at base."""
        self._mmio = mmio
        self.info = info
        self.addr = base + info.offset

    def __len__(self) -> int:
        """Elements; 1 unless the register is an array."""
        return self.info.count

    def _at(self, index: int) -> int:
        if not 0 <= index < self.info.count:
            raise IndexError(f"{self.info.name}[{index}]: has {self.info.count} elements")
        return self.addr + index * self.info.stride

    def read(self, index: int = 0) -> int:
        """The whole word."""
        return self._mmio.read(self._at(index))

    def write(self, value: int, index: int = 0) -> None:
        """Store the whole word."""
        if not 0 <= value < (1 << 32):
            raise ValueError(f"{self.info.name}: {value:#x} does not fit 32 bits")
        self._mmio.write(self._at(index), value)

    def read_all(self) -> list[int]:
        """Every element of an array."""
        return [self.read(i) for i in range(self.info.count)]

    def fields(self, index: int = 0) -> dict[str, int]:
        """Every field by name, from one read."""
        word = self.read(index)
        return {field.name: field.extract(word) for field in self.info.fields}

    def get(self, field: str, index: int = 0) -> int:
        """One field."""
        return self._field(field).extract(self.read(index))

    def set(self, index: int = 0, /, **fields: int) -> None:
        """Change fields and leave the others: `ports.set(local=7)`.

        Fields that cannot be read back are written as zero when not given.
        """
        word = 0
        for info in self.info.fields:
            if "r" in info.access and info.name not in fields:
                word = info.insert(word, info.extract(self.read(index)))
        for name, value in fields.items():
            word = self._field(name).insert(word, value)
        self.write(word, index)

    def _field(self, name: str) -> FieldInfo:
        for info in self.info.fields:
            if info.name == name:
                return info
        raise RegisterError(f"register {self.info.name} has no field {name}")

    def __repr__(self) -> str:
        """Name and address."""
        return f"<Reg {self.info.name} at {self.addr:#x}>"


class Block:
    """One register block of a node; its registers are attributes."""

    def __init__(self, mmio: Mmio, info: BlockInfo, base: int) -> None:
        """Access to the block described by info in the window at base."""
        self.info = info
        self.base = base
        self._regs = {reg.name: Reg(mmio, reg, base) for reg in info.regs}

    def __getattr__(self, name: str) -> Reg:
        """Register by name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Reg:
        """Register by name."""
        try:
            return self._regs[name]
        except KeyError:
            have = ", ".join(self._regs)
            raise RegisterError(f"block {self.info.name} has no register {name}: {have}") from None

    def __contains__(self, name: str) -> bool:
        """Whether the block has the register."""
        return name in self._regs

    def __iter__(self) -> Iterator[Reg]:
        """Registers in address order."""
        return iter(self._regs.values())

    def __dir__(self) -> list[str]:
        """Registers too."""
        return [*super().__dir__(), *self._regs]

    def read64(self, name: str) -> int:
        """Value of the pair `name`_lo, `name`_hi, low word first."""
        low = self[f"{name}_lo"].read()
        return low | self[f"{name}_hi"].read() << 32

    def counters(self, group: str = "counters") -> dict[str, int]:
        """Every event counter by name."""
        return {reg.info.name: reg.read() for reg in self if reg.info.group == group}

    def __repr__(self) -> str:
        """Name and window."""
        return f"<Block {self.info.name} at {self.base:#x}>"


class RegisterMap:
    """All register blocks of a node, found through its identity block."""

    def __init__(self, mmio: Mmio, base: int = 0) -> None:
        """Read the block table at base."""
        self._mmio = mmio
        self.id = Block(mmio, BLOCKS["id"], base)
        magic = self.id.magic.read()
        if magic != MAGIC:
            raise RegisterError(f"no identity block at {base:#x}: reads {magic:#010x}")
        self._blocks: dict[str, Block] = {}
        self.unknown: list[tuple[str, int]] = []
        """Blocks of a kind that no map describes: (kind, base)."""
        for index in range(min(self.id.shape.get("blocks"), len(self.id.block_kind))):
            kind = self.id.block_kind.read(index).to_bytes(4, "little").decode("ascii", "replace")
            place = self.id.block_place.fields(index)
            at = base + place["page"] * WINDOW
            info = _KINDS.get(kind)
            if info is None or info.version != place["version"]:
                self.unknown.append((kind, at))
                continue
            self._add(info.name, Block(mmio, info, at))
        kernels = [b for b in self._blocks.values() if b.base - base >= 2 * WINDOW]
        if kernels and "kernel" not in self._blocks:
            self._blocks["kernel"] = min(kernels, key=lambda block: block.base)

    def _add(self, name: str, block: Block) -> None:
        number = 1
        key = name
        while key in self._blocks:
            key = f"{name}{number}"
            number += 1
        self._blocks[key] = block

    def __getattr__(self, name: str) -> Block:
        """Block by name; `kernel` is the first one behind `ip`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Block:
        """Block by name."""
        try:
            return self._blocks[name]
        except KeyError:
            have = ", ".join(self._blocks)
            raise RegisterError(f"the node has no register block {name}: {have}") from None

    def __contains__(self, name: str) -> bool:
        """Whether the node has the block."""
        return name in self._blocks

    def __iter__(self) -> Iterator[str]:
        """Names of the blocks."""
        return iter(self._blocks)

    def __dir__(self) -> list[str]:
        """Blocks too."""
        return [*super().__dir__(), *self._blocks]

    @property
    def design(self) -> str:
        """Name of the design in the node."""
        return design_name(self.id.name.read_all())

    @property
    def build(self) -> int:
        """Build hash, 0 when the build gave none."""
        return self.id.read64("build")

    def cycles(self) -> int:
        """Cycles since reset."""
        return self.id.read64("cycles")

    def reg(self, path: str) -> Reg:
        """Register by dotted path: `ip.mac_hi`."""
        block, _, name = path.partition(".")
        if not name:
            raise RegisterError(f"{path}: expected block.register")
        return self[block][name]


def design_name(words: list[int]) -> str:
    """Text of the identity block's name words."""
    raw = b"".join(word.to_bytes(4, "little") for word in words)
    return raw.rstrip(b"\0").decode("ascii", "replace")
