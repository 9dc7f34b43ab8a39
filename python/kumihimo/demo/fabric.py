# SPDX-License-Identifier: Apache-2.0
"""The demo's InfiniBand fabric: Debian's opensm brings it up, ibnetdiscover prints it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..cluster import Cluster
from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..common.paths import project_root
from ..ib.site import Site


@dataclass(frozen=True)
class Fabric:
    """What the step has shown."""

    lines: tuple[str, ...]
    """Of ibnetdiscover: nodes and links."""
    result: str


def cluster_file() -> Path:
    """The fabric: a circle of three switches (the model) with an endpoint each."""
    return project_root() / "examples" / "ib_fabric.yaml"


def shown(text: str) -> tuple[str, ...]:
    """The lines of ibnetdiscover that name a node or a link."""
    return tuple(line for line in text.splitlines() if re.match(r"(Switch|Ca|\[\d+\])", line))


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
            if not site.discover_equal():
                raise KumiError(f"ibnetdiscover does not show the cables of the file:\n{text}")
            site.end(manager)
        finally:
            site.close()
        ports = len(site.cabled)
    counts = f"{len(site.switches)} switches, {len(site.endpoints)} endpoints, {ports} ports Active"
    return Fabric(shown(text), f"{counts} after {smps} datagrams, simulated {up}")
