# SPDX-License-Identifier: Apache-2.0
"""Derives which files a module needs, in compile order, by scanning sources for unit names.

A unit is a module, package or interface. A file needs every file that defines a unit whose name it
mentions; names are resolved among the caller's own files first, then among the files beside the one
that mentions them, then in the library `hw/` (where a file holds the unit of its name). A mention
that no file defines is left for the compiler to report. Dependencies come before their users.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.S)
_UNIT = re.compile(r"^[ \t]*(?:module|package|interface)\s+(?:automatic\s+|static\s+)?(\w+)", re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")


@lru_cache(maxsize=8192)
def _read(path: Path, _mtime_ns: int, _size: int) -> tuple[frozenset[str], frozenset[str]]:
    text = _NOISE.sub(" ", path.read_text(errors="replace"))
    return frozenset(_UNIT.findall(text)), frozenset(_WORD.findall(text))


def _scan(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """(units defined, words mentioned) of a file; nothing for a file that cannot be read."""
    try:
        stat = path.stat()
    except OSError:
        return frozenset(), frozenset()
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _by_stem(files: tuple[str, ...]) -> Mapping[str, Path]:
    return MappingProxyType({path.stem: path for path in sorted(map(Path, files))})


def library(root: Path) -> Mapping[str, Path]:
    """Unit name to file, for everything below hw/ (a file holds the unit of its name)."""
    found: list[str] = []
    for folder, _, names in os.walk(root / "hw"):
        found += [f"{folder}/{name}" for name in names if name.endswith(".sv")]
    return _by_stem(tuple(found))  # making the paths takes ten times as long as finding them


def units_in(paths: Iterable[Path]) -> dict[str, Path]:
    """Unit name to file. Of several files the one of the unit's name has it, else the first."""
    found: dict[str, Path] = {}
    for path in paths:
        for name in sorted(_scan(path)[0]):
            if name not in found or (path.stem == name and found[name].stem != name):
                found[name] = path
    return found


def needed(tops: Iterable[Path], root: Path, own: Iterable[Path] = ()) -> list[Path]:
    """All files that the tops need, themselves included, dependencies first.

    Args:
        tops: files to start from; their order is kept where nothing else decides it.
        root: the project, whose hw/ is the library.
        own: files whose units take precedence over all others of the same name.
    """
    shelf = library(root)
    real: dict[Path, Path] = {}  # of the files that are wanted: resolving all of hw/ takes longer
    first = units_in(Path(p).resolve() for p in own)
    folders: dict[Path, Mapping[str, Path]] = {}
    below = (root / "hw").resolve()

    def beside(path: Path) -> Mapping[str, Path]:
        folder = path.parent
        if folder not in folders:
            inside = folder == below or below in folder.parents
            folders[folder] = {} if inside else units_in(sorted(folder.glob("*.sv")))
        return folders[folder]

    order: list[Path] = []
    done: set[Path] = set()

    def visit(path: Path) -> None:
        stack: list[tuple[Path, list[Path]]] = []

        def enter(file: Path) -> None:
            done.add(file)
            defined, words = _scan(file)
            near = beside(file)
            wanted = []
            for word in sorted(words - defined):
                target = first.get(word) or near.get(word)
                if target is None and (held := shelf.get(word)) is not None:
                    target = real.get(held) or real.setdefault(held, held.resolve())
                if target is not None and target != file:
                    wanted.append(target)
            # Packages may use packages: a package's file precedes whatever else is wanted.
            wanted.sort(key=lambda p: (not p.stem.endswith("_pkg"), p.stem))
            stack.append((file, wanted[::-1]))

        if path in done:
            return
        enter(path)
        while stack:
            file, wanted = stack[-1]
            if wanted:
                target = wanted.pop()
                if target not in done:
                    enter(target)
            else:
                order.append(file)
                stack.pop()

    for top in tops:
        visit(Path(top).resolve())
    return order
