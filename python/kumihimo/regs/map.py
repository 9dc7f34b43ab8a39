# SPDX-License-Identifier: Apache-2.0
"""The register blocks of a node, found through its identity block."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..common.errors import did_you_mean
from .access import Block, Mmio, Reg, RegisterError
from .generated import BLOCKS
from .model import BlockInfo

MAGIC = int.from_bytes(b"KUMI", "little")
WINDOW = 4096

_KINDS: dict[str, BlockInfo] = {info.kind: info for info in BLOCKS.values()}


def register_block(info: BlockInfo) -> None:
    """Make a user's own block known, so that discovery can name its registers."""
    _KINDS[info.kind] = info


class RegisterMap:
    """All register blocks of a node, found through its identity block.

    unknown: blocks of a kind that no map describes, as (kind, base).
    """

    id: Block
    unknown: list[tuple[str, int]]
    _blocks: dict[str, Block]

    def __init__(self, mmio: Mmio, base: int = 0) -> None:
        """Read the block table at base."""
        own = self.__dict__
        own["_mmio"] = mmio
        own["id"] = Block(mmio, BLOCKS["id"], base)
        magic = self.id.magic.read()
        if magic != MAGIC:
            raise RegisterError(f"no identity block at {base:#x}: reads {magic:#010x}")
        own["_blocks"] = {}
        own["unknown"] = []
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

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a value goes into a register."""
        have = f"a register of {name}" if name in self._blocks else "a register of a block"
        raise RegisterError(f"{name} cannot be set; write {have}: regs.BLOCK.REGISTER = value.")

    def __getitem__(self, name: str) -> Block:
        """Block by name."""
        try:
            return self._blocks[name]
        except KeyError:
            have = ", ".join(self._blocks)
            raise RegisterError(
                f"the node has no register block {name}."
                f"{did_you_mean(name, self._blocks)} Blocks: {have}."
            ) from None

    def __contains__(self, name: str) -> bool:
        """Whether the node has the block."""
        return name in self._blocks

    def __iter__(self) -> Iterator[str]:
        """Names of the blocks."""
        return iter(self._blocks)

    def __dir__(self) -> list[str]:
        """Blocks too."""
        return [*super().__dir__(), *self._blocks]

    def __repr__(self) -> str:
        """The blocks and their windows."""
        places = ", ".join(f"{name} at {block.base:#x}" for name, block in self._blocks.items())
        return f"<RegisterMap {places}>"

    def _repr_html_(self) -> str:
        """A table for notebooks: the blocks, their windows and what they are."""
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{block.base:#x}</td>"
            f"<td>{escape(block.spec.title)}</td></tr>"
            for name, block in self._blocks.items()
        )
        return f"<table><tr><th>block</th><th>address</th><th></th></tr>{rows}</table>"

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
