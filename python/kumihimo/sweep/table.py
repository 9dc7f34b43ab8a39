# SPDX-License-Identifier: Apache-2.0
"""The results of a sweep as one table: CSV, Parquet, and a summary with plots.

A row is a run: what was set (numbers as numbers), `repeat`, `seed`, `ok`, `problem`, `wall_s`,
`simulated_us`, and every number that any run gave. A run that failed has no such numbers.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from ..clusterfile.override import value_of
from ..common.errors import EnvironmentProblem, did_you_mean
from .runner import Outcome

_FIXED = ("run", "repeat", "seed", "ok", "problem", "wall_s", "simulated_us")


@dataclass(frozen=True)
class Group:
    """Repetitions of one setting: mean and sample standard deviation of a value."""

    settings: tuple[tuple[str, str], ...]
    count: int
    failed: int
    mean: float
    spread: float


class Table:
    """Rows in the order of the sweep; columns that no run has are absent."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        """From what came of the points."""
        self.outcomes = list(outcomes)
        self.paths = list(dict.fromkeys(p for o in outcomes for p, _ in o.point.settings))
        names = {name for outcome in outcomes for name in outcome.values}
        self.values = sorted(names)

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return [_FIXED[0], *self.paths, *_FIXED[1:], *self.values]

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary a run; a value that it lacks is None."""
        return [self._row(outcome) for outcome in self.outcomes]

    def _row(self, outcome: Outcome) -> dict[str, Any]:
        point = outcome.point
        settings = {path: value_of(text) for path, text in point.settings}
        fixed = (outcome.ok, outcome.problem, outcome.wall_s, outcome.simulated_us)
        return {
            "run": point.number,
            **{path: _plain(settings.get(path)) for path in self.paths},
            "repeat": point.repeat,
            "seed": point.seed,
            **dict(zip(_FIXED[3:], fixed, strict=True)),
            **{name: outcome.values.get(name) for name in self.values},
        }

    def matching(self, pattern: str) -> list[str]:
        """Names of values that a pattern with `*` covers; an unknown one raises KumiError."""
        found = [name for name in self.values if fnmatchcase(name, pattern)]
        if not found and self.values:
            hint = did_you_mean(pattern, self.values).strip()
            raise EnvironmentProblem(f"No run gave a value called {pattern}.", hint)
        return found

    def groups(self, value: str) -> list[Group]:
        """Mean and spread of a value over the repetitions of each setting."""
        by_setting: dict[tuple[tuple[str, str], ...], list[Outcome]] = {}
        for outcome in self.outcomes:
            by_setting.setdefault(outcome.point.settings, []).append(outcome)
        groups = []
        for settings, members in by_setting.items():
            known = [o.values[value] for o in members if value in o.values]
            mean = fmean(known) if known else math.nan
            spread = stdev(known) if len(known) > 1 else 0.0
            failed = sum(not o.ok for o in members)
            groups.append(Group(settings, len(known), failed, mean, spread))
        return groups


def _plain(value: Any) -> Any:
    """A value that a cell can hold."""
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def write_csv(table: Table, file: Path) -> None:
    """One line a run, with a head; an absent value is empty."""
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, table.columns)
        writer.writeheader()
        writer.writerows(table.rows())


def write_parquet(table: Table, file: Path) -> None:
    """The same as Parquet, types kept. Raises EnvironmentProblem without pyarrow."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        hint = "Install it: .venv/bin/pip install 'kumihimo[sweep]'."
        raise EnvironmentProblem("Parquet needs pyarrow.", hint) from None
    rows = table.rows()
    columns = {}
    for name in table.columns:
        cells = [row[name] for row in rows]
        kinds = {type(cell) for cell in cells if cell is not None}
        mixed = len(kinds) > 1 and not kinds <= {int, float}
        columns[name] = [None if c is None else str(c) if mixed else c for c in cells]
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
