# SPDX-License-Identifier: Apache-2.0
"""Rings of boards: plans, swaps and best effort under load, errors on links, boards that follow."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest
from kumihimo.bench.link import stdm as bench
from kumihimo.bench.link.stdm_fill import fill_up
from kumihimo.bench.link.stdm_net import Net
from kumihimo.link.planner.network import build_network
from kumihimo.link.stdm_model import InEntry, OutEntry, Tables
from kumihimo.link.stdm_replay import drain_cycles, replay

RING = "ring-4"


class Ring:
    """A ring of four boards with a plan, built once."""

    net: Net | None = None

    @classmethod
    def plan(cls, seed: int, load: float = 0.4, full: bool = False, slots: int = 32) -> Any:
        rng = random.Random(seed)
        found, _circuits, wanted = bench.random_plan(
            rng, RING, slots, load, hosts=2, best_effort=not full, delay_ns=20
        )
        network = build_network(wanted)
        if cls.net is None:
            cls.net = Net(network, bench.CHANNELS, hybrid=True, profile="test", be_depth=256)
        data = fill_up(found.data, network, rng, bench.CHANNELS) if full else found.data
        return cls.net, data


def counters(net: Net) -> dict[str, int]:
    """All counters of all ports, added up."""
    total: dict[str, int] = {}
    for board in net.boards.values():
        for port in range(board.switch.ports):
            for name, value in board.switch.counters(port).items():
                total[name] = total.get(name, 0) + value
    return total


@pytest.mark.parametrize("seed", [1, 2])
def test_plan_is_what_the_network_does(seed: int) -> None:
    """RTL, exact model and plan agree: rates, latency of every circuit, no word astray."""
    net, data = Ring.plan(seed, full=True)
    exact = replay(data)
    assert (exact.rate_error, exact.jitter, exact.astray) == (0, 0, 0)
    row = bench.run_plan_rtl(net, data)
    assert row["rate_error"] == 0 and row["jitter_cycles"] == 0
    assert row["words_wrong"] == 0 and row["latency_not_as_planned"] == 0
    for circuit, _a, _i, board, at in bench._ends(net, data):
        assert exact.flows[circuit["name"]].latencies == {board.stat("least", at)}
    assert not any(counters(net).values())


def test_best_effort_uses_what_circuits_leave() -> None:
    """At least 95 % of the free slots, and not a cycle of difference for any circuit."""
    net, data = Ring.plan(3, slots=64)
    row = bench.run_plan_rtl(net, data)
    bench._be_on(net, True)
    total = data["slots"] + data["guard"]
    net.step(10 * total)
    before, _frames, _errors = bench._be_total(net)
    both = bench.measure(net, data, 20)
    after, frames, errors = bench._be_total(net)
    assert both["rate_error"] == 0 and both["jitter_cycles"] == 0
    assert both["latency_not_as_planned"] == row["latency_not_as_planned"] == 0
    taken = sum(c["slots"] * len(c["route"]) for c in data["circuits"])
    free = (len(data["links"]) * data["slots"] - taken) * (20 * total + 2) / total
    assert frames > 50 and errors == 0
    assert (after - before) / free >= 0.95
    _stop_be(net)
    assert not any(counters(net).values())


def _stop_be(net: Net, cycles: int = 30_000) -> None:
    """Stop the sources and wait until every frame has arrived or been dropped."""
    bench._be_on(net, False)
    last, still = -1, 0
    for _ in range(cycles // 200):
        net.step(200)
        words = bench._be_total(net)[0]
        still = still + 1 if words == last else 0
        last = words
        if still > 6:
            return
    raise AssertionError("best-effort packets do not come to an end")


def test_best_effort_to_all_boards() -> None:
    """Every port floods all boards, also over several hops: nothing waits in a circle.

    Every frame arrives whole once the flood stops, but for those that found the sink full.
    """
    net, data = Ring.plan(4, load=0.2)
    net.start(data)
    bench.start_sources(net, data)
    for length in (1, 7, 100):
        net.set("be_boards", 4)
        net.set("be_length", length)
        net.set("be_on", 3)
        net.step(3000)
        net.set("be_on", 0)
        net.step(4000)
        sent = sum(b.best_effort("sent", p) for b in net.boards.values() for p in range(2))
        got = sum(b.best_effort("frames", p) for b in net.boards.values() for p in range(2))
        counts = counters(net)
        dropped = counts["be_full"] + counts["be_broken"] + counts["be_route"]
        assert sent == got + dropped and got > 20
        assert counts["be_broken"] == counts["be_route"] == 0
        assert sum(b.best_effort("errors", p) for b in net.boards.values() for p in range(2)) == 0
    row = bench.measure(net, data, 4)
    assert row["rate_error"] == 0 and row["jitter_cycles"] == 0 and row["words_wrong"] == 0


def test_swap_under_load() -> None:
    row = bench.swap_under_load(RING, 2, profile="test", net=Ring.plan(1)[0])
    assert row["swap_lost"] == 0 and row["words_sent"] > 3000 and row["circuits_left_in_place"] > 0


def hurt_rows(net: Net, rng: random.Random, chance: float, noise: bool) -> None:
    """Change rows that are under way."""
    for *_ends, line in net.wires:
        for at in range(len(line)):
            if rng.random() < chance:
                kind, block = line[at]
                if noise:
                    line[at] = (rng.randrange(4), rng.getrandbits(64))
                elif rng.random() < 0.5:
                    line[at] = (3, block)
                else:
                    line[at] = (kind, block ^ 1 << rng.randrange(64))


@pytest.mark.parametrize("noise", [False, True])
def test_errors_on_links(noise: bool) -> None:
    """Rows corrupted at random, or replaced by noise.

    Each kind has its counter, and when the errors stop everything is as before.
    """
    rng = random.Random(noise)
    net, data = Ring.plan(5, load=0.3)
    net.start(data)
    bench.start_sources(net, data)
    bench._be_on(net, True)
    net.step(500)
    for _ in range(1500):
        hurt_rows(net, rng, 0.004 if not noise else 0.3, noise)
        net.step(1)
    _stop_be(net)
    counts = counters(net)
    assert counts["bad_word"] > 20 and counts["slip"] > 0 and counts["be_broken"] > 5
    if not noise:
        assert counts["bad_crc"] > 5
    # A head that is hit may still look like one, so a frame can be lost; none is wrong.
    assert bench._be_total(net)[2] <= 2 * counts["be_broken"]
    net.step(3 * drain_cycles(data))
    row = bench.measure(net, data, 20)
    assert row["rate_error"] == 0 and row["jitter_cycles"] == 0
    before = bench._be_total(net)
    bench._be_on(net, True)
    net.step(4000)
    after = bench._be_total(net)
    assert after[1] > before[1] + 20 and after[2] == before[2]


def test_a_link_that_is_cut_swallows_best_effort() -> None:
    """Packets for a link that is down are dropped and counted; others still pass."""
    net, data = Ring.plan(6, load=0.1)
    net.start(data)
    bench._be_on(net, True)
    net.step(600)
    board = net.boards["n0"]
    down = 1 << 0
    board.dut.set("up", board.up & ~down)
    board.dut.set("tx_take", board.up & ~down)
    net.step(3000)
    assert board.switch.counters(board.locals)["be_route"] > 10
    frames = bench._be_total(net)[1]
    net.step(1000)
    assert bench._be_total(net)[1] > frames + 10
    board.dut.set("up", board.up)
    board.dut.set("tx_take", board.up)
    _stop_be(net)


class Drift:
    """Steps a network whose boards have clocks of their own: one board a cycle may rest.

    A line between two boards is an elastic buffer as in a receiver: it drops or doubles rows that
    are idle, never others, to keep its length.
    """

    def __init__(self, net: Net) -> None:
        self.net = net
        self.lines: list[deque[tuple[int, int]]] = [w[-1] for w in net.wires]
        self.length = len(self.lines[0])
        self.lowest = self.highest = self.length

    def step(self, resting: str | None) -> None:
        net, mask = self.net, (1 << 64) - 1
        net.now += 1
        kinds = dict.fromkeys(net.boards, 0)
        data = dict.fromkeys(net.boards, 0)
        for a, out, _b, _into, line in net.wires:
            if a.name != resting:
                kind, block = a.tx
                line.append((kind >> 2 * out & 3, block >> 64 * out & mask))
        for _a, _out, b, into, line in net.wires:
            if b.name == resting:
                continue
            kind, block = line.popleft()
            if kind == 0 and len(line) < self.length:
                line.appendleft((0, 0))
            elif line and line[0][0] == 0 and len(line) > self.length:
                line.popleft()
            self.lowest = min(self.lowest, len(line))
            self.highest = max(self.highest, len(line))
            kinds[b.name] |= kind << 2 * into
            data[b.name] |= block << 64 * into
        for board in net.boards.values():
            if board.name == resting:
                continue
            node = board.dut.node
            node.set_pin("now", net.now & 0xFFFFFFFF)
            node.set_pin("rx_kind", kinds[board.name])
            node.set_pin("rx_data", data[board.name])
            node.run(1)
            board.tx = (node.get_pin("tx_kind"), node.get_pin("tx_data"))


def test_boards_follow_one_clock() -> None:
    """Boards start at any time and their clocks differ; three follow the first along a tree.

    Links keep their offsets, and no word is lost, doubled or out of order.
    """
    rng = random.Random(8)
    net, data = Ring.plan(7, load=0.3)
    net.start(data)
    total = data["slots"] + data["guard"]
    empty = Tables.empty(4, data["slots"], data["guard"])
    # Everything off; boards lose their common phase and follow: n1 and n3 the first, n2 then n1.
    tree = {"n1": "n0", "n3": "n0", "n2": "n1"}
    net.swap(dict.fromkeys(net.boards, empty))
    for name in net.boards:
        net.boards[name].dut.run(rng.randrange(total))  # alone
    for link in net.network.links:
        if tree.get(link.b) == link.a:
            board = net.boards[link.b]
            board.switch.timing(margin=3, follow=board.ports.index(link.b_port))
    net.boards["n0"].switch.timing(margin=3)
    net.step(40 * total)

    def offsets() -> dict[str, int]:
        found = {}
        for link in net.network.links:
            board = net.boards[link.b]
            state = board.switch.link(board.ports.index(link.b_port))
            assert state["locked"], link
            found[link.start] = state["offset"]
        return found

    before = offsets()
    for link in net.network.links:
        if tree.get(link.b) == link.a:
            assert before[link.start] == 0, "a board that follows has its position 0 with slot 0"
    # A circuit over each link at the measured offset, at slots that are due at slots.
    tables = {name: Tables.empty(4, data["slots"], data["guard"]) for name in net.boards}
    ends = []
    for link in net.network.links:
        a, b = net.boards[link.a], net.boards[link.b]
        port, out = a.ports.index(link.a_port) - a.locals, a.ports.index(link.a_port)
        into = b.ports.index(link.b_port)
        for pos in range(1, 20, 4):
            at = (pos + before[link.start]) % total
            if at == total - 2:
                continue
            tables[a.name].into[port][pos] = InEntry(True, 0)
            tables[a.name].out[out][pos] = OutEntry(1, port, 0)
            tables[b.name].out[into - b.locals][at] = OutEntry(1, into, 0)
        ends.append((a, a.end(port, 0), b, b.end(into - b.locals, 0)))
    net.swap(tables)
    net.step(4 * total)
    for board in net.boards.values():
        board.dut.set("on", 1 | 1 << bench.CHANNELS)
    at_start = counters(net)
    drift = Drift(net)
    for cycle in range(12_000):
        resting = None
        if cycle % 400 == 17:
            resting = ("n0", "n1", "n2", "n3", "n2", "n2")[cycle // 400 % 6]
        drift.step(resting)
    for board in net.boards.values():
        board.dut.set("on", 0)
    for _ in range(3000):
        drift.step(None)
    assert drift.highest > drift.length, "clocks did drift"
    for a, sent, b, got in ends:
        assert b.stat("errors", got) == 0
        assert a.stat("sent", sent) == b.stat("words", got) > 500
    assert offsets() == before
    assert counters(net) == at_start
