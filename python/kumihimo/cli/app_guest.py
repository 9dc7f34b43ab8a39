# SPDX-License-Identifier: Apache-2.0
"""`kumi guest`: the command and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from .app import app


@app.command()
def guest(
    socket: Annotated[
        Path, typer.Argument(help="Socket of a host in a running cluster (`hosts:`).")
    ],
    kind: Annotated[
        Literal["uml", "qemu"],
        typer.Option(help="Linux in user mode, or Debian's kernel in QEMU: 2 CPUs, MSI-X."),
    ] = "uml",
    run_: Annotated[
        str | None,
        typer.Option("--run", help="Shell commands in place of a shell.", show_default=False),
    ] = None,
    memory: Annotated[str, typer.Option(help="Memory of the guest.")] = "256M",
    timeout: Annotated[
        float, typer.Option(min=1, help="With --run: seconds until the guest is ended.")
    ] = 600,
) -> None:
    """Boot a Linux whose network card is a node.

    In user mode its files are this machine's, read-only; in QEMU it has busybox, ip, ping, ethtool
    and iperf3. `exit` ends it. Needs no privileges.

    Examples: `kumi guest guest.sock`, `kumi guest guest.sock --run "ip addr add 10.77.0.1/24 dev
    eth0; ip link set eth0 up; ping -c 3 10.77.0.2"`
    """
    from .guest import run

    raise typer.Exit(run(socket, kind, run_, memory, timeout))
