# SPDX-License-Identifier: Apache-2.0
"""`kumi guest`: the command and its options."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from .app import app


@app.command()
def guest(
    what: Annotated[
        str,
        typer.Argument(
            help="Guest of a running cluster (`guests:`), CLUSTER:GUEST, or the socket of a host "
            "(`hosts:`).",
            metavar="GUEST|SOCKET",
        ),
    ],
    kind: Annotated[
        Literal["uml", "qemu"] | None,
        typer.Option(
            help="Linux in user mode, or Debian's kernel in QEMU: 2 CPUs, MSI-X. Default: as in "
            "the cluster file, else uml.",
            show_default=False,
        ),
    ] = None,
    run_: Annotated[
        str | None,
        typer.Option("--run", help="Shell commands in place of a shell.", show_default=False),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Memory of the guest. Default: as in the cluster file, else 256M.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, help="With --run: seconds until the guest is ended.")
    ] = 600,
) -> None:
    """Boot a Linux whose network card is a node.

    In user mode its files are this machine's, read-only; in QEMU it has busybox, ip, ping, ethtool
    and iperf3. `exit` ends it. Needs no privileges. A guest of the cluster file that has a script
    is booted by `kumi up`.

    Examples: `kumi guest alice`, `kumi guest pair:alice --kind qemu`,
    `kumi guest guest.sock --run "ip addr add 10.77.0.1/24 dev eth0; ip link set eth0 up; ping -c 3
    10.77.0.2"`
    """
    from .guest import run

    raise typer.Exit(run(what, kind, run_, memory, timeout))
