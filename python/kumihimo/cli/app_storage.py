# SPDX-License-Identifier: Apache-2.0
"""`kumi storage ...`: the commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import JsonOption, app

storage_app = typer.Typer(
    no_args_is_help=True,
    help="Arrays on disks of unequal speed, served as a network block device.\n\n"
    "Examples: `kumi storage create a.img b.img c.img --size 1G --redundancy single`, "
    "`kumi storage serve *.img --socket array.sock`",
)
app.add_typer(storage_app, name="storage")

DisksArg = Annotated[
    list[Path],
    typer.Argument(help="Disks: files or block devices, in any order.", metavar="DISK..."),
]
DegradedOption = Annotated[
    bool, typer.Option("--degraded", help="Start even if disks are missing.")
]


@storage_app.command("create")
def storage_create(
    disks: DisksArg,
    redundancy: Annotated[
        str, typer.Option(help="none, mirror, mirror3, single or double (parity).")
    ] = "none",
    size: Annotated[
        str | None, typer.Option(help="Create missing files of this size, e.g. 1G.")
    ] = None,
    width: Annotated[
        int,
        typer.Option(min=0, help="Chunks per stripe, parity included; 0: the largest capacity."),
    ] = 0,
    chunk: Annotated[
        str,
        typer.Option(help="Chunk size, 4K to 4M; 0: 64K, more for disks of more than 1T."),
    ] = "0",
    spares: Annotated[
        int, typer.Option(min=0, help="Failed disks whose data the others keep space for.")
    ] = 0,
    policy: Annotated[str, typer.Option(help="Placement: static or dynamic shares.")] = "dynamic",
    name: Annotated[str, typer.Option(help="Name of the export.")] = "array",
    test: Annotated[str, typer.Option(help="Bytes of the speed test per disk; 0: no test.")] = "8M",
    force: Annotated[
        bool, typer.Option(help="Overwrite disks of another array; their content is lost.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Measure the speed of disks and create an array on them. Their content is lost.

    Examples: `kumi storage create d0.img d1.img d2.img --size 1G`,
    `kumi storage create /dev/sd[b-i] --redundancy double --spares 1`
    """
    from .storage import run_create

    raise typer.Exit(
        run_create(disks, redundancy, size, width, chunk, spares, policy, name, test, force, json_)
    )


@storage_app.command("serve")
def storage_serve(
    disks: DisksArg,
    socket: Annotated[
        Path | None, typer.Option(help="Unix socket; default: a TCP port on 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="TCP port; 0: any. Default 10809.")
    ] = None,
    degraded: DegradedOption = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="Export read-only.")] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Start beyond the redundancy, read-only: what is not known to be the latest reads "
            "as errors.",
        ),
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds after which a disk is failed.")
    ] = 60.0,
    late: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds after which a read is served from the other disks."),
    ] = 2.0,
    node: Annotated[
        bool, typer.Option("--node", help="Serve through the simulated storage node, in RTL. Slow.")
    ] = False,
    ports: Annotated[
        int,
        typer.Option(min=0, max=16, help="With --node: minimum number of ports; 0: as few as fit."),
    ] = 0,
) -> None:
    """Serve an array over NBD until Ctrl-C, and print its URI.

    Examples: `kumi storage serve *.img --socket array.sock`, then
    `nbdinfo 'nbd+unix:///?socket=array.sock'`, `qemu-img info nbd://127.0.0.1:10809`.
    Through a node with room for more disks: `kumi storage serve *.img --node --ports 8`
    """
    from .storage import run_serve

    raise typer.Exit(
        run_serve(disks, socket, port, degraded, read_only, timeout, late, node, ports, force)
    )


@storage_app.command("status")
def storage_status(
    disks: DisksArg, degraded: DegradedOption = False, json_: JsonOption = False
) -> None:
    """Show an array. While it is served, one of its disks is enough; otherwise name all.

    Examples: `kumi storage status d0.img`, `kumi storage status *.img --json`
    """
    from .storage import run_status

    raise typer.Exit(run_status(disks, degraded, json_))


@storage_app.command("assemble")
def storage_assemble(
    disks: DisksArg,
    force: Annotated[
        bool,
        typer.Option("--force", help="Make an array of these disks, though others are missing."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show whether an array can start; with --force, make one that can of the disks that are left.

    Failed disks are taken in again, missing ones removed. What that loses is listed first, as
    offset+length in bytes; it reads as errors until it is written again. Exits with 3 if data is
    lost or stripes lack redundancy.

    Examples: `kumi storage assemble *.img`, `kumi storage assemble d1.img d2.img --force`
    """
    from .storage import run_assemble

    raise typer.Exit(run_assemble(disks, force, yes, json_))


@storage_app.command("fail")
def storage_fail(
    disks: DisksArg,
    device: Annotated[int, typer.Option(min=0, help="Number of the device.")],
    degraded: DegradedOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also beyond the redundancy; data will be lost.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Mark a device as failed; the array continues without it.

    Refused beyond the redundancy. Exits with 3 while stripes lack redundancy.

    Examples: `kumi storage fail d0.img --device 3`
    """
    from .storage import run_fail

    raise typer.Exit(run_fail(disks, device, degraded, force, json_))


@storage_app.command("add")
def storage_add(
    disks: DisksArg,
    new: Annotated[Path, typer.Option("--with", help="New disk.")],
    size: Annotated[
        str | None, typer.Option(help="Create the file with this size, e.g. 1G.")
    ] = None,
    limit: Annotated[float, typer.Option(min=0, help="Rebuild rate in MB/s; 0: unlimited.")] = 0.0,
    degraded: DegradedOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a disk of another array.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Add a disk; it takes part in new stripes, and in a rebuild if stripes lack redundancy.

    The size of the volume does not change.

    Examples: `kumi storage add d0.img --with new.img --size 1G`
    """
    from .storage import run_add

    raise typer.Exit(run_add(disks, new, size, limit, degraded, force, json_))


@storage_app.command("replace")
def storage_replace(
    disks: DisksArg,
    device: Annotated[int, typer.Option(min=0, help="Number of the device to replace.")],
    new: Annotated[Path, typer.Option("--with", help="New disk.")],
    size: Annotated[
        str | None, typer.Option(help="Create the file with this size, e.g. 1G.")
    ] = None,
    limit: Annotated[float, typer.Option(min=0, help="Rebuild rate in MB/s; 0: unlimited.")] = 0.0,
    degraded: DegradedOption = False,
    force: Annotated[
        bool, typer.Option(help="Overwrite a disk of another array; its content is lost.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Replace a disk and rebuild its content on the new one.

    In a node the new disk takes a free port. Without a free port the old disk is removed first,
    provided that all data can be read without it.

    Examples: `kumi storage replace d0.img --device 3 --with new.img --size 1G`
    """
    from .storage import run_replace

    raise typer.Exit(run_replace(disks, device, new, size, limit, degraded, force, json_))


@storage_app.command("scrub")
def storage_scrub(
    disks: DisksArg,
    limit: Annotated[float, typer.Option(min=0, help="Rate in MB/s; 0: unlimited.")] = 0.0,
    degraded: DegradedOption = False,
    json_: JsonOption = False,
) -> None:
    """Read every chunk, verify its checksum, and repair what is wrong.

    Examples: `kumi storage scrub d0.img --limit 50`
    """
    from .storage import run_scrub

    raise typer.Exit(run_scrub(disks, limit, degraded, json_))
