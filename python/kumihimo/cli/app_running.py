# SPDX-License-Identifier: Apache-2.0
"""Commands for running clusters: ps, stop, logs, regs, why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import JsonOption, PcapOption, ThreadsOption, app

_Name = Annotated[
    str | None,
    typer.Argument(help="Name or process id; default: the only one.", show_default=False),
]


@app.command()
def ps(json_: JsonOption = False) -> None:
    """List running clusters.

    Examples: `kumi ps`, `kumi ps --json`
    """
    from .running import ps

    raise typer.Exit(ps(json_))


@app.command()
def stop(
    cluster: _Name = None,
    every: Annotated[bool, typer.Option("--all", help="Stop every running cluster.")] = False,
) -> None:
    """Stop a running cluster; captures and recordings are completed first.

    Examples: `kumi stop demo`, `kumi stop --all`
    """
    from .running import stop

    raise typer.Exit(stop(cluster, every))


@app.command()
def logs(
    cluster: _Name = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Follow until the cluster ends.")
    ] = False,
    guest: Annotated[
        str | None,
        typer.Option(help="Print the console of this guest of it.", show_default=False),
    ] = None,
) -> None:
    """Print the output of a cluster that runs in the background, or a guest's console.

    Examples: `kumi logs`, `kumi logs demo -f`, `kumi logs pair --guest alice -f`
    """
    from .running import logs

    raise typer.Exit(logs(cluster, follow, guest))


@app.command()
def regs(
    what: Annotated[
        str | None,
        typer.Argument(
            help="NODE, NODE.BLOCK, NODE.BLOCK.REGISTER[.FIELD], or one of these =VALUE.",
            metavar="[WHAT]",
            show_default=False,
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Name of the cluster, if several run.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Print and write registers of a running cluster.

    Examples: `kumi regs`, `kumi regs alice.echo`, `kumi regs alice.echo.port=9`,
    `kumi regs alice.echo.ctrl.enable`
    """
    from .regs import run

    raise typer.Exit(run(what, cluster, json_))


@app.command()
def why(
    what: Annotated[
        str | None,
        typer.Argument(
            help="Name of a running cluster, or a file of `kumi up --stats`; "
            "default: the only one that runs.",
            metavar="[CLUSTER|STATS.json]",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Say where every frame is: delivered, answered, dropped by which counter, or still inside.

    What comes in equals what goes on and what is dropped, at each node, switch and cable; what no
    counter accounts for is said.

    Examples: `kumi why`, `kumi why demo --json`, `kumi why demo.json`
    """
    from .why import run

    raise typer.Exit(run(what, json_))


@app.command()
def live(
    cluster: Annotated[
        str | None,
        typer.Argument(
            help="Name of a running cluster, or a cluster file to boot; default: the only one.",
            show_default=False,
        ),
    ] = None,
    pcap: PcapOption = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0: a free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    threads: ThreadsOption = 0,
    json_: JsonOption = False,
) -> None:
    """Show a cluster in the browser while it runs: rates, drops, latencies, registers.

    The page is for this machine only. Latencies need a capture: `kumi up --pcap`, or a file here.

    Examples: `kumi live`, `kumi live examples/demo.yaml`, `kumi live demo --no-browser --port 8080`
    """
    from .live import run

    raise typer.Exit(run(cluster, pcap, port, browser, threads, json_))


@app.command()
def lint(
    files: Annotated[list[Path], typer.Argument(help="Your .sv files; each is read as a top.")],
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="NAME=VALUE, a parameter of the top.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Find classic mistakes in your own RTL: drivers, latches, loops, widths, unused signals.

    Errors end with 1. A line with the comment `kumi: allow RULE` is exempt from that rule.

    Examples: `kumi lint shout/shout.sv`, `kumi lint my_node.sv --param DATA_W=512 --json`
    """
    from .lint import run

    raise typer.Exit(run(files, param or [], json_))
