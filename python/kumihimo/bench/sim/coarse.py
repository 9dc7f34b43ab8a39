# SPDX-License-Identifier: Apache-2.0
"""`kumi bench coarse-model`: the model of docs/coarse-model.md fitted, its error, its predictions.

All figures are simulated or predicted time, the same on every machine. Boards are OpenCL kernels in
RTL (kumihimo/coarse); the error is the largest over runs that the parameters were not fitted to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from kumihimo.bench.core import BenchResult, Progress
from kumihimo.coarse import BOARDS, CASES, Model
from kumihimo.coarse.fit import (
    Run,
    error,
    fit,
    held_out,
    measure,
    quick_held_out,
    quick_training,
    training,
)

GOAL = 0.10


def _row(run: Run, model: Model, held: bool) -> dict[str, object]:
    return {
        "figure": "held_out" if held else "fitted",
        "network": run.network.label,
        "algorithm": run.program.name,
        "boards": run.program.boards,
        "words": run.program.round(0).words,
        "rtl_ns": round(run.ns, 1),
        "model_ns": round(model.predict(run.network, run.program).ns, 1),
        "error": round(error(model, run), 4),
    }


def worst(model: Model, runs: Sequence[Run]) -> float:
    """Largest relative error over runs."""
    return max(abs(error(model, run)) for run in runs)


def predictions(model: Model, boards: Sequence[int]) -> list[dict[str, object]]:
    """All-reduce and all-to-all on trees and tori, with their bands."""
    rows: list[dict[str, object]] = []
    for count in boards:
        for case in CASES:
            found = model.predict(*case.on(count))
            row = {"figure": "prediction", "collective": case.name, "bytes": case.size}
            row |= asdict(found)
            rows.append({k: round(v, 1) if isinstance(v, float) else v for k, v in row.items()})
    return rows


def run(progress: Progress, quick: bool) -> BenchResult:
    """Measure boards in RTL, fit, predict."""
    result = BenchResult("coarse-model", goals={"model_error": ("<=", GOAL)})
    planned = (quick_training(), quick_held_out()) if quick else (training(), held_out())
    seen = measure([*planned[0], *planned[1]], progress.step)
    done, unseen = seen[: len(planned[0])], seen[len(planned[0]) :]
    model = fit(done, unseen)
    result.rows += [_row(each, model, False) for each in done]
    result.rows += [_row(each, model, True) for each in unseen]
    for kind, values in (("tree", model.tree), ("torus", model.torus)):
        result.rows += [
            {"figure": "parameter", "network": kind, "name": name, "ns": round(value, 3)}
            for name, value in values.items()
        ]
    progress.step("predictions", 0, 0)
    rows = predictions(model, BOARDS[:2] if quick else BOARDS)
    result.rows += rows
    result.summary["model_error"] = max(model.error.values())
    result.summary["tree_error"] = model.error["tree"]
    result.summary["torus_error"] = model.error["torus"]
    result.summary["shipped_error"] = worst(Model.load(), unseen)
    result.summary["runs_fitted"] = len(done)
    result.summary["runs_held_out"] = len(unseen)
    result.summary["most_boards_in_rtl"] = max(each.program.boards for each in seen)
    for row in rows:
        if row["boards"] == BOARDS[-1] and row["bytes"] != 1 << 20:
            where = str(row["network"]).split()[0]
            how = str(row["algorithm"]).removeprefix("torus ")
            key = f"{where}_{how}_{BOARDS[-1]}_us".replace("-", "_")
            result.summary[key] = float(str(row["ns"])) / 1000
    return result
