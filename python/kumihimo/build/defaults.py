# SPDX-License-Identifier: Apache-2.0
"""Default values of a module's parameters, read from its text without elaborating it."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from kumihimo.build.derive import library
from kumihimo.common.paths import project_root

_PARAMETER = re.compile(r"\bparameter\b[^,;=()]*?\b(\w+)\s*=\s*([^,\n)]+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_NUMBER = re.compile(r"(?:\d*'s?(?P<base>[bdoh]))?(?P<digits>[0-9a-f_]+)", re.I)
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


def find_design(name: str, root: Path | None = None) -> Path | None:
    """The file of a node or a block below hw/, or None."""
    units = library(root or project_root())
    return units.get(name) or units.get(f"kumi_node_{name}")


def literal(text: str) -> int | None:
    """Value of a SystemVerilog number such as 64, 1'b1 or 150_000; None for an expression."""
    text = text.strip()
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
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    start = max(text.find("\nmodule "), 0)
    head = text[start : text.find(");", start)]
    found = {name: literal(value) for name, value in _PARAMETER.findall(head)}
    return {name: value for name, value in found.items() if value is not None}


def defaults(design: str) -> dict[str, int] | None:
    """Default values of a module's parameters that are plain numbers; None if hw/ lacks it."""
    path = find_design(design)
    return None if path is None else _defaults(path, path.stat().st_mtime_ns)
