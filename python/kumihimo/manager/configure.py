# SPDX-License-Identifier: Apache-2.0
"""Brings boards into their wanted state: design, registers, switch tables; all read back.

Tables go into the bank that is not in force, are read back, and only then come into force, on every
board that passed. A board with a problem keeps what it had; the others go on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..regs import Block, RegisterMap
from .board import Board, BoardError, Guarded
from .parallel import Outcome, Progress, on_all

INPUT_TABLES = 32  # number of the input table of port 0
POLLS = 2000
REASONS = {
    1: "no such table",
    2: "no such position",
    3: "no such kind of entry",
    4: "no such input port",
    5: "owner or channel out of range",
    6: "best effort where there is none",
    7: "a swap is still waiting",
    8: "length of the table out of range",
    9: "guard out of range",
    10: "an entry was refused before",
    11: "the switch is still clearing its tables",
}


@dataclass(frozen=True)
class SwitchSetup:
    """Tables of one switch. Entries are register words, as `data` of the switch takes them."""

    slots: int
    guard: int
    ports: int
    locals: int
    channels: int
    tables: dict[int, list[int]]
    """By table number: 0.. for outputs, 32.. for inputs."""
    board_id: int = 0
    margin: int = 1
    follow: int | None = None
    """Port whose revolutions the board follows."""
    fixed: dict[int, int] = field(default_factory=dict)
    """Offsets by link port that are not to be measured."""
    routes: dict[int, list[int]] = field(default_factory=dict)
    """By input port: output port for each destination board, 31 for none."""


@dataclass(frozen=True)
class BoardSetup:
    """What a board shall be."""

    name: str
    design: str | None = None
    registers: tuple[tuple[int, int], ...] = ()
    """Byte address and value, in the order in which they are written."""
    switch: SwitchSetup | None = None


@dataclass
class BoardReport:
    """What was done to a board. It is well when `problem` is empty."""

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
    """Configure all boards in parallel. `timeout` is for each board and each of the two rounds."""
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
    """Names the step that a board is in, for its report and for a time-out."""

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
        _tables(regs.stdm, setup.switch, steps)
    steps.begin("", "done")
    return report


def _registers(board: Guarded, regs: RegisterMap, setup: BoardSetup) -> int:
    """Write and read back; bits that software cannot read, or hardware drives, do not count."""
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


def _tables(stdm: Block, setup: SwitchSetup, steps: _Steps) -> None:
    steps.begin("tables", "its tables were written")
    info = stdm["info"].fields()
    for name in ("ports", "locals"):
        if info[name] != getattr(setup, name):
            text = f"its switch has {info[name]} {name}, the plan needs {getattr(setup, name)}"
            raise BoardError(text)
    if info["channels"] < setup.channels:
        text = f"its local ports have {info['channels']} channels, the plan needs {setup.channels}"
        raise BoardError(text)
    _wait(stdm, "ready", 1, "the switch does not become ready")
    _wait(stdm, "pending", 0, "an earlier swap does not happen")
    stdm["command"].write(1 << 1)  # forget what was refused before
    follow = setup.follow is not None
    stdm["timing"].set(margin=setup.margin, follow=int(follow), port=setup.follow or 0)
    stdm["board"].set(id=setup.board_id)
    stdm["size"].set(slots=setup.slots, guard=setup.guard)
    for port in range(setup.locals, setup.ports):
        stdm["count_at"].set(port=port)
        fixed = port in setup.fixed
        stdm["link"].set(offset=setup.fixed.get(port, 0), fixed=int(fixed))
    for table, words in setup.tables.items():
        stdm["at"].set(table=table, active=0, entry=0)
        for word in words:
            stdm["data"].write(word)
    for port, dests in setup.routes.items():
        stdm["count_at"].set(port=port)
        stdm["route_at"].set(dest=0)
        for out in dests:
            stdm["route"].set(port=out)
    refused(stdm)
    steps.begin("verify", "its tables were read back")
    steps.report.words += read_back(stdm, setup, active=False)
    for port, dests in setup.routes.items():
        stdm["count_at"].set(port=port)
        stdm["route_at"].set(dest=0)
        found = [stdm["route"].get("port") for _ in dests]
        if found != dests:
            raise BoardError(f"the best-effort routes of port {port} read back differently")
        steps.report.words += len(dests)


def read_back(stdm: Block, setup: SwitchSetup, active: bool) -> int:
    """Compare every table entry with what is wanted. Returns how many there are."""
    count = 0
    data = stdm["data"]
    for table, words in setup.tables.items():
        stdm["at"].set(table=table, active=int(active), entry=0)
        for position, word in enumerate(words):
            found = data.read()
            if found != word:
                what = "input" if table >= INPUT_TABLES else "output"
                port = table % INPUT_TABLES
                text = (
                    f"{what} table of port {port}, position {position} reads {found:#x} "
                    f"after {word:#x} was written"
                )
                raise BoardError(text)
        count += len(words)
    return count


def refused(stdm: Block) -> None:
    """Raise when the switch refused anything."""
    found = stdm["refused"].fields()
    reason = found["reason"]
    if reason:
        why = REASONS.get(reason, f"reason {reason}")
        where = f"entry {found['entry']} of table {found['which']}"
        raise BoardError(f"the switch refused {where}: {why}")


def _wait(stdm: Block, name: str, value: int, problem: str) -> None:
    for _ in range(POLLS):
        if stdm["status"].get(name) == value:
            return
    raise BoardError(problem)


def _swap(board: Guarded, setup: BoardSetup) -> None:
    """Second round: the bank that was read back comes into force."""
    assert setup.switch is not None
    board.step = "its tables were swapped"
    stdm = RegisterMap(board).stdm
    before = stdm["status"].fields()
    stdm["command"].write(1)
    refused(stdm)
    _wait(stdm, "pending", 0, "the swap does not happen")
    after = stdm["status"].fields()
    if not after["run"] or after["bank"] == before["bank"]:
        raise BoardError("the swap did not bring the tables into force")
    board.step = "its tables were read back"
    read_back(stdm, setup.switch, active=True)
