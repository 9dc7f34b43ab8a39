# SPDX-License-Identifier: Apache-2.0
"""`kumi cluster configure` and `kumi cluster status`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from ..cluster import Cluster
from ..cluster.setup_regs import writes
from ..clusterfile import Plan as ClusterPlan
from ..common.errors import KumiError
from ..link.planner import plan as plan_request
from ..link.planner.check import check
from ..link.planner.plan_doc import Plan, load_plan
from ..link.planner.request import Request, load_request
from ..manager import agent as agents
from ..manager.board import Board, MmioBoard
from ..manager.change import change
from ..manager.configure import BoardReport, configure
from ..manager.measure import differing, measured_plan, with_offsets
from ..manager.setup import setups
from ..manager.status import BoardStatus, circuit_rows, offsets, status
from ..net.session import find, matching
from .console import build as build_designs
from .console import err, out


def read_plan(file: Path | None) -> Plan | None:
    """A finished plan; rejected if its replay finds a conflict."""
    if file is None:
        return None
    plan = load_plan(file)
    conflicts = check(plan.data).conflicts
    if conflicts:
        text = f"{file} is not a valid plan: {conflicts[0]}"
        raise KumiError(f"{text} ({len(conflicts)} conflicts).", code=2)
    return plan


def read_wanted(file: Path | None) -> Plan | Request | None:
    """A finished plan, or a request to be planned once offsets are measured."""
    if file is None or file.suffix == ".json":
        return read_plan(file)
    request = load_request(file)
    plan_request(request)  # an infeasible request is rejected before anything is started
    return request


def _registers(cluster: Cluster) -> dict[str, list[tuple[int, int]]]:
    """Set-up writes by node: addresses, and `regs:` of the cluster file."""
    made = {}
    for name, node in cluster.plan.nodes.items():
        built = cluster.built[name]
        made[name] = writes(node, built.path, built.info.register_port)
    return made


def run_configure(
    file: Path,
    plan: Path | None,
    before: Path | None,
    write: Path | None,
    timeout: float,
    parallel: int,
    stay: bool,
    as_json: bool,
) -> int:
    """Configure a cluster, running or booted for it. Exit 1 when a board has a problem."""
    wanted, old = read_wanted(plan), read_plan(before)
    cluster = Cluster(file)
    found = next(reversed(matching(str(file))), None)
    if old is not None:
        if wanted is None or found is None:
            text = "`--from` changes the plan of a running cluster"
            raise KumiError(f"{text}; it requires `--plan`, and {file} must be running.", code=2)
        if isinstance(wanted, Request):
            kept = {link["from"]: link["offset"] for link in old.links}
            wanted = plan_request(with_offsets(wanted, kept))
        reports = change(agents.boards_of(found, timeout), old, wanted, timeout, parallel)
        return _show(reports, as_json)
    build_designs(cluster)
    designs = _designs(cluster.plan)
    if found is not None:
        boards: list[Board] = list(agents.boards_of(found, timeout))
        err.print(f"{found.name} runs (process {found.pid}); its boards are configured there")
        return _configure(cluster, boards, wanted, designs, timeout, parallel, as_json, write)
    with cluster, agents.serving_cluster(cluster):
        local = [MmioBoard(name, mmio) for name, mmio in agents.registers_of(cluster).items()]
        work = _Work(
            lambda: _configure(cluster, local, wanted, designs, timeout, parallel, as_json, write)
        )
        from .up import stop_signals

        with stop_signals() as asked:
            cluster.serve(lambda: asked.is_set() or (work.done() and not stay))
        return work.result()


class _Work:
    """Runs the configuration in a thread while the main thread drives the simulation."""

    def __init__(self, work: Callable[[], int]) -> None:
        self._code = 1
        self._problem: BaseException | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, name="kumi-configure", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._code = self._work()
        except BaseException as problem:
            self._problem = problem

    def done(self) -> bool:
        """Whether it has ended."""
        return not self._thread.is_alive()

    def result(self) -> int:
        """Exit code; re-raises the thread's exception."""
        if self._problem is not None:
            raise self._problem
        return self._code


def _designs(plan: ClusterPlan) -> dict[str, str]:
    return {name: node.design.top.removeprefix("kumi_node_") for name, node in plan.nodes.items()}


def _configure(
    cluster: Cluster,
    boards: Sequence[Board],
    asked: Plan | Request | None,
    designs: dict[str, str],
    timeout: float,
    parallel: int,
    as_json: bool,
    write: Path | None,
) -> int:
    names = [board.name for board in boards]
    wanted = asked if isinstance(asked, Plan) else None
    if isinstance(asked, Request):
        with err.status("measuring the offsets of links"):
            wanted, _bad = measured_plan(boards, asked, timeout, parallel)
    made = setups(names, wanted, designs, _registers(cluster))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("configuring boards", total=len(boards))
        reports = configure(
            boards, made, timeout, parallel, progress=lambda _name, _well: bar.advance(task)
        )
    if write is not None and wanted is not None:
        wanted.write(write)
        err.print(f"wrote {write}")
    if wanted is not None:
        well = [b for b in boards if b.name not in {r.name for r in reports if r.problem}]
        for text in differing(wanted, status(well, None, timeout, parallel)):
            err.print(f"[red]offset differs from the plan[/]: {text}", soft_wrap=True)
            err.print("  circuits over this link fail; pass the request instead of the plan")
    return _show(reports, as_json)


def _show(reports: Sequence[BoardReport], as_json: bool) -> int:
    if as_json:
        print(json.dumps({"boards": [asdict(report) for report in reports]}))
    else:
        out.print(report_table(reports))
    bad = [report.name for report in reports if report.problem]
    for report in reports:
        if report.problem:
            err.print(f"[red]{report.name}[/]: {escape(report.problem)}", soft_wrap=True)
    well = len(reports) - len(bad)
    err.print(
        f"{well} of {len(reports)} boards configured and read back"
        + (f"; not: {', '.join(bad)}" if bad else "")
    )
    return 1 if bad else 0


def report_table(reports: Sequence[BoardReport]) -> Table:
    """Time and outcome of each board."""
    table = Table(title="boards", title_justify="left")
    table.add_column("board")
    for heading in ("registers", "tables", "verify", "swap", "together", "accesses", "verified"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for report in reports:
        steps = [report.steps.get(k) for k in ("registers", "tables", "verify", "swap")]
        table.add_row(
            report.name,
            *(f"{1000 * s:.1f} ms" if s is not None else "-" for s in steps),
            f"{1000 * report.seconds:.1f} ms",
            str(report.accesses),
            f"{report.words} words",
            "[red]failed[/]" if report.problem else "[green]well[/]",
        )
    return table


# ---- status -----------------------------------------------------------------------------------


def run_status(what: str | None, plan: Path | None, timeout: float, as_json: bool) -> int:
    """Show a running cluster. Exit 1 when a board does not answer."""
    wanted = read_plan(plan)
    found = find(what)
    states = status(agents.boards_of(found, timeout), wanted, timeout)
    if as_json:
        circuits = circuit_rows(wanted, states) if wanted else []
        document = {
            "cluster": found.name,
            "boards": [asdict(state) for state in states],
            "circuits": circuits,
            "offsets": offsets(wanted, states),
        }
        print(json.dumps(document))
    else:
        out.print(_boards(found.name, states, wanted))
        if any(state.lanes for state in states):
            out.print(_lanes(states))
        if any(state.errors for state in states):
            out.print(_errors(states))
        if wanted:
            out.print(_circuits(wanted, states))
    return 1 if any(state.problem for state in states) else 0


def _boards(name: str, states: Sequence[BoardStatus], plan: Plan | None) -> Table:
    table = Table(title=f"cluster {name}", title_justify="left")
    for heading in ("board", "design", "switch", "links", "errors"):
        table.add_column(heading)
    expected = {}
    if plan is not None:
        for link in plan.links:
            board, port = link["to"].split(".")
            expected[board, plan.boards[board]["ports"].index(port)] = link["offset"]
    for state in states:
        if state.problem:
            table.add_row(state.name, f"[red]{escape(state.problem)}[/]", "", "", "")
            continue
        switch = "-"
        if state.switch:
            force = "in force" if state.switch["run"] else "no table"
            switch = f"{state.switch['slots']} + {state.switch['guard']}, {force}"
        links = []
        for link in state.links:
            well = link["up"] and link["locked"]
            text = f"{link['port']}: " + (f"offset {link['offset']}" if well else "down")
            planned = expected.get((state.name, link["port"]))
            if well and planned is not None and planned != link["offset"]:
                text += f" (planned {planned})"
                well = False
            links.append(text if well else f"[red]{text}[/]")
        errors = str(sum(state.errors.values())) if state.errors else "none"
        table.add_row(state.name, state.design, switch, ", ".join(links) or "-", errors)
    return table


def _lanes(states: Sequence[BoardStatus]) -> Table:
    table = Table(title="lanes", title_justify="left")
    for heading in ("board", "link", "state", "lanes in use"):
        table.add_column(heading)
    for state in states:
        for lane in state.lanes:
            used = [str(n) for n in range(4) if lane.get("used", 0) >> n & 1]
            up = "[green]up[/]" if lane.get("up") else "[red]down[/]"
            of = f" of {lane['built']}" if "built" in lane else ""
            table.add_row(state.name, lane["block"], up, (", ".join(used) or "none") + of)
    return table


def _errors(states: Sequence[BoardStatus]) -> Table:
    table = Table(title="counters of errors that are not zero", title_justify="left")
    table.add_column("board")
    table.add_column("counter")
    table.add_column("value", justify="right")
    for state in states:
        for name, value in state.errors.items():
            table.add_row(state.name, escape(name), str(value))
    return table


def _circuits(plan: Plan, states: Sequence[BoardStatus]) -> Table:
    table = Table(title=f"circuits of {plan.name}", title_justify="left")
    for heading in ("circuit", "from", "to"):
        table.add_column(heading)
    for heading in ("slots", "words", "empty slots"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for row in circuit_rows(plan, states):
        down = f"[red]down: {', '.join(row['down'])}[/]" if row["down"] else "[green]up[/]"
        counts = [str(row[k]) if row[k] is not None else "-" for k in ("words", "empties")]
        table.add_row(row["name"], row["from"], row["to"], str(row["slots"]), *counts, down)
    return table
