# SPDX-License-Identifier: Apache-2.0
"""`kumi up`: run a cluster until it is stopped."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ..cluster import Cluster
from ..cluster.snapshot import snapshot
from ..common.errors import KumiError
from ..ledger import Ledger, short
from ..manager.agent import serving_cluster
from ..net.session import starting
from . import console
from .running import detach


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """SIGINT, SIGTERM and SIGHUP set an event.

    A second Ctrl-C has its default effect; an ignored SIGHUP (nohup) stays ignored.
    """
    asked = threading.Event()

    def handler(number: int, _frame: FrameType | None) -> None:
        asked.set()
        signal.signal(number, signal.default_int_handler)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {n: signal.signal(n, handler) for n in numbers}
    try:
        yield asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def write_stats(stats: dict[str, Any], file: Path) -> None:
    """Every counter as JSON."""
    try:
        file.write_text(json.dumps(stats, indent=1) + "\n", encoding="utf-8")
    except OSError as problem:
        raise KumiError(f"Cannot write {file}: {problem.strerror}.") from None


def prepare_outputs(*files: Path | None) -> None:
    """Create the folders of output files and check that they are writable."""
    for file in files:
        if file is None:
            continue
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise KumiError(f"Cannot make {file.parent}: {problem.strerror}.", code=2) from None
        if file.is_dir():
            raise KumiError(f"Cannot write {file}: it is a folder.", code=2)
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise KumiError(f"Cannot write {file}: permission denied.", code=2)


def run(
    file: Path,
    pcap: Path | None,
    record: Path | None,
    stats: Path | None,
    until: str | None,
    threads: int,
    detached: tuple[float, bool] | None = None,
) -> int:
    """Build, boot, serve; `detached` (seconds to wait, JSON) does so in the background."""
    prepare_outputs(pcap, record, stats)
    comment = f"kumi up {file.name}"
    cluster = Cluster(file, threads=threads, pcap=pcap, record=record, comment=comment)
    if detached is not None:
        options = {"--pcap": pcap, "--record": record, "--stats": stats, "--until": until}
        words = [str(file), "--threads", str(threads)]
        words += [word for key, value in options.items() if value for word in (key, str(value))]
        return detach(words, cluster.name, *detached)
    with ExitStack() as exits:
        with starting(cluster.name):
            console.build(cluster)
            asked = exits.enter_context(stop_signals())
            exits.enter_context(cluster)
            exits.enter_context(serving_cluster(cluster))
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
        console.held_back(cluster)
        console.err.print(f"ended ({reason}); {line.summary()}")
        # A stop takes at most two seconds, however many registers there are.
        counters = snapshot(cluster, 30.0 if stats else 1.0)
        for text in short(Ledger.of(counters)):
            console.err.print(text, style="yellow", markup=False, soft_wrap=True)
        if stats:
            write_stats(counters, stats)
    for name in (pcap, record, stats):
        if name:
            console.err.print(f"wrote {name}")
    return 0
