# SPDX-License-Identifier: Apache-2.0
"""What all benches share: the result object, progress, and how figures are kept.

Rows say what was measured; `summary` is flat, name to number. A figure that misses its goal stays
in the row with the goal beside it. Each figure names the configuration it was measured with, and
whether the node ships so: default parameters, registers at their reset values.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from kumihimo.bench.freshness import sources
from kumihimo.bench.setup import SOFTWARE, Setup


class Origin(StrEnum):
    """Where a goal comes from."""

    REQUIREMENT = "requirement"
    PAPER = "paper"
    PEER = "peer"
    AUTHOR = "author"  # chosen by whoever wrote the bench


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
    rows:    one dictionary per measurement, with units in the key names.
    summary: flat, name to number (or None for a figure that could not be measured here).
    goals:   summary name to (relation, value), relation one of "<=", ">=", "==", "<", ">".
    origins: summary name to where its goal comes from; a goal not named here is the author's own.
    setup:   the configuration of every figure and row that names no other.
    setups:  summary name to its configuration.
    """

    bench: str
    rtl: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, float | int | None] = field(default_factory=dict)
    goals: dict[str, tuple[str, float]] = field(default_factory=dict)
    command: str = ""
    origins: dict[str, Origin] = field(default_factory=dict)
    setup: Setup = SOFTWARE
    setups: dict[str, Setup] = field(default_factory=dict)

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

    def setup_of(self, figure: str) -> Setup:
        """The configuration that a summary figure was measured with."""
        return self.setups.get(figure, self.setup)

    def as_dict(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        figures: dict[str, Any] = {}
        for name in self.summary:
            figures[name] = self.setup_of(name).as_row()
            if name in self.goals:
                figures[name]["goal_from"] = self.origins.get(name, Origin.AUTHOR)
        return {
            "bench": self.bench,
            "command": self.command or f"kumi bench {self.bench} --json",
            "rtl": self.rtl,
            "rows": [self.setup.as_row() | row for row in self.rows],
            "summary": self.summary,
            "goals": {k: f"{r} {v:g}" for k, (r, v) in self.goals.items()},
            "missed": self.missed(),
            "figures": figures,
            "designs": self.designs(),
            "sources": sources(self.bench, self.designs()),
        }

    def designs(self) -> list[str]:
        """The modules that the figures depend on."""
        used = {key.split()[0] for key in self.rtl}
        used |= {s.design for s in (self.setup, *self.setups.values()) if s.design}
        return sorted(used)

    def write(self, path: Path) -> None:
        """Keep the figures as JSON, ready for `docs/figures`."""
        path.write_text(json.dumps(self.as_dict(), indent=2) + "\n", encoding="utf-8")
