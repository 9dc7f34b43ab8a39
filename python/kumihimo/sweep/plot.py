# SPDX-License-Identifier: Apache-2.0
"""A plot of a sweep: one value over the first axis, a line for each setting of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..clusterfile.override import value_of
from .table import Group, Table


def _number(text: str) -> float | None:
    value = value_of(text)
    return float(value) if isinstance(value, int | float) else None


def write_plot(table: Table, value: str, file: Path) -> None:
    """Mean of the repetitions with its standard deviation, as SVG or what the name ends in."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    lines: dict[str, list[Group]] = {}
    for group in table.groups(value):
        if group.count:
            label = ", ".join(f"{path}={text}" for path, text in group.settings[1:])
            lines.setdefault(label, []).append(group)
    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    try:
        axes.set_ylabel(value)
        path = table.paths[0] if table.paths else "run"
        axes.set_xlabel(path)
        texts = [group.settings[0][1] for line in lines.values() for group in line if table.paths]
        numbers = {text: _number(text) for text in texts}
        on_scale = bool(numbers) and None not in numbers.values()
        if on_scale:
            _spread(axes, [n for n in numbers.values() if n is not None])
        for label, line in lines.items():
            words = [group.settings[0][1] if table.paths else "0" for group in line]
            places: list[Any] = [numbers[word] if on_scale else word for word in words]
            means, spreads = [g.mean for g in line], [g.spread for g in line]
            axes.errorbar(places, means, spreads, marker="o", capsize=3, label=label or None)
        if len(lines) > 1:
            axes.legend()
        axes.grid(alpha=0.3)
        figure.savefig(file)
    finally:
        pyplot.close(figure)


def _spread(axes: Any, places: list[float]) -> None:
    """A logarithmic axis when the values cover more than two decades; zero stays on it."""
    above = [place for place in places if place > 0]
    if above and max(above) / min(above) > 100 and min(places) >= 0:
        axes.set_xscale("symlog", linthresh=min(above))
