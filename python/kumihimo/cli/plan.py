# SPDX-License-Identifier: Apache-2.0
"""`kumi plan`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..clusterfile.units import format_rate, format_time
from ..link.planner import plan_file
from ..link.planner.check import check
from ..link.planner.picture import check_name, colours, owners, picture
from ..link.planner.plan_doc import FORMAT, Plan, link_loads, load_plan
from ..link.planner.reasons import NoPlan
from .console import err, out

CHART_ROWS = 40
CHART_WIDTH = 96


def circuits(plan: Plan) -> Table:
    """Table of circuits: slots, rate, latency, route."""
    period_ps = 1e12 / plan.data["clock_hz"]
    table = Table(title=f"circuits of {plan.name}", title_justify="left")
    for heading in ("circuit", "from", "to"):
        table.add_column(heading)
    for heading in ("slots", "rate", "latency", "longest wait"):
        table.add_column(heading, justify="right")
    table.add_column("route")
    colour = colours(plan)
    for circuit in plan.circuits:
        boards = [circuit["from"].split(".")[0]]
        ends = {link["from"]: link["to"].split(".")[0] for link in plan.links}
        boards += [ends[port] for port in circuit["route"]]
        table.add_row(
            Text(circuit["name"], style=_style(colour[circuit["name"]])),
            circuit["from"],
            circuit["to"],
            str(circuit["slots"]),
            format_rate(circuit["rate_bps"]),
            f"{circuit['latency_cycles']} cycles, {format_time(circuit['latency_ns'] * 1000)}",
            format_time(circuit["wait_cycles"] * period_ps),
            " > ".join(boards) if len(boards) <= 8 else f"{len(boards) - 1} hops",
        )
    return table


def _style(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def chart(plan: Plan) -> Table:
    """Tables of the used outputs: one block per position, in the circuit's colour."""
    who = owners(plan)
    colour = colours(plan)
    table = Table(title="tables (a column for each position)", title_justify="left", box=None)
    table.add_column("output")
    table.add_column("slots", justify="right")
    table.add_column("")
    for board, data in plan.boards.items():
        for port in data["ports"]:
            name = f"{board}.{port}"
            cells = [who.get((name, position)) for position in range(plan.frame_cycles)]
            if not any(cells):
                continue
            line = Text()
            for position, circuit in enumerate(cells):
                closed = position >= plan.slots
                if circuit is not None:
                    line.append("█", style=_style(colour[circuit]))
                else:
                    line.append(" " if closed else "·", style="dim")
            table.add_row(name, str(sum(c is not None for c in cells)), line)
    return table


def _summary(plan: Plan) -> str:
    loads = sorted(link_loads(plan).values())
    full = loads[-1] if loads else 0
    mean = sum(loads) / len(loads) if loads else 0
    found = plan.data["found"]
    parts = [
        f"{len(plan.circuits)} circuits on {len(plan.boards)} boards, {plan.slots} slots and "
        f"{plan.data['guard']} guard cycles",
        f"fullest link {full} of {plan.slots} slots, mean {mean:.1f}",
    ]
    if "latency_sum" in found:
        proved = "the least possible" if found["optimal"] else f"at least {found['bound']}"
        parts.append(f"latencies together {found['latency_sum']} cycles ({proved})")
    if "least_slots" in found:
        proved = "none has fewer" if found["optimal"] else f"{found['least_slots']} not ruled out"
        parts.append(f"{plan.slots} slots ({proved})")
    return "; ".join(parts)


def _read(file: Path) -> tuple[Plan, bool]:
    """Plan a request, or load a finished plan; True in the latter case."""
    if file.suffix == ".json" and file.is_file() and FORMAT in file.read_text("utf-8")[:200]:
        return load_plan(file), True
    with err.status(f"planning {file}") as status:
        return plan_file(file, lambda text: status.update(f"planning {file}: {text}")), False


def run(file: Path, write: Path | None, drawing: Path | None, as_json: bool) -> int:
    """Plan a request and show it. Exit 1 with the reasons if there is no plan."""
    from .up import prepare_outputs

    prepare_outputs(write, drawing)
    if drawing:
        check_name(drawing)
    try:
        plan, ready = _read(file)
    except NoPlan as problem:
        if as_json:
            reasons = [
                {
                    "kind": r.kind,
                    "text": r.text,
                    "circuits": list(r.circuits),
                    "links": list(r.links),
                    "numbers": dict(r.numbers),
                }
                for r in problem.reasons
            ]
            print(json.dumps({"planned": False, "proved": problem.proved, "reasons": reasons}))
        raise
    verdict = check(plan.data)
    if write:
        plan.write(write)
    if drawing:
        picture(plan, drawing)
    if as_json:
        print(json.dumps({"planned": True, "conflicts": verdict.conflicts, **plan.data}))
    else:
        out.print(circuits(plan))
        rows = len({port for port, _position in owners(plan)})
        if rows <= CHART_ROWS and plan.frame_cycles <= CHART_WIDTH:
            out.print(chart(plan))
        out.print(_summary(plan))
    for text in verdict.conflicts:
        err.print(f"[red]conflict[/]: {text}", soft_wrap=True)
    state = "with conflicts" if verdict.conflicts else "without a conflict"
    how = "replayed" if ready else f"planned in {plan.data['found']['seconds']:.2f} s, replayed"
    err.print(f"{how}: {verdict.words} words over {verdict.crossings} crossings, {state}")
    for name in (write, drawing):
        if name:
            err.print(f"wrote {name}")
    return 1 if verdict.conflicts else 0
