# SPDX-License-Identifier: Apache-2.0
"""Plans circuits: routes and switch tables for a request, or the reasons why none exist.

    from kumihimo.link.planner import plan_file
    plan = plan_file("ring.yaml")
    plan.circuits[0]["latency_cycles"]

Every plan is verified by `check` before it is returned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...common.errors import EnvironmentProblem
from .check import check
from .exact import ExactPlanner, solver_module
from .fast import Placed, fast_plan
from .hall import hall_reason
from .network import Network, build_network
from .plan_doc import Plan, make_plan
from .problem import Instance, instance
from .reasons import NoPlan, Reason, core_reason, flow_reason, quick_cuts, simple_reasons
from .request import Request, load_request
from .routes import Routes

Progress = Callable[[str], None]
SEARCH_SHARE = 0.5  # share of the time limit per table size, in the search for the smallest


def plan_file(file: str | Path, progress: Progress | None = None) -> Plan:
    """Plan a request file. Raises NoPlan with the reasons, or ClusterFileError."""
    return plan(load_request(file), progress)


def plan(
    request: Request, progress: Progress | None = None, network: Network | None = None
) -> Plan:
    """Plan a request; pass `network` to reuse it for several requests."""
    start = time.monotonic()
    say = progress or (lambda _text: None)
    network = network or build_network(request)
    if request.spec.minimise == "slots":
        made, placed, found = _smallest(request, network, say)
    else:
        made = instance(request, network, request.spec.slots)
        placed, found = _Search(request, made, say, request.spec.time_limit).run()
    found["seconds"] = round(time.monotonic() - start, 3)
    result = make_plan(request.spec, made, placed, found)
    verdict = check(result.data)
    if verdict.conflicts:
        raise AssertionError(f"a plan failed its replay: {verdict.conflicts[:3]}")
    return result


class _Search:
    """The search for one table size."""

    def __init__(self, request: Request, made: Instance, say: Progress, seconds: float) -> None:
        self.request = request
        self.made = made
        self.say = say
        self.seconds = seconds
        self.routes = Routes(made)

    def run(self) -> tuple[list[Placed], dict[str, Any]]:
        """Find a plan, and how it was found. Raises NoPlan."""
        name = self.request.spec.name
        reasons = simple_reasons(self.made, self.routes)
        if reasons:
            raise NoPlan(name, reasons)
        self.say("placing circuits")
        placed, hot = fast_plan(self.made, self.routes)
        if placed is None:
            return self._decide(hot)
        if self.request.spec.minimise == "latency":
            return self._least(placed)
        return placed, {"by": "fast"}

    def _decide(self, hot: list[int]) -> tuple[list[Placed], dict[str, Any]]:
        """Fallback of the fast planner: a proof by counting, else the solver."""
        name = self.request.spec.name
        self.say("no plan the fast way; looking for a proof")
        reason = quick_cuts(self.made) or hall_reason(self.made)
        if reason is None:
            solver_module()
            reason = flow_reason(self.made)
        if reason is not None:
            raise NoPlan(name, [reason])
        end = time.monotonic() + self.seconds
        if len(hot) < len(self.made.demands):
            self.say(f"solving for the {len(hot)} circuits that are most in each other's way")
            part = self.made.part(hot)
            answer = ExactPlanner(part, self.routes, self.seconds / 3).plan()
            if answer.status == "none" and answer.complete:
                raise NoPlan(name, [core_reason(part, answer)])
        self.say("solving")
        answer = ExactPlanner(self.made, self.routes, end - time.monotonic()).plan()
        if answer.status == "none":
            raise NoPlan(name, [core_reason(self.made, answer)], proved=answer.complete)
        if answer.status == "open":
            text = (
                f"the fast planner found no plan, and the solver did not decide within "
                f"{self.seconds:g} s (`time_limit`)"
            )
            raise NoPlan(name, [Reason("time", text)], proved=False)
        if self.request.spec.minimise == "latency":
            return self._least(answer.placed)
        return answer.placed, {"by": "solver"}

    def _least(self, placed: list[Placed]) -> tuple[list[Placed], dict[str, Any]]:
        """Minimise the sum of latencies, starting from a plan."""
        total = sum(p.route.cycles for p in placed)
        bound = sum(self.made.shortest(d.source, d.target) or 0 for d in self.made.demands)
        if total == bound:
            return placed, {"by": "fast", "latency_sum": total, "optimal": True}
        self.say(f"shortening routes: {total} cycles, at least {bound}")
        try:
            exact = ExactPlanner(self.made, self.routes, self.seconds)
        except EnvironmentProblem:
            return placed, {"by": "fast", "latency_sum": total, "optimal": False, "bound": bound}
        answer = exact.plan(least=True, hint=placed)
        if answer.status != "plan":
            return placed, {"by": "fast", "latency_sum": total, "optimal": False, "bound": bound}
        found = sum(p.route.cycles for p in answer.placed)
        by = "solver" if found < total else "fast"
        best = answer.best or found == bound
        return answer.placed, {
            "by": by,
            "latency_sum": found,
            "optimal": best,
            "bound": found if best else max(bound, answer.bound if answer.complete else 0),
        }


def _smallest(
    request: Request, network: Network, say: Progress
) -> tuple[Instance, list[Placed], dict[str, Any]]:
    """The smallest table with a plan, and the smallest not ruled out."""
    most = request.spec.slots
    end = time.monotonic() + request.spec.time_limit
    unsure: list[int] = []
    last: NoPlan | None = None
    for slots in range(1, most + 1):
        made = instance(request, network, slots)
        say(f"trying {slots} slots")
        seconds = max(0.1, (end - time.monotonic()) * SEARCH_SHARE)
        try:
            placed, found = _Search(request, made, say, seconds).run()
        except NoPlan as problem:
            last = problem
            if not problem.proved:
                unsure.append(slots)
            continue
        least = {"optimal": not unsure, "least_slots": unsure[0] if unsure else slots}
        return made, placed, {**found, **least}
    assert last is not None
    raise NoPlan(request.spec.name, last.reasons, proved=not unsure)
