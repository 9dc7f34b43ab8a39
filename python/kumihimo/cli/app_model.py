# SPDX-License-Identifier: Apache-2.0
"""`kumi model`: its commands and their options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .app import JsonOption, app

model_app = typer.Typer(
    no_args_is_help=True,
    help="Predict collectives on more boards than can be simulated in RTL (docs/coarse-model.md)."
    "\n\nExamples: `kumi model predict all-reduce --boards 1024,65536 --bytes 4096`, "
    "`kumi model fit --quick`",
)
app.add_typer(model_app, name="model")


class Collective(StrEnum):
    """What is predicted."""

    ALL_REDUCE = "all-reduce"
    ALL_TO_ALL = "all-to-all"


class Kind(StrEnum):
    """Of the network."""

    TREE = "tree"
    TORUS = "torus"


FileOption = Annotated[
    Path | None, typer.Option("--model", help="Parameters; default: those of this release.")
]


@model_app.command("predict")
def predict(
    collective: Annotated[Collective, typer.Argument(help="The collective.")],
    boards: Annotated[str, typer.Option(help="Numbers of boards, with commas.")] = "1024",
    size: Annotated[
        int,
        typer.Option(
            "--bytes", min=1, help="all-reduce: of the vector; all-to-all: from each to each."
        ),
    ] = 4096,
    network: Annotated[
        Kind, typer.Option(help="Ethernet switches, or serial links to four neighbours.")
    ] = Kind.TREE,
    algorithm: Annotated[
        str, typer.Option(help="Of an all-reduce on a tree: ring or doubling.")
    ] = "doubling",
    ports: Annotated[
        int, typer.Option(min=2, max=256, help="Boards, or switches, below a switch of the tree.")
    ] = 32,
    oversubscription: Annotated[
        float,
        typer.Option(min=1, help="What the boards below a switch can send, for its uplink."),
    ] = 1.0,
    file: FileOption = None,
    json_: JsonOption = False,
) -> None:
    """Predict the time of a collective on any number of boards, with its error band.

    Examples: `kumi model predict all-reduce --boards 64,1024,65536 --bytes 4096`,
    `kumi model predict all-to-all --boards 4096 --bytes 256 --oversubscription 4`,
    `kumi model predict all-reduce --network torus --boards 4096 --bytes 1048576`
    """
    from .model import run_predict

    raise typer.Exit(
        run_predict(
            *(collective.value, boards, size, network.value, algorithm),
            *(ports, oversubscription, file, json_),
        )
    )


@model_app.command("fit")
def fit(
    file: Annotated[
        Path | None, typer.Option("--out", help="Write the parameters to this file.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer runs, of 16 boards at most.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Fit the parameters to boards in RTL, and state the error against other runs of them.

    Examples: `kumi model fit --quick`, `kumi model fit --out mine.json`
    """
    from .model import run_fit

    raise typer.Exit(run_fit(file, quick, json_))


@model_app.command("plot")
def plot(
    folder: Annotated[Path, typer.Argument(help="Where all-reduce.svg and all-to-all.svg go.")],
    file: FileOption = None,
) -> None:
    """Draw all-reduce and all-to-all over 64 to 65,536 boards, with their error bands.

    Examples: `kumi model plot .`, `kumi model plot pictures --model mine.json`
    """
    from .model import run_plot

    raise typer.Exit(run_plot(folder, file))


@model_app.command("show")
def show(file: FileOption = None, json_: JsonOption = False) -> None:
    """Show the parameters, and the largest errors against runs that they were not fitted to.

    Examples: `kumi model show`, `kumi model show --model mine.json --json`
    """
    from .model import run_show

    raise typer.Exit(run_show(file, json_))
