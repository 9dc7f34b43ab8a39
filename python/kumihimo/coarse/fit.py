# SPDX-License-Identifier: Apache-2.0
"""Fits the model's parameters to runs of boards in RTL, and states its error against others.

Relative errors are minimised: least squares where the model is linear in its parameters (torus),
Gauss-Newton where the slowest way through the network decides (tree).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .measure import Boards
from .model import LINK_NAMES, TREE_NAMES, Model, torus_features
from .network import Torus, Tree
from .program import ALGORITHMS, TORUS, Program

_START = (1600.0, 800.0, 13.0, 6.0, 5.0, 10.0, 3.0, 1300.0, 5.0)
_ITERATIONS = 6


@dataclass(frozen=True)
class Run:
    """A run of boards in RTL: `words` of each message of its first round."""

    network: Tree | Torus
    program: Program
    ns: float = 0.0

    @property
    def kind(self) -> str:
        """Which parameters it is about."""
        return "torus" if isinstance(self.network, Torus) else "tree"


def runs(network: Tree | Torus, sizes: Sequence[int], names: Iterable[str] = ()) -> list[Run]:
    """Collectives of messages of these sizes in words on a network."""
    found = []
    for size in sizes:
        if isinstance(network, Torus):
            for name in names or TORUS:
                words = size * network.boards if name == "all-reduce" else size
                found.append(Run(network, TORUS[name](network.shape, words)))
            continue
        for name in names or ALGORITHMS:
            words = size * network.boards if name == "ring" else size
            found.append(Run(network, ALGORITHMS[name](network.boards, words)))
    return found


def training() -> list[Run]:
    """What the parameters are fitted to: 2 to 8 boards."""
    sizes = (1, 32, 64, 256, 1024)
    trees = (Tree((2,)), Tree((4,)), Tree((2, 2)), Tree((4, 2)), Tree((4, 2), 4), Tree((2, 2, 2)))
    tori = (Torus((2, 1)), Torus((2, 2)), Torus((4, 2)))
    found = [run for tree in trees for run in runs(tree, sizes)]
    return found + [run for torus in tori for run in runs(torus, (1, 8, 32, 64, 256))]


def held_out() -> list[Run]:
    """What the error is stated against: other sizes, networks and numbers of boards, up to 64."""
    return [
        *runs(Tree((6,)), (100,), ("ring", "all-to-all")),
        *runs(Tree((16,)), (20, 600), ("doubling",)),
        *runs(Tree((4, 4), 2), (150,)),
        *runs(Tree((8, 2), 8), (400,), ("doubling", "all-to-all")),
        *runs(Tree((8, 4)), (100,), ("doubling",)),
        *runs(Tree((8, 8), 4), (20, 600), ("doubling",)),
        *runs(Torus((3, 3)), (50,)),
        *runs(Torus((4, 4)), (20,)),
        *runs(Torus((8, 4)), (20,), ("all-to-all",)),
        *runs(Torus((8, 8)), (10,), ("all-to-all",)),
    ]


def quick_training() -> list[Run]:
    """Fewer runs, of 4 boards."""
    sizes = (1, 32, 256, 1024)
    found = [run for tree in (Tree((4,)), Tree((2, 2))) for run in runs(tree, sizes)]
    return found + [run for shape in ((2, 1), (2, 2)) for run in runs(Torus(shape), sizes)]


def quick_held_out() -> list[Run]:
    """Other sizes, and twice the boards."""
    found = runs(Tree((4, 2)), (20, 300), ("doubling", "all-to-all"))
    return found + runs(Torus((4, 2)), (20, 100))


def measure(planned: Sequence[Run], step: Callable[[str, int, int], None]) -> list[Run]:
    """Run them in RTL, each network's one after the other."""
    done: list[Run] = []
    for network in dict.fromkeys(run.network for run in planned):
        with Boards(network) as boards:
            for run in (run for run in planned if run.network == network):
                step(f"{network.label}: {run.program.name}", len(done), len(planned))
                done.append(Run(network, run.program, boards.run(run.program)))
    return done


def _fit_torus(done: Sequence[Run]) -> dict[str, float]:
    rows = np.array([torus_features(run.program) / run.ns for run in done])
    values, *_ = np.linalg.lstsq(rows, np.ones(len(done)), rcond=None)
    return dict(zip(LINK_NAMES, map(float, values), strict=True))


def _fit_tree(done: Sequence[Run]) -> dict[str, float]:
    def errors(values: np.ndarray) -> np.ndarray:
        model = Model(dict(zip(TREE_NAMES, values, strict=True)), {})
        return np.array([model.predict(run.network, run.program).ns / run.ns - 1 for run in done])

    values = np.array(_START)
    for _ in range(_ITERATIONS):
        now = errors(values)
        steps = np.diag(np.maximum(np.abs(values) * 1e-4, 1e-3))
        slope = [(errors(values + step) - now) / step.sum() for step in steps]
        change, *_ = np.linalg.lstsq(np.array(slope).T, -now, rcond=None)
        values = values + change
    return dict(zip(TREE_NAMES, map(float, values), strict=True))


def error(model: Model, run: Run) -> float:
    """Relative error of the prediction for a run."""
    return model.predict(run.network, run.program).ns / run.ns - 1


def fit(done: Sequence[Run], held_out: Sequence[Run]) -> Model:
    """The model of some runs, with its largest errors against others."""
    kinds = {kind: [run for run in done if run.kind == kind] for kind in ("tree", "torus")}
    model = Model(_fit_tree(kinds["tree"]), _fit_torus(kinds["torus"]))
    worst = {
        kind: max((abs(error(model, run)) for run in held_out if run.kind == kind), default=0.0)
        for kind in kinds
    }
    return Model(model.tree, model.torus, worst)
