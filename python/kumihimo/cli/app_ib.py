# SPDX-License-Identifier: Apache-2.0
"""`kumi ib`: the command and its options."""

from __future__ import annotations

from typing import Annotated

import typer

from .app import JsonOption, app


@app.command()
def ib(
    cluster: Annotated[
        str | None,
        typer.Argument(
            help="Name or process id of a running cluster; default: the only one.",
            show_default=False,
        ),
    ] = None,
    counters: Annotated[
        bool, typer.Option("--counters", help="Every PortCounter, not only errors.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Show the InfiniBand ports of a running cluster: links, LIDs, states, counters.

    Ends with 1 if a port with a cable is not Active.

    Examples: `kumi ib`, `kumi ib fabric --counters`, `kumi ib --json`
    """
    from .ib import run

    raise typer.Exit(run(cluster, counters, json_))
