# SPDX-License-Identifier: Apache-2.0
"""Hierarchy that mapping keeps, so that equal modules are mapped once and counted each time.

Works on the netlist that Yosys writes (RTLIL) right behind its front end, where every instance has
a module of its own. Modules that are equal but for the names that the tool made up become one; the
named ones are kept, all others are later flattened into what instantiates them.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from kumihimo.common.errors import KumiError, did_you_mean

PREFIX = "kept_"  # of the names of modules that are kept

# What says where something comes from, not what it is.
_ORIGIN = re.compile(r"\s*attribute \\(src|hdlname|top|scopename) ")
_BASE = re.compile(r"\\?(?:\$paramod(?:\$[0-9a-f]+)?\\)?(\w+)")


@dataclass
class _Module:
    name: str
    lines: list[str]  # attributes in front included
    children: list[tuple[int, str]]  # line of each cell that is a module, and its type

    @property
    def base(self) -> str:
        """The name in the source."""
        found = _BASE.match(self.name)
        return found.group(1) if found else self.name


def _parse(text: str) -> tuple[list[str], dict[str, _Module]]:
    head: list[str] = []
    modules: dict[str, _Module] = {}
    waiting: list[str] = []  # attributes of what comes
    inside: _Module | None = None
    for line in text.splitlines():
        if inside is not None:
            inside.lines.append(line)
            if line == "end":
                inside = None
        elif line.startswith("module "):
            inside = _Module(line.split()[1], [*waiting, line], [])
            modules[inside.name] = inside
            waiting = []
        elif line.startswith("attribute "):
            waiting.append(line)
        else:
            head.append(line)
    for module in modules.values():
        for place, line in enumerate(module.lines):
            words = line.split()
            if len(words) == 3 and words[0] == "cell" and words[1] in modules:
                module.children.append((place, words[1]))
    return head, modules


def _ordered(modules: dict[str, _Module]) -> list[_Module]:
    """Every module behind all that it instantiates."""
    done: dict[str, _Module] = {}

    def visit(module: _Module) -> None:
        for _, child in module.children:
            if child not in done:
                visit(modules[child])
        done[module.name] = module

    for module in modules.values():
        if module.name not in done:
            visit(module)
    return list(done.values())


def _canonical(module: _Module) -> str:
    """The text without its origin, with made-up names ($...) numbered in the order they come."""
    numbers: dict[str, str] = {}
    out: list[str] = []
    for line in module.lines:
        if _ORIGIN.match(line):
            continue
        words = line.split()
        if words[0] == "module":
            words[1] = module.base
        fixed = 1 if words[0] == "cell" else -1  # a cell's type is no made-up name
        for place, word in enumerate(words):
            name = word.strip('"').replace("\\\\", "\\")  # a memory's name is also in quotes
            if name.startswith("$") and place != fixed:
                words[place] = numbers.setdefault(name, f"${len(numbers)}")
        out.append(" ".join(words))
    return "\n".join(out)


def merge(text: str, keep: tuple[str, ...]) -> str:
    """RTLIL with equal modules merged and the modules that `keep` names marked to be kept.

    keep: names of the source, with the wildcards * and ?. A pattern that names nothing is an
    error. The shell at the top and the measured module in it are not among them.
    """
    head, modules = _parse(text)
    used = {child for m in modules.values() for _, child in m.children}
    inner = {child for m in modules.values() if m.name in used for _, child in m.children}
    known = {m.base for m in modules.values() if m.name in inner}
    for pattern in keep:
        if not fnmatch.filter(known, pattern):
            raise KumiError(f'no module "{pattern}" inside.', did_you_mean(pattern, known).strip())
    chosen: dict[str, str] = {}  # canonical text to the name that stands for it
    final: dict[str, str] = {}  # name to name
    out = list(head)
    for module in _ordered(modules):
        for place, child in module.children:
            module.lines[place] = module.lines[place].replace(child, final[child], 1)
        same = _canonical(module)
        if same in chosen:
            final[module.name] = chosen[same]
            continue
        name = module.name
        kept = name in inner and any(fnmatch.fnmatch(module.base, k) for k in keep)
        if kept:
            name = f"\\{PREFIX}{len(chosen)}_{module.base}"
            where = next(i for i, x in enumerate(module.lines) if x.startswith("module "))
            module.lines[where] = f"module {name}"
            module.lines.insert(where, "attribute \\keep_hierarchy 1")
        chosen[same] = final[module.name] = name
        out += module.lines
    return "\n".join(out) + "\n"


def source_name(name: str) -> str:
    """The source's name of a module that `merge` has kept."""
    return re.sub(rf"^\\?{PREFIX}\d+_", "", name)
