# SPDX-License-Identifier: Apache-2.0
"""Plans with measured offsets, for boards whose TDM frames are not aligned.

Boards start their TDM frames at arbitrary times, so the offset that a link adds to a word's
position is known only when both boards run. Tables without circuits suffice: they are activated
first, links align to the TDM frames of their peers, and the offsets are read. Later swaps with the
same slots and guard do not change the offsets.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..clusterfile.source import Source
from ..common.errors import KumiError
from ..link.planner import plan
from ..link.planner.plan_doc import Plan
from ..link.planner.request import Request
from .board import Board
from .configure import BoardReport, configure
from .setup import setups
from .status import BoardStatus, offsets, status

PAUSE = 0.05  # seconds between polls


def empty(request: Request) -> Request:
    """The request without circuits."""
    spec = request.spec.model_copy(update={"circuits": [], "minimise": "nothing"})
    return Request(spec, request.source)


def with_offsets(request: Request, measured: dict[str, int]) -> Request:
    """The request with measured offsets."""
    spec = request.spec.model_copy(update={"offsets": measured})
    return Request(spec, Source(request.file, request.source.text, request.source.data))


def missing(plan: Plan, measured: dict[str, int]) -> list[str]:
    """Links of a plan without a measured offset."""
    return [link["from"] for link in plan.links if link["from"] not in measured]


def differing(plan: Plan, found: Sequence[BoardStatus]) -> list[str]:
    """Sentences about links whose measured offset differs from the plan."""
    measured = offsets(plan, found)
    return [
        f"{link['from']}: measured {measured[link['from']]}, planned {link['offset']}"
        for link in plan.links
        if link["from"] in measured and measured[link["from"]] != link["offset"]
    ]


def measured_plan(
    boards: Sequence[Board], request: Request, timeout: float, parallel: int = 64
) -> tuple[Plan, list[BoardReport]]:
    """Start the boards without circuits, measure offsets, and plan.

    Returns the plan, and the reports of boards that failed: for their links the plan uses expected
    instead of measured offsets.
    """
    if request.spec.minimise == "slots":
        found = plan(request)
        fixed = {"slots": found.slots, "minimise": "nothing"}
        request = Request(request.spec.model_copy(update=fixed), request.source)
    first = plan(empty(request))
    here = [board for board in boards if board.name in first.boards]
    lacking = set(first.boards) - {board.name for board in here}
    if lacking:
        raise KumiError(
            f"The plan has boards that the cluster lacks: {', '.join(lacking)}.", code=2
        )
    reports = configure(here, setups([b.name for b in here], first), timeout, parallel)
    bad = [report for report in reports if report.problem]
    well = [b for b in here if b.name not in {report.name for report in bad}]
    end = time.monotonic() + timeout
    while True:
        measured = offsets(first, status(well, None, timeout, parallel))
        open_ = missing(first, measured)
        known = {board.name for board in well}
        waits = [
            link["from"]
            for link in first.links
            if link["from"] in open_
            and {link["from"].split(".")[0], link["to"].split(".")[0]} <= known
        ]
        if not waits:
            break
        if time.monotonic() > end:
            text = (
                f"These links do not find the TDM frames of their other side: {', '.join(waits)}."
            )
            raise KumiError(text, "Look at the lanes: kumi cluster status.")
        time.sleep(PAUSE)
    return plan(with_offsets(request, measured)), bad
