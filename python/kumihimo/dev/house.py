# SPDX-License-Identifier: Apache-2.0
"""Measures of the source tree's structure: dependencies of hw/, types, file lengths, prose.

hw/ has four layers, and a file names only units of its own layer's room or of layers below:

    shared <- protocol <- kernel <- node

Shared rooms may name each other; a protocol's room names no other protocol.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHARED = ("axi", "cdc", "dma", "include", "mem", "net", "pcs64b66b", "regs", "stream")
PROTOCOLS = ("eth", "ip", "tcp", "link", "ib", "sata", "storage", "gzip", "nic", "hls")
LAYERS = {**dict.fromkeys(SHARED, 0), **dict.fromkeys(PROTOCOLS, 1), "kernel": 2, "node": 3}

PROSE_COLUMNS = 110
LONGEST_SOURCE = 600  # lines
# The states of a module's only state machine: the one type name that every module may have.
LOCAL_TYPE = "state_e"
SOURCE_SUFFIXES = (".sv", ".svh", ".py", ".cpp", ".hpp")

_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
_UNIT = re.compile(r"^[ \t]*(?:module|package|interface)\s+(?:automatic\s+|static\s+)?(\w+)", re.M)
_WORD = re.compile(r"\bkumi_\w+")
_LINK = re.compile(r"\]\([^)\s]*\)")
_COMMENT = {
    ".py": "#",
    ".toml": "#",
    ".yaml": "#",
    ".yml": "#",
    ".sby": "#",
    ".rdl": "//",
    ".sv": "//",
    ".svh": "//",
    ".cpp": "//",
    ".hpp": "//",
}


@dataclass(frozen=True)
class Reference:
    """A file of one room names a unit of another."""

    file: Path
    room: str
    unit: str
    target: str

    @property
    def forbidden(self) -> bool:
        """Whether the layers do not allow it."""
        if self.room == self.target:
            return False
        mine, theirs = LAYERS.get(self.room), LAYERS.get(self.target)
        if mine is None or theirs is None:
            return True
        return theirs > mine or (mine == theirs == LAYERS["eth"])

    def __str__(self) -> str:
        return f"{self.file}: {self.room} names {self.unit} of {self.target}"


def _plain(path: Path) -> str:
    return _NOISE.sub(" ", path.read_text(encoding="utf-8", errors="replace"))


def references(root: Path) -> list[Reference]:
    """Every mention of a unit of hw/ by a file of another room, once for each file and unit."""
    hw = root / "hw"
    texts = {path: _plain(path) for path in sorted(hw.rglob("*.sv*")) if path.is_file()}

    def room(path: Path) -> str:
        return path.relative_to(hw).parts[0]

    units = {name: room(path) for path, text in texts.items() for name in _UNIT.findall(text)}
    found = []
    for path, text in texts.items():
        for name in sorted(set(_WORD.findall(text))):
            if name in units and units[name] != room(path):
                found.append(Reference(path.relative_to(root), room(path), name, units[name]))
    return found


def forbidden_arrows(root: Path) -> list[str]:
    """References that the layers do not allow."""
    return [str(one) for one in references(root) if one.forbidden]


def matrix(root: Path) -> str:
    """How many units of each room the files of each room name; forbidden ones have an `!`."""
    counts: Counter[tuple[str, str]] = Counter()
    bad = set()
    for one in references(root):
        counts[one.room, one.target] += 1
        if one.forbidden:
            bad.add((one.room, one.target))
    rooms = {name for pair in counts for name in pair}
    order = sorted(rooms, key=lambda name: (LAYERS.get(name, 9), name))
    width = max((len(name) for name in order), default=0) + 1
    lines = ["".rjust(width) + "".join(name.rjust(10) for name in order)]
    for source in order:
        cells = [
            (str(counts[source, target]) if counts[source, target] else ".")
            + ("!" if (source, target) in bad else "")
            for target in order
        ]
        lines.append(source.rjust(width) + "".join(cell.rjust(10) for cell in cells))
    return "\n".join(lines)


def typedefs(text: str) -> list[str]:
    """Names that a SystemVerilog text defines as types."""
    names = []
    for match in re.finditer(r"\btypedef\b", text):
        depth = 0
        for place in range(match.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if text[place] == ";" and depth == 0:
                found = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", text[match.end() : place])
                if found:
                    names.append(found.group(1))
                break
    return names


def types_twice(root: Path) -> dict[str, list[Path]]:
    """Type names that more than one hand-written file of hw/ defines (`LOCAL_TYPE` aside)."""
    where: dict[str, list[Path]] = {}
    for path in sorted((root / "hw").rglob("*.sv*")):
        if path.is_file() and "generated" not in path.parts:
            for name in sorted(set(typedefs(_plain(path))) - {LOCAL_TYPE}):
                where.setdefault(name, []).append(path.relative_to(root))
    return {name: files for name, files in sorted(where.items()) if len(files) > 1}


def file_lists(root: Path) -> list[Path]:
    """File lists kept in hw/; the builder derives them."""
    return sorted(path.relative_to(root) for path in (root / "hw").rglob("*.f"))


def source_lengths(root: Path, files: Iterable[Path]) -> dict[Path, int]:
    """Lines of every hand-written source file, the longest first."""
    found = {
        path.relative_to(root): len(path.read_text(encoding="utf-8", errors="replace").splitlines())
        for path in files
        if path.suffix in SOURCE_SUFFIXES and "generated" not in path.parts
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def long_prose(root: Path, files: Iterable[Path]) -> list[str]:
    """Lines of prose over 110 columns: Markdown outside code and tables, and comments.

    The target of a link does not count, and neither does a line that is one long word.
    """
    found = []
    for path in files:
        if any("generated" in part for part in path.relative_to(root).parts):
            continue
        if path.suffix == ".md":
            lines = _markdown(path)
        elif path.suffix in _COMMENT:
            lines = _comments(path, _COMMENT[path.suffix])
        else:
            continue
        for number, line in lines:
            if len(line) > PROSE_COLUMNS and " " in line.strip():
                found.append(f"{path.relative_to(root)}:{number}: {len(line)} columns")
    return found


def _markdown(path: Path) -> list[tuple[int, str]]:
    out, fenced = [], False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not bare.startswith(("|", "<", "![")) and not line.startswith("    "):
            out.append((number, _LINK.sub("]", line)))
    return out


def _comments(path: Path, mark: str) -> list[tuple[int, str]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    return [(n, x) for n, x in enumerate(text.splitlines(), 1) if x.lstrip().startswith(mark)]


def readme_lines(root: Path) -> int:
    """Lines of README.md."""
    return len((root / "README.md").read_text(encoding="utf-8").splitlines())
