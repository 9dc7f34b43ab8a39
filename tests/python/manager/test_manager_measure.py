# SPDX-License-Identifier: Apache-2.0
"""Offsets that boards measure: read, planned with, and compared with a plan."""

from __future__ import annotations

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.link.plan_replay import load
from kumihimo.link.planner import plan
from kumihimo.link.planner.check import check
from kumihimo.link.planner.request import Request, parse_request
from kumihimo.manager.configure import configure
from kumihimo.manager.measure import differing, measured_plan, with_offsets
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.setup import setups
from kumihimo.manager.status import offsets, status

TEXT = """\
topology: {ring: 4}
slots: 24
circuits:
  - {from: n0, to: n2, slots: 4, both_ways: true}
  - {from: n3, to: n1, slots: 6}
"""
PHASES = {"n0": 0, "n1": 17, "n2": 5, "n3": 29}


def asked(more: str = "") -> Request:
    return parse_request(TEXT + more)


def boards_with_phases(request: Request) -> dict[str, ModelBoard]:
    """Boards whose TDM frames begin at different times: what the links then measure."""
    made = plan(request)
    boards = {name: ModelBoard(name, ports=3) for name in made.boards}
    for link in made.links:
        a, (b, port) = link["from"].split(".")[0], link["to"].split(".")
        number = made.boards[b]["ports"].index(port)
        offset = (link["cycles"] + PHASES[a] - PHASES[b]) % made.frame_cycles
        boards[b].measured[number] = offset
    return boards


def test_measured_offsets_make_a_plan_that_works() -> None:
    boards = boards_with_phases(asked())
    made, bad = measured_plan(list(boards.values()), asked(), timeout=5)
    assert bad == []
    assert len({link["offset"] for link in made.links}) > 2
    assert check(made.data).conflicts == []
    # The exact models with these phases of the boards give every circuit what it was promised.
    assert load(made.data).conflicts == []
    reports = configure(list(boards.values()), setups(list(boards), made))
    assert [r.problem for r in reports] == [""] * 4
    assert differing(made, status(list(boards.values()), made)) == []


def test_a_plan_for_other_offsets_is_noticed() -> None:
    boards = boards_with_phases(asked())
    expected = plan(asked())
    configure(list(boards.values()), setups(list(boards), expected))
    texts = differing(expected, status(list(boards.values()), expected))
    assert len(texts) == 8 and "planned 15" in texts[0]


def test_the_offset_belongs_to_the_output_that_feeds_the_link() -> None:
    boards = boards_with_phases(asked())
    made = plan(asked())
    configure(list(boards.values()), setups(list(boards), made))
    found = offsets(made, status(list(boards.values()), made))
    # From n0 to n1 a word is later by the hop and earlier by what n1 is behind.
    link = next(x for x in made.links if x["from"] == "n0.l0")
    assert found["n0.l0"] == (link["cycles"] + 0 - 17) % made.frame_cycles
    again = plan(with_offsets(asked(), found))
    assert {x["from"]: x["offset"] for x in again.links} == found


def test_a_dead_board_does_not_stop_the_others() -> None:
    class NoBus(ModelBoard):
        def read(self, addr: int, /) -> int:
            raise OSError(5, "Input/output error")

    boards = boards_with_phases(asked())
    boards["n3"] = NoBus("n3", ports=3)
    made, bad = measured_plan(list(boards.values()), asked(), timeout=2)
    assert [report.name for report in bad] == ["n3"]
    assert check(made.data).conflicts == []


def test_links_that_never_lock_are_named() -> None:
    class Dark(ModelBoard):
        def _read_switch(self, name: str, addr: int) -> int:
            return 0 if name == "link" else super()._read_switch(name, addr)

    boards = boards_with_phases(asked())
    boards["n2"] = Dark("n2", ports=3)
    with pytest.raises(KumiError, match="do not find the TDM frames"):
        measured_plan(list(boards.values()), asked(), timeout=0.5)


def test_the_smallest_table_is_kept_for_the_measured_plan() -> None:
    """With the boards in step 7 slots are enough; the measurement is made with that size."""
    request = asked("minimise: slots\n")
    smallest = plan(request).slots
    boards = {name: ModelBoard(name, ports=3) for name in plan(request).boards}
    for link in plan(request).links:
        b, port = link["to"].split(".")
        number = ["host0", "l0", "l1"].index(port)
        boards[b].measured[number] = link["offset"]
    made, _bad = measured_plan(list(boards.values()), request, timeout=5)
    assert made.slots == smallest
