# SPDX-License-Identifier: Apache-2.0
"""`kumi rank`, and `kumi up --ranks N --plan`: which process would hold what."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from ..cluster import Cluster
from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..ranks.meeting import Place
from ..ranks.worker import attend_run
from . import console, up
from .checkpoints import Keeping

MOST_NAMES = 8


def attend(
    kept: Keeping,
    where: Place,
    pcap: Path | None,
    record: Path | None,
    stats: Path | None,
    until: str | None,
    threads: int,
    profile: Path | None,
) -> int:
    """Be one rank: rank 0 runs the cluster, the others do what it says."""
    _ = where.key  # without one nothing is built
    if where.rank == 0:
        code = up.run(
            kept.file,
            pcap,
            record,
            stats,
            until,
            threads,
            ranks=where.ranks,
            profile=profile,
            place=where if where.ranks > 1 else None,
            kept=kept,
        )
        if where.mpi is not None and code == 0:
            where.mpi.finish()
        return code
    attend_run(where)
    return 0


def where_by(transport: str, at: str | None, rank: int | None, ranks: int | None) -> Place:
    """Which rank this process is: by MPI, or with --at by what the launcher or the options say."""
    from ..ranks import mpi
    from ..ranks.meeting import place, place_by_mpi

    told = at is not None or rank is not None or ranks is not None
    if told and transport == "mpi":
        raise KumiError(
            "MPI gives each rank its number and place: no --at, --rank, --ranks.", code=2
        )
    started = mpi.start("tcp" if told else transport)
    if started is not None:
        return place_by_mpi(started)
    if at is None:
        text = "Where does rank 0 listen? Without MPI --at HOST:PORT says it."
        raise KumiError(text, f"Or install MPI: {mpi.INSTALL}.", 2)
    return place(rank, ranks, at)


def show(file: Path, ranks: int, profile: Path | None, as_json: bool) -> int:
    """Print the partition."""
    cluster = Cluster(file, ranks=ranks, profile=profile)
    console.build(cluster)
    made = cluster.partition()
    if as_json:
        figures = {"balance": made.balance, "cut": made.cut, "cables": made.cables}
        rows = [
            {"rank": rank, "load": made.loads[rank], "holds": made.holds(rank)}
            for rank in range(ranks)
        ]
        print(json.dumps(figures | {"ranks": rows, "borders": [asdict(b) for b in made.borders]}))
        return 0
    table = Table(title=f"{cluster.name} in {ranks} ranks", title_justify="left")
    table.add_column("rank", justify="right")
    table.add_column("cost", justify="right")
    table.add_column("nodes and switches")
    for rank in range(ranks):
        names = made.holds(rank)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        table.add_row(str(rank), f"{made.loads[rank]:.0%}", ", ".join(names[:MOST_NAMES]) + more)
    console.out.print(table)
    if made.borders:
        table = Table(title="borders", title_justify="left")
        table.add_column("ranks")
        table.add_column("cables", justify="right")
        table.add_column("lookahead", justify="right")
        for border in made.borders:
            pair = " and ".join(map(str, border.ranks))
            table.add_row(pair, str(border.cables), format_time(border.lookahead_ps))
        console.out.print(table)
    console.err.print(
        f"The busiest rank has {made.balance:.2f} times its share; "
        f"{made.cut} of {made.cables} cables lead from rank to rank"
    )
    return 0
