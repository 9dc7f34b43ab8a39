# SPDX-License-Identifier: Apache-2.0
"""Two boards with circuit switches over real lanes.

Clock compensation, bundles, independent switches, a link that is unplugged, the time from board to
board.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.link.stdm import Stdm
from kumihimo.link.stdm_model import OUT_CIRCUIT, InEntry, OutEntry, Tables
from kumihimo.testing import Dut
from stdmbench import Axil

SLOTS, GUARD = 26, 6
TOTAL = SLOTS + GUARD


def pair(lanes: int, bundled: bool) -> Dut:
    width = 64 * (lanes if bundled else 1)
    ends = {"DATA_W": width}
    return Dut.of_module(
        "tests/rtl/link/kumi_t_stdm_pair.sv",
        {"LANES": lanes, "BUNDLED": int(bundled)},
        {
            "*": ends,
            "s_be_a": {**ends, "DEST_W": 12},
            "s_be_b": {**ends, "DEST_W": 12},
            "m_be_a": {**ends, "ID_W": 8},
            "m_be_b": {**ends, "ID_W": 8},
        },
    )


def axil(dut: Dut, side: str, number: int, count: int) -> Stdm:
    name = f"s_axil_{side}[{number}]" if f"s_axil_{side}[{number}]" in dut._aliases else ""
    return Stdm(Axil(dut, name or f"s_axil_{side}"))


def send_tables(positions: list[int], link: int) -> Tables:
    tables = Tables.empty(3, SLOTS, GUARD)
    for pos in positions:
        tables.into[0][pos] = InEntry(True, 0)
        tables.out[1 + link][pos] = OutEntry(OUT_CIRCUIT, 0, 5)
    return tables


def receive_tables(positions: list[int], link: int, offset: int) -> Tables:
    tables = Tables.empty(3, SLOTS, GUARD)
    for pos in positions:
        at = (pos + offset) % TOTAL
        assert at != TOTAL - 2
        tables.out[0][at] = OutEntry(OUT_CIRCUIT, 1 + link, 0)
    return tables


def start(dut: Dut, switches: int) -> list[tuple[Stdm, Stdm]]:
    made = []
    for number in range(switches):
        both = axil(dut, "a", number, switches), axil(dut, "b", number, switches)
        for stdm in both:
            stdm.load(Tables.empty(3, SLOTS, GUARD))
            stdm.swap()
        made.append(both)
    for a, b in made:
        for port in (1, 2):
            for stdm in (a, b):
                for _ in range(200):
                    if stdm.link(port)["locked"]:
                        break
                    dut.run(50)
                assert stdm.link(port)["locked"]
    return made


@pytest.mark.parametrize(("lanes", "bundled"), [(1, True), (2, True), (2, False)])
def test_circuit_over_lanes(lanes: int, bundled: bool) -> None:
    """Words cross in the cycles that the rule says, for a long time, and no error is counted.

    Clock compensation goes out in every TDM frame. Independent switches have their own tables.
    """
    rng = random.Random(lanes)
    dut = pair(lanes, bundled)
    switches = 1 if bundled else lanes
    size = 8 * (lanes if bundled else 1)
    made = start(dut, switches)
    hop = 6 + 1 if lanes == 1 or not bundled else 9 + 1  # margin 1
    for number, (a, b) in enumerate(made):
        link = number % 2
        offset = b.link(1 + link)["offset"]
        positions = [0, 7, 8, 20, 25]
        while any((p + offset) % TOTAL == TOTAL - 2 for p in positions):
            positions = sorted(rng.sample(range(SLOTS), 5))
        b.load(receive_tables(positions, link, offset))
        b.swap()
        a.load(send_tables(positions, link))
        a.swap()
    words = [rng.randbytes(size) for _ in range(300)]
    for number in range(switches):
        dut.send(_name(dut, "s_word_a", number), words)
    for number, (a, b) in enumerate(made):
        port = _name(dut, "m_word_b", number)
        got = dut.recv(port, 300, timeout_cycles=20_000)
        assert [f.data for f in got] == words
        # In saturation word n + 17 is taken in the cycle in which word n crosses.
        taken = [x for x, _ in dut.sent(_name(dut, "s_word_a", number))]
        pairs = list(zip(got, taken[17:], strict=False))[17:]  # the fifo has to fill first
        times = {f.cycle - t for f, t in pairs}
        assert times == {hop + 3}
        for stdm in (a, b):
            for p in range(3):
                assert not any(stdm.counters(p).values())
        assert a.owner(1 + number % 2, 5)[0] == 300
        assert b.owner(0, 0)[0] == 300


def _name(dut: Dut, port: str, number: int) -> str:
    return f"{port}[{number}]" if f"{port}[{number}]" in dut._aliases else port


def test_unplugged_and_plugged_again() -> None:
    """Words sent into a dark link are counted, and the other link is not harmed.

    When the cable is back the TDM frames are found again at the same offset.
    """
    dut = pair(1, True)
    ((a, b),) = start(dut, 1)
    offset = b.link(1)["offset"]
    b.load(receive_tables([0, 5, 9], 0, offset))
    b.swap()
    a.load(send_tables([0, 5, 9], 0))
    a.swap()
    port_a, port_b = _name(dut, "s_word_a", 0), _name(dut, "m_word_b", 0)
    dut.send(port_a, [bytes([i]) * 8 for i in range(50)])
    assert len(dut.recv(port_b, 50)) == 50
    dut.set("cut", 1)
    dut.run(1500)
    assert not b.link(1)["locked"] and b.link(2)["locked"]
    dut.send(port_a, [bytes([i]) * 8 for i in range(20)])
    dut.drain(settle=800)
    assert dut.recv(port_b) == []
    assert a.counters(1)["lost"] == 20, "words that the lanes did not take"
    assert b.counters(1)["slip"] >= 1
    assert not any(b.counters(2).values())
    dut.set("cut", 0)
    dut.run_until(lambda: b.link(1)["locked"] and a.link(1)["locked"], 40_000, step=200)
    assert b.link(1)["offset"] == offset
    dut.send(port_a, [bytes([i]) * 8 for i in range(50)])
    assert [f.data[0] for f in dut.recv(port_b, 50)] == list(range(50))
