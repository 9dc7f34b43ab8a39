# SPDX-License-Identifier: Apache-2.0
"""What ranks cost, for `kumi bench scale`, and what follows for a core to each of 64 ranks.

A ring of ranks: in each, one node of a pair that plays ping-pong and one of the next pair, over
cables of 500 ns, so a rank has two neighbours and a window is 500 ns. Its nodes are the smallest of
the demo's, which makes a window's messages weigh most.
"""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from typing import Any

import psutil

from kumihimo.bench.core import BenchResult, Progress
from kumihimo.cluster import Cluster
from kumihimo.clusterfile import plan_text

LATENCY = "500 ns"
WEAK = (1, 2, 4, 8)
PREDICTED = 64


@dataclass(frozen=True)
class Spent:
    """A run: per window of 500 ns, seconds of wall time and of all ranks' processors."""

    wall: float
    processor: float
    ranks: dict[str, Any]
    """Counters of messages by rank."""


def pairs_text(pairs: int, ranks: int) -> str:
    """The cluster file of so many pairs round a ring of ranks."""
    regs = "pingpong.rounds: 0, pingpong.length: 1400, pingpong.ctrl.start: 1"
    lines = [f"name: ring{pairs}", "nodes:"]
    for i in range(pairs):
        here, there = i % ranks, (i + 1) % ranks
        player = f"design: pingpong, rank: {here}, regs: {{pingpong.peer_ip: b{i}, {regs}}}"
        lines += [f"  a{i}: {{{player}}}", f"  b{i}: {{design: pingpong, rank: {there}}}"]
    lines.append("cables:")
    lines += [f"  - {{between: [a{i}, b{i}], latency: {LATENCY}}}" for i in range(pairs)]
    return "\n".join(lines) + "\n"


def _idle_text(idle: int, ranks: int) -> str:
    """A pair in rank 0, and nodes without traffic in the others, all on one switch."""
    lines = [pairs_text(1, 1).replace("ring1", "idle").split("cables:")[0].rstrip()]
    lines += [f"  i{n}: {{design: udp_echo, rank: {1 + n % (ranks - 1)}}}" for n in range(idle)]
    lines += ["switches:", f"  sw: {{ports: {idle + 2}, rank: 0}}", "cables:"]
    ends = ["a0", "b0", *(f"i{n}" for n in range(idle))]
    return (
        "\n".join(lines + [f"  - {{between: [{e}, sw], latency: {LATENCY}}}" for e in ends]) + "\n"
    )


def _processor(cluster: Cluster) -> float:
    pids: dict[int, int] = getattr(cluster.engine, "pids", {})  # of one process: none
    spent = [psutil.Process(pid).cpu_times() for pid in (os.getpid(), *pids.values())]
    return float(sum(one.user + one.system for one in spent))


def run_pairs(text: str, ranks: int, threads: int, windows: int) -> Spent:
    """Run a cluster for so many windows."""
    with Cluster(plan_text(text, "ring.yaml"), ranks=ranks, threads=threads) as cluster:
        cluster.run("20 us")
        before, began = _processor(cluster), time.perf_counter()
        cluster.run(f"{windows * 500} ns")
        wall = time.perf_counter() - began
        processor = _processor(cluster) - before
        return Spent(wall / windows, processor / windows, dict(cluster.stats().get("ranks", {})))


def _beside_threads(result: BenchResult, windows: int, tries: int) -> None:
    """Two ranks beside two threads, in turn; the median of the ratios."""
    ratios = []
    seen: dict[str, Any] = {}
    for _ in range(tries):
        ranked = run_pairs(pairs_text(2, 2), 2, 1, windows)
        ratios.append(ranked.wall / run_pairs(pairs_text(2, 1), 1, 2, windows).wall)
        seen = ranked.ranks["0"]
    between, taken = seen["neighbours"]["1"], seen["windows"]
    result.summary["ranks_over_threads"] = statistics.median(ratios)
    result.summary["messages_a_window"] = between["messages_out"] / taken
    result.summary["bytes_a_window"] = between["bytes_out"] / taken
    row = {"figure": "ranks_over_threads", "least": min(ratios), "most": max(ratios)}
    result.rows.append(row | {"tries": tries, "nodes_a_rank": 2})


def _idle_neighbours(result: BenchResult, windows: int, idle: int, tries: int) -> float:
    """Processor time of a window and an idle neighbour, in seconds: the same nodes, more ranks."""
    extra, share = [], []
    for _ in range(tries):
        few = run_pairs(_idle_text(idle, 2), 2, 1, windows)
        many = run_pairs(_idle_text(idle, idle + 1), idle + 1, 1, windows)
        extra.append((many.processor - few.processor) / (idle - 1))
        share.append(extra[-1] / few.processor)
    result.summary["idle_neighbour_share"] = statistics.median(share)
    row = {
        "figure": "idle_neighbour",
        "neighbours": idle,
        "of_the_run": result.summary["idle_neighbour_share"],
        "us_a_window": statistics.median(extra) * 1e6,
    }
    result.rows.append(row)
    return max(statistics.median(extra), 0.0)


def _weak(result: BenchResult, progress: Progress, windows: int, most: int) -> dict[int, Spent]:
    """The same load for every rank; with more ranks than cores the ideal is to share them."""
    cores = len(os.sched_getaffinity(0))
    found: dict[int, Spent] = {}
    for ranks in (n for n in WEAK if n <= most):
        progress.step(f"weak scaling: {ranks} ranks", ranks, most)
        found[ranks] = spent = run_pairs(pairs_text(ranks, ranks), ranks, 1, windows)
        ideal = found[1].wall * max(1.0, ranks / cores)
        row = {"figure": "weak_scaling", "ranks": ranks, "cores": cores}
        row |= {"efficiency": ideal / spent.wall, "processor_s_a_window": spent.processor}
        result.rows.append(row)
        result.summary[f"weak_scaling_{ranks}"] = ideal / spent.wall
    return found


def _predict(result: BenchResult, found: dict[int, Spent], neighbour: float) -> None:
    """From two ranks on cores of their own: a window of theirs, and one neighbour more.

    The same arithmetic for the largest run here, whose ranks share cores, says what it is worth.
    """
    cores = len(os.sched_getaffinity(0))
    window = found[2].wall + neighbour
    efficiency = found[1].wall / window
    most = max(found)
    shared = (found[2].processor / 2 + neighbour) * most / cores
    row = {"figure": "prediction, not measured", "ranks": PREDICTED, "cores": PREDICTED}
    row |= {"efficiency": efficiency, "speed_up": efficiency * PREDICTED}
    row |= {"same_for_ranks": most, "on_cores": cores}
    result.rows.append(row | {"predicted_over_measured": shared / found[most].wall})
    result.summary[f"predicted_{PREDICTED}_cores_efficiency"] = efficiency
    result.summary["prediction_over_measured_here"] = shared / found[most].wall


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """Overhead, messages, idle neighbours, weak scaling, prediction."""
    windows, tries = (200, 1) if quick else (6000, 5)
    progress.step("two ranks beside two threads", 0, 3)
    _beside_threads(result, windows, tries)
    progress.step("idle neighbours", 1, 3)
    neighbour = _idle_neighbours(result, windows, 2 if quick else 4, tries)
    found = _weak(result, progress, windows, 2 if quick else 8)
    _predict(result, found, neighbour)
