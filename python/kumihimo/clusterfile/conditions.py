# SPDX-License-Identifier: Apache-2.0
"""Conditions on counters and registers: `alice.echo.drop_*>0`.

A condition names what it compares (`*`, `?` and `[...]` stand for several) and a number. It holds
as soon as it holds for one of them. Which names exist is known to a started cluster
(`cluster.watch`).
"""

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"^\s*([^\s<>=!]+)\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*$")
EXAMPLE = "`alice.echo.drop_*>0`"


@dataclass(frozen=True)
class Condition:
    """A comparison of every value whose name fits a pattern."""

    pattern: str
    operator: str
    value: int

    def names(self, name: str) -> bool:
        """Whether a value of this name is meant; a pattern may leave the node out.

        A `*` stays within one part of the name, except in names of cables, which have dots.
        """
        if self.pattern.startswith("cables."):
            return fnmatch.fnmatchcase(name, self.pattern)
        parts, wanted = name.split("."), self.pattern.split(".")
        if len(wanted) == len(parts) - 1:
            wanted = ["*", *wanted]
        return len(wanted) == len(parts) and all(
            fnmatch.fnmatchcase(part, pattern) for part, pattern in zip(parts, wanted, strict=True)
        )

    def holds(self, value: int) -> bool:
        """Whether the comparison is true of this value."""
        return _OPERATORS[self.operator](value, self.value)

    def __str__(self) -> str:
        return f"{self.pattern}{self.operator}{self.value}"


def is_condition(text: str) -> bool:
    """Whether a text is meant as a condition (rather than a time)."""
    return any(sign in text for sign in "<>=!")


def parse(text: str) -> Condition:
    """The condition that a text says; ValueError with what is wrong."""
    found = _FORM.match(text)
    if found is None:
        raise ValueError(f"expected a condition like {EXAMPLE}, found `{text}`")
    pattern, sign, number = found.groups()
    if "." not in pattern:
        raise ValueError(f"`{pattern}` is not a register or a counter, as in {EXAMPLE}")
    try:
        return Condition(pattern, sign, int(number.replace("_", ""), 0))
    except ValueError:
        raise ValueError(f"`{number}` is not a number, as in {EXAMPLE}") from None
