# SPDX-License-Identifier: Apache-2.0
"""Paths between two boards, shortest first.

`some` returns a few short paths, spread over the graph, for the fast planner; `every` returns all
loop-free paths up to a bound and whether the list is complete, for proofs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from .problem import Instance

Links = tuple[int, ...]


class Routes:
    """Paths through the network of an instance, cached."""

    def __init__(self, made: Instance) -> None:
        self._made = made
        self._hop = made.timing.hop
        self._out = made.network.out
        self._some = made.ways.some

    def some(self, source: str, target: str, most: int = 12) -> list[Links]:
        """Up to `most` different paths, shortest first; empty if none exists.

        Most are shortest paths (random walks that always get closer); the others take one
        detour, to escape a full neighbourhood.
        """
        key = (source, target)
        if key not in self._some:
            self._some[key] = self._find(source, target, most)
        return self._some[key]

    def _find(self, source: str, target: str, most: int) -> list[Links]:
        far = self._made.towards(target)
        if source not in far:
            return []
        draw = random.Random(f"{source}>{target}")
        found: dict[Links, None] = {}
        for _ in range(3 * most):
            if len(found) < most:
                found[self._walk(source, target, far, draw)] = None
        for first in self._out[source]:
            if first.b in far and self._hop[first.index] + far[first.b] > far[source]:
                rest = self._walk(first.b, target, far, draw)
                if source not in self._boards(rest):
                    found[(first.index, *rest)] = None
        return sorted(found, key=self._cycles)

    def _walk(self, here: str, target: str, far: dict[str, int], draw: random.Random) -> Links:
        taken: list[int] = []
        while here != target:
            nearer = [
                link
                for link in self._out[here]
                if link.b in far and self._hop[link.index] + far[link.b] == far[here]
            ]
            link = draw.choice(nearer)
            taken.append(link.index)
            here = link.b
        return tuple(taken)

    def _boards(self, links: Links) -> set[str]:
        return {self._made.network.links[n].a for n in links}

    def _cycles(self, links: Links) -> tuple[int, int]:
        return sum(self._hop[n] for n in links), len(links)

    def every(
        self, source: str, target: str, bound: int | None, most: int
    ) -> tuple[list[Links], bool]:
        """Loop-free paths within `bound` link cycles, shortest first.

        Returns at most `most` of them, and whether these are all. The search uses increasing
        bounds, so omitted paths are never shorter than returned ones.
        """
        far = self._made.towards(target)
        if source not in far:
            return [], True
        longest = sum(sorted(self._hop, reverse=True)[: len(self._made.network.ports)])
        limit = longest if bound is None else min(bound, longest)
        step = max(1, min(self._hop, default=1))
        reach = far[source]
        found: list[Links] = []
        while True:
            reach = min(reach, limit)
            more, whole = self._within(source, target, far, reach, most)
            if not whole:
                return (found or sorted(more, key=self._cycles))[:most], False
            found = sorted(more, key=self._cycles)
            if reach >= limit:
                return found, True
            reach += step

    def _within(
        self, source: str, target: str, far: dict[str, int], reach: int, most: int
    ) -> tuple[list[Links], bool]:
        """Paths of at most `reach` cycles; False if there are more than `most`, or too many."""
        found: list[Links] = []
        path: list[int] = []
        seen = {source}
        budget = 200 * most  # visited boards; bounds the search of dead ends

        def visit(here: str, spent: int) -> None:
            nonlocal budget
            budget -= 1
            if here == target:
                found.append(tuple(path))
                return
            for link in self._out[here]:
                cost = spent + self._hop[link.index]
                if link.b in seen or link.b not in far or cost + far[link.b] > reach:
                    continue
                if len(found) > most or budget <= 0:
                    return
                seen.add(link.b)
                path.append(link.index)
                visit(link.b, cost)
                path.pop()
                seen.discard(link.b)

        visit(source, 0)
        return found, budget > 0 and len(found) <= most


def board_path(made: Instance, source: str, links: Sequence[int]) -> list[str]:
    """Boards along a path, ends included."""
    return [source, *(made.network.links[n].b for n in links)]
