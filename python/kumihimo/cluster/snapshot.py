# SPDX-License-Identifier: Apache-2.0
"""All counters of a started cluster: the simulator's, and those in the nodes' registers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ledger.drops import counts_drops
from ..regs import BLOCKS, Block, Reg, RegInfo, RegisterError
from .node import Node

if TYPE_CHECKING:
    from .cluster import Cluster

GROUPS = ("counters", "rx_counters", "core")
"""Register files whose registers count events."""
READERS = 32
MOST = 8
"""Elements of an array of counters, of which more is a histogram."""


def counted(info: RegInfo) -> bool:
    """Whether a snapshot has the register: a counter of events, or of drops."""
    return info.count <= MOST and (info.group in GROUPS or counts_drops(info))


def names(info: RegInfo) -> list[str]:
    """Its name in a snapshot; of an array one for each element."""
    return [info.name] if info.count == 1 else [f"{info.name}[{i}]" for i in range(info.count)]


@dataclass
class _Read:
    """One register to read, and where its value goes."""

    found: dict[str, Any]
    counts: dict[str, int]
    name: str
    reg: Reg
    index: int

    def do(self, deadline: float) -> None:
        if self.found["problem"]:
            return
        if time.monotonic() > deadline:
            self.found["problem"] = "the time was up"
            return
        try:
            self.counts[self.name] = self.reg.read(self.index)
        except (RuntimeError, RegisterError) as problem:
            self.found["problem"] = str(problem)


def snapshot(cluster: Cluster, seconds: float = 30.0) -> dict[str, Any]:
    """`Cluster.stats()`, and under `registers` the event counters of each node's blocks.

    Reading registers takes simulated time; `moved` is the number of frames that passed the node's
    ports meanwhile. A node that was not read within `seconds` of wall time says so in `problem`.
    `about` describes the counters of the user's own blocks.
    """
    before = cluster.stats()
    deadline = time.monotonic() + seconds
    nodes = [cluster[name] for name in cluster if cluster[name].has_registers]
    with ThreadPoolExecutor(max_workers=READERS) as pool:
        found = dict(zip(nodes, pool.map(lambda node: _blocks(node, deadline), nodes), strict=True))
        # A read takes a window of the simulation; those of all threads share it.
        todo = [read for node in nodes for read in _reads(node, found[node])]
        parts = [todo[i::READERS] for i in range(READERS)]
        list(pool.map(lambda part: _read(part, deadline), parts))
    after = cluster.stats()
    for node, seen in found.items():
        moved = _frames(after, node.name) - _frames(before, node.name)
        seen.update(moved=moved, busy=node.busy)
    return {**after, "registers": {node.name: seen for node, seen in found.items()}}


def _frames(stats: dict[str, Any], node: str) -> int:
    ports = stats["nodes"][node]["ports"].values()
    return sum(int(p.get("rx_frames", 0)) + int(p.get("tx_frames", 0)) for p in ports)


def _blocks(node: Node, deadline: float) -> dict[str, Any]:
    """The blocks of a node, without their counters."""
    found: dict[str, Any] = {"blocks": {}, "about": {}, "unknown": [], "problem": ""}
    if time.monotonic() > deadline:
        found["problem"] = "the time was up"
        return found
    try:
        regs = node.regs
        found["unknown"] = [list(place) for place in regs.unknown]
        for name in regs:
            if name != "kernel":  # a second name of one of the others
                found["blocks"][name] = {}
                # A file is also read where the user's own register maps are not known.
                if regs[name].spec.name not in BLOCKS:
                    found["about"][name] = _about(regs[name])
    except (RuntimeError, RegisterError) as problem:
        found["problem"] = str(problem)
    return found


def _about(block: Block) -> dict[str, str]:
    infos = [reg.info for reg in block if counted(reg.info)]
    return {name: info.description for info in infos for name in names(info)}


def _reads(node: Node, found: dict[str, Any]) -> list[_Read]:
    """Every counter of a node; their names are entered in the order of the map."""
    todo = []
    for block, counts in found["blocks"].items() if not found["problem"] else ():
        for reg in node.regs[block]:
            for index, name in enumerate(names(reg.info) if counted(reg.info) else ()):
                counts[name] = 0
                todo.append(_Read(found, counts, name, reg, index))
    return todo


def _read(part: Sequence[_Read], deadline: float) -> None:
    for read in part:
        read.do(deadline)
