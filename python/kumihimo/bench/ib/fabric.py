# SPDX-License-Identifier: Apache-2.0
"""`kumi bench ib-fabric`: fabrics of many switches brought up by Debian's opensm.

Switches are the C++ model (`detail: model`), endpoints RTL. For each fabric: SMPs and simulated
time until SUBNET UP, share of the ports with a cable that are Active, whether ibnetdiscover finds
exactly the cables of the cluster file, and whether the forwarding tables lead from every endpoint
to every node. In the largest one opensm is killed and started again, SMPs are lost to bit errors,
and a switch is plugged in while opensm runs.
"""

from __future__ import annotations

import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.common import topology
from kumihimo.common.errors import KumiError
from kumihimo.ib.site import Site
from kumihimo.ib.topology import End, Topology, fabric_text

LIMIT_S = 900.0
FLIP_PS = 1_000_000
SWEPT = "SUBNET UP"


@dataclass
class Case:
    """A fabric; `events`: opensm is killed, SMPs are lost and a switch is plugged in."""

    shape: str
    made: Topology
    events: bool = False


def _cases(quick: bool) -> list[Case]:
    small = [
        Case("ring", topology.ring(3)),
        Case("mesh", topology.mesh(3, 2)),
        Case("dragonfly", topology.dragonfly(3, 2)),
        Case("fat tree, 2 levels", topology.fat_tree(4, 2, 1)),
    ]
    large = Case("fat tree, 3 levels", topology.fat_tree(4, 3, 1), events=True)
    return [large] if quick else [*small, large]


def _route_share(site: Site) -> float:
    """Share of (endpoint, node) pairs between which the forwarding tables lead."""
    tables = site.routes()
    right = tried = 0
    for start in site.endpoints:
        for to in (*site.endpoints, *site.switches):
            if to == start:
                continue
            tried += 1
            try:
                site.path(tables, start, to)
                right += 1
            except KumiError:
                pass
    return right / tried


def _swept(site: Site, log: str, what: str) -> None:
    """Wait until opensm has gone through the fabric once more: cheaper than asking again."""
    before = site.log(log).count(SWEPT)
    site.until(lambda: site.log(log).count(SWEPT) > before, what)


def _switches(site: Site) -> int:
    """Switches that ibnetdiscover names and that have a LID of their own."""
    named = {name for link in site.discovered() for name, _ in link} & set(site.switches)
    return len({site.lid(name) for name in named} - {0})


def _finds(site: Site, links: set[frozenset[End]]) -> bool:
    """Whether ibnetdiscover finds just these; it gives up itself when its datagrams are lost."""
    try:
        return site.discovered() == links
    except KumiError:
        return False


def _spoil(site: Site) -> None:
    """A bit error each microsecond on the cable of opensm's endpoint until an SMP is lost."""
    before = site.bridge.timeouts

    def lost() -> bool:
        now = site.cluster.now_ps
        for n in range(1, 5):
            site.cluster.flip(f"{site.endpoints[0]}.p1", bit=n, at=now + n * FLIP_PS)
        return site.bridge.timeouts > before

    site.until(lost, "no SMP was lost")


def _events(site: Site, made: Topology) -> dict[str, Any]:
    """A second opensm after the first was killed, SMPs lost, a switch taken out and plugged in."""
    cluster = site.cluster
    manager = site.manager("second.log")
    site.active("with a second opensm")
    before = site.bridge.timeouts
    victim = made.switches[-1]
    ends = [f"{victim}.p{n + 1}" for n in range(made.ports[victim])]
    for end in ends:
        cluster.plug(end, False)
    _swept(site, "second.log", f"{victim} was not taken out")
    out = {(victim, n + 1) for n in range(len(ends))}
    gone = out | {end for link in made.links if link & out for end in link}
    left = {link for link in made.links if not link & out}
    site.until(lambda: _finds(site, left), f"{victim} is still there")
    site.active("without a switch", but=sorted(gone))
    for end in ends:
        cluster.plug(end, True)
    _spoil(site)  # while opensm sweeps
    site.active("with the switch again")
    site.until(lambda: _finds(site, made.links), "ibnetdiscover does not find the switch again")
    site.end(manager)
    return {"restarted": 1, "plugged": 1, "smps_lost": site.bridge.timeouts - before}


def measure(case: Case, place: Path) -> dict[str, Any]:
    """The row of a fabric; `place`: a folder for its file and the programs' logs."""
    file = place / "fabric.yaml"
    file.write_text(fabric_text(case.made, "model"))
    with Cluster(file, offline=True) as cluster:
        cluster.run("100 us")
        site = Site(cluster, place, case.made.hosts[:2], limit=LIMIT_S)
        try:
            manager = site.manager("first.log")
            row: dict[str, Any] = {
                "fabric": case.shape,
                "built": len(case.made.switches),
                "endpoints": len(case.made.hosts),
                "cables": len(case.made.cables),
                "up_us": cluster.now_ps / 1e6,
                "sweep_smps": site.bridge.requests,
            }
            # As opensm has left it when it says so, without waiting for what it has missed.
            row["ports_active_share"] = site.active_share()
            row["switches"] = _switches(site)
            row["discover_equal"] = int(site.discover_equal())
            row["lids"] = len(set(site.lids().values()) - {0})
            row["route_share"] = _route_share(site)
            site.end(manager, signal.SIGKILL)
            if case.events:
                row |= _events(site, case.made)
        finally:
            site.close()
    return row


def run(progress: Progress, quick: bool) -> BenchResult:
    """All shapes, the 3-level fat tree of 20 switches last (quick: only that one)."""
    result = BenchResult("ib-fabric", setup=Setup("ib_switch", note="switches: C++ model"))
    cases = _cases(quick)
    for number, case in enumerate(cases):
        progress.step(case.shape, number, len(cases))
        with tempfile.TemporaryDirectory() as folder:
            try:
                result.rows.append(measure(case, Path(folder)))
            except KumiError as problem:
                raise BenchError(f"{case.shape}: {problem}") from problem
    rows = result.rows
    largest = rows[-1]
    result.summary = {
        "switches": largest["switches"],
        "ports_active_share": min(row["ports_active_share"] for row in rows),
        "discover_equal": min(row["discover_equal"] for row in rows),
        "sweep_smps": largest["sweep_smps"],
        "route_share": min(row["route_share"] for row in rows),
        "smps_lost": largest["smps_lost"],
    }
    result.goals = {
        "switches": ("==", 20),
        "ports_active_share": ("==", 1),
        "discover_equal": ("==", 1),
        "route_share": ("==", 1),
        "smps_lost": (">=", 1),
    }
    result.origins = dict.fromkeys(("switches", "ports_active_share", "discover_equal"),
                                   Origin.REQUIREMENT)  # fmt: skip
    return result
