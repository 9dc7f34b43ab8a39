# SPDX-License-Identifier: Apache-2.0
"""`kumi model`: times of collectives on clusters that are too large for RTL."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from ..coarse import Model, collective
from ..coarse.fit import error, fit, held_out, measure, quick_held_out, quick_training, training
from ..common.errors import KumiError
from .console import err, out


def _model(file: Path | None) -> Model:
    if file is None:
        return Model.load()
    try:
        return Model.load(file)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        text = f"{file} has no parameters of the model ({problem})."
        raise KumiError(text, f"Write them: kumi model fit --out {file}", 2) from None


def _numbers(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise KumiError(f"`{text}` are no numbers of boards.", "For example 64,1024.", 2) from None
    if min(found) < 2:
        raise KumiError("A collective takes two boards or more.", "", 2)
    return found


def run_predict(
    name: str,
    boards: str,
    size: int,
    network: str,
    algorithm: str,
    ports: int,
    oversubscription: float,
    file: Path | None,
    as_json: bool,
) -> int:
    """A row for each number of boards."""
    model, rows = _model(file), []
    for count in _numbers(boards):
        case = collective(name, count, size, network, algorithm, ports, oversubscription)
        rows.append(asdict(model.predict(*case)))
    if as_json:
        print(json.dumps({"collective": name, "bytes": size, "rows": rows}))
        return 0
    table = Table(title=f"{name}, {size:,} bytes", title_justify="left")
    for heading in ("boards", "network", "algorithm", "time", "from", "to"):
        table.add_column(
            heading, justify="left" if heading in ("network", "algorithm") else "right"
        )
    for row in rows:
        times = (f"{row[key] / 1000:,.1f} us" for key in ("ns", "low_ns", "high_ns"))
        table.add_row(f"{row['boards']:,}", row["network"], row["algorithm"], *times)
    out.print(table)
    return 0


def run_fit(file: Path | None, quick: bool, as_json: bool) -> int:
    """Measure, fit, and show how well it predicts what it has not seen."""
    fitted, others = (quick_training(), quick_held_out()) if quick else (training(), held_out())
    with err.status("boards in RTL") as status:

        def step(text: str, done: int, total: int) -> None:
            status.update(f"boards in RTL: {text} ({done}/{total})")

        seen = measure([*fitted, *others], step)
    done, unseen = seen[: len(fitted)], seen[len(fitted) :]
    model = fit(done, unseen)
    if file is not None:
        file.write_text(json.dumps(model.as_dict(), indent=2) + "\n", encoding="utf-8")
    rows = [
        {
            "network": run.network.label,
            "algorithm": run.program.name,
            "boards": run.program.boards,
            "words": run.program.round(0).words,
            "ns": run.ns,
            "error": error(model, run),
        }
        for run in unseen
    ]
    if as_json:
        print(json.dumps({"model": model.as_dict(), "held_out": rows}))
        return 0
    _show(model)
    table = Table(title="runs that it was not fitted to", title_justify="left")
    for heading in ("network", "algorithm", "words of a message", "RTL", "model"):
        table.add_column(heading)
    for run in unseen:
        shown = f"{run.ns / 1000:,.1f} us", f"{error(model, run):+.1%}"
        words = str(run.program.round(0).words)
        table.add_row(run.network.label, run.program.name, words, *shown)
    out.print(table)
    return 0


def run_plot(folder: Path, file: Path | None) -> int:
    """Two pictures."""
    from ..coarse.plot import write_plots

    model = _model(file)
    folder.mkdir(parents=True, exist_ok=True)
    with err.status("predictions"):
        written = write_plots(model, folder)
    for path in written:
        out.print(f"wrote {path}")
    return 0


def run_show(file: Path | None, as_json: bool) -> int:
    """The parameters."""
    model = _model(file)
    if as_json:
        print(json.dumps(model.as_dict()))
    else:
        _show(model)
    return 0


def _show(model: Model) -> None:
    for kind, values in (("tree of Ethernet", model.tree), ("torus of links", model.torus)):
        table = Table(title=kind, title_justify="left")
        table.add_column("parameter")
        table.add_column("ns", justify="right")
        for name, value in values.items():
            table.add_row(name, f"{value:,.1f}")
        out.print(table)
    for kind, worst in model.error.items():
        out.print(f"{kind}: largest error against runs not fitted {worst:.1%}")
