# SPDX-License-Identifier: Apache-2.0
"""Progress on standard error; standard output is reserved for results."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

# Clusters take a second to import, and commands without one have progress too.
if TYPE_CHECKING:
    from ..cluster import Cluster
    from ..clusterfile.plans import NodePlan, TapPlan


# Into a file or pipe, tables get the width that they need rather than 80 columns.
def _width(stream: TextIO) -> int | None:
    return None if stream.isatty() or "COLUMNS" in os.environ else 140


err = Console(stderr=True, highlight=False, width=_width(sys.stderr))
out = Console(highlight=False, width=_width(sys.stdout))


class _Step:
    """A step and its seconds, at each time that it is drawn."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = time.monotonic()

    def __rich__(self) -> Text:
        return Text(f"{self._text} ({time.monotonic() - self._start:.0f} s)")


@contextmanager
def progress(first: str) -> Iterator[Callable[[str], None]]:
    """Progress of a long operation: a line updated in place, or one line per step in a file."""
    with err.status(_Step(first)) as status:

        def say(text: str) -> None:
            status.update(_Step(text))
            if not err.is_terminal:
                err.print(text, markup=False, soft_wrap=True)

        yield say


def build(cluster: Cluster) -> None:
    """Build a cluster's designs, with a line for each that is not cached.

    Requirements of the run are checked first, since a build may take a minute.
    """
    cluster.check_network()
    with progress("reading the designs") as say:
        built = cluster.build(lambda design, step: say(f"building {design}: {step}"))
    fresh = {r.hash: r for r in built.values() if not r.cached}
    for name, result in built.items():
        if fresh.pop(result.hash, None):
            design = cluster.plan.nodes[name].spec.design
            err.print(f"built {design} in {result.seconds:.1f} s")
    for warning in dict.fromkeys(w for result in built.values() for w in result.warnings):
        err.print(warning, style="yellow", markup=False, soft_wrap=True)


class StatusLine:
    """Status line of a running cluster: simulated time, wall time, speed, traffic."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._start = time.monotonic()
        self._last = (self._start, 0, 0)
        self._khz = 0.0
        self._ratio = 0.0
        self._live: Live | None = None
        self._next = 0.0

    def update(self) -> None:
        """Redraw the line, at most four times per second."""
        now = time.monotonic()
        if self._live is None or now < self._next:
            return
        self._next = now + 0.25
        self._live.update(self._text(now))

    def _text(self, now: float) -> Text:
        from ..clusterfile.units import format_size, format_time

        stats = self._cluster.stats()
        ps = self._cluster.now_ps
        cycles = sum(int(n.get("cycles", 0)) for n in stats.get("nodes", {}).values())
        before, count, then = self._last
        if now - before > 0.2:
            self._khz = (cycles - count) / (now - before) / 1e3
            self._ratio = (now - before) * 1e12 / (ps - then) if ps > then else 0.0
            self._last = (now, cycles, ps)
        moved = traffic(stats)
        return Text(
            f"{self._cluster.name}: simulated {format_time(ps)}, wall {now - self._start:.1f} s "
            f"({slowness(self._ratio)}), "
            f"{self._khz:.0f} kHz (all nodes), {moved[0]} frames, {format_size(moved[1])}",
            style="cyan",
        )

    def summary(self) -> str:
        """Summary of the run."""
        from ..clusterfile.units import format_size, format_time

        stats = self._cluster.stats()
        khz = float(stats.get("engine", {}).get("khz", 0.0))
        moved = traffic(stats)
        spent = time.monotonic() - self._start
        ps = self._cluster.now_ps
        return (
            f"simulated {format_time(ps)} in {spent:.1f} s "
            f"({slowness(spent * 1e12 / ps if ps else 0.0)}), "
            f"{khz:.0f} kHz (all nodes), {moved[0]} frames, {format_size(moved[1])}"
        )

    @contextmanager
    def show(self) -> Iterator[StatusLine]:
        """Show the line during the block (only on a terminal)."""
        if not err.is_terminal:
            yield self
            return
        with Live(Text("starting"), console=err, refresh_per_second=4, transient=True) as live:
            self._live = live
            yield self
            self._live = None


def slowness(ratio: float) -> str:
    """Wall time per simulated time, in words."""
    return f"{ratio:,.0f} times slower than the hardware" if ratio else "no time passes"


def traffic(stats: dict[str, Any]) -> tuple[int, int]:
    """Frames and bytes received and sent at the nodes' ports."""
    frames = size = 0
    for node in stats.get("nodes", {}).values():
        for port in node.get("ports", {}).values():
            frames += int(port.get("rx_frames", 0)) + int(port.get("tx_frames", 0))
            size += int(port.get("rx_bytes", 0)) + int(port.get("tx_bytes", 0))
    return frames, size


def _addresses(station: NodePlan | TapPlan) -> str:
    words = ["by DHCP" if station.spec.ip == "dhcp" else str(station.ip or "")]
    if station.spec.ip6 != "none":
        words.append("IPv6 of the link" if station.spec.ip6 == "auto" else station.spec.ip6)
    return ", ".join(filter(None, words)) or "-"


def stations(cluster: Cluster) -> Table:
    """Table of a cluster's stations."""
    table = Table(title=f"cluster {cluster.name}", title_justify="left")
    for heading in ("station", "what", "addresses", "MAC"):
        table.add_column(heading)
    for name, node in cluster.plan.nodes.items():
        table.add_row(name, node.spec.design, _addresses(node), node.mac)
    for name, switch in cluster.plan.spec.switches.items():
        table.add_row(name, f"switch, {switch.ports} ports, {switch.mode}", "-", "-")
    for name, tap in cluster.plan.taps.items():
        table.add_row(name, f"Linux TAP, MTU {tap.spec.mtu}", _addresses(tap), tap.mac)
    for name, peer in cluster.plan.peers.items():
        table.add_row(name, f"socket {peer.socket}", "-", "-")
    for name, host in cluster.plan.hosts.items():
        where = f"at {host.socket}" if host.socket else f"({host.guest.kind})" if host.guest else ""
        table.add_row(name, f"guest of {host.end} {where}", "-", "-")
    return table


def messages(cluster: Cluster, since: int = 0) -> int:
    """Show messages of the engine and the designs. Returns where to continue the next time."""
    from ..clusterfile.units import format_time

    styles = {"error": "bold red", "warning": "yellow"}
    new = cluster.engine.messages(since)
    for level, at, source, text in new:
        style = styles.get(str(level), "dim")
        err.print(Text(f"{format_time(at)} {source}: {text}", style=style))
    return since + len(new)


def last_messages(cluster: Cluster, since: int) -> None:
    """Show what the designs say at their end; the cluster cannot run afterwards."""
    cluster.finish()
    messages(cluster, since)


def held_back(cluster: Cluster) -> None:
    """Report ports that were stalled for most of the run, for example by a stuck kernel."""
    for name, node in cluster.stats().get("nodes", {}).items():
        cycles = int(node.get("cycles", 0))
        for port, counts in node.get("ports", {}).items():
            waited = int(counts.get("rx_wait", 0))
            if 2 * waited > cycles and waited > 1000:
                err.print(
                    f"[yellow]{name}.{port} stalled its input in {waited / cycles:.0%} of its "
                    f"cycles[/]: does it still set tready?",
                    soft_wrap=True,
                )
