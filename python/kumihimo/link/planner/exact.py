# SPDX-License-Identifier: Apache-2.0
"""The exact planner: routes and positions as one problem for a constraint solver (CP-SAT).

It decides what the fast planner leaves open: a plan, the plan with the least latency, or the proof
that none exists. A proof holds for the offered routes; `complete` says whether these are all within
the circuits' bounds.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...common.errors import EnvironmentProblem
from .fast import Placed
from .problem import Demand, Instance, Route
from .routes import Routes
from .slots import members

ROUTES_MOST = 40
ROUTES_LEAST = 4
CELLS_MOST = 200_000  # size of a model that the solver handles in seconds
SEED = 1
SHRINK_SECONDS = 8.0


@dataclass
class Answer:
    """Answer of the solver.

    status: "plan", "none" (proved), or "open" (out of time).
    core:   with "none": indices of conflicting circuits; minimal if `minimal`.
    best:   with "plan" and minimal latency requested: lower bound of the sum of cycles.
    """

    status: str
    placed: list[Placed] = field(default_factory=list)
    complete: bool = True
    core: list[int] = field(default_factory=list)
    minimal: bool = False
    best: bool = False
    bound: int = 0


def solver_module() -> Any:
    """The solver's module; raises EnvironmentProblem if it is not installed."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise EnvironmentProblem(
            "The fast planner found no plan, and the solver that decides (ortools) is missing.",
            "Run: make setup-test, or: pip install 'kumihimo[plan]'",
        ) from None
    return cp_model


class ExactPlanner:
    """Builds the solver's model from the circuits' routes."""

    def __init__(self, made: Instance, routes: Routes, seconds: float) -> None:
        self.made = made
        self.cp = solver_module()
        self.end = time.monotonic() + seconds
        self.complete = True
        self.routes: list[list[Route]] = []
        for demand in made.demands:
            found, whole = self._offer(demand, routes)
            self.complete &= whole
            self.routes.append(found)

    def _offer(self, demand: Demand, routes: Routes) -> tuple[list[Route], bool]:
        bound = None
        if demand.latency is not None:
            bound = demand.latency - self.made.timing.cycles(())
        each = CELLS_MOST // (len(self.made.demands) * self.made.slots)
        most = min(ROUTES_MOST, max(ROUTES_LEAST, each))
        ways, whole = routes.every(demand.source, demand.target, bound, most)
        if not whole:
            kept = set(ways)
            short = [w for w in routes.some(demand.source, demand.target) if w not in kept]
            ways = [*ways, *short[:most]]
        found = [
            route
            for links in ways
            for enter in demand.inputs
            for leave in demand.outputs
            if (route := self.made.route(enter, links, leave)).legal.bit_count() >= demand.count
            and (demand.latency is None or route.cycles <= demand.latency)
        ]
        return found, whole

    def left(self) -> float:
        """Remaining seconds."""
        return self.end - time.monotonic()

    # ---- the model ------------------------------------------------------------------------

    def _model(self, wanted: Iterable[int], positions: bool) -> _Model:
        model = _Model(self.cp.CpModel())
        cells: dict[tuple[int, int], list[Any]] = defaultdict(list)
        load: dict[int, list[Any]] = defaultdict(list)
        ends: dict[int, list[Any]] = defaultdict(list)
        period = self.made.frame_cycles
        for index in wanted:
            demand = self.made.demands[index]
            enable = model.cp.new_bool_var(f"want {demand.name}")
            taken = [model.cp.new_bool_var("") for _ in self.routes[index]]
            model.cp.add(sum(taken) == 1).only_enforce_if(enable)
            model.cp.add_at_most_one(taken)
            model.enable[index], model.taken[index] = enable, taken
            at: dict[int, list[Any]] = defaultdict(list)
            for number, route in enumerate(self.routes[index]):
                for resource, _offset in route.stops:
                    load[resource].append(demand.count * taken[number])
                ends[route.stops[0][0]].append(taken[number])
                ends[route.stops[-1][0]].append(taken[number])
                if not positions:
                    continue
                row = {x: model.cp.new_bool_var("") for x in members(route.legal)}
                model.cp.add(sum(row.values()) == demand.count * taken[number])
                for x, literal in row.items():
                    model.at[index, number, x] = literal
                    at[x].append(literal)
                    for resource, offset in route.stops:
                        cells[resource, (x + offset) % period].append(literal)
            if positions and demand.gap < period:
                for start in range(period):
                    window = [v for k in range(demand.gap) for v in at[(start + k) % period]]
                    model.cp.add_bool_or(window).only_enforce_if(enable)
        for resource, terms in load.items():
            model.cp.add(sum(terms) <= self.made.mask(resource).bit_count())
        for cell in cells.values():
            if len(cell) > 1:
                model.cp.add_at_most_one(cell)
        for port in ends.values():
            if len(port) > self.made.channels:
                model.cp.add(sum(port) <= self.made.channels)
        return model

    def _solver(self, seconds: float) -> Any:
        solver = self.cp.CpSolver()
        solver.parameters.max_time_in_seconds = max(0.01, seconds)
        solver.parameters.random_seed = SEED
        return solver

    def _read(self, model: _Model, solver: Any) -> list[Placed]:
        placed = []
        for index in range(len(self.made.demands)):
            number = next(n for n, v in enumerate(model.taken[index]) if solver.value(v))
            route = self.routes[index][number]
            at = [x for x in members(route.legal) if solver.value(model.at[index, number, x])]
            placed.append(Placed(route, tuple(at)))
        return placed

    # ---- questions ------------------------------------------------------------------------

    def plan(self, least: bool = False, hint: list[Placed] | None = None) -> Answer:
        """Plan all circuits; with `least`, minimise the sum of cycles."""
        every = range(len(self.made.demands))
        for index in every:
            if not self.routes[index]:
                return Answer("none", core=[index], minimal=True, complete=self.complete)
        for positions in (False, True):
            model = self._model(every, positions)
            for enable in model.enable.values():
                model.cp.add(enable == 1)
            if positions and least:
                model.cp.minimize(
                    sum(
                        route.cycles * model.taken[i][n]
                        for i in every
                        for n, route in enumerate(self.routes[i])
                    )
                )
            if positions and hint:
                self._hint(model, hint)
            solver = self._solver(self.left())
            status = solver.solve(model.cp)
            if status == self.cp.INFEASIBLE:
                return self._core(positions)
            if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
                return Answer("open", complete=self.complete)
        best = status == self.cp.OPTIMAL and self.complete
        bound = round(solver.best_objective_bound) if least else 0
        return Answer("plan", self._read(model, solver), self.complete, best=best, bound=bound)

    def _hint(self, model: _Model, hint: list[Placed]) -> None:
        for index, placed in enumerate(hint):
            for number, route in enumerate(self.routes[index]):
                same = route == placed.route
                model.cp.add_hint(model.taken[index][number], same)
                for x in members(route.legal):
                    model.cp.add_hint(model.at[index, number, x], same and x in placed.positions)

    # ---- why not --------------------------------------------------------------------------

    def _core(self, positions: bool) -> Answer:
        """Conflicting circuits: from assumptions, then minimised one by one."""
        model = self._model(range(len(self.made.demands)), positions)
        model.cp.add_assumptions(list(model.enable.values()))
        solver = self._solver(self.left())
        core = list(range(len(self.made.demands)))
        if solver.solve(model.cp) == self.cp.INFEASIBLE:
            named = set(solver.sufficient_assumptions_for_infeasibility())
            found = [i for i, enable in model.enable.items() if enable.index in named]
            core = found or core
        minimal = True
        chances = time.monotonic() + SHRINK_SECONDS
        for index in sorted(core, key=lambda i: self.made.demands[i].count):
            rest = [i for i in core if i != index]
            seconds = min(self.left(), chances - time.monotonic(), 2.0)
            if seconds <= 0:
                minimal = False
                break
            smaller = self._model(rest, positions)
            for enable in smaller.enable.values():
                smaller.cp.add(enable == 1)
            status = self._solver(seconds).solve(smaller.cp)
            if status == self.cp.INFEASIBLE:
                core = rest
            elif status == self.cp.UNKNOWN:
                minimal = False
        return Answer("none", core=core, minimal=minimal, complete=self.complete)


@dataclass
class _Model:
    cp: Any
    enable: dict[int, Any] = field(default_factory=dict)
    taken: dict[int, list[Any]] = field(default_factory=dict)
    at: dict[tuple[int, int, int], Any] = field(default_factory=dict)
