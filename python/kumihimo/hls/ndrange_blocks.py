# SPDX-License-Identifier: Apache-2.0
"""Blocks and variables of a function in the text of LLVM's IR, before it is optimised.

There all variables are `alloca`s of the entry block, and everything else lives within a statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_NAME = re.compile(r'%("[^"]+"|[\w.$-]+)')
_ALLOCA = re.compile(r"  %(\S+) = alloca (.+?)(?:, align (\d+))?(?:, !dbg !\d+)?$")


@dataclass
class Block:
    """A basic block, or part of one that ends at a barrier."""

    name: str
    lines: list[str] = field(default_factory=list)  # without a barrier and without `ret`
    barrier: str = ""  # block that follows the barrier at its end
    returns: bool = False

    @property
    def successors(self) -> list[str]:
        """Blocks that follow it without a barrier."""
        return re.findall(r"label %([\w.$-]+)", "\n".join(self.lines))


def read_blocks(body: Sequence[str], barrier: str) -> dict[str, Block]:
    """Blocks of a body, divided at its barriers, every value named."""
    blocks: dict[str, Block] = {}
    block: Block | None = None
    last: dict[str, str] = {}  # block to its part that ends it
    origin = ""
    for raw in body:
        line = raw.split(" ; preds")[0].split("; No pred")[0].rstrip()
        line = re.sub(r"%(\d+)\b", r"%kumi.t\1", line).replace('%"', "%").replace('"', "")
        label = re.match(r"([\w.$-]+):$", line)
        if label:
            name = label.group(1)
            origin = f"kumi.t{name}" if name.isdigit() else name
            block = blocks[origin] = Block(origin)
            last[origin] = origin
            continue
        said = line.strip()
        if block is None or not said or said.startswith((";", "#dbg")):
            continue
        if "@llvm.dbg." in said or "@llvm.lifetime." in said:
            continue
        if barrier in said:
            name = f"{origin}.after{len(blocks)}"
            block.barrier = name
            block = blocks[name] = Block(name)
            last[origin] = name
        elif said.startswith("ret "):
            block.returns = True
        else:
            block.lines.append(line)
    for each in blocks.values():
        each.lines = [_moved(line, last) if "= phi " in line else line for line in each.lines]
    return blocks


def _moved(line: str, last: Mapping[str, str]) -> str:
    """A phi whose ways come from the last parts of blocks."""
    return re.sub(r", %([\w.$-]+) \]", lambda m: f", %{last.get(m[1], m[1])} ]", line)


def renamed(line: str, names: set[str], suffix: str) -> str:
    """A line with a suffix behind local names."""
    return _NAME.sub(lambda m: f"%{m[1]}{suffix}" if m[1] in names else m[0], line)


class Variables:
    """The `alloca`s of a kernel: of arguments, of one region, or with an element per work-item."""

    def __init__(
        self, head: str, blocks: dict[str, Block], regions: Sequence[Sequence[Block]]
    ) -> None:
        self._args = set(_NAME.findall(head.split("@", 1)[1]))
        self._types: dict[str, tuple[str, str]] = {}
        entry = next(iter(blocks.values()))
        for line in list(entry.lines):
            found = _ALLOCA.match(line)
            if found:
                self._types[found.group(1)] = (found.group(2), found.group(3) or "")
                entry.lines.remove(line)
        self._stores = self._arguments(blocks)
        scalars = {name for name in self._types if self._plain(name, blocks)}
        self._each = self._living(blocks, scalars)
        self._each |= self._used(regions, set(self._types) - scalars)
        self._each -= set(self._stores)
        self._defined = set(blocks)
        for block in blocks.values():
            for line in block.lines:
                found = re.match(r"  %(\S+) = ", line)
                if found:
                    self._defined.add(found.group(1))

    def _arguments(self, blocks: dict[str, Block]) -> dict[str, str]:
        """Variables that only ever hold an argument, and the line that puts it there."""
        stores: dict[str, list[tuple[Block, str]]] = {}
        for block in blocks.values():
            for line in block.lines:
                found = re.match(r"  store (.*) %(\S+), ptr %([\w.$-]+)", line)
                if found and found.group(3) in self._types:
                    stores.setdefault(found.group(3), []).append((block, line))
        out = {}
        for name, sites in stores.items():
            block, line = sites[0]
            value = re.match(r"  store .* %([\w.$-]+), ptr", line)
            alone = len(sites) == 1 and self._plain(name, blocks)
            if alone and value and value.group(1) in self._args:
                out[name] = line
                block.lines.remove(line)
        return out

    def _plain(self, name: str, blocks: dict[str, Block]) -> bool:
        """Whether a variable is only loaded and stored as a whole."""
        kind = self._types[name][0]
        for block in blocks.values():
            for line in block.lines:
                if name not in _NAME.findall(line):
                    continue
                load = re.match(
                    rf"  %\S+ = load {re.escape(kind)}, ptr %{re.escape(name)}(,|$)", line
                )
                store = re.match(
                    rf"  store {re.escape(kind)} .*, ptr %{re.escape(name)}(,|$)", line
                )
                if not (load or store) or f" %{name}, ptr" in line:
                    return False
        return True

    def _living(self, blocks: dict[str, Block], scalars: set[str]) -> set[str]:
        """Variables that are read behind a barrier before they are written there."""
        need: dict[str, set[str]] = {}
        kill: dict[str, set[str]] = {}
        for block in blocks.values():
            need[block.name], kill[block.name] = set(), set()
            for line in block.lines:
                for name in scalars.intersection(_NAME.findall(line)):
                    if line.startswith("  store "):
                        kill[block.name].add(name)
                    elif name not in kill[block.name]:
                        need[block.name].add(name)
        live = {name: set(n) for name, n in need.items()}
        changed = True
        while changed:
            changed = False
            for block in blocks.values():
                after: set[str] = set()
                for name in [*block.successors, *filter(None, [block.barrier])]:
                    after |= live[name]
                whole = need[block.name] | (after - kill[block.name])
                if whole != live[block.name]:
                    live[block.name] = whole
                    changed = True
        return {v for b in blocks.values() if b.barrier for v in live[b.barrier]}

    def _used(self, regions: Sequence[Sequence[Block]], names: set[str]) -> set[str]:
        """Arrays and structs, if there is more than one region."""
        return names if len(regions) > 1 else set()

    # ---- text -----------------------------------------------------------------------------------

    def declared(self, items: int) -> list[str]:
        """The variables, and the arguments' values."""
        out = []
        for name, (kind, align) in self._types.items():
            each = name in self._each and items > 1
            whole = f"[{items} x {kind}]" if each else kind
            out.append(f"  %{name} = alloca {whole}{f', align {align}' if align else ''}")
        return out + list(self._stores.values())

    def placed(self, suffix: str, items: int, linear: str) -> list[str]:
        """Where a work-item's elements are."""
        if items == 1:
            return []
        return [
            f"  %{name}{suffix} = getelementptr [{items} x {self._types[name][0]}], ptr %{name}, "
            f"i64 0, i64 {linear}"
            for name in self._types
            if name in self._each
        ]

    def own(self, items: int) -> set[str]:
        """Names that are different in each region."""
        return self._defined | (self._each if items > 1 else set())
