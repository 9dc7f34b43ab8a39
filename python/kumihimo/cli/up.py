# SPDX-License-Identifier: Apache-2.0
"""`kumi up`: run a cluster until it is stopped."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from ..cluster import Cluster
from ..cluster.snapshot import snapshot
from ..cluster.watch import Watch
from ..clusterfile import units
from ..clusterfile.conditions import is_condition, parse
from ..common.errors import KumiError, did_you_mean
from ..ledger import Ledger, short
from ..manager.agent import serving_cluster
from ..net.session import starting
from ..ranks.meeting import Place
from . import console
from .checkpoints import Keeping, go_on
from .guests import Guests, check, scripted
from .replaying import Replayer
from .running import detach

ALL_GUESTS = "guests"  # `--until guests`: until all of their scripts have ended


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


@dataclass(frozen=True)
class Trigger:
    """`--trace-last`: waveforms of the time before a condition held."""

    condition: str
    last_ps: int
    nodes: tuple[str, ...]
    out: Path

    def words(self) -> list[str]:
        """The options that say so."""
        traced = [word for node in self.nodes for word in ("--trace", node)]
        times = ["--trace-last", f"{self.last_ps}ps", "--trigger", self.condition]
        return [*times, *traced, "--out", str(self.out)]


def trigger(last: str | None, condition: str | None, nodes: list[str], out: Path) -> Trigger | None:
    """The options of a retroactive trace; None without."""
    if last is None and condition is None:
        return None
    if last is None or condition is None:
        missing = "--trigger" if condition is None else "--trace-last"
        raise KumiError(
            f"{missing} is missing.", "For example --trace-last 50us --trigger 'echo.drop_*>0'.", 2
        )
    try:
        if parse(condition).pattern.startswith("cables.") and not nodes:
            text = f"{condition} is not of a node."
            raise KumiError(text, "Say whose waveform: --trace NODE.", 2)
        return Trigger(condition, units.time_ps(last), tuple(nodes), out)
    except (units.UnitError, ValueError) as problem:
        raise KumiError(f"--trace-last/--trigger: {problem}.", code=2) from None


def _until(text: str | None) -> None:
    """Check `--until` before anything is built."""
    if text is None or text == ALL_GUESTS:
        return
    try:
        if is_condition(text):
            parse(text)
        else:
            units.time_ps(text)
    except (units.UnitError, ValueError) as problem:
        raise KumiError(
            f"--until: {problem}.", f"A time like 5 ms, a condition, or `{ALL_GUESTS}`.", 2
        ) from None


def _serve(
    cluster: Cluster,
    asked: threading.Event,
    until: str | None,
    watch: Watch | None,
    guests: Guests,
) -> int:
    """Serve with a status line until the end, and say why it ended. Returns the messages shown."""
    seen = 0
    with console.StatusLine(cluster).show() as line:

        def stop() -> bool:
            nonlocal seen
            seen = console.messages(cluster, seen)
            line.update()
            guests.update()
            done = until == ALL_GUESTS and guests.ended
            return asked.is_set() or guests.stuck or done

        reason = cluster.serve(stop, watch or (None if until == ALL_GUESTS else until))
        if reason == "stopped" and not asked.is_set():
            reason = "a guest did not boot" if guests.stuck else ALL_GUESTS
    seen = console.messages(cluster, seen)
    console.held_back(cluster)
    if reason == "until" and until:
        reason = until
    console.err.print(f"ended ({reason}); {line.summary()}", markup=False, soft_wrap=True)
    return seen


def run(
    file: Path,
    pcap: Path | None,
    record: Path | None,
    stats: Path | None,
    until: str | None,
    threads: int,
    detached: tuple[float, bool] | None = None,
    trace: Trigger | None = None,
    ranks: int = 1,
    profile: Path | None = None,
    place: Place | None = None,
    kept: Keeping | None = None,
) -> int:
    """Build, boot, serve; `detached` (seconds to wait, JSON) does so in the background."""
    _until(until)
    if trace is not None and kept is not None and (kept.every or kept.resume):
        raise KumiError("A run with --trigger has no checkpoints.", code=2)
    if trace is not None and until is not None:
        raise KumiError("A run ends at --until or at its --trigger, not both.", code=2)
    comment = f"kumi up {file.name}"
    prepare_outputs(pcap, record, stats, trace.out / "x" if trace else None)
    if detached is not None:
        options = {"--pcap": pcap, "--record": record, "--stats": stats, "--until": until}
        options["--profile"] = profile
        words = [str(file), "--threads", str(threads), "--ranks", str(ranks)]
        words += [*(trace.words() if trace else ()), *(kept.words() if kept else ())]
        words += [word for key, value in options.items() if value for word in (key, str(value))]
        return detach(words, Cluster(file).name, *detached)
    with ExitStack() as last:
        outputs = [pcap, record, stats]
        if trace is not None and record is None:
            record = Path(last.enter_context(tempfile.TemporaryDirectory())) / "run.kumirec"
        cluster = Cluster(
            file,
            threads=threads,
            pcap=pcap,
            record=record,
            comment=comment,
            ranks=ranks,
            profile=profile,
            place=place,
            checkpoints=kept.checkpoints() if kept else None,
        )
        for name in trace.nodes if trace else ():
            if name not in cluster.plan.nodes:
                hint = did_you_mean(name, cluster.plan.nodes).strip()
                raise KumiError(f"There is no node called {name} to trace.", hint, 2)
        if until == ALL_GUESTS and not scripted(cluster):
            raise KumiError(f"{file} has no guest with a script to wait for.", code=2)
        check(cluster)
        watch, failed = _run(cluster, stats, until, trace, kept.resume if kept else None)
        for written in outputs:
            if written:
                console.err.print(f"wrote {written}")
        if trace is not None and record is not None and watch is not None:
            return retrace(record, watch, trace, threads) or failed
    return int(failed)


def _deadlocks(cluster: Cluster) -> list[str]:
    """A sentence for each node with OpenCL kernels that wait for each other."""
    found = []
    for name in cluster:
        node = cluster[name]
        for kernel in node.kernels if node.has_registers else ():
            stuck = node.kernel(kernel).deadlock()
            if stuck:
                found.append(f"{name}: the kernels are deadlocked. {stuck}")
                break
    return found


def _run(
    cluster: Cluster,
    stats: Path | None,
    until: str | None,
    trace: Trigger | None,
    resume: Path | None,
) -> tuple[Watch | None, bool]:
    """Boot and serve; the watch of the trigger, if there is one, and whether a guest failed."""
    with ExitStack() as exits:
        with starting(cluster.name):
            console.build(cluster)
            asked = exits.enter_context(stop_signals())
            if resume is not None:
                go_on(cluster, resume)
            exits.enter_context(cluster)
            exits.enter_context(serving_cluster(cluster))
        watch = cluster.watch(trace.condition) if trace else None
        console.err.print(console.stations(cluster))
        if cluster.namespace is not None:
            console.err.print(
                f"Running. Ctrl-C ends it; a shell inside its network: kumi shell {cluster.name}"
            )
        with Guests(cluster) as guests:
            seen = _serve(cluster, asked, until, watch, guests)
        for text in _deadlocks(cluster):
            console.err.print(text, style="yellow", markup=False, soft_wrap=True)
        # A stop takes at most two seconds, however many registers there are.
        counters = snapshot(cluster, 30.0 if stats and not asked.is_set() else 0.8)
        ledger = Ledger.of(counters)
        for text in short(ledger):
            console.err.print(text, style="yellow", markup=False, soft_wrap=True)
        if stats:
            write_stats(counters, stats)
        cluster.balanced(ledger)
        console.last_messages(cluster, seen)
    return watch, guests.failed


def retrace(record: Path, watch: Watch, trace: Trigger, threads: int) -> int:
    """Replay with waveforms of the time before the trigger. Exit 1 if it was not reached."""
    if watch.since_ps is None:
        console.err.print(f"{watch.condition} did not hold during the run; no waveform")
        return 1
    name, value = watch.found
    since, clear = (units.format_time(t) for t in (watch.since_ps, watch.clear_ps))
    console.err.print(
        f"[yellow]{name} = {value}[/] since some time between {clear} and {since}", soft_wrap=True
    )
    replayer = Replayer(record, None, threads)
    nodes = dict.fromkeys([*trace.nodes, name.partition(".")[0]])
    traced = [node for node in nodes if node in replayer.plan.nodes]
    if not traced:
        raise KumiError(f"{name} is not of a node.", "Say whose waveform: --trace NODE.", 2)
    window = (max(0, watch.clear_ps - trace.last_ps), watch.since_ps)
    for written in replayer.waves(traced, window, trace.out):
        console.err.print(f"wrote {written}")
    return 0
