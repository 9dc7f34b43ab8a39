# SPDX-License-Identifier: Apache-2.0
"""What all benches share: the result object, progress, and how figures are kept.

Rows say what was measured; `summary` is flat, name to number. A figure that misses its goal stays
in the row with the goal beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class BenchError(Exception):
    """A bench that cannot run or whose run went wrong; the text says what to do."""


def _ignore(_text: str, _done: int, _total: int) -> None:
    pass


@dataclass
class Progress:
    """Where a bench reports what it is doing: `step(text, done, total)`."""

    step: Callable[[str, int, int], None]

    @staticmethod
    def silent() -> Progress:
        """Progress that nobody sees."""
        return Progress(step=_ignore)


@dataclass
class BenchResult:
    """The outcome of one bench.

    rtl:     design or module name to the content hash of what was measured.
    rows:    one dictionary a measurement, with units in the key names.
    summary: flat, name to number (or None for a figure that could not be measured here).
    goals:   summary name to (relation, value), relation one of "<=", ">=", "==", "<", ">".
    """

    bench: str
    rtl: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, float | int | None] = field(default_factory=dict)
    goals: dict[str, tuple[str, float]] = field(default_factory=dict)
    command: str = ""

    def missed(self) -> dict[str, str]:
        """Names of summary figures that miss their goal, with a sentence each."""
        holds: dict[str, Callable[[float, float], bool]] = {
            "<=": lambda a, b: a <= b,
            ">=": lambda a, b: a >= b,
            "==": lambda a, b: a == b,
            "<": lambda a, b: a < b,
            ">": lambda a, b: a > b,
        }
        out: dict[str, str] = {}
        for name, (relation, goal) in self.goals.items():
            value = self.summary.get(name)
            if value is None or not holds[relation](value, goal):
                out[name] = f"{name} = {value}, goal {relation} {goal:g}"
        return out

    def as_dict(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return {
            "bench": self.bench,
            "command": self.command or f"kumi bench {self.bench} --json",
            "rtl": self.rtl,
            "rows": self.rows,
            "summary": self.summary,
            "goals": {k: f"{r} {v:g}" for k, (r, v) in self.goals.items()},
            "missed": self.missed(),
        }

    def write(self, path: Path) -> None:
        """Keep the figures as JSON, ready for `docs/figures`."""
        path.write_text(json.dumps(self.as_dict(), indent=2) + "\n", encoding="utf-8")
