# SPDX-License-Identifier: Apache-2.0
"""All counters of a started cluster: the simulator's, and those in the nodes' registers."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ..regs import BLOCKS, Block, RegisterError
from .node import Node

if TYPE_CHECKING:
    from .cluster import Cluster

GROUPS = ("counters", "rx_counters", "core")
"""Register files whose registers count events."""
READERS = 32


class _Late(Exception):
    """There was no time to read every register."""


def snapshot(cluster: Cluster, seconds: float = 30.0) -> dict[str, Any]:
    """`Cluster.stats()`, and under `registers` the event counters of each node's blocks.

    Reading registers takes simulated time; `moved` is the number of frames that passed the node's
    ports meanwhile. A node that was not read within `seconds` of wall time says so in `problem`.
    `about` describes the counters of the user's own blocks.
    """
    before = cluster.stats()
    deadline = time.monotonic() + seconds
    nodes = [cluster[name] for name in cluster if cluster[name].has_registers]
    with ThreadPoolExecutor(max_workers=max(1, min(READERS, len(nodes)))) as pool:
        read = dict(
            zip(nodes, pool.map(lambda node: _counters(node, deadline), nodes), strict=True)
        )
    after = cluster.stats()
    for node, found in read.items():
        moved = _frames(after, node.name) - _frames(before, node.name)
        found.update(moved=moved, busy=node.busy)
    return {**after, "registers": {node.name: found for node, found in read.items()}}


def _frames(stats: dict[str, Any], node: str) -> int:
    ports = stats["nodes"][node]["ports"].values()
    return sum(int(p.get("rx_frames", 0)) + int(p.get("tx_frames", 0)) for p in ports)


def _counters(node: Node, deadline: float) -> dict[str, Any]:
    blocks: dict[str, dict[str, int]] = {}
    about: dict[str, dict[str, str]] = {}
    found: dict[str, Any] = {"blocks": blocks, "about": about, "unknown": [], "problem": ""}
    try:
        regs = node.regs
        found["unknown"] = [list(place) for place in regs.unknown]
        for name in regs:
            if name != "kernel":  # a second name of one of the others
                blocks[name] = _block(regs[name], deadline)
                # A file is also read where the user's own register maps are not known.
                if regs[name].spec.name not in BLOCKS:
                    about[name] = {n: regs[name][n].info.description for n in blocks[name]}
    except _Late:
        found["problem"] = "the time was up"
    except (RuntimeError, RegisterError) as problem:
        found["problem"] = str(problem)
    return found


def _block(block: Block, deadline: float) -> dict[str, int]:
    counts = {}
    for reg in block:
        if reg.info.group in GROUPS and len(reg) == 1:
            if time.monotonic() > deadline:
                raise _Late
            counts[reg.info.name] = reg.read()
    return counts
