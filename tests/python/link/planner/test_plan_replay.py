# SPDX-License-Identifier: Apache-2.0
"""Plans under full load in the cycle-exact models of the switches."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import pytest
from kumihimo.common.paths import project_root
from kumihimo.link.plan_replay import load
from kumihimo.link.planner import plan_file
from kumihimo.link.planner.picture import layout, owners, picture
from planning import circuit, planned, some_circuits


@pytest.mark.parametrize("shape", ["ring: 4", "mesh: [4, 4]", "torus: [4, 4]", "line: 3"])
@pytest.mark.parametrize("follow", [False, True])
def test_every_circuit_gets_what_it_was_promised(shape: str, follow: bool) -> None:
    draw = random.Random(shape)
    grid = [f"n{x}_{y}" for x in range(4) for y in range(4)]
    boards = grid if "[" in shape else [f"n{i}" for i in range(int(shape[-1]))]
    more = f"follow: {boards[1]}" if follow else ""
    made = planned(shape, 24, *some_circuits(draw, boards, 8, 3), more=more)
    found = load(made.data)
    assert found.conflicts == []
    assert found.words > 2 * sum(c["slots"] for c in made.circuits)


def test_local_circuits_and_several_host_ports() -> None:
    made = planned(
        "ring: 3, host_ports: 2",
        8,
        circuit("n0.host0", "n0.host1", 8),
        circuit("n0.host1", "n2", 4),
        circuit("n1", "n0.host0", 3),
    )
    assert load(made.data).conflicts == []


def test_a_spoiled_plan_does_not_keep_its_promise() -> None:
    made = planned("ring: 4", 16, circuit("n0", "n2", 4), circuit("n1", "n3", 2))
    route = made.circuits[0]["route"]

    wrong_offset = copy.deepcopy(made.data)
    link = next(x for x in wrong_offset["links"] if x["from"] == route[0])
    link["offset"] = (link["offset"] + 1) % made.frame_cycles
    assert "no phases" in load(wrong_offset).conflicts[0]

    late = copy.deepcopy(made.data)
    link = next(x for x in late["links"] if x["from"] == route[0])
    for each in (link, *(x for x in late["links"] if x is not link)):
        each["cycles"] += 1  # the tables were made for shorter cables
        each["offset"] = (each["offset"] + 1) % made.frame_cycles
    assert load(late).conflicts

    hole = copy.deepcopy(made.data)
    board, port = route[1].split(".")
    table = hole["boards"][board]["out"][port]
    table[next(i for i, e in enumerate(table) if isinstance(e, list))] = None
    conflicts = load(hole).conflicts
    assert any("3 words" in c or "words in" in c for c in conflicts)
    assert any("stray" in c for c in conflicts)


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_picture(tmp_path: Path, suffix: str) -> None:
    made = plan_file(project_root() / "examples" / "ring_plan.yaml")
    file = tmp_path / f"plan{suffix}"
    picture(made, file)
    raw = file.read_bytes()
    assert raw.startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")
    if suffix == ".svg":
        again = tmp_path / "again.svg"
        picture(made, again)
        assert again.read_bytes() == raw


@pytest.mark.parametrize(
    "shape", ["line: 3", "ring: 5", "mesh: [2, 2, 2]", "hypercube: 4", "links: [{between: [a, b]}]"]
)
def test_boards_stand_apart(shape: str) -> None:
    ends = ("a", "b") if "links" in shape else ()
    made = planned(shape, 16, *([circuit(*ends)] if ends else []))
    places = list(layout(made).values())
    assert len({(round(x, 3), round(y, 3)) for x, y in places}) == len(made.boards)


def test_owners_are_those_of_the_tables() -> None:
    made = planned("ring: 4", 16, circuit("n0", "n2", 4), circuit("n1", "n3", 2))
    written = {
        (f"{board}.{port}", position)
        for board, data in made.boards.items()
        for port in data["ports"]
        for position, entry in enumerate(data["out"][port])
        if isinstance(entry, list)
    }
    assert set(owners(made)) == written
