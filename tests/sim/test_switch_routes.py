# SPDX-License-Identifier: Apache-2.0
"""Switches whose cables form a loop: given routes, and a tree for broadcasts and strangers."""

from __future__ import annotations

from typing import Any

import pytest
from kumihimo._engine import Engine, EngineError
from simkit import BROADCAST, US, frame, mac, tag_of

# Three switches in a ring, a station at port 0 of each; port 1 leads to the next, port 2 to the one
# before. The tree leaves out the cable between the last and the first.
NEXT, BEFORE = 1, 2
TREES = ([0, NEXT], [0, NEXT, BEFORE], [0, BEFORE])


def ring() -> tuple[Any, list[int]]:
    eng = Engine(1)
    switches, ends = [], []
    for i in range(3):
        routes = [(i, 0), ((i + 1) % 3, NEXT), ((i + 2) % 3, BEFORE)]
        addresses = [(int.from_bytes(mac(station), "big"), port) for station, port in routes]
        switches.append(eng.add_switch(f"s{i}", ports=3, routes=addresses, flood=TREES[i]))
    for i in range(3):
        ends.append(eng.add_script(f"x{i}"))
        eng.connect((ends[i], ""), (switches[i], "0"), rate_bps=10e9)
        eng.connect((switches[i], str(NEXT)), (switches[(i + 1) % 3], str(BEFORE)), rate_bps=10e9)
    eng.start()
    return eng, ends


def received(eng: Any, ends: list[int]) -> list[list[int]]:
    eng.run(20 * US)
    return [[tag_of(data) for _, data in eng.received(end)] for end in ends]


def passed(eng: Any, switch: str, port: int) -> int:
    return int(eng.stats()["switches"][switch]["ports"][str(port)]["tx_frames"])


def test_known_stations_take_the_shortest_way() -> None:
    """Also over the cable that is not in the tree, and from the first frame on."""
    eng, ends = ring()
    eng.send(ends[0], frame(mac(2), mac(0), tag=1))
    assert received(eng, ends) == [[], [], [1]]
    assert passed(eng, "s0", BEFORE) == 1 and passed(eng, "s0", NEXT) == 0


def test_broadcasts_come_once_and_end() -> None:
    eng, ends = ring()
    eng.send(ends[0], frame(BROADCAST, mac(0), tag=2))
    eng.send(ends[1], frame(mac(7), mac(1), tag=3))  # nobody has that address
    assert received(eng, ends) == [[3], [2], [3, 2]]
    assert received(eng, ends) == [[], [], []]
    assert passed(eng, "s0", BEFORE) == passed(eng, "s2", NEXT) == 0


def test_a_stranger_is_learned_where_the_tree_leads() -> None:
    """Its broadcast comes along the tree, and frames to it go back along it."""
    eng, ends = ring()
    eng.send(ends[2], frame(BROADCAST, mac(9), tag=4))
    received(eng, ends)
    eng.send(ends[0], frame(mac(9), mac(0), tag=5))
    assert received(eng, ends) == [[], [], [5]]
    assert passed(eng, "s0", NEXT) == 1


@pytest.mark.parametrize("options", [{"routes": [(1, 3)]}, {"flood": [3]}])
def test_ports_that_a_switch_has_not(options: dict[str, Any]) -> None:
    with pytest.raises(EngineError, match="port it has not"):
        Engine(1).add_switch("s", ports=3, **options)
