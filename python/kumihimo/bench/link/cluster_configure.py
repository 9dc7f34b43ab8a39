# SPDX-License-Identifier: Apache-2.0
"""`kumi bench cluster-configure`: how long it takes to bring all boards into a wanted state.

Kinds of boards: `model`: registers in memory, what the software itself costs. `model_2us`:
the same with two microseconds for each access, about that of a read over PCI Express. `simulated`:
nodes of the cluster engine while it runs, registers only. `link`: simulated boards with circuit
switches, tables too, after their offsets were measured. All that is written is read back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.setup import Setup
from kumihimo.clusterfile import plan_text
from kumihimo.link.planner import plan
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.planner.request import parse_request
from kumihimo.manager.board import Board, MmioBoard
from kumihimo.manager.configure import configure
from kumihimo.manager.measure import differing, measured_plan
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.setup import setups
from kumihimo.manager.status import status

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


def _measure(
    result: BenchResult,
    kind: str,
    boards: Sequence[Board],
    made: Plan | None,
    registers: bool = True,
) -> float:
    names = [board.name for board in boards]
    wanted = setups(names, made, None, _registers(names) if registers else None)
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
            "us_per_access": 1e6 * spent / sum(r.accesses for r in reports),
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


LINK_OPEN = ", ".join(f"l{link}_{lane}" for link in (0, 1) for lane in (1, 2, 3))
LINK_REQUEST = """\
topology: {ring: 4, host_ports: 2}
slots: 32
channels: 4
circuits:
  - {from: n0.host0, to: n2.host0, slots: 4, both_ways: true}
  - {from: n1.host0, to: n3.host0, slots: 4, both_ways: true}
"""


def _link_boards(result: BenchResult) -> None:
    """A ring of four simulated boards with circuit switches: measured, planned, configured."""
    from kumihimo.cluster import Cluster

    lines = ["name: links", "nodes:"]
    lines += [f"  n{i}: {{design: link, open_ports: [{LINK_OPEN}]}}" for i in range(4)]
    lines += ["defaults: {cable: {latency: 50 ns}}", "cables:"]
    # The planner's ring: cables n0-n1, n0-n3, n1-n2, n2-n3, each on the next free link.
    for a, b in (("n0.l0", "n1.l0"), ("n0.l1", "n3.l0"), ("n1.l1", "n2.l0"), ("n2.l1", "n3.l1")):
        lines.append(f"  - {{between: [{a}_0, {b}_0]}}")
    with (
        Cluster(plan_text("\n".join(lines), "links.yaml"), offline=True) as cluster,
        cluster.serving(),
    ):
        result.rtl["kumi_node_link"] = cluster.built["n0"].design_hash
        boards = [MmioBoard(name, cluster[name].mmio) for name in cluster]
        start = time.perf_counter()
        made, bad = measured_plan(boards, parse_request(LINK_REQUEST), 300)
        result.summary["link_measure_4_s"] = time.perf_counter() - start
        if bad:
            raise BenchError(f"{bad[0].name}: {bad[0].problem}")
        result.summary["link_4_s"] = _measure(result, "link", boards, made, registers=False)
        wrong = differing(made, status(boards, made, 300))
        if wrong:
            raise BenchError(f"offsets moved: {wrong[0]}")


def run(progress: Progress, quick: bool) -> BenchResult:
    """4 and 64 boards of each kind; `quick` simulates only 4, and none with switches."""
    result = BenchResult("cluster-configure")
    for step, count in enumerate(SHAPES):
        progress.step(f"{count} boards", step, 5)
        made = _plan(count)
        ports = {name: len(board["ports"]) for name, board in made.boards.items()}
        models = [ModelBoard(name, ports=number) for name, number in ports.items()]
        result.summary[f"model_{count}_s"] = _measure(result, "model", models, made)
        slow = [SlowModel(name, ports=number) for name, number in ports.items()]
        result.summary[f"model_2us_{count}_s"] = _measure(result, "model_2us", slow, made)
    for step, count in enumerate((4,) if quick else (4, 64)):
        progress.step(f"{count} simulated nodes", 2 + step, 5)
        result.summary[f"simulated_{count}_s"] = _simulated(result, count)
    if not quick:
        progress.step("4 simulated boards with circuit switches", 4, 5)
        _link_boards(result)
    result.setups = {
        name: Setup("kumi_node_udp_echo" if "simulated" in name else "kumi_node_link")
        for name in result.summary
        if not name.startswith("model")
    }
    result.goals = {"model_4_s": ("<", 1), "model_64_s": ("<", 10)}
    return result
