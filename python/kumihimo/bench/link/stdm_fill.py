# SPDX-License-Identifier: Apache-2.0
"""Fills what a plan leaves free with more circuits, at random, until nothing fits.

The planner answers requests; a bench under full load wants links without gaps. The result is a plan
document like any other and must pass `planner_check`.
"""

from __future__ import annotations

import copy
import itertools
import random
from typing import Any

import networkx as nx

from kumihimo.bench.core import BenchError
from kumihimo.link.planner.check import check
from kumihimo.link.planner.network import Network
from kumihimo.link.planner.plan_doc import OWNERS
from kumihimo.link.planner.slots import longest_gap
from kumihimo.link.stdm_replay import PORT_CYCLES

ROUNDS = 12  # failed tries in a row for each board, after which the network counts as full


def fill_up(data: dict[str, Any], network: Network, rng: random.Random, channels: int) -> Any:
    """A copy of a plan with as many more circuits as find room."""
    filler = _Filler(copy.deepcopy(data), network, rng, channels)
    tries = 0
    while tries < ROUNDS * len(network.ports):
        tries = 0 if filler.add() else tries + 1
    conflicts = check(filler.data).conflicts
    if conflicts:
        raise BenchError(f"a filled plan has conflicts: {conflicts[:3]}")
    return filler.data


class _Filler:
    def __init__(
        self, data: dict[str, Any], network: Network, rng: random.Random, channels: int
    ) -> None:
        self.data, self.network, self.rng, self.channels = data, network, rng, channels
        self.slots = data["slots"]
        self.total = self.slots + data["guard"]
        self.cycles = {link["from"]: link["cycles"] for link in data["links"]}
        self.offset = {link["from"]: link["offset"] for link in data["links"]}
        self.boards = data["boards"]
        self.graph = nx.DiGraph()
        for link in network.links:
            self.graph.add_edge(link.a, link.b)
        self.used: dict[tuple[str, str, str], int] = {}
        for circuit in data["circuits"]:
            for end, channel, way in zip(
                ("from", "to"), circuit["channels"], ("in", "out"), strict=True
            ):
                board, port = circuit[end].split(".")
                self._claim(board, port, way, channel + 1)
            for hop, owner in zip(circuit["route"], circuit["owners"], strict=True):
                board, port = hop.split(".")
                self._claim(board, port, "out", owner + 1)

    def _claim(self, board: str, port: str, way: str, least: int = 0) -> int:
        key = (board, port, way)
        number = self.used.get(key, 0)
        self.used[key] = max(number, least) if least else number + 1
        return number

    def _path(self, a: str, b: str) -> list[Any]:
        boards = self.rng.choice(list(nx.all_shortest_paths(self.graph, a, b)))
        hops = []
        for here, there in itertools.pairwise(boards):
            hops.append(self.rng.choice([x for x in self.network.out[here] if x.b == there]))
        return hops

    def _free(self, source: Any, target: Any, hops: list[Any]) -> list[int]:
        """Positions at the first board that are free all the way."""
        good = []
        for pos in range(self.slots):
            at = pos
            fits = self.boards[source[0]]["in"][source[1]][at] is None
            for link in hops:
                fits = fits and at < self.slots
                fits = fits and self.boards[link.a]["out"][link.a_port][at] is None
                at = (at + self.offset[link.start]) % self.total
            fits = fits and at != self.total - 2
            if fits and self.boards[target[0]]["out"][target[1]][at] is None:
                good.append(pos)
        return good

    def add(self) -> bool:
        """Try one circuit between random ends."""
        rng = self.rng
        a, b = rng.sample(list(self.boards), 2)
        source = (a, rng.choice(self.network.hosts[a]))
        target = (b, rng.choice(self.network.hosts[b]))
        if max(self.used.get((*source, "in"), 0), self.used.get((*target, "out"), 0)) >= (
            self.channels
        ):
            return False
        hops = self._path(a, b)
        if any(self.used.get((x.a, x.a_port, "out"), 0) >= OWNERS for x in hops):
            return False
        good = self._free(source, target, hops)
        if not good:
            return False
        positions = sorted(rng.sample(good, rng.randint(1, min(len(good), self.slots // 2))))
        self._place(source, target, hops, positions)
        return True

    def _place(self, source: Any, target: Any, hops: list[Any], positions: list[int]) -> None:
        first = self._claim(source[0], source[1], "in")
        last = self._claim(target[0], target[1], "out")
        owners = [self._claim(x.a, x.a_port, "out") for x in hops]
        for pos in positions:
            self.boards[source[0]]["in"][source[1]][pos] = first
            at, entry = pos, source[1]
            for link, owner in zip(hops, owners, strict=True):
                number = self.boards[link.a]["ports"].index(entry)
                self.boards[link.a]["out"][link.a_port][at] = [number, owner]
                at, entry = (at + self.offset[link.start]) % self.total, link.b_port
            number = self.boards[target[0]]["ports"].index(entry)
            self.boards[target[0]]["out"][target[1]][at] = [number, last]
        count = len(self.data["circuits"])
        cycles = PORT_CYCLES + sum(self.cycles[x.start] for x in hops)
        self.data["circuits"].append(
            {
                "name": f"more{count}",
                "from": ".".join(source),
                "to": ".".join(target),
                "channels": [first, last],
                "slots": len(positions),
                "latency_cycles": cycles,
                "wait_cycles": longest_gap(positions, self.total),
                "route": [x.start for x in hops],
                "owners": owners,
                "positions": positions,
            }
        )
