# SPDX-License-Identifier: Apache-2.0
"""Configures boards: design, registers, switch tables, all verified by reading back.

Tables are written to the inactive bank and read back; only then are they activated, on every board
that passed. A board that fails keeps its old tables; the others continue.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..link.stdm import Stdm
from ..link.stdm_model import InEntry, OutEntry, Tables
from ..regs import Block, RegisterMap
from .board import Board, BoardError, Guarded
from .parallel import Outcome, Progress, on_all

INPUT_TABLES = 32  # number of the input table of port 0


@dataclass(frozen=True)
class SwitchSetup:
    """Tables and settings of one switch."""

    tables: Tables
    locals: int
    channels: int
    board_id: int = 0
    margin: int = 1
    follow: int | None = None
    """Port whose TDM frames the board follows."""
    fixed: dict[int, int] = field(default_factory=dict)
    """Offsets by link port that are not to be measured."""
    routes: dict[int, list[int]] = field(default_factory=dict)
    """By input port: output port for each destination board, 31 for none."""
    live: bool = False
    """Only tables: links and settings of a running network are left as they are."""


@dataclass(frozen=True)
class BoardSetup:
    """Wanted state of a board."""

    name: str
    design: str | None = None
    registers: tuple[tuple[int, int], ...] = ()
    """Byte address and value, in the order in which they are written."""
    switch: SwitchSetup | None = None


@dataclass
class BoardReport:
    """Result of a board's configuration. `problem` is empty on success."""

    name: str
    problem: str = ""
    seconds: float = 0.0
    accesses: int = 0
    words: int = 0
    """Registers and table entries that were written and read back."""
    steps: dict[str, float] = field(default_factory=dict)


def configure(
    boards: Sequence[Board],
    wanted: dict[str, BoardSetup],
    timeout: float = 30.0,
    parallel: int = 64,
    progress: Progress | None = None,
) -> list[BoardReport]:
    """Configure all boards in parallel; `timeout` applies per board and round (there are two)."""
    loaded = on_all(boards, lambda b: _load(b, wanted[b.board.name]), timeout, parallel, progress)
    reports = {o.name: _report(o) for o in loaded}
    ready = [
        board
        for board in boards
        if not reports[board.name].problem and wanted[board.name].switch is not None
    ]
    for outcome in on_all(ready, lambda b: _swap(b, wanted[b.board.name]), timeout, parallel):
        report = reports[outcome.name]
        report.problem = outcome.problem
        report.seconds += outcome.seconds
        report.accesses += outcome.accesses
        report.steps["swap"] = outcome.seconds
    return [reports[board.name] for board in boards]


def _report(outcome: Outcome[BoardReport]) -> BoardReport:
    report = outcome.result or BoardReport(outcome.name)
    report.problem = outcome.problem
    report.seconds, report.accesses = outcome.seconds, outcome.accesses
    return report


class _Steps:
    """Tracks the current step of a board, for its report and for time-outs."""

    def __init__(self, board: Guarded, report: BoardReport) -> None:
        self.board = board
        self.report = report
        self.start = time.monotonic()
        self.name = ""

    def begin(self, name: str, doing: str) -> None:
        now = time.monotonic()
        if self.name:
            self.report.steps[self.name] = now - self.start
        self.start, self.name, self.board.step = now, name, doing


def _load(board: Guarded, setup: BoardSetup) -> BoardReport:
    """First round: everything but the swap."""
    report = BoardReport(setup.name)
    steps = _Steps(board, report)
    steps.begin("start", "its design was loaded")
    board.board.start()
    steps.begin("identify", "its identity was read")
    regs = RegisterMap(board)
    if setup.design is not None and regs.design != setup.design:
        raise BoardError(f"it is a {regs.design or 'nameless design'}, not a {setup.design}")
    steps.begin("registers", "its registers were written")
    report.words += _registers(board, regs, setup)
    if setup.switch is not None:
        if "stdm" not in regs:
            raise BoardError(f"the design {regs.design} has no circuit switch")
        _tables(Stdm(board, regs.stdm.base), setup.switch, steps)
        report.words += _settings(regs.stdm, setup.switch)
    steps.begin("", "done")
    return report


def _registers(board: Guarded, regs: RegisterMap, setup: BoardSetup) -> int:
    """Write and read back; bits that are write-only or driven by hardware are ignored."""
    known = {reg.addr: (f"{name}.{reg.info.name}", reg.info) for name in regs for reg in regs[name]}
    for addr, value in setup.registers:
        board.write(addr, value)
    last = dict(setup.registers)
    for addr, value in last.items():
        name, info = known.get(addr, (f"register {addr:#x}", None))
        mask = 0xFFFFFFFF
        if info is not None:
            mask = sum(f.mask for f in info.fields if f.access == "rw" and f.reset is not None)
        found = board.read(addr) if mask else 0
        if (found ^ value) & mask:
            raise BoardError(f"{name} reads {found:#x} after {value:#x} was written")
    return len(last)


def _tables(stdm: Stdm, setup: SwitchSetup, steps: _Steps) -> None:
    steps.begin("tables", "its tables were written")
    if stdm.ports < len(setup.tables.out):
        needed = len(setup.tables.out)
        raise BoardError(f"its switch has {stdm.ports} ports, the plan needs {needed}")
    if stdm.locals != setup.locals:
        text = f"its switch has {stdm.locals} local ports, the plan has {setup.locals}"
        raise BoardError(text)
    if stdm.channels < setup.channels:
        text = f"its local ports have {stdm.channels} channels, the plan needs {setup.channels}"
        raise BoardError(text)
    if not setup.live:
        stdm.timing(setup.margin, setup.follow)
        stdm.board(setup.board_id)
        for port in range(setup.locals, stdm.ports):
            stdm.fix_offset(port, setup.fixed.get(port))
        for port, dests in setup.routes.items():
            stdm.routes(port, dict(enumerate(dests)))
    tables = padded(setup.tables, stdm.ports)
    stdm.load(tables)
    steps.begin("verify", "its tables were read back")
    steps.report.words += compare(stdm, tables, active=False)


def _settings(block: Block, setup: SwitchSetup) -> int:
    """Read back settings and best-effort routes."""
    if setup.live:
        return 0
    follow = 0 if setup.follow is None else 1
    wanted = {
        "size": {"slots": setup.tables.slots, "guard": setup.tables.guard},
        "board": {"id": setup.board_id},
        "timing": {"margin": setup.margin, "follow": follow, "port": setup.follow or 0},
    }
    for name, fields in wanted.items():
        found = block[name].fields()
        if found != fields:
            raise BoardError(f"stdm.{name} reads {found} after {fields} was written")
    count = len(wanted)
    for port, dests in setup.routes.items():
        block["count_at"].set(port=port, owner=0)
        block["route_at"].set(dest=0)
        if [block["route"].get("port") for _ in dests] != dests:
            raise BoardError(f"the best-effort routes of port {port} read back differently")
        count += len(dests)
    return count


def padded(tables: Tables, ports: int) -> Tables:
    """The setup for a switch with more ports, which stay unused."""
    more = ports - len(tables.out)
    out = [*tables.out, *([OutEntry()] * tables.frame_cycles for _ in range(more))]
    into = [*tables.into, *([InEntry()] * tables.frame_cycles for _ in range(more))]
    return Tables(tables.slots, tables.guard, out, into)


def compare(stdm: Stdm, tables: Tables, active: bool) -> int:
    """Compare every entry of a bank with the wanted one. Returns the number of entries."""
    count = 0
    rows = {number: [e.encode() for e in row] for number, row in enumerate(tables.out)}
    rows |= {INPUT_TABLES + n: [e.encode() for e in row] for n, row in enumerate(tables.into)}
    for table, row in rows.items():
        found = stdm.read_back(table, len(row), active)
        if found != row:
            position = next(i for i, (a, b) in enumerate(zip(found, row, strict=True)) if a != b)
            what = "input" if table >= INPUT_TABLES else "output"
            text = (
                f"{what} table of port {table % INPUT_TABLES}, position {position} reads "
                f"{found[position]:#x} after {row[position]:#x} was written"
            )
            raise BoardError(text)
        count += len(row)
    return count


def _swap(board: Guarded, setup: BoardSetup) -> None:
    """Second round: activate the verified bank."""
    assert setup.switch is not None
    board.step = "its tables were swapped"
    regs = RegisterMap(board)
    stdm = Stdm(board, regs.stdm.base)
    before = regs.stdm["status"].get("bank")
    stdm.swap()
    if not stdm.running or regs.stdm["status"].get("bank") == before:
        raise BoardError("the swap did not bring the tables into force")
    board.step = "its tables were read back"
    compare(stdm, padded(setup.switch.tables, stdm.ports), active=True)
