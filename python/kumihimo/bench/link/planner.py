# SPDX-License-Identifier: Apache-2.0
"""`kumi bench planner`: how long planning takes, in wall time, and whether the plans hold.

Every plan is replayed twice: word by word through its tables by the independent check, and under
full load in the cycle-exact models of all its switches. `conflicts` counts what both found in all
plans. The requests are random and their seeds fixed: boards drawn evenly, 1 to `most` slots each.
Some dense ones have no plan, because guards close positions on the way: `proved_impossible`.
"""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.link import plan_replay
from kumihimo.link.planner import plan
from kumihimo.link.planner.check import check
from kumihimo.link.planner.network import Network, build_network
from kumihimo.link.planner.plan_doc import Plan, link_loads
from kumihimo.link.planner.reasons import NoPlan
from kumihimo.link.planner.request import Request, parse_request

SIDE = 8
BOARDS = [f"n{x}_{y}" for x in range(SIDE) for y in range(SIDE)]


def request(seed: int, circuits: int, slots: int, most: int) -> Request:
    """Random circuits on the torus of 64 boards."""
    draw = random.Random(seed)
    lines = [f"topology: {{torus: [{SIDE}, {SIDE}]}}", f"slots: {slots}", "circuits:"]
    for _ in range(circuits):
        a, b = draw.sample(BOARDS, 2)
        lines.append(f"  - {{from: {a}, to: {b}, slots: {draw.randint(1, most)}}}")
    return parse_request("\n".join(lines), f"random{seed}.yaml")


def _row(figure: str, made: list[Plan], spent: list[float]) -> dict[str, Any]:
    fullest = [max(link_loads(p).values()) / p.slots for p in made]
    return {
        "figure": figure,
        "plans": len(made),
        "circuits": sum(len(p.circuits) for p in made),
        "seconds": sum(spent),
        "median_ms": 1000 * statistics.median(spent),
        "max_ms": 1000 * max(spent),
        "by_solver": sum(p.data["found"]["by"] == "solver" for p in made),
        "mean_fullest_link": statistics.fmean(fullest),
    }


class _Bench:
    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.network: Network = build_network(request(0, 1, 64, 1))
        self.result = BenchResult("planner")
        self.conflicts = 0
        self.impossible = 0
        self.undecided = 0
        self.words = 0
        self.replay_seconds = 0.0

    def plans(self, figure: str, count: int, circuits: int, slots: int, most: int) -> float:
        """Plan `count` random requests; the time is that from the parsed request to the plan."""
        made: list[Plan] = []
        spent: list[float] = []
        for seed in range(count):
            if seed % 10 == 0:
                self.progress.step(figure, seed, count)
            asked = request(1000 + seed, circuits, slots, most)
            start = time.perf_counter()
            try:
                made.append(plan(asked, network=self.network))
            except NoPlan as problem:
                self.impossible += problem.proved
                self.undecided += not problem.proved
                continue
            finally:
                spent.append(time.perf_counter() - start)
            start = time.perf_counter()
            verdict = check(made[-1].data)
            loaded = plan_replay.load(made[-1].data, tdm_frames=1)
            self.conflicts += len(verdict.conflicts) + len(loaded.conflicts)
            self.words += loaded.words
            self.replay_seconds += time.perf_counter() - start
        self.result.rows.append({**_row(figure, made, spent), "slots": slots, "slots_each": most})
        return sum(spent)


def run(progress: Progress, quick: bool) -> BenchResult:
    """1,000 requests of 32 circuits (quick: 100, and the time times ten), and 1,000 in one plan."""
    bench = _Bench(progress)
    result = bench.result
    count = 100 if quick else 1000
    spent = bench.plans("requests", count, 32, 64, 8)
    result.summary["seconds_1000"] = spent * 1000 / count
    spent = bench.plans("dense_requests", count // 10, 200, 64, 8)
    result.summary["dense_ms"] = 1000 * spent / (count // 10)
    spent = bench.plans("one_plan_of_1000", 1 if quick else 5, 1000, 256, 8)
    result.summary["seconds_1000_circuits"] = spent / (1 if quick else 5)
    result.summary["conflicts"] = bench.conflicts
    result.summary["proved_impossible"] = bench.impossible
    result.summary["undecided"] = bench.undecided
    result.summary["words_replayed"] = bench.words
    result.summary["replay_seconds"] = bench.replay_seconds
    result.goals = {
        "seconds_1000": ("<", 60),
        "seconds_1000_circuits": ("<", 10),
        "conflicts": ("==", 0),
        "undecided": ("==", 0),
    }
    result.origins = {"conflicts": Origin.REQUIREMENT}
    return result
