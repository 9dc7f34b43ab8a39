# SPDX-License-Identifier: Apache-2.0
"""Ways between two boards, the shortest first.

`some` gives a few short ways, spread over the graph, for the fast planner; `every` gives all ways
without loops up to a bound and says whether that was all, for proofs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from .problem import Instance

Links = tuple[int, ...]


class Routes:
    """Ways through the network of an instance, kept for later calls."""

    def __init__(self, made: Instance) -> None:
        self._made = made
        self._hop = made.timing.hop
        self._out = made.network.out
        self._some = made.ways.some

    def some(self, source: str, target: str, most: int = 12) -> list[Links]:
        """Up to `most` different ways, shortest first; empty when there is none.

        Most are among the shortest (random walks that only come nearer); the others make one
        detour, so that a full neighbourhood can be left.
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
        """Ways without loops within `bound` cycles of links, shortest first.

        Returns at most `most` of them, and whether there are no others. The search goes by rising
        bounds, so what is left out is never shorter than what is returned.
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
        """Ways of at most `reach` cycles; False when there are more than `most` or too many."""
        found: list[Links] = []
        path: list[int] = []
        seen = {source}
        budget = 200 * most  # boards visited: a search of dead ends must not take for ever

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
    """The boards that a way passes, ends included."""
    return [source, *(made.network.links[n].b for n in links)]
