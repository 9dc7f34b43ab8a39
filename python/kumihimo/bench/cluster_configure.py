# SPDX-License-Identifier: Apache-2.0
"""`kumi bench cluster-configure`: how long it takes to bring all boards into a wanted state.

Three kinds of boards. `model`: registers in memory, what the software itself costs. `model_2us`:
the same with two microseconds for each access, about that of a read over PCI Express. `simulated`:
nodes of the cluster engine while it runs. All that is written is read back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.clusterfile import plan_text
from kumihimo.link.planner import plan
from kumihimo.link.planner_plan import Plan
from kumihimo.link.planner_request import parse_request
from kumihimo.manager.board import Board, MmioBoard
from kumihimo.manager.configure import configure
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.setup import setups

SHAPES = {4: "ring: 4", 64: "torus: [8, 8]"}
IP_BLOCK = 0x1000
ADDRESSES = {0x00: 0x00000001, 0x04: 0x0200, 0x08: 0x0A4D0001, 0x0C: 0xFFFFFF00, 0x10: 0}


class SlowModel(ModelBoard):
    """A model whose accesses take two microseconds; the processor waits, as for a real bus."""

    ACCESS = 2e-6

    def _wait(self) -> None:
        end = time.perf_counter() + self.ACCESS
        while time.perf_counter() < end:
            pass

    def read(self, addr: int, /) -> int:
        """Word at a byte address."""
        self._wait()
        return super().read(addr)

    def write(self, addr: int, data: int, /) -> None:
        """Store a word at a byte address."""
        self._wait()
        super().write(addr, data)


def _plan(count: int) -> Plan:
    """Every board sends to the one half the boards further on."""
    lines = [f"topology: {{{SHAPES[count]}}}", "slots: 64", "best_effort: true", "circuits:"]
    names = list(plan(parse_request("\n".join(lines[:2]))).boards)
    for index, name in enumerate(names):
        lines.append(f"  - {{from: {name}, to: {names[(index + count // 2) % count]}, slots: 8}}")
    return plan(parse_request("\n".join(lines)))


def _registers(names: Sequence[str]) -> dict[str, list[tuple[int, int]]]:
    return {
        name: [(IP_BLOCK + at, word + index * (at == 8)) for at, word in ADDRESSES.items()]
        for index, name in enumerate(names)
    }


def _measure(result: BenchResult, kind: str, boards: Sequence[Board], made: Plan | None) -> float:
    names = [board.name for board in boards]
    wanted = setups(names, made, None, _registers(names))
    start = time.perf_counter()
    reports = configure(boards, wanted, timeout=300)
    spent = time.perf_counter() - start
    bad = [f"{r.name}: {r.problem}" for r in reports if r.problem]
    if bad:
        raise BenchError(f"boards were not configured: {bad[0]}")
    result.rows.append(
        {
            "figure": "configure",
            "boards": len(boards),
            "kind": kind,
            "seconds": spent,
            "accesses": sum(r.accesses for r in reports),
            "words_verified": sum(r.words for r in reports),
            "us_an_access": 1e6 * spent / sum(r.accesses for r in reports),
        }
    )
    return spent


def _simulated(result: BenchResult, count: int) -> float:
    """UDP echo nodes: their registers only, while the cluster serves."""
    from kumihimo.cluster import Cluster

    lines = ["name: configure", "network: 10.78.0.0/16", "nodes:"]
    lines += [f"  n{i}: {{design: udp_echo, params: {{DATA_W: 64}}}}" for i in range(count)]
    lines += ["cables:"]
    lines += [f"  - {{between: [n{i}, n{i + 1}]}}" for i in range(0, count, 2)]
    start = time.perf_counter()
    with Cluster(plan_text("\n".join(lines), "configure.yaml"), offline=True) as cluster:
        result.rows.append(
            {"figure": "boot", "boards": count, "seconds": time.perf_counter() - start}
        )
        with cluster.serving():
            boards = [MmioBoard(name, cluster[name].mmio) for name in cluster]
            return _measure(result, "simulated", boards, None)


def run(progress: Progress, quick: bool) -> BenchResult:
    """4 and 64 boards of each kind; `quick` simulates only 4."""
    result = BenchResult("cluster-configure")
    for step, count in enumerate(SHAPES):
        progress.step(f"{count} boards", step, 4)
        made = _plan(count)
        ports = {name: len(board["ports"]) for name, board in made.boards.items()}
        models = [ModelBoard(name, ports=number) for name, number in ports.items()]
        result.summary[f"model_{count}_s"] = _measure(result, "model", models, made)
        slow = [SlowModel(name, ports=number) for name, number in ports.items()]
        result.summary[f"model_2us_{count}_s"] = _measure(result, "model_2us", slow, made)
    for step, count in enumerate((4,) if quick else (4, 64)):
        progress.step(f"{count} simulated nodes", 2 + step, 4)
        result.summary[f"simulated_{count}_s"] = _simulated(result, count)
    result.goals = {"model_4_s": ("<", 1), "model_64_s": ("<", 10)}
    return result
