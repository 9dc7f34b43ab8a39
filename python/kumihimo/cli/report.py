# SPDX-License-Identifier: Apache-2.0
"""`kumi report`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from ..capture.pairing import Exchange
from ..capture.pcapng import Capture
from ..capture.report import analyse, picture
from ..clusterfile.units import format_rate, format_time
from ..common.errors import KumiError
from .console import err, out


def table(found: list[Exchange]) -> Table:
    """Exchanges with their latency and rate."""
    made = Table(title="simulated latency and rate", title_justify="left")
    for heading in ("at", "what", "from", "to"):
        made.add_column(heading)
    for heading in ("requests", "lost", "min", "median", "90 %", "99 %", "max", "rate back"):
        made.add_column(heading, justify="right")
    for exchange in found:
        row = exchange.figures()
        times = [row[f"latency_{k}_ns"] for k in ("min", "median", "p90", "p99", "max")]
        shown = ["-" if t is None else format_time(t * 1000) for t in times]
        names = (row["interface"], row["kind"], row["client"], row["server"])
        lost = "-" if row["lost"] is None else str(row["lost"])
        rate = format_rate(row["reply_bps"]) if row["requests"] > 1 else "-"
        made.add_row(*names, str(row["requests"]), lost, *shown, rate)
    return made


def _counters(data: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for key, value in data.items():
        name = f"{path}.{key}" if path else str(key)
        if isinstance(value, dict):
            rows += _counters(value, name)
        elif value not in (0, 0.0, "", None):
            rows.append((name, f"{value:.6g}" if isinstance(value, float) else str(value)))
    return rows


def write_page(
    files: list[Path], found: list[Exchange], counters: dict[str, Any], html: Path
) -> None:
    """Write the page of `kumi live` with what the files hold."""
    from ..live import picture as pictures
    from ..live.page import report_page

    engine = counters.get("engine", {})
    packets = (p for file in files if file.suffix != ".json" for p in Capture(file))
    known = "nodes" in counters and "cables" in counters
    data = {
        "now_ps": engine.get("now_ps", 0),
        "graph": pictures.graph(counters) if known else {"stations": [], "cables": []},
        "cables": pictures.cables(counters) if known else [],
        "drops": pictures.drops(counters) if known else [],
        "exchanges": pictures.exchanges(found),
        "rates": pictures.rates(packets),
        "registers": None,
    }
    title = " and ".join(file.name for file in files)
    html.write_text(report_page(title, data), encoding="utf-8")


def run(files: list[Path], drawing: Path | None, as_json: bool, html: Path | None = None) -> int:
    """Show latency and rate from the files of a run."""
    found: list[Exchange] = []
    counters: dict[str, Any] = {}
    for file in files:
        if not file.is_file():
            raise KumiError(f"There is no file {file}.", code=2)
        if file.suffix == ".json":
            try:
                counters.update(json.loads(file.read_text(encoding="utf-8")))
            except ValueError as problem:
                raise KumiError(f"{file} is not JSON: {problem}.", code=2) from None
        else:
            with err.status(f"reading {file}"):
                found += analyse(file)
    if drawing:
        if drawing.suffix not in (".svg", ".png", ".pdf"):
            raise KumiError(f"{drawing}: expected a name that ends in .svg, .png or .pdf.", code=2)
        picture(found, drawing)
    if html:
        write_page(files, found, counters, html)
    if as_json:
        print(json.dumps({"exchanges": [e.figures() for e in found], "counters": counters}))
        return 0
    if found:
        out.print(table(found))
    if counters:
        made = Table(title="counters that are not zero", title_justify="left")
        made.add_column("counter")
        made.add_column("value", justify="right")
        for name, value in _counters(counters):
            made.add_row(name, value)
        out.print(made)
    if not found and not counters:
        out.print("No requests and replies were found.")
    for written in (drawing, html):
        if written:
            err.print(f"wrote {written}")
    return 0
