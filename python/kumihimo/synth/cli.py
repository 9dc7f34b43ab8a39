# SPDX-License-Identifier: Apache-2.0
"""`kumi synth`: one module's cost and clock rate, or all published rows."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from kumihimo.common.errors import KumiError
from kumihimo.common.pairs import pairs
from kumihimo.synth import board as boards
from kumihimo.synth.estimate import PEER, needed
from kumihimo.synth.flow import TARGETS, Options, measure
from kumihimo.synth.rows import run_rows
from kumihimo.synth.table import write_tables

_err = Console(stderr=True)


def synth(
    module: Annotated[
        str, typer.Argument(help="A module, a node's name, or a .sv file.", show_default=False)
    ] = "",
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            help="NAME=VALUE; a name the module lacks goes to its interface ports "
            "(DATA_W=512 for all, s_axis.DATA_W=512 for one).",
        ),
    ] = None,
    keep_hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            help="A module inside that is not flattened but mapped once, however often it is "
            "there; * and ? are wildcards."
        ),
    ] = None,
    target: Annotated[list[str] | None, typer.Option(help="xcup, ecp5 or all.")] = None,
    board: Annotated[
        str, typer.Option(help="Make a bitstream for a board of boards/ instead.")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="Where --board puts the bitstream.")] = None,
    all_rows: Annotated[
        bool, typer.Option("--all", help="Every row of docs/figures/rows.toml, and the tables.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    seeds: Annotated[int, typer.Option(help="Placements; Fmax is the median's.", min=1)] = 1,
    timeout: Annotated[float, typer.Option(help="Seconds a tool may take.")] = 1800.0,
    jobs: Annotated[int, typer.Option(help="Tools at a time.", min=1, max=2)] = 2,
    fresh: Annotated[bool, typer.Option(help="Measure again what the cache holds.")] = False,
    keep_work: Annotated[bool, typer.Option(help="Keep the work folder with logs.")] = False,
    estimate: Annotated[
        bool, typer.Option(help="Only the speed estimate for UltraScale+, as a ratio.")
    ] = False,
    split: Annotated[
        bool, typer.Option(help="Cost by module, and the slowest path with source lines (ECP5).")
    ] = True,
) -> None:
    """Cost and clock rate of a module: UltraScale+ mapped, ECP5 placed and routed."""
    options = Options(
        timeout=timeout,
        jobs=jobs,
        seeds=tuple(range(1, seeds + 1)),
        fresh=fresh,
        keep_work=keep_work,
        keep_hierarchy=tuple(keep_hierarchy or ()),
        details=split and not all_rows,
    )
    if keep_hierarchy and (all_rows or board):
        raise KumiError("--keep-hierarchy is for one module; rows name their own.")
    if all_rows:
        _all(module, options, as_json)
        return
    if board:
        _board(board, module, pairs(param or []), options, out)
        return
    if not module:
        raise KumiError("name a module, or use --all.")
    targets = tuple(target or ["all"])
    if "all" in targets:
        targets = TARGETS
    if estimate:
        targets = ("xcup",)
    with _progress() as bar:
        task = bar.add_task(module, total=None, stage="")
        stage = replace(options, progress=lambda text: bar.update(task, stage=text))
        result = measure(module, pairs(param or []), targets, stage)
    if estimate:
        _estimate(result, as_json)
    elif as_json:
        print(json.dumps(result, indent=1))
    else:
        show(result)


def _estimate(result: dict[str, Any], as_json: bool) -> None:
    """Only the ratio: the model's times mean nothing by themselves."""
    ratio, path = result["xcup"]["speed_ratio"], result["xcup"]["speed_path"]
    if as_json:
        keys = ("module", "params", "sources", "tools")
        found = {key: result[key] for key in keys}
        print(json.dumps(found | {"speed_ratio": ratio, "speed_path": path, "peer": PEER.name}))
    elif ratio is None:
        raise KumiError(
            "No ratio: the module has no path from register to register, or the peer was "
            f"measured with another Yosys ({PEER.tool}).",
            "docs/synth.md says how the peer is measured.",
        )
    else:
        print(f"{ratio:.2f} of the speed of {PEER.name} under the same model")
        print(f"longest path: {path}")
        print(f"needed for 322.27 MHz: {needed(322.265625):.2f} (docs/synth.md)")


def _progress() -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("[dim]{task.fields[stage]}"),
        TimeElapsedColumn(),
        console=_err,
        transient=True,
    )


def _board(
    name: str, module: str, params: dict[str, str], options: Options, out: Path | None
) -> None:
    with _progress() as bar:
        task = bar.add_task(f"{name}", total=None, stage="")
        options.progress = lambda text: bar.update(task, stage=text)
        made = boards.bitstream(name, module or None, params, options, out)
    for warning in made.warnings:
        _err.print(f"note: {warning}", highlight=False)
    print(f"{made.bitstream} ({made.bytes:,} bytes), {made.fmax_mhz} MHz of {made.asked_mhz} asked")


def _all(word: str, options: Options, as_json: bool) -> None:
    started: dict[str, float] = {}
    with _progress() as bar:
        tasks: dict[str, Any] = {}

        def report(title: str, stage: str) -> None:
            if title not in tasks:
                tasks[title] = bar.add_task(title, total=None, stage=stage)
                started[title] = time.monotonic()
            bar.update(tasks[title], stage=stage)
            if stage in ("done", "failed"):
                bar.remove_task(tasks[title])
                spent = time.monotonic() - started[title]
                if stage == "failed" or spent > 2:
                    _err.print(f"{title}: {stage} in {spent:.0f} s", highlight=False)

        document, failures = run_rows([word] if word else None, options, report)
    changed = write_tables()
    for path in changed:
        _err.print(f"wrote {path}", highlight=False)
    for text in failures:
        _err.print(f"[red]failed[/] {text}", highlight=False)
    if as_json:
        print(json.dumps(document, indent=1))
    else:
        _err.print(f"{len(document['rows'])} rows in docs/figures/synth.json", highlight=False)
    if failures:
        raise typer.Exit(1)


def show(result: dict[str, Any]) -> None:
    """Print a result for people."""
    params = " ".join(f"{k}={v}" for k, v in result["params"].items())
    grid = Table(title=f"{result['module']} {params}".strip(), title_justify="left")
    grid.add_column("target")
    grid.add_column("figure")
    grid.add_column("value", justify="right")
    for target in TARGETS:
        first = target
        for key, value in result.get(target, {}).items():
            if isinstance(value, list) and key in ("modules", "critical"):
                continue
            if value is None or (value == 0 and key in ("uram", "dsp", "latch", "loops", "mult")):
                continue
            shown = f"{value:,}" if isinstance(value, int) else str(value)
            grid.add_row(first, key, shown)
            first = ""
        grid.add_section()
    Console(file=sys.stdout).print(grid)
    _show_split(result.get("ecp5", {}))
    for target in TARGETS:
        for key, text in (("latch", "latches"), ("loops", "combinational loops")):
            if result.get(target, {}).get(key):
                _err.print(f"[red]{target}: {result[target][key]} {text}[/]", highlight=False)


def _show_split(found: dict[str, Any]) -> None:
    """Cost by part and module, and the slowest path as a column of names and places."""
    out = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 140)
    rows = found.get("modules", [])
    kinds = [
        k for k in ("lut4", "carry", "ff", "dpr16", "dp16k", "mult") if any(row[k] for row in rows)
    ]
    if len(rows) > 1:
        grid = Table(title="ecp5, by module", title_justify="left")
        for heading in ("part", "instance", "module"):
            grid.add_column(heading)
        for kind in kinds:
            grid.add_column(kind, justify="right")
        for part in dict.fromkeys(row["part"] for row in rows):
            mine = [row for row in rows if row["part"] == part]
            for row in mine:
                cells = [f"{row[kind]:,}" for kind in kinds]
                grid.add_row(part, row["instance"], row["module"], *cells)
            if len(mine) > 1:
                sums = [f"{sum(row[kind] for row in mine):,}" for kind in kinds]
                grid.add_row(part, "all", "", *sums, style="bold")
            grid.add_section()
        out.print(grid)
    steps = found.get("critical", [])
    if steps:
        grid = Table(title="ecp5, slowest path", title_justify="left")
        for heading in ("ns", "through", "named after", "source"):
            grid.add_column(heading, justify="right" if heading == "ns" else "left")
        for (name, cell, kind), same in groupby(steps, key=_through):
            every = list(same)
            end = kind in ("clk-to-q", "setup")
            what = "register" if end else cell + (f" x {len(every)}" if len(every) > 1 else "")
            place = every[-1]["place"]
            grid.add_row(f"{every[-1]['ns']:.2f}", f"{'*' if end else '|'} {what}", name, place)
        out.print(grid)


def _through(step: dict[str, Any]) -> tuple[str, str, str]:
    return step["name"], step["cell"], step["kind"]
