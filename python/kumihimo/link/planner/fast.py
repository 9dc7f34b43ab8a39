# SPDX-License-Identifier: Apache-2.0
"""The fast planner: first fit, circuit by circuit, with rip-up and reroute.

A circuit takes the one of a few short paths with the most free slots. If none has enough, it takes
the path and slots that displace the fewest circuits, and these are placed again; displacing a
circuit often moved costs more, so the search does not cycle. Failure proves nothing.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from .problem import Demand, Instance, Route
from .routes import Routes
from .slots import first_fit, longest_gap, mask_of, members, rotated, spread

FREE = -1


@dataclass(frozen=True)
class Placed:
    """A circuit with its route and the positions of its words at the first switch."""

    route: Route
    positions: tuple[int, ...]


class FastPlanner:
    """State of one attempt: the circuit at each position of each resource."""

    def __init__(self, made: Instance, routes: Routes, seed: int = 0, even: bool = True) -> None:
        self.made = made
        self.routes = routes
        self.even = even
        self.draw = random.Random(seed)
        self.free = [made.mask(resource) for resource in range(made.resources)]
        self.owner = [[FREE] * made.frame_cycles for _ in range(made.resources)]
        self.placed: dict[int, Placed] = {}
        self.moved = [0] * len(made.demands)
        self.begun = [0] * made.resources
        self._known: dict[int, list[Route]] = {}

    # ---- the state ------------------------------------------------------------------------

    def place(self, demand: Demand, placed: Placed) -> None:
        """Assign slots to a circuit; they must be free."""
        period = self.made.frame_cycles
        mask = mask_of(placed.positions)
        for resource, offset in placed.route.stops:
            self.free[resource] &= ~rotated(mask, -offset % period, period)
            table = self.owner[resource]
            for position in placed.positions:
                table[(position + offset) % period] = demand.index
        self._count(placed.route, 1)
        self.placed[demand.index] = placed

    def remove(self, index: int) -> None:
        """Remove a circuit."""
        period = self.made.frame_cycles
        placed = self.placed.pop(index)
        mask = mask_of(placed.positions)
        for resource, offset in placed.route.stops:
            self.free[resource] |= rotated(mask, -offset % period, period)
            table = self.owner[resource]
            for position in placed.positions:
                table[(position + offset) % period] = FREE
        self._count(placed.route, -1)

    def _count(self, route: Route, by: int) -> None:
        """Update the channels in use at both host ports."""
        self.begun[route.stops[0][0]] += by
        self.begun[route.stops[-1][0]] += by

    def channel(self, route: Route) -> bool:
        """Whether both host ports have a channel left."""
        most = self.made.channels
        return self.begun[route.stops[0][0]] < most and self.begun[route.stops[-1][0]] < most

    def room(self, route: Route) -> int:
        """The positions at which a word can enter and pass every stop of the route."""
        room = route.legal
        period = self.made.frame_cycles
        for resource, offset in route.stops:
            room &= rotated(self.free[resource], offset, period)
            if not room:
                return 0
        return room

    def candidates(self, demand: Demand) -> list[Route]:
        """Routes within the circuit's latency bound, shortest first."""
        known = self._known.get(demand.index)
        if known is None:
            known = []
            for links in self.routes.some(demand.source, demand.target):
                for enter in demand.inputs:
                    for leave in demand.outputs:
                        route = self.made.route(enter, links, leave)
                        if demand.latency is not None and route.cycles > demand.latency:
                            continue
                        if route.legal.bit_count() >= demand.count:
                            known.append(route)
            self._known[demand.index] = known
        return known

    # ---- one circuit ----------------------------------------------------------------------

    def fit(self, demand: Demand) -> bool:
        """Place a circuit at free slots: least latency first, then most free slots."""
        period = self.made.frame_cycles
        choose = spread if self.even else first_fit
        best: tuple[tuple[int, int], Route, int] | None = None
        for route in self.candidates(demand):
            if best is not None and route.cycles > best[0][0]:
                break
            if not self.channel(route):
                continue
            room = self.room(route)
            count = room.bit_count()
            if count < demand.count:
                continue
            score = (route.cycles, -count)
            if best is None or score < best[0]:
                if demand.gap < period and choose(room, demand.count, period, demand.gap) is None:
                    continue
                best = (score, route, room)
        if best is None:
            return False
        chosen = choose(best[2], demand.count, period, demand.gap)
        assert chosen is not None
        self.place(demand, Placed(best[1], tuple(chosen)))
        return True

    def force(self, demand: Demand) -> list[int] | None:
        """Place a circuit where it displaces the fewest. Returns these; None: impossible."""
        best: tuple[float, Route, tuple[int, ...], set[int]] | None = None
        for route in self.candidates(demand):
            found = self._cheapest(demand, route) if self.channel(route) else None
            if found is not None and (best is None or found[0] < best[0]):
                best = (found[0], route, found[1], found[2])
        if best is None:
            return None
        for index in best[3]:
            self.remove(index)
            self.moved[index] += 1
        self.place(demand, Placed(best[1], best[2]))
        return sorted(best[3])

    def _cheapest(
        self, demand: Demand, route: Route
    ) -> tuple[float, tuple[int, ...], set[int]] | None:
        """Positions of a route that are occupied by the fewest, least moved circuits."""
        period = self.made.frame_cycles
        demands = self.made.demands
        tables = [(self.owner[resource], offset) for resource, offset in route.stops]
        legal = members(route.legal)
        blockers = {x: {t[(x + o) % period] for t, o in tables} - {FREE} for x in legal}
        weight = {
            index: (1.0 + self.moved[index]) * (1 + demands[index].count / 8)
            for index in set().union(*blockers.values())
        }
        noise = {x: self.draw.random() * 0.1 for x in legal}
        chosen: list[int] = []
        gone: set[int] = set()
        order = sorted(legal, key=lambda x: noise[x] + sum(weight[i] for i in blockers[x]))
        while len(chosen) < demand.count:
            position = order.pop(0)
            chosen.append(position)
            if blockers[position] - gone:
                gone |= blockers[position]
                order.sort(key=lambda x: noise[x] + sum(weight[i] for i in blockers[x] - gone))
        chosen.sort()
        if longest_gap(chosen, period) > demand.gap:
            even = spread(route.legal, demand.count, period, demand.gap)
            if even is None:
                return None
            chosen = even
            gone = set().union(*(blockers[x] for x in chosen))
        return sum(weight[i] for i in gone), tuple(chosen), gone

    # ---- all circuits ---------------------------------------------------------------------

    def run(self, steps: int) -> bool:
        """Place all circuits, at most `steps` of them by displacement."""
        waiting = sorted(self.made.demands, key=self._urgency, reverse=True)
        while waiting:
            demand = waiting.pop()
            if self.fit(demand):
                continue
            steps -= 1
            displaced = self.force(demand) if steps >= 0 else None
            if displaced is None:
                return False
            waiting += [self.made.demands[i] for i in displaced]
        return True

    def _urgency(self, demand: Demand) -> tuple[float, ...]:
        """Sort key: circuits with bounds first, then those with the most slots and links."""
        bound = demand.latency is not None or demand.gap < self.made.frame_cycles
        far = self.made.towards(demand.target).get(demand.source, 0)
        return (0 if bound else 1, -demand.count * (far + 1), self.draw.random())


def fast_plan(
    made: Instance, routes: Routes, effort: int = 1
) -> tuple[list[Placed] | None, list[int]]:
    """Routes and positions of all demands, in order; None if no plan was found.

    Also the circuits that were moved most, among which conflicts are likely.
    """
    size = len(made.demands)
    attempts = [(True, 0), (True, size), (False, 0), (False, 4 * size + 40)]
    attempts += [(False, 10 * size + 100)] * effort
    moved = [0] * size
    for seed, (even, steps) in enumerate(attempts):
        planner = FastPlanner(made, routes, seed, even)
        if planner.run(steps):
            return [planner.placed[i] for i in range(size)], []
        moved = [max(a, b) for a, b in zip(moved, planner.moved, strict=True)]
    limit = max(moved, default=0) / 4
    return None, [i for i, count in enumerate(moved) if count > limit]
