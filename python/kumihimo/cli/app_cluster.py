# SPDX-License-Identifier: Apache-2.0
"""`kumi cluster ...`: the commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import ClusterArg, JsonOption, app

cluster_app = typer.Typer(
    no_args_is_help=True,
    help="Configure the boards of a cluster and show their state.\n\n"
    "Examples: `kumi cluster configure ring.yaml --plan plan.json`, `kumi cluster status`",
)
app.add_typer(cluster_app, name="cluster")


@cluster_app.command("configure")
def cluster_configure(
    cluster: ClusterArg,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Plan request, or a finished plan (.json).")
    ] = None,
    before: Annotated[
        Path | None,
        typer.Option("--from", help="Active plan; change from it without losing a word."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the plan that is then active to this file.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds per board.")] = 30.0,
    parallel: Annotated[int, typer.Option(min=1, help="Boards configured in parallel.")] = 64,
    stay: Annotated[
        bool, typer.Option("--stay", help="Keep the cluster running until Ctrl-C.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Load designs, addresses and circuit tables into all boards in parallel, and read them back.

    A running cluster is configured while it runs. Boards that time out or read back something
    else are reported; the others continue.

    Examples: `kumi cluster configure examples/demo.yaml`,
    `kumi cluster configure ring.yaml --plan request.yaml --out plan.json --stay`,
    `kumi cluster configure ring.yaml --plan new.yaml --from plan.json`
    """
    from .cluster_cmd import run_configure

    raise typer.Exit(run_configure(cluster, plan, before, out, timeout, parallel, stay, json_))


@cluster_app.command("status")
def cluster_status(
    cluster: Annotated[
        str | None,
        typer.Argument(help="Name or file of a running cluster; default: the only one."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Circuit plan whose circuits to show.")
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds per board.")] = 10.0,
    json_: JsonOption = False,
) -> None:
    """Show lanes, errors and circuits of a running cluster.

    Examples: `kumi cluster status`, `kumi cluster status ring --plan plan.json --json`
    """
    from .cluster_cmd import run_status

    raise typer.Exit(run_status(cluster, plan, timeout, json_))
