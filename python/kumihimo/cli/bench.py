# SPDX-License-Identifier: Apache-2.0
"""`kumi bench`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.table import Table

from .. import bench
from ..bench import freshness
from ..common.errors import KumiError, did_you_mean
from ..common.paths import project_root
from .console import err, out


def run(
    name: str | None,
    every: bool,
    quick: bool,
    as_json: bool,
    write: Path | None,
    stale: bool = False,
    corpus: Path | None = None,
) -> int:
    """Run one bench, or renew the kept figures. Exit 1 when a figure misses its goal.

    Args:
        name:    the bench; without it and without `every`, benches are listed.
        every:   renew all kept figures (docs/figures); with `stale` only those of an older tree.
        quick:   the same figures from shorter runs; these are never kept.
        as_json: print the JSON objects.
        write:   also write the JSON here.
        corpus:  folder of files for the bench that takes one.
        stale:   without `every`: list the kept figures that are of an older tree.
    """
    if corpus is not None:
        bench.set_corpus(corpus)
    if every:
        return _renew(_chosen(name, stale), quick, as_json, write)
    if stale:
        return _list_stale(name, as_json)
    if name is None:
        table = Table(title="benches", title_justify="left")
        table.add_column("name")
        table.add_column("what it measures")
        for key, entry in bench.REGISTRY.items():
            table.add_row(key, entry.what)
        out.print(table)
        return 0
    result = _run(_known(name), quick)
    data = result.as_dict()
    if write:
        write.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps(data))
    else:
        _show(result)
    return 1 if result.missed() else 0


def _known(name: str) -> str:
    if name not in bench.REGISTRY:
        raise KumiError(f"There is no bench {name}.{did_you_mean(name, bench.REGISTRY)}", code=2)
    return name


def _run(name: str, quick: bool) -> bench.BenchResult:
    with err.status(name) as status:

        def step(text: str, done: int, total: int) -> None:
            status.update(f"{name}: {text} ({done}/{total})" if total else f"{name}: {text}")

        return bench.run(name, bench.Progress(step=step), quick)


def _chosen(name: str | None, stale: bool) -> list[str]:
    names = [key for key, entry in bench.REGISTRY.items() if entry.figures]
    if name is not None:
        names = [_known(name)]
    return [each for each in names if each in freshness.stale()] if stale else names


def _renew(names: list[str], quick: bool, as_json: bool, write: Path | None) -> int:
    """Run benches; keep each one's figures and fill the tables as soon as it ends."""
    from ..bench.table import fill_tables

    results, failed = [], False
    for each in names:
        try:
            result = _run(each, quick)
        except (bench.BenchError, KumiError) as problem:
            err.print(f"[red]{each} failed[/]: {problem}", highlight=False)
            failed = True
            continue
        results.append(result)
        if not quick:
            result.write(project_root() / freshness.FIGURES / f"{each}.json")
            for page in fill_tables():
                err.print(f"wrote {page}", highlight=False)
        if not as_json:
            _show(result)
    data = [result.as_dict() for result in results]
    if write:
        write.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps(data))
    return 1 if failed or any(result.missed() for result in results) else 0


def _list_stale(name: str | None, as_json: bool) -> int:
    """Exit 1 when anything is stale."""
    from ..synth.rows import stale_rows

    found = freshness.stale()
    if name is not None:
        found = {key: files for key, files in found.items() if key == _known(name)}
    rows = stale_rows() if name is None else []
    if as_json:
        print(json.dumps({"benches": found, "synth": rows}))
        return 1 if found or rows else 0
    table = Table(title="figures of an older tree", title_justify="left")
    for heading in ("figures", "renewed by", "about", "what changed"):
        table.add_column(heading)
    for key, files in found.items():
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        about = f"{bench.REGISTRY[key].minutes:g} min"
        table.add_row(key, f"kumi bench {key} --all", about, ", ".join(files[:3]) + more)
    if rows:
        more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
        table.add_row("synth", "kumi synth --all", "", ", ".join(rows[:3]) + more)
    if found or rows:
        out.print(table)
    else:
        out.print("Every figure is of this tree.")
    return 1 if found or rows else 0


def _show(result: bench.BenchResult) -> None:
    table = Table(title=result.bench, title_justify="left")
    for heading in ("figure", "value", "goal", "", "configuration"):
        table.add_column(heading)
    missed = result.missed()
    for key, value in result.summary.items():
        relation, goal = result.goals.get(key, ("", 0.0))
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        mark = "" if not relation else "[red]missed[/]" if key in missed else "[green]met[/]"
        text = f"{relation} {goal:g}" if relation else ""
        if relation and result.origins.get(key, "author") == "author":
            text += " (own goal)"
        table.add_row(key, shown, text, mark, result.setup_of(key).text)
    out.print(table)
