# SPDX-License-Identifier: Apache-2.0
"""`kumi up`: run a cluster until somebody ends it."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ..cluster import Cluster
from ..net.session import Session, announce
from . import console


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Ctrl-C and a polite kill set an event; a second Ctrl-C does what it always does."""
    asked = threading.Event()

    def handler(number: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(number, signal.default_int_handler)

    before = {n: signal.signal(n, handler) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def announced(cluster: Cluster) -> Iterator[None]:
    """Let `kumi shell` find the cluster while the block runs."""
    if cluster.namespace is None:
        yield
        return
    session = Session(
        cluster.name,
        os.getpid(),
        str(cluster.plan.file),
        cluster.namespace.inside,
        cluster.plan.addresses(),
    )
    file = announce(session)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def write_stats(cluster: Cluster, file: Path) -> None:
    """Every counter as JSON."""
    file.write_text(json.dumps(cluster.stats(), indent=1) + "\n", encoding="utf-8")


def prepare_outputs(*files: Path | None) -> None:
    """Make the folders that output files go to."""
    for file in files:
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)


def run(
    file: Path,
    pcap: Path | None,
    record: Path | None,
    stats: Path | None,
    until: str | None,
    threads: int,
) -> int:
    """Build, boot, serve."""
    prepare_outputs(pcap, record, stats)
    comment = f"kumi up {file.name}"
    cluster = Cluster(file, threads=threads, pcap=pcap, record=record, comment=comment)
    console.build(cluster)
    with stop_signals() as asked, cluster, announced(cluster):
        console.err.print(console.stations(cluster))
        if cluster.namespace is not None:
            console.err.print(
                f"Running. Ctrl-C ends it; a shell inside its network: kumi shell {cluster.name}"
            )
        seen = 0
        with console.StatusLine(cluster).show() as line:

            def stop() -> bool:
                nonlocal seen
                seen = console.messages(cluster, seen)
                line.update()
                return asked.is_set()

            reason = cluster.serve(stop, until)
        console.messages(cluster, seen)
        console.err.print(f"ended ({reason}); {line.summary()}")
        if stats:
            write_stats(cluster, stats)
    for name in (pcap, record, stats):
        if name:
            console.err.print(f"wrote {name}")
    return 0
