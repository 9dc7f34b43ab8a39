# SPDX-License-Identifier: Apache-2.0
"""`kumi sweep`: many runs of one cluster file, as one table."""

from __future__ import annotations

import json
import os
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Shown

from ..clusterfile import units
from ..common.errors import KumiError
from ..sweep import Definition, Local, Outcome, Scheduler, Sweep, Table, write_csv, write_parquet
from ..sweep.runner import Dask
from . import console


def _patterns(words: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    found = []
    for word in words:
        name, equals, pattern = word.partition("=")
        if not equals or not name or not pattern:
            hint = 'Such as --value "rtt=/([0-9.]+)/".'
            raise KumiError(f"--value {word}: expected NAME=REGEX.", hint, 2)
        found.append((name, pattern))
    return tuple(found)


def run(
    cluster: Path,
    command: tuple[str, ...],
    sets: tuple[str, ...],
    *,
    repeat: int,
    until: str | None,
    values: tuple[str, ...],
    show: tuple[str, ...],
    out: Path | None,
    jobs: int,
    limit_s: float,
    retry: bool,
    keep: bool,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Run what is missing and write the table; 1 if a run failed."""
    if bool(command) == bool(until):
        hint = 'Give --until "1 ms", or a command behind --.'
        raise KumiError("A run needs either a time or a command.", hint, 2)
    if until:
        units.time_ps(until)
    file = str(cluster.resolve())
    order = Definition(file, sets, repeat, until, command, _patterns(values))
    sweep = Sweep(order, out or Path(f"sweep-{cluster.stem}"))
    todo = sweep.waiting(retry)
    done = len(sweep.points) - len(todo)
    if done:
        console.err.print(f"{done} of {len(sweep.points)} runs are there already.")
    if todo:
        place: Scheduler = Dask(scheduler) if scheduler else Local(jobs or os.cpu_count() or 1)
        _run(sweep, place, limit_s, keep, retry)
    table = Table(sweep.outcomes())
    files = _write(sweep, table, show)
    failed = [outcome for outcome in table.outcomes if not outcome.ok]
    if as_json:
        found = {"runs": len(table.outcomes), "failed": [o.point.name for o in failed]}
        print(json.dumps({**found, "files": [str(f) for f in files], "rows": table.rows()}))
    else:
        _print(table, failed, show, files)
    return 1 if failed else 0


def _run(sweep: Sweep, place: Scheduler, limit_s: float, keep: bool, retry: bool) -> None:
    sweep.build(lambda design, step: console.err.print(f"{design}: {step}"))
    todo = sweep.waiting(retry)
    columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.description}"), console=console.err) as bar:
        task = bar.add_task("", total=len(todo))
        bad = 0
        for outcome in sweep.run(todo, place, limit_s=limit_s, keep=keep):
            bad += not outcome.ok
            bar.update(task, advance=1, description=f"{bad} failed" if bad else "")


def _write(sweep: Sweep, table: Table, show: tuple[str, ...]) -> list[Path]:
    """The table in both formats, and a plot for each value that was asked for."""
    from ..sweep.plot import write_plot

    files = [sweep.folder / "results.csv"]
    write_csv(table, files[0])
    try:
        write_parquet(table, sweep.folder / "results.parquet")
        files.append(sweep.folder / "results.parquet")
    except KumiError as problem:
        console.err.print(f"no results.parquet: {problem}", markup=False)
    for pattern in show:
        for name in table.matching(pattern):
            files.append(sweep.folder / f"{name}.svg")
            write_plot(table, name, files[-1])
    return files


def _print(table: Table, failed: list[Outcome], show: tuple[str, ...], files: list[Path]) -> None:
    names = [name for pattern in show for name in table.matching(pattern)]
    if names:
        shown = Shown(*table.paths, "runs", *names)
        by_name = {name: table.groups(name) for name in names}
        for at, group in enumerate(by_name[names[0]]):
            cells = [text for _, text in group.settings]
            total = str(group.count + group.failed)
            results = [by_name[name][at] for name in names]
            means = [f"{g.mean:.6g} ± {g.spread:.2g}" if g.count else "-" for g in results]
            shown.add_row(*cells, total, *means)
        console.out.print(shown)
    for outcome in failed:
        where = f"run {outcome.point.name} ({outcome.point})"
        console.err.print(f"failed: {where}: {outcome.problem}", markup=False, soft_wrap=True)
        console.err.print(f"  what is left of it: {outcome.folder}", markup=False, soft_wrap=True)
    good = len(table.outcomes) - len(failed)
    console.err.print(f"{good} of {len(table.outcomes)} runs went well.")
    for file in files:
        console.err.print(f"wrote {file}", soft_wrap=True)
