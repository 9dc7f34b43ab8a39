# SPDX-License-Identifier: Apache-2.0
"""The configuration that a figure was measured with, and whether the node ships so.

A node ships with the default parameters of its module and the reset values of its registers. What
every node must be given (addresses, the clock's period) is no part of a configuration.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kumihimo.build.derive import library
from kumihimo.common.paths import project_root

_PARAMETER = re.compile(r"\bparameter\b[^,;=()]*?\b(\w+)\s*=\s*([^,\n)]+)")
_NUMBER = re.compile(r"(?:\d*'s?(?P<base>[bdoh]))?(?P<digits>[0-9a-f_]+)", re.I)
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


def find_design(name: str, root: Path | None = None) -> Path | None:
    """The file of a node or a block below hw/, or None."""
    units = library(root or project_root())
    return units.get(name) or units.get(f"kumi_node_{name}")


def literal(text: str) -> int | None:
    """Value of a SystemVerilog number such as 64, 1'b1 or 150_000; None for an expression."""
    text = text.split("//")[0].strip()
    if text in ("'0", "'1"):
        return int(text[1])
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    try:
        base = _BASES[(found["base"] or "d").lower()]
        return int(found["digits"].replace("_", ""), base)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _defaults(path: Path, _mtime_ns: int) -> dict[str, int]:
    text = path.read_text(encoding="utf-8")
    head = text[: text.find(");")]
    found = {name: literal(value) for name, value in _PARAMETER.findall(head)}
    return {name: value for name, value in found.items() if value is not None}


def defaults(design: str) -> dict[str, int] | None:
    """Default values of a module's parameters that are plain numbers; None if hw/ lacks it."""
    path = find_design(design)
    return None if path is None else _defaults(path, path.stat().st_mtime_ns)


def reset_value(name: str) -> int | None:
    """Reset value of `block.register` or `block.register.field`; None when hardware drives it."""
    block, register, *rest = name.split(".")
    info = importlib.import_module(f"kumihimo.regs.generated.{block}").BLOCK.reg(register)
    if not rest:
        return None if info.reset is None else int(info.reset)
    return next((f.reset for f in info.fields if f.name == rest[0]), None)


@dataclass(frozen=True)
class Setup:
    """A configuration.

    design:    node or block; "" for software alone, which ships as it is.
    params:    parameters that were given.
    registers: registers that were written, `block.register` or `block.register.field`.
    note:      what else a reader has to know, such as the line and the frame size.
    node:      for a block measured alone: the node whose default parameters it ships with.
    """

    design: str
    params: Mapping[str, int] = field(default_factory=dict)
    registers: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    node: str = ""

    @property
    def shipped(self) -> bool:
        """Whether the node ships so."""
        if not self.design:
            return True
        usual = defaults(self.node or self.design)
        if usual is None:
            return False
        if any(usual.get(name) != value for name, value in self.params.items()):
            return False
        return all(reset_value(name) == value for name, value in self.registers.items())

    @property
    def text(self) -> str:
        """One line for people."""
        words = [self.design.removeprefix("kumi_node_") or "software"]
        words += [f"{name}={value}" for name, value in self.params.items()]
        words += [f"{name}={value}" for name, value in self.registers.items()]
        if self.design and not self.params and not self.registers:
            words.append("with its defaults")
        return " ".join(words) + (f"; {self.note}" if self.note else "")

    def as_row(self) -> dict[str, Any]:
        """The keys of a row or a figure."""
        return {"configuration": self.text, "shipped": self.shipped}


SOFTWARE = Setup("")
