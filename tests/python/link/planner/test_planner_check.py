# SPDX-License-Identifier: Apache-2.0
"""The independent check: every way to spoil a sound plan is noticed, and named."""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from kumihimo.common.paths import project_root
from kumihimo.link.planner.check import check
from planning import circuit, planned, some_circuits

Data = dict[str, Any]


@pytest.fixture(scope="module")
def sound() -> Data:
    circuits = [
        circuit("n0", "n2", 4, name="far"),
        circuit("n1", "n2", 3, name="near"),
        circuit("n3", "n1", 2, name="back"),
    ]
    made = planned("ring: 4", 16, *circuits, more="best_effort: true")
    return made.data


def _first(data: Data, name: str) -> tuple[list[Any], int]:
    """The table of the first link of a circuit, and a position of it there."""
    found = next(c for c in data["circuits"] if c["name"] == name)
    board, port = found["route"][0].split(".")
    return data["boards"][board]["out"][port], found["positions"][0]


def _drop(data: Data) -> None:
    table, position = _first(data, "far")
    table[position] = None


def _steal(data: Data) -> None:
    """A word of one circuit goes to the channel of another."""
    table = data["boards"]["n2"]["out"]["host0"]
    owners = [e[1] if e else None for e in table]
    table[owners.index(0)] = list(table[owners.index(1)])


def _copy(data: Data) -> None:
    table, position = _first(data, "far")
    other = data["boards"]["n0"]["out"]["l1"]
    other[position] = table[position]


def _guard(data: Data) -> None:
    table, position = _first(data, "far")
    table[17] = table[position]


def _skip(data: Data) -> None:
    data["boards"]["n1"]["out"]["host0"][20] = [1, 0]


def _wait(data: Data) -> None:
    data["boards"]["n1"]["out"]["host0"][3] = [1, 0]


def _channel(data: Data) -> None:
    for table in data["boards"]["n2"]["out"].values():
        for entry in table:
            if isinstance(entry, list):
                entry[1] = 5


def _pull(data: Data) -> None:
    data["boards"]["n1"]["in"]["host0"][0] = 9


def _offset(data: Data) -> None:
    link = next(x for x in data["links"] if x["from"] == data["circuits"][0]["route"][0])
    link["offset"] = (link["offset"] + 1) % 22


def _slow(data: Data) -> None:
    link = next(x for x in data["links"] if x["from"] == data["circuits"][0]["route"][0])
    link["cycles"] += 1


def _promise(data: Data) -> None:
    data["circuits"][0]["slots"] += 1


def _late(data: Data) -> None:
    data["circuits"][0]["wait_cycles"] -= 1


def _elsewhere(data: Data) -> None:
    data["circuits"][0]["to"] = "n3.host0"


def _route(data: Data) -> None:
    data["circuits"][0]["route"] = ["n0.l1", "n3.l0"]


def _one_sided(data: Data) -> None:
    table = data["boards"]["n3"]["out"]["l0"]
    table[table.index("free")] = None


def _short(data: Data) -> None:
    data["boards"]["n3"]["out"]["l0"].pop()


def _input(data: Data) -> None:
    table, position = _first(data, "far")
    table[position] = [7, 0]


def _owner(data: Data) -> None:
    table, position = _first(data, "far")
    table[position] = [0, 64]


def _wired_twice(data: Data) -> None:
    data["links"][0]["to"] = data["links"][2]["to"]


def _no_such_port(data: Data) -> None:
    data["links"][0]["to"] = "n7.l0"


def _long(data: Data) -> None:
    data["slots"] = 257


def _loop(data: Data) -> None:
    """A word that is sent round the ring for ever: offsets that bring it back to its position."""
    for link in data["links"]:
        link["offset"] = 0
    for board in data["boards"].values():
        for side in ("out", "in"):
            for port, table in board[side].items():
                board[side][port] = [None] * len(table)
    # A board's l1 leads to the l0 of the next around the ring.
    wires = {x["from"]: x["to"] for x in data["links"]}
    port = "n0.l0"
    data["boards"]["n0"]["in"]["host0"][2] = 0
    data["boards"]["n0"]["out"]["l0"][2] = [0, 0]
    while True:
        board, came = wires[port].split(".")
        if board == "n0":
            break
        out = "l1" if came == "l0" else "l0"
        ports = data["boards"][board]["ports"]
        data["boards"][board]["out"][out][2] = [ports.index(came), 0]
        port = f"{board}.{out}"


def _no_table(data: Data) -> None:
    del data["boards"]["n1"]["in"]


SPOILED: list[tuple[Callable[[Data], None], str]] = [
    (_drop, "0 outputs of n0 take its word"),
    (_steal, "end at one channel"),
    (_copy, "2 outputs of n0 take its word"),
    (_guard, "may carry nothing"),
    (_skip, "position 20 may carry nothing"),
    (_wait, "waits for no circuit's word"),
    (_channel, "came out at"),
    (_pull, "nobody's|outputs of n1 take"),
    (_offset, "outputs of"),
    (_slow, "a word takes"),
    (_promise, "words a TDM frame, not"),
    (_late, "waits up to"),
    (_elsewhere, "came out at|not on its route"),
    (_route, "not on its route"),
    (_one_sided, "differ on best effort"),
    (_short, "21 entries for 22 positions"),
    (_input, "selects input 7"),
    (_owner, "owner 64"),
    (_wired_twice, "two links share an end"),
    (_no_such_port, "does not exist"),
    (_long, "not a legal TDM frame"),
    (_no_table, "malformed"),
    (_loop, "0 outputs of n0|for ever"),
]


@pytest.mark.parametrize(("spoil", "words"), SPOILED, ids=[s.__name__ for s, _w in SPOILED])
def test_a_spoiled_plan_is_refused(sound: Data, spoil: Callable[[Data], None], words: str) -> None:
    data = copy.deepcopy(sound)
    spoil(data)
    conflicts = check(data).conflicts
    assert any(re.search(words, text) for text in conflicts), conflicts[:5]


def test_every_single_entry_matters(sound: Data) -> None:
    """Any circuit entry of any table taken away, or put one position further, is noticed."""
    seen = 0
    for name, board in sound["boards"].items():
        for side in ("out", "in"):
            for port, table in board[side].items():
                for position, entry in enumerate(table):
                    if entry is None or entry == "free":
                        continue
                    for move in (False, True):
                        data = copy.deepcopy(sound)
                        row = data["boards"][name][side][port]
                        row[position] = None
                        if move:
                            row[(position + 1) % len(row)] = entry
                        assert check(data).conflicts, (name, side, port, position)
                        seen += 1
    # far: 1 pull and 3 crossings a word; near and back likewise.
    words = {c["name"]: c["slots"] * (2 + len(c["route"])) for c in sound["circuits"]}
    assert seen == 2 * sum(words.values())


def test_random_entries_are_noticed() -> None:
    """An entry that no circuit needs is noticed too, wherever it is added."""
    draw = random.Random(3)
    boards = [f"n{x}_{y}" for x in range(3) for y in range(3)]
    data = planned("mesh: [3, 3]", 16, *some_circuits(draw, boards, 8, 2)).data
    for _ in range(100):
        spoiled = copy.deepcopy(data)
        board = spoiled["boards"][draw.choice(boards)]
        row = board["out"][draw.choice(board["ports"])]
        position = draw.randrange(len(row))
        entry = [draw.randrange(len(board["ports"])), 0]
        if row[position] == entry:
            continue
        row[position] = entry
        assert check(spoiled).conflicts


def test_the_check_shares_no_code_with_the_planner() -> None:
    path = project_root() / "python" / "kumihimo" / "link" / "planner" / "check.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [
        node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert set(names) <= {"__future__", "collections", "dataclasses", "itertools", "typing"}
