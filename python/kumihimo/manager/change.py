# SPDX-License-Identifier: Apache-2.0
"""Changes the plan of a running network in three table swaps, without losing a word.

Circuits that change stop at their sources, then the new routes are set up, then the sources start.
Boards need not swap together; words in flight arrive between two swaps. Circuits that are equal in
both plans are not interrupted. Words queued in a channel stay there, so a channel should belong to
the same circuit in both plans.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..common.errors import KumiError
from ..link.planner.plan_doc import Plan
from ..link.stdm import Stdm
from ..link.stdm_replay import drain_cycles, swap_steps
from ..regs import RegisterMap
from .board import Board, BoardError, Guarded
from .configure import BoardReport, BoardSetup, SwitchSetup, compare, configure, padded
from .parallel import on_all
from .setup import switch_setup

STEPS = ("circuits that change are stopped", "new ways are laid", "circuits are started")


def check_alike(old: Plan, new: Plan) -> None:
    """Reject plans of different networks, which require a full configuration."""
    same = {
        "slots and guard": (old.slots, old.data["guard"]) == (new.slots, new.data["guard"]),
        "links": old.links == new.links,
        "boards": {n: b["ports"] for n, b in old.boards.items()}
        == {n: b["ports"] for n, b in new.boards.items()},
    }
    for what, alike in same.items():
        if not alike:
            raise KumiError(
                f"The two plans differ in their {what}; only circuits can change as they run.",
                "Leave `--from` away; circuits are then interrupted.",
                2,
            )


def change(
    boards: Sequence[Board], old: Plan, new: Plan, timeout: float = 30.0, parallel: int = 64
) -> list[BoardReport]:
    """Change the active plan. Ends at the first step in which a board fails."""
    check_alike(old, new)
    here = [board for board in boards if board.name in new.boards]
    setups = {board.name: replace(switch_setup(new, board.name), live=True) for board in here}
    olds = {board.name: switch_setup(old, board.name) for board in here}
    checked = on_all(here, lambda b: _in_force(b, olds[b.board.name]), timeout, parallel)
    reports = {o.name: BoardReport(o.name, o.problem, o.seconds, o.accesses) for o in checked}
    if any(r.problem for r in reports.values()):
        return list(reports.values())
    turns = math.ceil(max(drain_cycles(old.data), drain_cycles(new.data)) / new.frame_cycles) + 1
    for number, tables in enumerate(swap_steps(old.data, new.data)):
        wanted = {
            name: BoardSetup(name, switch=replace(setup, tables=tables[name]))
            for name, setup in setups.items()
        }
        failed = False
        for report in configure(here, wanted, timeout, parallel):
            total = reports[report.name]
            total.seconds += report.seconds
            total.accesses += report.accesses
            total.words += report.words
            total.steps[STEPS[number]] = report.seconds
            if report.problem:
                total.problem = f"while {STEPS[number]}: {report.problem}"
                failed = True
        if not failed:
            for outcome in on_all(here, lambda b: _drain(b, turns), timeout, parallel):
                reports[outcome.name].problem = outcome.problem
                failed |= bool(outcome.problem)
        if failed:
            break
    return [reports[board.name] for board in here]


def _in_force(board: Guarded, setup: SwitchSetup) -> None:
    """Check that the old plan is the active one, as the steps require."""
    board.board.start()
    board.step = "its tables in force were read"
    stdm = Stdm(board, RegisterMap(board).stdm.base)
    if not stdm.running:
        raise BoardError("no table is in force")
    try:
        compare(stdm, padded(setup.tables, stdm.ports), active=True)
    except BoardError as problem:
        raise BoardError(f"the old plan is not in force: {problem.text}") from None


def _drain(board: Guarded, turns: int) -> None:
    """Wait some TDM frames."""
    board.step = "words on their way arrived"
    counter = RegisterMap(board).stdm["tdm_frames"]
    begin = counter.read()
    while (counter.read() - begin) % 2**32 < turns:
        pass
