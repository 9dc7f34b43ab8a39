# SPDX-License-Identifier: Apache-2.0
"""`kumi sweep`: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import ClusterArg, CommandAfterDashes, JsonOption, app


@app.command("sweep", cls=CommandAfterDashes)
def sweep(
    ctx: typer.Context,
    cluster: ClusterArg,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", help="Values of a field: PATH=VALUE,VALUE. Several: all combined."),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Runs of each setting, seeds counted up.")] = 1,
    until: Annotated[
        str | None, typer.Option(help="Simulated time of a run without a command.")
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(help="A number in the command's output: NAME=REGEX with one group."),
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option(help="Values to print and plot, with `*`; the table holds all."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the sweep; default: sweep-NAME here.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, help="Runs at a time; 0: as many as processors.")] = 0,
    limit: Annotated[float, typer.Option(min=1, help="Seconds of wall time for a run.")] = 3600.0,
    retry: Annotated[bool, typer.Option("--retry", help="Run again what failed.")] = False,
    keep: Annotated[
        bool, typer.Option("--keep-recordings", help="Also of runs that went well.")
    ] = False,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Run a cluster at every combination of settings, and make one table of the results.

    A sweep that was interrupted goes on where it stopped when the command is given again. A run
    that failed keeps its recording and its output; the others go on. A command that follows `--` is
    run inside the cluster's network.

    Examples: `kumi sweep pair.yaml --set cable.loss=0,1e-4,1e-3 --repeat 5 --until "10 ms"`,
    `kumi sweep demo.yaml --set arg.size=56,1400 --value "rtt=/([0-9.]+)/" --show rtt
    -- ping -c 20 -s {arg.size} alice`
    """
    from .sweep import run

    raise typer.Exit(
        run(
            cluster,
            tuple(ctx.meta.get("after_dashes", [])),
            tuple(sets or ()),
            repeat=repeat,
            until=until,
            values=tuple(value or ()),
            show=tuple(show or ()),
            out=out,
            jobs=jobs,
            limit_s=limit,
            retry=retry,
            keep=keep,
            scheduler=scheduler,
            as_json=json_,
        )
    )
