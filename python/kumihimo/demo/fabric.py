# SPDX-License-Identifier: Apache-2.0
"""The demo's InfiniBand fabric: opensm brings it up, stores cross it, ibnetdiscover prints it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..cluster import Cluster
from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..common.paths import project_root
from ..ib.router import Router, join, settle
from ..ib.site import Site

STORES, WORD = 16, 8


@dataclass(frozen=True)
class Fabric:
    """What the step has shown."""

    lines: tuple[str, ...]
    """Of ibnetdiscover: nodes and links."""
    result: str


def cluster_file() -> Path:
    """The fabric: a switch (the model), two routers with SW2 interfaces, two endpoints."""
    return project_root() / "examples" / "ib_routers.yaml"


def shown(text: str) -> tuple[str, ...]:
    """The lines of ibnetdiscover that name a node or a link."""
    return tuple(line for line in text.splitlines() if re.match(r"(Switch|Ca|\[\d+\])", line))


def stores(one: Router, two: Router) -> int:
    """Stores of 8 bytes both ways; how many. KumiError if a memory does not hold them."""
    for n in range(STORES):
        for router, other in ((one, two), (two, one)):
            router.store(other.name, WORD * n, f"{router.name} {n:4d} ".encode())
    settle(one, two)
    for router, other in ((one, two), (two, one)):
        wanted = b"".join(f"{router.name} {n:4d} ".encode() for n in range(STORES))
        if other.memory.read(0, len(wanted)) != wanted or router.dead:
            raise KumiError(f"{other.name} does not hold what {router.name} has stored.")
    return 2 * STORES


def run(folder: Path, say: Callable[[str], None]) -> Fabric:
    """Build, boot, bring up; raises KumiError if what is found is not the cluster file."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = Cluster(cluster_file(), offline=True)
    cluster.build(lambda design, step: say(f"InfiniBand fabric: {design}, {step}"))
    with cluster:
        cluster.run("100 us")
        site = Site(cluster, folder)
        try:
            say("InfiniBand fabric: opensm")
            manager = site.manager()
            site.active("under opensm")
            smps, up = site.bridge.requests, format_time(cluster.now_ps)
            say("InfiniBand fabric: ibnetdiscover")
            text = site.run("ibnetdiscover")
            say("InfiniBand fabric: remote stores")
            count = stores(*join(cluster).values())
            if not site.discover_equal():
                raise KumiError(f"ibnetdiscover does not show the cables of the file:\n{text}")
            site.end(manager)
        finally:
            site.close()
        ports = len(site.cabled)
    counts = f"{len(site.switches)} switch, {len(site.endpoints)} nodes, {ports} ports Active"
    after = f"after {smps} datagrams, simulated {up}"
    return Fabric(shown(text), f"{counts} {after}; {count} stores of 8 bytes between routers")
