# SPDX-License-Identifier: Apache-2.0
"""Plans for every shape and option; each is verified by the independent check."""

from __future__ import annotations

import random
from pathlib import Path

import networkx as nx
import pytest
from kumihimo.clusterfile import ClusterFileError
from kumihimo.common.paths import project_root
from kumihimo.link.planner import plan, plan_file, slots
from kumihimo.link.planner.check import check
from kumihimo.link.planner.network import build_network
from kumihimo.link.planner.plan_doc import load_plan
from kumihimo.link.planner.request import parse_request
from planning import circuit, planned, request, some_circuits


@pytest.mark.parametrize(
    ("topology", "boards", "cables"),
    [
        ("line: 5", 5, 4),
        ("ring: 2", 2, 1),
        ("ring: 7", 7, 7),
        ("mesh: [4, 4]", 16, 24),
        ("mesh: [2, 3, 2]", 12, 20),
        ("torus: [4, 4]", 16, 32),
        ("torus: [2, 5]", 10, 15),
        ("full: 6", 6, 15),
        ("hypercube: 4", 16, 32),
        ("ring: 4, parallel: 2", 4, 8),
    ],
)
def test_shapes(topology: str, boards: int, cables: int) -> None:
    network = build_network(parse_request(request(topology, 32)))
    assert (len(network.ports), network.cables, len(network.links)) == (boards, cables, 2 * cables)
    assert nx.is_strongly_connected(network.graph())
    draw = random.Random(topology)
    planned(topology, 64, *some_circuits(draw, list(network.ports), min(12, 3 * boards), 3))


def test_torus_is_networkx_torus() -> None:
    ours = nx.Graph(build_network(parse_request(request("torus: [4, 5]", 8))).graph())
    assert nx.is_isomorphic(ours, nx.grid_graph((5, 4), periodic=True))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("follow", ["", "follow: n1"])
def test_random_plans(seed: int, follow: str) -> None:
    draw = random.Random(seed)
    shape = draw.choice(["ring: 6", "mesh: [3, 3]", "torus: [3, 3]", "hypercube: 3"])
    boards = list(build_network(parse_request(request(shape, 8))).ports)
    if follow:
        follow = f"follow: {boards[1]}"
    slots = draw.choice([16, 50, 256])
    guard = draw.randint(6, 16)
    more = f"guard: {guard}\n{follow}"
    planned(shape, slots, *some_circuits(draw, boards, 10, slots // 16), more=more)


def test_bandwidth_in_all_its_forms() -> None:
    text = """\
topology: {ring: 3}
slots: 32
circuits:
  - {name: part, from: n0, to: n1, share: 1/4}
  - {name: percent, from: n0, to: n2, share: 12.5 %}
  - {name: rate, from: n1, to: n2, rate: 2 Gb/s}
  - {name: least, from: n2, to: n0}
  - {name: both, from: n1, to: n0, slots: 3, both_ways: true}
"""
    made = plan(parse_request(text))
    slots = {c["name"]: c["slots"] for c in made.circuits}
    # A slot of 38 cycles carries 64 bits at 156.25 MHz: 263.16 Mb/s.
    assert slots == {"part": 8, "percent": 4, "rate": 8, "least": 1, "both": 3, "both_back": 3}
    rate = next(c for c in made.circuits if c["name"] == "rate")
    assert rate["rate_bps"] == pytest.approx(8 * 64 * 156.25e6 / 38)
    assert rate["rate_bps"] >= 2e9


def test_latency_is_the_sum_of_hops() -> None:
    made = planned("line: 3, delay: 50 ns", 16, circuit("n0", "n2"), circuit("n0", "n1"))
    # Per hop 3 + 1 margin + 3 link + 8 cycles of cable; 4 at the ports.
    assert [c["latency_cycles"] for c in made.circuits] == [34, 19]
    assert made.circuits[0]["latency_ns"] == pytest.approx(34 * 6.4)


def test_wait_bound_spreads_slots() -> None:
    loose = planned("ring: 4", 58, circuit("n0", "n2", 8))
    tight = planned("ring: 4", 58, circuit("n0", "n2", 8, wait="'96 ns'"))
    assert tight.circuits[0]["wait_cycles"] <= 15
    assert loose.circuits[0]["wait_cycles"] <= 30  # spread anyway


def test_tables_without_loss_when_boards_follow() -> None:
    """With all boards in step along the ring every slot of a link can be used two hops far."""
    made = planned("line: 3", 8, circuit("n0", "n2", 8), more="follow: n0")
    assert made.circuits[0]["positions"] == list(range(8))
    assert [link["offset"] for link in made.links if link["from"] == "n0.l0"] == [0]


def test_measured_offsets_are_used() -> None:
    more = "offsets: {n0.l0: 3, n1.l0: 5}"
    made = planned("line: 2", 8, circuit("n0", "n1", 2), more=more)
    assert {link["from"]: link["offset"] for link in made.links} == {"n0.l0": 3, "n1.l0": 5}


def test_local_circuit_and_several_host_ports() -> None:
    made = planned(
        "ring: 3, host_ports: 2",
        8,
        circuit("n0.host0", "n0.host1", 8),
        circuit("n0", "n1", 6),
        circuit("n0", "n1", 2),
        circuit("n1.host1", "n0.host0", 4),
    )
    assert made.circuits[0]["latency_cycles"] == 4
    assert made.circuits[3]["from"] == "n1.host1"


def test_best_effort_takes_what_is_free() -> None:
    made = planned("ring: 4", 16, circuit("n0", "n1", 5), more="best_effort: true")
    row = made.boards["n0"]["out"]["l0"]
    assert sum(isinstance(e, list) for e in row) == 5
    # All other slots but the one that would arrive at the position that may be skipped.
    assert row[:16].count("free") in (10, 11) and set(row[16:]) == {None}


def test_parallel_cables_are_all_used() -> None:
    many = [circuit("n0", "n1", 10) for _ in range(3)]
    made = planned("line: 2, parallel: 3, host_ports: 3", 16, *many)
    assert {c["route"][0] for c in made.circuits} == {"n0.l0", "n0.l1", "n0.l2"}


def test_any_graph_and_named_ports() -> None:
    text = """\
topology:
  delay: 10 ns
  links:
    - {between: [hub, a]}
    - {between: [hub.l1, b.up], delay: 1 us}
    - {between: [a, b]}
slots: 12
circuits:
  - {from: a, to: b, slots: 2}
  - {from: hub, to: b, slots: 2}
"""
    made = plan(parse_request(text))
    assert made.boards["hub"]["ports"] == ["host0", "l1", "l0"]
    # The long cable is avoided.
    assert made.circuits[1]["route"] == ["hub.l0", "a.l1"]


CLUSTER = """\
nodes: {a: {design: x}, b: {design: x}, c: {design: x}, quiet: {design: x}}
cables:
  - {between: [a.l0_0, b.l0_0], latency: 40 ns}
  - {between: [a.l0_1, b.l0_1], latency: 60 ns}
  - {between: [b.l1_0, c.l0_0], latency: 40 ns}
  - {between: [b.l1_1, c.l0_1], latency: 40 ns}
  - {between: [a.eth0, quiet.eth0]}
"""


@pytest.mark.parametrize(("lanes", "ports"), [(1, 5), (2, 3)])
def test_cluster_file(tmp_path: Path, lanes: int, ports: int) -> None:
    (tmp_path / "boards.yaml").write_text(CLUSTER)
    file = tmp_path / "request.yaml"
    file.write_text(
        request("cluster: boards.yaml", 16, circuit("a", "c", 4), more=f"lanes: {lanes}")
    )
    made = plan_file(file)
    assert list(made.boards) == ["a", "b", "c"]
    assert len(made.boards["b"]["ports"]) == ports
    first = next(link for link in made.links if link["from"].startswith("a.l0"))
    # Two lanes: 60 ns are 10 cycles, and the slower bundle; one lane: 40 ns are 7 cycles.
    assert first["cycles"] == (3 + 1 + 6 + 10 if lanes == 2 else 3 + 1 + 3 + 7)


def test_open_links_below_a_cabled_one_are_ports(tmp_path: Path) -> None:
    """The switch numbers all its links, with a cable or without."""
    text = CLUSTER.replace("c.l0_", "c.l1_")
    (tmp_path / "boards.yaml").write_text(text)
    for lanes, ports in ((2, ["host0", "l0", "l1"]), (1, ["host0", "l0_0", "l1_0"])):
        file = tmp_path / "request.yaml"
        if lanes == 1:
            single = "\n".join(line for line in text.splitlines() if "_1" not in line)
            (tmp_path / "boards.yaml").write_text(single)
        more = f"lanes: {lanes}"
        file.write_text(request("cluster: boards.yaml", 16, circuit("a", "c", 4), more=more))
        assert plan_file(file).boards["c"]["ports"] == ports


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("a.l0_1, b.l0_1", "a.l0_1, b.l1_1"), "go"),
        (("a.l0_1, b.l0_1", "a.l0_1, b.l0_2"), "lanes go straight"),
        (("b.l0_0", "b.eth0"), "needs a lane port at the other end"),
        (("b.l1_0, c.l0_0", "b.l0_0, c.l0_0"), "already has a cable"),
        (("a.l0_1, b.l0_1", "a.eth1, b.eth1"), "the request bundles 2"),
    ],
)
def test_cluster_file_mistakes(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    (tmp_path / "boards.yaml").write_text(CLUSTER.replace(*change))
    file = tmp_path / "request.yaml"
    file.write_text(request("cluster: boards.yaml", 16, circuit("a", "c"), more="lanes: 2"))
    with pytest.raises(ClusterFileError, match=words):
        plan_file(file)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("topology: {ring: 4, line: 3}\n", "exactly one of"),
        ("topology: {}\n", "found none"),
        ("topology: {ring: 4}\nslotz: 4\n", 'Did you mean "slots"'),
        ("topology: {ring: 4}\nslots: 257\n", "r.yaml:2: slots: expected"),
        ("topology: {ring: 4}\nguard: 5\n", "guard"),
        ("slots: 4\n", "`topology` is missing"),
        (request("ring: 4", 8, circuit("n0", "n9")), "no board called `n9`"),
        (request("ring: 4", 8, circuit("n0.host3", "n1")), "no host port `host3`"),
        (request("ring: 4", 8, circuit("n0", "n0")), "ends where it begins"),
        (request("ring: 4", 8, circuit("n0", "n1", share="1/2")), "say the bandwidth once"),
        (request("ring: 4", 8, "  - {from: n0, to: n1, share: 3/2}"), "at most 1"),
        (request("ring: 4", 8, "  - {from: n0, to: n1, rate: much}"), "a rate"),
        (request("ring: 4", 8, *[circuit("n0", "n1", name="x")] * 2), "used twice"),
        (request("links: [{between: [a, a]}]", 8), "same board"),
        (request("links: [{between: [a.p, b]}, {between: [c, a.p]}]", 8), "already has a cable"),
        (request("full: 18", 8), "at most 17"),
        (request("ring: 4", 8, more="offsets: {n0.l7: 2}"), "no link"),
        (request("ring: 4", 8, more="follow: x"), "no board called `x`"),
        (request("cluster: none.yaml", 8), "there is no file"),
    ],
)
def test_mistakes_are_named(text: str, words: str) -> None:
    with pytest.raises(ClusterFileError, match=words):
        plan(parse_request(text, "r.yaml"))


def test_plan_file_round_trip(tmp_path: Path) -> None:
    made = planned("torus: [3, 3]", 20, circuit("n0_0", "n1_1", 3), more="best_effort: true")
    made.write(tmp_path / "plan.json")
    again = load_plan(tmp_path / "plan.json")
    assert again.data == made.data
    assert check(again.data).conflicts == []


@pytest.mark.parametrize("name", ["ring_plan.yaml", "torus_plan.yaml"])
def test_examples(name: str) -> None:
    made = plan_file(project_root() / "examples" / name)
    assert check(made.data).conflicts == []


def test_thousand_circuits_on_64_boards() -> None:
    boards = [f"n{x}_{y}" for x in range(8) for y in range(8)]
    made = planned("torus: [8, 8]", 256, *some_circuits(random.Random(7), boards, 1000, 8))
    assert len(made.circuits) == 1000


@pytest.mark.parametrize("seed", range(40))
def test_spread_keeps_its_bound(seed: int) -> None:
    """Against trying every choice: found exactly when there is one."""
    from itertools import combinations

    draw = random.Random(seed)
    period = draw.randint(7, 12)
    have = sorted(draw.sample(range(period), draw.randint(3, period - 1)))
    count, gap = draw.randint(1, len(have)), draw.randint(1, period)
    mask = slots.mask_of(have)
    chosen = slots.spread(mask, count, period, gap)
    there_is = any(slots.longest_gap(list(c), period) <= gap for c in combinations(have, count))
    assert (chosen is not None) == there_is
    if chosen is not None:
        assert len(set(chosen)) == count and set(chosen) <= set(have)
        assert slots.longest_gap(chosen, period) <= gap
