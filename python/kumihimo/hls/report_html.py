# SPDX-License-Identifier: Apache-2.0
"""The report of a program as one HTML page: its loops, what limits them, and its source beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

from .report import KernelReport, LoopReport

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
table { border-collapse: collapse; margin: .6rem 0 1.4rem; width: 100% }
td, th { border: 1px solid #ccc; padding: .25rem .5rem; text-align: left; vertical-align: top }
th { background: #f2f2f2 }
td.slow { background: #fdeccf }
pre { line-height: 1.35; overflow-x: auto }
pre span { display: block }
pre span:target { background: #fff3a8 }
pre .at { color: #777; text-decoration: none }
pre .loop { font-weight: 600 }
"""


def page(
    source: Path,
    text: str,
    kernels: list[KernelReport],
    mhz: float,
    measured: Mapping[str, tuple[int, int]],
    costs: Mapping[str, object] | None = None,
) -> str:
    """The page.

    Args:
        source: file of the kernels.
        text: its content.
        kernels: their reports.
        mhz: clock that they were scheduled for.
        measured: cycles and stalls of the last run of kernels that have run.
        costs: what kernels cost, and their clock (`report_cost`).
    """
    parts = [
        f"<h1>{escape(source.name)}</h1><p>Scheduled for {mhz:g} MHz. An initiation interval (II) "
        "of 1 starts an iteration in each cycle.</p>"
    ]
    for kernel in kernels:
        parts.append(f"<h2>{escape(kernel.name)}</h2>")
        parts.append(_loops(kernel.loops))
        parts.append(_memory(kernel))
        if costs and kernel.name in costs:
            parts.append(f"<p>{escape(str(costs[kernel.name]))}.</p>")
        if kernel.name in measured:
            cycles, stalls = measured[kernel.name]
            share = 100 * stalls / cycles if cycles else 0.0
            parts.append(
                f"<p>Last run: {cycles:,} cycles; an operation waited in {stalls:,} of them "
                f"({share:.0f} %).</p>"
            )
    lines = {loop.line for kernel in kernels for loop in kernel.loops}
    parts.append(f"<h2>Source</h2><pre>{_source(text, lines)}</pre>")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(source.name)}'
        f"</title><style>{_STYLE}</style>{''.join(parts)}</html>\n"
    )


def _line(number: int) -> str:
    return f'<a href="#l{number}">line {number}</a>' if number else ""


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(h)}</th>" for h in heads)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _loops(loops: Iterable[LoopReport]) -> str:
    rows = []
    for loop in loops:
        slow = ' class="slow"' if loop.ii > 1 else ""
        chain = " → ".join(f"{escape(what)} ({_line(line)})" for line, what in loop.chain)
        limit = escape(loop.limit) + (f"<br>{chain}" if chain else "")
        accesses = "<br>".join(escape(text) for text in loop.accesses)
        counts = (str(loop.ii), str(loop.stages), escape(loop.trips))
        cells = [_line(loop.line), *counts, limit, accesses]
        rows.append([f"<td{slow if i == 1 else ''}>{cell}</td>" for i, cell in enumerate(cells)])
    if not rows:
        return "<p>No pipelined loops.</p>"
    return _table(("loop", "II", "stages", "iterations", "what limits it", "accesses"), rows)


def _memory(kernel: KernelReport) -> str:
    rows = [
        [f"<td>{escape(name)}</td>", f"<td>{depth} x {bits} bits, {ports} read ports</td>"]
        for name, bits, depth, ports in kernel.arrays
    ]
    rows += [["<td>memory port</td>", f"<td>{escape(unit)}</td>"] for unit in kernel.units]
    return _table(("array or port", ""), rows) if rows else ""


def _source(text: str, loops: set[int]) -> str:
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        kind = ' class="loop"' if number in loops else ""
        out.append(
            f'<span id="l{number}"{kind}><a class="at" href="#l{number}">{number:4}</a> '
            f"{escape(line)}</span>"
        )
    return "".join(out)
