# SPDX-License-Identifier: Apache-2.0
"""`kumi new`: folders of one's own, from templates."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .app import app

new_app = typer.Typer(
    no_args_is_help=True,
    help="Create a project of your own from a template.\n\n"
    "Examples: `kumi new kernel shout`, `kumi new node mirror`, `kumi new card guard`, "
    "`kumi new experiment loss`, `kumi new cluster fat-tree 4`, `kumi new fabric ring 3`",
)
app.add_typer(new_app, name="new")


class By(StrEnum):
    """What joins the boards of a cluster."""

    ETHERNET = "ethernet"
    LINKS = "links"
    LANES = "lanes"


ShapeArgument = Annotated[str, typer.Argument(help="fat-tree, ring, mesh, torus, or dragonfly.")]
SizeArgument = Annotated[
    str,
    typer.Argument(
        help="fat-tree: ports of a switch x levels; ring: switches; mesh, torus: along each "
        "dimension; dragonfly: groups x switches per group."
    ),
]
FolderOption = Annotated[
    Path | None, typer.Option(help="Target folder; default: one named like it.")
]


@new_app.command("kernel")
def kernel(
    name: Annotated[str, typer.Argument(help="Name of the kernel: letters, digits, underscores.")],
    udp: Annotated[bool, typer.Option("--udp", help="UDP datagrams, as they stream.")] = False,
    buffered: Annotated[
        bool, typer.Option("--buffered", help="UDP datagrams, each held until it is complete.")
    ] = False,
    regs: Annotated[
        bool, typer.Option("--regs", help="UDP, with a register block of its own.")
    ] = False,
    tcp: Annotated[bool, typer.Option("--tcp", help="The bytes of TCP connections.")] = False,
    folder: FolderOption = None,
) -> None:
    """Create a working kernel with its node, cluster file and test in a new folder.

    Examples: `kumi new kernel shout`, `kumi new kernel cipher --regs`, `kumi new kernel talk --tcp`
    """
    from .new import run_kernel

    given = {"udp": udp, "buffered": buffered, "regs": regs, "tcp": tcp}
    raise typer.Exit(run_kernel(name, folder, [kind for kind, wanted in given.items() if wanted]))


@new_app.command("node")
def node(
    name: Annotated[str, typer.Argument(help="Name of the node: letters, digits, underscores.")],
    folder: FolderOption = None,
) -> None:
    """Create a node with a bare Ethernet port, its cluster file and test in a new folder.

    Examples: `kumi new node mirror`
    """
    from .new import run_node

    raise typer.Exit(run_node(name, folder))


@new_app.command("card")
def card(
    name: Annotated[str, typer.Argument(help="Name of the card: letters, digits, underscores.")],
    folder: FolderOption = None,
) -> None:
    """Create a network card with RTL of yours between it and the wire, in a new folder.

    A guest uses it with the virtio driver that it has.

    Examples: `kumi new card guard`
    """
    from .new import run_card

    raise typer.Exit(run_card(name, folder))


@new_app.command("experiment")
def experiment(
    name: Annotated[
        str, typer.Argument(help="Name of the experiment: letters, digits, underscores.")
    ],
    folder: FolderOption = None,
) -> None:
    """Create a cluster file, a measurement, its test and a notebook in a new folder.

    Examples: `kumi new experiment loss`
    """
    from .new import run_experiment

    raise typer.Exit(run_experiment(name, folder))


@new_app.command("cluster")
def cluster(
    shape: ShapeArgument,
    size: SizeArgument,
    node: Annotated[
        str, typer.Option(help="Design of every board: a name in hw/node, or a file.")
    ] = "udp_echo",
    hosts: Annotated[
        int | None,
        typer.Option(help="Boards per switch (fat tree: per edge switch).", show_default=False),
    ] = None,
    by: Annotated[
        By, typer.Option(help="Ethernet and switches; or the boards' serial links, or lanes.")
    ] = By.ETHERNET,
    latency: Annotated[str, typer.Option(help="Of every cable.")] = "500 ns",
    tap: Annotated[
        bool, typer.Option("--tap", help="Linux at the first switch, for `kumi shell`.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(help="Cluster file to write; default: SHAPE.yaml.")
    ] = None,
) -> None:
    """Create the cluster file of many equal boards on Ethernet switches, or joined by their links.

    Where the switches' cables form loops, frames take shortest paths (docs/ranks.md).

    Examples: `kumi new cluster fat-tree 16`, `kumi new cluster torus 4x4x4 --node traffic`,
    `kumi new cluster torus 4x4 --by lanes --node link`, `kumi new cluster dragonfly 5x4 --tap`
    """
    from ..scaffold.cluster import Wiring
    from .new import run_cluster

    wiring = Wiring(node, latency, by.value, tap)
    raise typer.Exit(run_cluster(shape, size, hosts, wiring, file))


@new_app.command("fabric")
def fabric(
    shape: ShapeArgument,
    size: SizeArgument,
    hosts: Annotated[
        int | None,
        typer.Option(help="Endpoints per switch (fat tree: per edge switch).", show_default=False),
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Switches as the faster model, not as RTL.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(help="Cluster file to write; default: SHAPE.yaml.")
    ] = None,
) -> None:
    """Create the cluster file of an InfiniBand fabric: switches, endpoints with agents, cables.

    Examples: `kumi new fabric ring 3`, `kumi new fabric fat-tree 4x3 --model`
    """
    from .new import run_fabric

    raise typer.Exit(run_fabric(shape, size, hosts, model, file))


@new_app.command("regs")
def regs(
    file: Annotated[Path, typer.Argument(help="SystemRDL description of a register block.")],
) -> None:
    """Generate RTL and software map of a register block, beside its description.

    Examples: `kumi new regs cipher/cipher.rdl` (after each change of it)
    """
    from .new import run_regs

    raise typer.Exit(run_regs(file))
