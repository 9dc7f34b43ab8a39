# SPDX-License-Identifier: Apache-2.0
"""`kumi bench scale`: clusters over ranks, large clusters, and what is predicted beyond them.

Figures of time are ratios, taken in turn on the same machine, but those that are asked for in
seconds. The parts: `scale_large` (1,024 nodes), `scale_equal` (results of random clusters),
`scale_ranks` (what ranks cost), `scale_kill` (ranks that are lost), and the coarse model's error.
"""

from __future__ import annotations

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.sim import scale_equal, scale_kill, scale_large, scale_ranks
from kumihimo.coarse import Model
from kumihimo.coarse.fit import Run, error, measure, runs
from kumihimo.coarse.network import Torus, Tree

GOALS = {
    "digests_equal": ("==", 1.0),
    "clusters": (">=", 24.0),
    "ranks_over_threads": ("<=", 1.15),
    "nodes_1024_start_s": ("<=", 10.0),
    "mb_per_node": ("<=", 5.0),
    "node_cycles_1024_over_2": (">=", 0.7),
    "kill_stop_s": ("<=", 5.0),
    "model_error": ("<=", 0.10),
}
OWN = ("nodes_1024_start_s", "mb_per_node", "model_error")
"""Goals whose number was chosen here."""
FULL = (
    *("clusters", "ranks_over_threads"),
    *("nodes_1024_start_s", "mb_per_node", "node_cycles_1024_over_2"),
)
"""Goals of 24 clusters, 1,024 nodes and long runs, which say nothing of the quick form."""


def _unseen(quick: bool) -> list[Run]:
    """Runs of boards that the shipped parameters were not fitted to."""
    if quick:
        return runs(Tree((2,)), (100,), ("ring",))
    return [
        *runs(Tree((6,)), (100,), ("ring", "all-to-all")),
        *runs(Tree((16,)), (600,), ("doubling",)),
        *runs(Tree((4, 4), 2), (150,), ("doubling", "all-to-all")),
        *runs(Torus((3, 3)), (50,)),
        *runs(Torus((4, 4)), (20,)),
    ]


def _model(result: BenchResult, progress: Progress, quick: bool) -> None:
    model = Model.load()
    seen = measure(_unseen(quick), progress.step)
    for run in seen:
        row = {"figure": "model_error", "network": run.network.label, "boards": run.program.boards}
        row |= {"algorithm": run.program.name, "words": run.program.round(0).words}
        result.rows.append(row | {"rtl_ns": run.ns, "error": error(model, run)})
    result.summary["model_error"] = max(abs(error(model, run)) for run in seen)


def run(progress: Progress, quick: bool) -> BenchResult:
    """Measure; memory first, in a process that has not grown yet."""
    result = BenchResult("scale", goals=dict(GOALS))
    result.origins = {name: Origin.REQUIREMENT for name in GOALS if name not in OWN}
    scale_large.measure(result, progress, 4 if quick else 16)
    scale_equal.measure(result, progress, quick)
    scale_ranks.measure(result, progress, quick)
    scale_kill.measure(result, progress, 2 if quick else 4)
    _model(result, progress, quick)
    if quick:
        for name in FULL:
            del result.goals[name]
    return result
