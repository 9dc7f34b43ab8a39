# SPDX-License-Identifier: Apache-2.0
"""`kumi bench`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.table import Table

from .. import bench
from ..common.errors import KumiError, did_you_mean
from .console import err, out


def run(name: str | None, every: bool, quick: bool, as_json: bool, write: Path | None) -> int:
    """Run one bench or all of them. Exit 1 when a figure misses its goal."""
    if name is None and not every:
        table = Table(title="benches", title_justify="left")
        table.add_column("name")
        table.add_column("what it measures")
        for key, (_module, what) in bench.REGISTRY.items():
            table.add_row(key, what)
        out.print(table)
        return 0
    if name is not None and name not in bench.REGISTRY:
        raise KumiError(f"There is no bench {name}.{did_you_mean(name, bench.REGISTRY)}", code=2)
    names = list(bench.REGISTRY) if every else [str(name)]
    results = []
    for each in names:
        with err.status(each) as status:

            def step(text: str, done: int, total: int, each: str = each) -> None:
                status.update(f"{each}: {text} ({done}/{total})" if total else f"{each}: {text}")

            results.append(bench.run(each, bench.Progress(step=step), quick))
    data = [result.as_dict() for result in results]
    payload = data if every else data[0]
    if write:
        write.write_text(json.dumps(payload, indent=2) + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps(payload))
    else:
        for result in results:
            _show(result)
    return 1 if any(result.missed() for result in results) else 0


def _show(result: bench.BenchResult) -> None:
    table = Table(title=result.bench, title_justify="left")
    for heading in ("figure", "value", "goal", ""):
        table.add_column(heading)
    missed = result.missed()
    for key, value in result.summary.items():
        relation, goal = result.goals.get(key, ("", 0.0))
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        mark = "" if not relation else "[red]missed[/]" if key in missed else "[green]met[/]"
        table.add_row(key, shown, f"{relation} {goal:g}" if relation else "", mark)
    out.print(table)
