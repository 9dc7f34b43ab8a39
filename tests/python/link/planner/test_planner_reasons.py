# SPDX-License-Identifier: Apache-2.0
"""Why there is no plan: the right reason with the right numbers, and never a wrong one."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from kumihimo.link.planner import hall, plan
from kumihimo.link.planner.check import check
from kumihimo.link.planner.exact import ExactPlanner
from kumihimo.link.planner.network import build_network
from kumihimo.link.planner.problem import Instance, instance
from kumihimo.link.planner.reasons import NoPlan, flow_reason
from kumihimo.link.planner.request import parse_request
from kumihimo.link.planner.routes import Routes
from planning import circuit, planned, refused, request, some_circuits


def test_no_way() -> None:
    links = "links: [{between: [a, b]}, {between: [c, d]}]"
    reason = refused(links, 8, circuit("a", "c")).reasons[0]
    assert reason.kind == "route" and "no link leads from a to c" in reason.text


def test_latency_bound_and_shortest_value() -> None:
    reason = refused("line: 3, delay: 50 ns", 8, circuit("n0", "n2", latency="'200 ns'")).reasons[0]
    assert reason.kind == "latency"
    assert reason.numbers == {"shortest_cycles": 34, "bound_cycles": 31}
    assert "217.6 ns" in reason.text
    planned("line: 3, delay: 50 ns", 16, circuit("n0", "n2", latency="'218 ns'"))


def test_wait_bound_needs_slots() -> None:
    reason = refused("line: 2", 10, circuit("n0", "n1", 2, wait="'32 ns'")).reasons[0]
    assert reason.kind == "wait" and reason.numbers["least_slots"] == 4  # 16 cycles, at most 5


def test_more_slots_than_a_table() -> None:
    reason = refused("line: 2", 10, circuit("n0", "n1", 11)).reasons[0]
    assert reason.kind == "slots" and reason.numbers == {"wanted": 11, "slots": 10}


def test_guards_on_the_way() -> None:
    reason = refused("line: 3", 8, circuit("n0", "n2", 8)).reasons[0]
    # 15 cycles a hop, 14 positions: the second crossing is one later, so one slot is lost.
    assert reason.kind == "slots" and reason.numbers["most"] == 7
    planned("line: 3", 8, circuit("n0", "n2", 7))


def test_host_port() -> None:
    asked = [circuit("n0", "n1", 5), circuit("n0", "n3", 5, name="other")]
    reason = refused("ring: 4", 8, *asked).reasons[0]
    assert reason.kind == "port" and reason.circuits == ("c0", "other")
    assert reason.numbers == {"wanted": 10, "slots": 8}
    planned("ring: 4, host_ports: 2", 8, *asked)


def test_channels() -> None:
    asked = [circuit("n0", "n1") for _ in range(5)]
    assert refused("line: 2", 16, *asked, more="channels: 4").reasons[0].kind == "channels"
    planned("line: 2, host_ports: 2", 16, *asked, more="channels: 3")


def test_cut_set_names_links_and_numbers() -> None:
    """Two halves of a mesh, joined by three cables."""
    asked = [circuit(f"n{i}_{j}", f"n{3 - i}_{j}", 40) for i in (0, 1) for j in range(3)]
    reason = refused("mesh: [4, 3], host_ports: 2", 64, *asked).reasons[0]
    assert reason.kind == "cut" and reason.numbers == {"wanted": 240, "slots": 192, "links": 3}
    assert [re.sub(r"\.l\d", "", name) for name in reason.links] == [
        f"n1_{j} -> n2_{j}" for j in range(3)
    ]
    assert set(reason.circuits) == {f"c{i}" for i in range(6)}


def test_flow_finds_what_single_cuts_do_not() -> None:
    """K(2,3) with a demand between all pairs of one side: no cut is overloaded, yet it is too much.

    The classic gap between cuts and flows: every cut has room for the demands that cross it.
    """
    links = ", ".join(f"{{between: [{a}, {b}]}}" for a in "xy" for b in "pqr")
    pairs = [("p", "q"), ("q", "r"), ("r", "p"), ("x", "y")]
    asked = [circuit(a, b, 32, both_ways=True) for a, b in pairs]
    text = request(f"links: [{links}], host_ports: 4", 32, *asked, more="follow: x")
    asking = parse_request(text)
    made = instance(asking, build_network(asking), 32)
    reason = flow_reason(made)
    assert reason is not None and reason.kind == "capacity"
    # By hand: 3 pairs and one, 2 hops each, both ways, are 16 full links of the 12 there are.
    assert reason.numbers["load"] == pytest.approx(16 / 12)


def test_solver_finds_the_smallest_set() -> None:
    """Bounds force three circuits over one link whose slots are too few; others are not named."""
    asked = [
        circuit("n0", "n1", 6, latency="'122 ns'"),
        circuit("n0.host1", "n1.host1", 6, latency="'122 ns'"),
        circuit("n0.host2", "n1.host2", 6, latency="'122 ns'"),
        circuit("n2", "n3", 2),
        circuit("n3", "n2", 2),
    ]
    problem = refused("ring: 4, host_ports: 3", 16, *asked)
    assert problem.proved and problem.reasons[0].kind == "circuits"
    assert problem.reasons[0].circuits == ("c0", "c1", "c2")
    planned("ring: 4, host_ports: 3", 16, asked[0], asked[1], *asked[3:])


def test_smallest_table() -> None:
    asked = [circuit(f"n{i}", f"n{(i + 1) % 5}", 3) for i in range(5)]
    made = planned("ring: 5", 20, *asked, more="minimise: slots")
    # Three slots are not enough: one word would arrive at the position that may be skipped.
    assert made.slots == 4 and made.data["found"]["optimal"]


def test_least_latency() -> None:
    """Both circuits cannot go the short way; the solver proves what is lost."""
    asked = [circuit("n0.host0", "n1.host0", 9), circuit("n0.host1", "n1.host1", 9)]
    made = planned("ring: 3, host_ports: 2", 16, *asked, more="minimise: latency")
    found = made.data["found"]
    assert found["optimal"] and found["latency_sum"] == 19 + 34


# ---- against trying everything -----------------------------------------------------------------


def _every_route(made: Instance, demand_index: int) -> list[tuple[int, ...]]:
    """Simple paths by a plain walk, apart from the planner's own search."""
    demand = made.demands[demand_index]
    out = []

    def walk(here: str, links: tuple[int, ...], seen: frozenset[str]) -> None:
        if here == demand.target:
            out.append(links)
            return
        for link in made.network.links:
            if link.a == here and link.b not in seen:
                walk(link.b, (*links, link.index), seen | {link.b})

    walk(demand.source, (), frozenset([demand.source]))
    return out


def _there_is_a_plan(made: Instance) -> bool:
    total, slots = made.slots + made.timing.guard, made.slots
    offsets = made.timing.offset

    def cells(index: int, links: tuple[int, ...], x: int) -> set[tuple[str, int]] | None:
        demand = made.demands[index]
        out = {(f"into {demand.source}", x)}
        for link in links:
            if x >= slots:
                return None
            out.add((f"link {link}", x))
            x = (x + offsets[link]) % total
        if x == total - 2:
            return None
        return out | {(f"out of {demand.target}", x)}

    def place(index: int, taken: set[tuple[str, int]]) -> bool:
        if index == len(made.demands):
            return True
        for links in _every_route(made, index):
            options = [c for x in range(slots) if (c := cells(index, links, x)) is not None]
            for chosen in itertools.combinations(options, made.demands[index].count):
                new = set().union(*chosen)
                if not new & taken and place(index + 1, taken | new):
                    return True
        return False

    return place(0, set())


@pytest.mark.parametrize("seed", range(60))
def test_against_trying_everything(seed: int) -> None:
    """Small requests: a plan is found exactly when there is one, and every "no" is a proof."""
    draw = random.Random(seed)
    shape = draw.choice(
        [
            "line: 3",
            "ring: 3",
            "ring: 4",
            "links: [{between: [n0, n1]}, "
            "{between: [n1, n2]}, {between: [n2, n0]}, {between: [n2, n3]}]",
        ]
    )
    boards = ["n0", "n1", "n2"] if "3" in shape and "n3" not in shape else ["n0", "n1", "n2", "n3"]
    slots = draw.randint(2, 5)
    asked = some_circuits(draw, boards, draw.randint(2, 5), 2)
    more = draw.choice(["", "follow: n0", "guard: 9"])
    text = request(shape, slots, *asked, more=more)
    asking = parse_request(text)
    made = instance(asking, build_network(asking), slots)
    exists = _there_is_a_plan(made)
    try:
        found = plan(asking)
    except NoPlan as problem:
        assert problem.proved and not exists, str(problem)
    else:
        assert exists and check(found.data).conflicts == []
    # The solver alone, and the count of positions, must not disagree either.
    answer = ExactPlanner(made, Routes(made), 20).plan()
    assert answer.status == ("plan" if exists else "none") and answer.complete
    if exists:
        assert hall.hall_reason(made) is None and flow_reason(made) is None


@pytest.mark.parametrize("seed", range(4))
def test_counting_positions_agrees_with_routes(seed: int) -> None:
    """`reached` never excludes a position that a real route allows."""
    draw = random.Random(seed)
    asking = parse_request(request("mesh: [3, 3]", 20, circuit("n0_0", "n2_2"), more="guard: 8"))
    made = instance(asking, build_network(asking), 20)
    state = hall.reached(made, "n0_0")
    board = draw.choice(["n0_1", "n2_2", "n1_2"])
    allowed = 0
    for mask in state[board]:
        allowed |= mask
    routes, whole = Routes(made).every("n0_0", board, None, 500)
    assert whole
    enter, leave = made.host_input["n0_0", "host0"], made.host_output[board, "host0"]
    for links in routes:
        assert made.route(enter, links, leave).legal & ~allowed == 0
