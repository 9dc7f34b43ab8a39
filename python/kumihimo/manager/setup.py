# SPDX-License-Identifier: Apache-2.0
"""Wanted state of each board, from a cluster file's plan and a circuit plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..common.errors import KumiError, did_you_mean
from ..link.planner.plan_doc import Plan
from ..link.stdm_model import Tables
from .configure import BoardSetup, SwitchSetup


def switch_setup(plan: Plan, board: str) -> SwitchSetup:
    """Tables of one board of a plan."""
    data = plan.boards[board]
    channels = 1
    for port in data["ports"][: data["locals"]]:
        used = [e[1] for e in data["out"][port] if isinstance(e, list)]
        used += [e for e in data["in"][port] if e is not None]
        channels = max(channels, 1 + max(used, default=0))
    follow = data.get("follow")
    return SwitchSetup(
        tables=Tables.of_plan(plan.data, board),
        locals=int(data["locals"]),
        channels=channels,
        board_id=int(data.get("id", 0)),
        margin=int(plan.data.get("margin", 1)),
        follow=None if follow is None else data["ports"].index(follow),
        routes={
            data["ports"].index(port): list(row) for port, row in data.get("routes", {}).items()
        },
    )


def setups(
    boards: Sequence[str],
    plan: Plan | None,
    designs: Mapping[str, str] | None = None,
    registers: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> dict[str, BoardSetup]:
    """Setups by board.

    Args:
        boards: all boards.
        plan: circuits between these boards. None: no tables are written.
        designs: by board, the design that its identity block must name.
        registers: by board, addresses and values.
    """
    for board in plan.boards if plan is not None else ():
        if board not in boards:
            hint = did_you_mean(board, boards)
            raise KumiError(f"The plan has a board `{board}`, the cluster has none.{hint}", code=2)
    made = {}
    for board in boards:
        planned = plan is not None and board in plan.boards
        made[board] = BoardSetup(
            board,
            (designs or {}).get(board),
            tuple((registers or {}).get(board, ())),
            switch_setup(plan, board) if planned and plan is not None else None,
        )
    return made
