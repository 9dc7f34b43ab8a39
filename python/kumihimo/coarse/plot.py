# SPDX-License-Identifier: Apache-2.0
"""Pictures of predictions: time over boards, with the band of each."""

from __future__ import annotations

from pathlib import Path

from .cases import BOARDS, CASES, Case
from .model import Model, Prediction


def _label(case: Case) -> str:
    size = f"{case.size >> 10} KiB" if case.size >= 1024 else f"{case.size} B"
    how = f", {case.algorithm}" if (case.name, case.network) == ("all-reduce", "tree") else ""
    return f"{case.network}{how}, {size}"


def write_plots(model: Model, folder: Path) -> list[Path]:
    """`all-reduce.svg` and `all-to-all.svg`, the same bytes for the same model."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "kumihimo"
    from matplotlib import pyplot

    files = []
    for name in dict.fromkeys(case.name for case in CASES):
        figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        for case in (case for case in CASES if case.name == name):
            found: list[Prediction] = [model.predict(*case.on(count)) for count in BOARDS]
            times = [each.ns / 1000 for each in found]
            (line,) = axes.plot(BOARDS, times, marker="o", markersize=3, label=_label(case))
            low, high = ([each.low_ns / 1000 for each in found], [e.high_ns / 1000 for e in found])
            axes.fill_between(BOARDS, low, high, color=line.get_color(), alpha=0.3)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(BOARDS, [f"{count:,}" for count in BOARDS])
        axes.set_xlabel("boards")
        axes.set_ylabel(f"{name}, us (predicted)")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
        files.append(folder / f"{name}.svg")
        figure.savefig(files[-1], metadata={"Date": None})
        pyplot.close(figure)
    return files
