# SPDX-License-Identifier: Apache-2.0
"""A change of plan in a running network: three swaps, nothing else touched, ended by a failure."""

from __future__ import annotations

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.link.planner import plan
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.planner.request import parse_request
from kumihimo.link.stdm_model import Tables
from kumihimo.manager.change import change
from kumihimo.manager.configure import configure
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.setup import setups

OLD = """\
topology: {ring: 4}
slots: 16
best_effort: true
circuits:
  - {name: a, from: n0, to: n2, slots: 4}
  - {name: b, from: n1, to: n0, slots: 3}
"""


def made(text: str = OLD) -> Plan:
    return plan(parse_request(text))


class Watched(ModelBoard):
    """Remembers what was in force, swap by swap, and writes to settings."""

    def __init__(self, name: str) -> None:
        super().__init__(name, ports=5)
        self.history: list[dict[tuple[int, int], int]] = []
        self.settings: list[str] = []

    def _swap(self) -> None:
        super()._swap()
        self.history.append(dict(self.banks[1 - self.bank]))

    def _write_switch(self, name: str, addr: int, data: int) -> None:
        if name in ("timing", "link", "board"):
            self.settings.append(name)
        super()._write_switch(name, addr, data)


def running(old: Plan) -> dict[str, Watched]:
    boards = {name: Watched(name) for name in old.boards}
    reports = configure(list(boards.values()), setups(list(boards), old))
    assert [r.problem for r in reports] == [""] * 4
    for board in boards.values():
        board.history.clear()
        board.settings.clear()
    return boards


def words(bank: dict[tuple[int, int], int], data: Plan, name: str) -> bool:
    tables = Tables.of_plan(data.data, name)
    rows = {**dict(enumerate(tables.out)), **{32 + i: r for i, r in enumerate(tables.into)}}
    return all(
        bank[table, position] == entry.encode()
        for table, row in rows.items()
        for position, entry in enumerate(row)
    )


def test_three_swaps_and_the_new_plan_is_in_force() -> None:
    """The boards have more ports than the plan; those stay empty."""
    old, new = made(), made(OLD + "  - {name: c, from: n3, to: n1, slots: 5}\n")
    boards = running(old)
    reports = change(list(boards.values()), old, new)
    assert [r.problem for r in reports] == [""] * 4
    for name, board in boards.items():
        assert len(board.history) == 3 and board.settings == []
        assert words(board.history[2], new, name)
        assert not any(board.history[2].get((4, x), 0) for x in range(22))
    # The new circuit is pulled only after its way was laid everywhere.
    pulls = [sum(v > 0 for (t, _x), v in bank.items() if t == 32) for bank in boards["n3"].history]
    assert pulls[0] == pulls[1] == 0 and pulls[2] == 5


def test_a_problem_stops_the_change() -> None:
    old, new = made(), made(OLD.replace("slots: 3", "slots: 5"))
    boards = running(old)
    boards["n2"].channels = 0
    reports = {r.name: r for r in change(list(boards.values()), old, new)}
    assert "circuits that change are stopped" in reports["n2"].problem
    assert len(boards["n0"].history) == 1  # the others did only the first step


def test_the_old_plan_must_be_in_force() -> None:
    old, new = made(), made(OLD.replace("slots: 3", "slots: 5"))
    boards = running(new)
    reports = change(list(boards.values()), old, new)
    assert any("the old plan is not in force" in r.problem for r in reports)
    assert not any(board.history for board in boards.values())


@pytest.mark.parametrize(
    ("change_", "words_"),
    [(("slots: 16", "slots: 20"), "slots and guard"), (("ring: 4", "ring: 5"), "links")],
)
def test_plans_of_other_networks(change_: tuple[str, str], words_: str) -> None:
    with pytest.raises(KumiError, match=words_):
        change([], made(), made(OLD.replace(*change_)))
