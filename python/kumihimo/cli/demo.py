# SPDX-License-Identifier: Apache-2.0
"""`kumi demo`: from a fresh clone to Linux programs talking to FPGA nodes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from rich.table import Table

from ..capture.report import analyse
from ..cluster import Cluster
from ..cluster.snapshot import snapshot
from ..clusterfile.units import format_time
from ..common.paths import project_root
from ..demo.steps import Demo, Row, cluster_file
from ..demo.tcp import tcp_rows
from ..manager.agent import serving_cluster
from . import console
from .report import table as latency_table
from .up import prepare_outputs, write_stats


def _steps(demo: Demo, quick: bool) -> list[Row]:
    cluster = demo.cluster
    names = list(cluster)
    echoes = [n for n in names if cluster[n].design == "udp_echo"]
    players = [n for n in names if cluster[n].design == "pingpong"]
    servers = [n for n in names if cluster[n].design == "tcp_server"]
    rows: list[Row] = []

    def add(*new: Row) -> None:
        for row in new:
            text = f"[green]ok[/] {row.what}: {row.result} ({row.wall_s:.1f} s)"
            console.err.print(text, soft_wrap=True)
        rows.extend(new)

    for name in names:
        demo.say(f"ping {name}")
        add(demo.ping(name, 3))
    demo.say("ARP")
    add(demo.arp(names))
    demo.say("ping with large packets")
    add(demo.ping_sizes(echoes[0]))
    demo.say("ping-pong between two nodes")
    add(demo.pingpong(players[0], players[1], 20 if quick else 200))
    add(*demo.udp(echoes, 1_000 if quick else 10_000, 5.0 if quick else 12.0))
    for name in servers:
        add(*tcp_rows(demo, name, quick))
    return rows


def _storage(out: Path, rows: list[Row]) -> None:
    """An array of disks with different speeds: a file system, a failed disk, the rebuild."""
    from ..storage import demo as storage
    from .storage import bars

    began = time.monotonic()
    if lacking := storage.missing_programs():
        rows.append(Row("storage array", f"needs {', '.join(lacking)}: `kumi doctor`", 0.0))
        return
    with console.err.status("storage array") as status:
        done = storage.run(out / "storage", project_root() / "docs", status.update)
    console.out.print(bars(done.speeds))
    for line in done.lines:
        console.err.print(f"[green]ok[/] storage: {line}", soft_wrap=True)
    text = f"{done.files} files, disk killed, {done.rebuilt} chunks rebuilt, e2fsck clean"
    rows.append(Row("storage array", text, time.monotonic() - began))


def _fabric(out: Path, rows: list[Row]) -> None:
    """An InfiniBand fabric that opensm brings up."""
    from ..demo import fabric
    from ..ib.programs import missing_packages

    began = time.monotonic()
    if lacking := missing_packages():
        text = f"needs {', '.join(lacking)}: `sudo apt install {' '.join(lacking)}`"
        rows.append(Row("InfiniBand fabric", text, 0.0))
        return
    with console.err.status("InfiniBand fabric") as status:
        done = fabric.run(out / "fabric", status.update)
    console.out.print("ibnetdiscover:", *done.lines, sep="\n  ", markup=False, highlight=False)
    console.err.print(f"[green]ok[/] InfiniBand: {done.result}", soft_wrap=True)
    rows.append(Row("InfiniBand fabric", f"opensm: {done.result}", time.monotonic() - began))


def _guest(rows: list[Row]) -> None:
    """A Linux with an RTL network card."""
    from ..demo import guest
    from ..guest import missing

    began = time.monotonic()
    if lacking := missing():
        text = f"needs {', '.join(lacking)}: `sudo apt install {' '.join(lacking)}`"
        rows.append(Row("guest with a card", text, 0.0))
        return
    with console.err.status("guest with a card") as status:
        text = guest.run(status.update)
    console.err.print(f"[green]ok[/] guest with a card: {text}", soft_wrap=True)
    rows.append(Row("guest with a card", text, time.monotonic() - began))


def run(quick: bool, out: Path, threads: int) -> int:
    """Build, boot, run the steps, report."""
    began = time.monotonic()
    os.environ.setdefault("KUMI_BUILD", "quick")  # building takes longer than all that follows
    pcap, record, stats = (out / f"demo.{end}" for end in ("pcapng", "kumirec", "json"))
    prepare_outputs(pcap)
    cluster = Cluster(
        cluster_file(), threads=threads, pcap=pcap, record=record, comment="kumi demo"
    )
    console.build(cluster)
    built = time.monotonic() - began
    with cluster, serving_cluster(cluster):
        console.err.print(console.stations(cluster))
        with cluster.serving(), console.err.status("booting") as status:
            rows = _steps(Demo(cluster, status.update), quick)
            counters = cluster.stats()["engine"]
            simulated = cluster.now_ps
            write_stats(snapshot(cluster), stats)
        console.messages(cluster)
    _storage(out, rows)
    _fabric(out, rows)
    _guest(rows)
    with console.err.status("reading the capture"):
        found = analyse(pcap)
    console.out.print(latency_table([e for e in found if e.kind != "ARP"]))
    table = Table(title="what Linux programs and nodes did", title_justify="left")
    for heading in ("what", "result"):
        table.add_column(heading)
    table.add_column("wall", justify="right")
    for row in rows:
        table.add_row(row.what, row.result, f"{row.wall_s:.1f} s")
    console.out.print(table)
    nodes = len(cluster.plan.nodes)
    khz = float(counters["khz"]) / nodes
    console.out.print(
        f"simulated {format_time(simulated)}; {khz:.0f} kHz per node, {nodes} nodes; "
        f"build {built:.1f} s, total {time.monotonic() - began:.1f} s",
        soft_wrap=True,
    )
    console.out.print(
        f"capture {pcap}, recording {record} (replay it: kumi replay {record} --pcap again.pcapng)",
        soft_wrap=True,
    )
    return 0
