# SPDX-License-Identifier: Apache-2.0
"""The manager over model boards: parallel, read back, and boards that are dead, slow or corrupt."""

from __future__ import annotations

import random
import threading
import time

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.link.planner import plan
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.planner.request import parse_request
from kumihimo.link.stdm_model import Tables
from kumihimo.manager.board import AccessError, Board, MmioBoard
from kumihimo.manager.configure import BoardReport, configure
from kumihimo.manager.model_board import ModelBoard
from kumihimo.manager.parallel import on_all
from kumihimo.manager.setup import setups
from kumihimo.manager.status import circuit_rows, offsets, status
from kumihimo.regs import RegisterMap

RING = """\
topology: {ring: 4}
slots: 16
best_effort: true
follow: n0
circuits:
  - {name: a, from: n0, to: n2, slots: 4}
  - {name: b, from: n1, to: n0, slots: 3, both_ways: true}
  - {name: c, from: n3, to: n1, slots: 2}
"""
IP = 0x1008


@pytest.fixture(scope="module")
def ring() -> Plan:
    return plan(parse_request(RING))


def boards_for(made: Plan, **more: object) -> dict[str, ModelBoard]:
    return {
        name: ModelBoard(name, ports=len(data["ports"]), **more)  # type: ignore[arg-type]
        for name, data in made.boards.items()
    }


def run(
    boards: dict[str, ModelBoard] | list[Board], made: Plan | None, **more: object
) -> dict[str, BoardReport]:
    listed = list(boards.values()) if isinstance(boards, dict) else boards
    names = [board.name for board in listed]
    registers = {name: [(IP, 0x0A4D000A + i)] for i, name in enumerate(names)}
    wanted = setups(names, made, dict.fromkeys(names, "link"), registers)
    return {r.name: r for r in configure(listed, wanted, **more)}  # type: ignore[arg-type]


def in_force(board: ModelBoard) -> dict[tuple[int, int], int]:
    return board.banks[board.bank] if board.running else {}


def assert_configured(board: ModelBoard, made: Plan) -> None:
    tables = Tables.of_plan(made.data, board.name)
    rows = {**dict(enumerate(tables.out)), **{32 + i: r for i, r in enumerate(tables.into)}}
    for table, row in rows.items():
        for position, entry in enumerate(row):
            assert in_force(board)[table, position] == entry.encode()


def test_all_boards_get_their_tables(ring: Plan) -> None:
    boards = boards_for(ring)
    reports = run(boards, ring)
    assert all(not r.problem for r in reports.values())
    for name, board in boards.items():
        assert_configured(board, ring)
        ports = len(ring.boards[name]["ports"])
        # Tables both ways, one address, three settings, a route for each port and board.
        assert reports[name].words == 2 * ports * ring.frame_cycles + 1 + 3 + ports * 4
        assert set(reports[name].steps) >= {"registers", "tables", "verify", "swap"}
        regs = RegisterMap(board)
        assert regs.stdm.size.fields() == {"slots": 16, "guard": 6}
        assert regs.stdm.timing.get("follow") == (name != "n0")
        assert board.memory[IP] == 0x0A4D000A + list(boards).index(name)


def test_again_and_another_plan(ring: Plan) -> None:
    boards = boards_for(ring)
    run(boards, ring)
    other = plan(parse_request(RING.replace("slots: 4", "slots: 7")))
    assert all(not r.problem for r in run(boards, other).values())
    for board in boards.values():
        assert_configured(board, other)


class Dead(ModelBoard):
    def read(self, addr: int, /) -> int:
        threading.Event().wait(60)
        return 0


class Slow(ModelBoard):
    def read(self, addr: int, /) -> int:
        time.sleep(0.02)
        return super().read(addr)


class Corrupt(ModelBoard):
    """One stuck bit in one table entry."""

    def write(self, addr: int, data: int, /) -> None:
        at = self.memory[self.address("stdm.at")]
        if addr == self.address("stdm.data") and at >> 16 == 5 and at & 63 == 1:
            data ^= 1 << 8
        super().write(addr, data)


class BadRegister(ModelBoard):
    def write(self, addr: int, data: int, /) -> None:
        super().write(addr, data & ~8 if addr == IP else data)


class NoBus(ModelBoard):
    def read(self, addr: int, /) -> int:
        raise OSError(5, "Input/output error")


class LateSwap(ModelBoard):
    def _swap(self) -> None:
        pass


class LosesTables(ModelBoard):
    """The bank changes its mind when it comes into force."""

    def _swap(self) -> None:
        super()._swap()
        self.banks[1 - self.bank][0, 3] = 0x30201


class Garbage(ModelBoard):
    def read(self, addr: int, /) -> int:
        return 0xFFFFFFFF


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Dead, "no answer within 1 s, while its identity was read"),
        (Slow, "no answer within 1 s, while its tables were"),
        (Corrupt, "output table of port 1, position 5 reads"),
        (BadRegister, "ip.ip reads 0xa4d0003 after 0xa4d000b was written"),
        (NoBus, "Input/output error"),
        (LateSwap, "the swap did not bring the tables into force"),
        (LosesTables, "output table of port 0, position 3 reads 0x30201"),
        (Garbage, "no identity block"),
    ],
)
def test_a_bad_board_is_named_and_the_others_go_on(
    ring: Plan, kind: type[ModelBoard], words: str
) -> None:
    boards = boards_for(ring)
    boards["n1"] = kind("n1", ports=3)
    start = time.monotonic()
    reports = run(boards, ring, timeout=1.0)
    assert time.monotonic() - start < 5
    assert words in reports["n1"].problem
    for name in ("n0", "n2", "n3"):
        assert not reports[name].problem
        assert_configured(boards[name], ring)
    if kind not in (LateSwap, LosesTables, Dead, NoBus, Garbage):
        assert not in_force(boards["n1"])


def test_an_abandoned_board_is_not_changed_later(ring: Plan) -> None:
    """A board that answers after its time-out must find the work ended, not go on with it."""
    wake = threading.Event()

    class Sleeper(ModelBoard):
        def write(self, addr: int, data: int, /) -> None:
            if addr == self.address("stdm.data"):
                wake.wait(30)
            super().write(addr, data)

    boards = boards_for(ring)
    boards["n2"] = Sleeper("n2", ports=3)
    assert "no answer" in run(boards, ring, timeout=0.5)["n2"].problem
    wake.set()
    time.sleep(0.2)
    assert sum(len(bank) for bank in boards["n2"].banks) <= 1


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (ModelBoard("n1", ports=2), "its switch has 2 ports, the plan needs 3"),
        (ModelBoard("n1", ports=3, locals_=2), "has 2 local ports, the plan has 1"),
        (ModelBoard("n1", ports=3, channels=1), "have 1 channels, the plan needs 2"),
        (ModelBoard("n1", design="udp_echo", ports=3), "it is a udp_echo, not a link"),
    ],
)
def test_a_board_that_does_not_fit(ring: Plan, board: ModelBoard, words: str) -> None:
    boards = boards_for(ring)
    boards["n1"] = board
    assert words in run(boards, ring)["n1"].problem
    assert not in_force(board)


def test_an_illegal_table_is_refused_with_the_reason(ring: Plan) -> None:
    data = {**ring.data, "boards": {k: dict(v) for k, v in ring.boards.items()}}
    table = list(data["boards"]["n3"]["out"]["l0"])
    table[2] = [9, 0]
    data["boards"]["n3"]["out"] = {**data["boards"]["n3"]["out"], "l0": table}
    reports = run(boards_for(ring), Plan(data))
    assert "entry 2" in reports["n3"].problem and "last port" in reports["n3"].problem
    assert not reports["n0"].problem


def test_64_boards_with_some_dead() -> None:
    draw = random.Random(4)
    names = [f"n{x}_{y}" for x in range(8) for y in range(8)]
    lines = ["topology: {torus: [8, 8]}", "slots: 64", "circuits:"]
    for _ in range(64):
        a, b = draw.sample(names, 2)
        lines.append(f"  - {{from: {a}, to: {b}, slots: {draw.randint(1, 6)}}}")
    made = plan(parse_request("\n".join(lines)))
    boards = boards_for(made)
    for name in ("n3_3", "n7_0"):
        boards[name] = Dead(name)
    # Few at a time: a dead board must not keep its place in the queue.
    reports = run(boards, made, timeout=3.0, parallel=8)
    assert {n for n, r in reports.items() if r.problem} == {"n3_3", "n7_0"}
    for name, board in boards.items():
        if name not in ("n3_3", "n7_0"):
            assert_configured(board, made)


def test_boards_are_worked_on_at_the_same_time() -> None:
    boards: list[Board] = [ModelBoard(f"n{i}") for i in range(32)]
    start = time.monotonic()
    outcomes = on_all(boards, lambda b: time.sleep(0.2), timeout=10, parallel=32)
    assert time.monotonic() - start < 2.0
    assert [o.name for o in outcomes] == [b.name for b in boards]


def test_a_plan_for_other_boards(ring: Plan) -> None:
    with pytest.raises(KumiError, match="The plan has a board `n3`"):
        setups(["n0", "n1", "n2"], ring)


def test_without_a_plan_only_registers(ring: Plan) -> None:
    boards = boards_for(ring)
    reports = run(boards, None)
    assert all(not r.problem and r.words == 1 for r in reports.values())
    assert not any(board.running for board in boards.values())


def test_status_shows_links_errors_and_circuits(ring: Plan) -> None:
    boards = boards_for(ring)
    run(boards, ring)
    boards["n3"] = NoBus("n3", ports=3)
    n2 = boards["n2"]
    n2.memory[n2.address("stdm.words")] = 77
    n2.memory[n2.address("stdm.bad_crc")] = 5
    n2.measured[1] = 9
    found = status(list(boards.values()), ring, timeout=1.0)
    by_name = {state.name: state for state in found}
    assert by_name["n3"].problem and not by_name["n0"].problem
    assert by_name["n2"].errors["stdm.bad_crc[0]"] == 5
    assert by_name["n0"].switch["slots"] == 16 and by_name["n0"].switch["run"] == 1
    rows = {row["name"]: row for row in circuit_rows(ring, found)}
    assert rows["a"]["words"] == 77 and rows["c"]["words"] == 0
    # The board that does not answer is on the way of these.
    assert any(name.startswith("n3.") for row in rows.values() for name in row["down"])
    measured = offsets(ring, found)
    assert measured["n1.l1"] == 9


def test_status_of_a_node_that_lacks_counters(ring: Plan) -> None:
    """Not every node has all counters that its blocks could have; the others are shown."""

    class Lacks(ModelBoard):
        def read(self, addr: int, /) -> int:
            if addr == self.address("ip.drop_bad"):
                raise AccessError("SLVERR")
            return super().read(addr)

    board = Lacks("n0", ports=3)
    board.memory[board.address("ip.drop_runt")] = 3
    state = status([board], None)[0]
    assert not state.problem and state.errors == {"ip.drop_runt": 3}


def test_registers_of_another_object(ring: Plan) -> None:
    """Anything that reads and writes words is a board."""
    inner = ModelBoard("x", ports=3)
    reports = run([MmioBoard("n0", inner)], None)
    assert not reports["n0"].problem and inner.memory[IP] == 0x0A4D000A
