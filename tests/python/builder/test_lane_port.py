# SPDX-License-Identifier: Apache-2.0
"""The lane port: blocks in and out, the window that slips, dark lines, cables of a bench."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo.build import BuildError, scan
from kumihimo.testing import Dut

WIRES = Path(__file__).parent / "hw/kumi_node_lane_wires.sv"
BITS = 66


@pytest.fixture(scope="module")
def built() -> Dut:
    return Dut(WIRES)


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    built.set("slip", 0)
    return built


def random_blocks(seed: int, count: int) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [(rng.getrandbits(64), rng.getrandbits(2)) for _ in range(count)]


def line(blocks: list[tuple[int, int]]) -> int:
    """All bits in the order of the line, the first one on top."""
    bits = 0
    for data, head in blocks:
        bits = bits << BITS | head << 64 | data
    return bits


def window(blocks: list[tuple[int, int]], last: int, shift: int) -> int:
    """66 bits of the line that end with the first `shift` bits of block number `last`."""
    end = last * BITS + shift
    total = len(blocks) * BITS
    return line(blocks) >> (total - end) & ((1 << BITS) - 1)


def test_what_a_node_has(dut: Dut) -> None:
    port = next(p for p in dut.node.info["ports"] if p["name"] == "l0_0")
    assert (port["kind"], port["rx_bits"], port["tx_bits"]) == ("lane", 64, 64)
    dut.drain()
    dut.stall_all(0.5, 0.5)
    with pytest.raises(KeyError, match="no port l0_7"):
        dut.lane_keep("l0_7")


def test_blocks_leave_each_cycle(dut: Dut) -> None:
    dut.lane_keep("l0_0")
    blocks = random_blocks(1, 50)
    for data, head in blocks:
        dut.set("out", head << 64 | data)
        dut.run()
    assert dut.lane_sent("l0_0") == [(i, d, h) for i, (d, h) in enumerate(blocks)]
    assert dut.stats("l0_0")["tx_beats"] == 50


@pytest.mark.parametrize("shift", [1, 2, 3, 33, 64, 65, 66])
def test_the_window_is_where_it_was_put(dut: Dut, shift: int) -> None:
    blocks = random_blocks(shift, 40)
    dut.lane_send("l0_0", blocks, shift)
    for number in range(40):
        dut.run()
        if number:
            assert dut.get("seen") == window(blocks, number, shift)


def test_a_slip_moves_the_window_by_one_bit(dut: Dut) -> None:
    """In time for the next edge, and after 66 pulses it is where it was."""
    blocks = random_blocks(5, 200)
    dut.lane_send("l0_0", blocks, 30)
    shift = 30
    for number in range(200):
        pulse = number % 2 == 1
        dut.set("slip", pulse)
        dut.run()
        if number:
            assert dut.get("seen") == window(blocks, number, shift)
        if pulse:
            shift = shift % BITS + 1
    assert dut.stats("l0_0")["lane_slips"] == 100 and shift == 30 + 100 - 66


def test_a_lane_without_slip_is_aligned(dut: Dut) -> None:
    blocks = random_blocks(8, 30)
    dut.lane_keep("l0_1")
    dut.lane_send("l0_1", blocks, 17)
    dut.run(31)
    assert [(d, h) for _, d, h in dut.lane_sent("l0_1")[1:]] == blocks


def test_a_dark_line(dut: Dut) -> None:
    dut.run(5)
    assert dut.get("seen") == 0 and dut.stats("l0_0")["lane_dark"] == 5
    dut.lane_cable("l0_0", noise=True)
    dut.lane_plug("l0_0", False)
    seen = set()
    for _ in range(50):
        dut.run()
        seen.add(dut.get("seen"))
    assert len(seen) > 45 and len({s >> 64 for s in seen}) == 4


def test_a_cable_of_the_bench(dut: Dut) -> None:
    """From one lane to the other and back: latency, plug, bit errors, repeatable."""
    blocks = random_blocks(9, 120)

    def play(ber: float, seed: int) -> list[tuple[int, int, int]]:
        dut.restart()
        dut.lane_cable("l0_0", "l0_1", latency_cycles=7, ber=ber, seed=seed)
        dut.lane_keep("l0_1")
        for i, (data, head) in enumerate(blocks):
            if i in (60, 80):
                dut.lane_plug("l0_0", i == 80)
            dut.set("out", head << 64 | data)
            dut.run()
        return dut.lane_sent("l0_1")

    got = play(0, 1)
    assert [(d, h) for _, d, h in got[8:68]] == blocks[:60]
    assert [(d, h) for _, d, h in got[68:88]] == [(0, 0)] * 20
    assert [(d, h) for _, d, h in got[88:]] == blocks[80:112]
    spoilt = play(1e-3, 1)
    assert spoilt != got and spoilt == play(1e-3, 1) != play(1e-3, 2)


@pytest.mark.parametrize(
    "old,new,text",
    [
        ("output logic [63:0] m_lane_l0_0_data", "output logic [31:0] m_lane_l0_0_data", "64 bits"),
        ("input  logic [ 1:0] s_lane_l0_1_head", "input  logic [ 2:0] s_lane_l0_1_head", "2 bits"),
        (
            "output logic        s_lane_l0_0_slip",
            "input  logic        s_lane_l0_0_slip",
            "direction",
        ),
        ("s_lane_l0_1", "s_lane_l1_1", "lacks s_lane_l0_1"),
        ("m_lane_l0_1_head", "m_lane_l0_1_heat", "lacks m_lane_l0_1_head"),
    ],
)
def test_bad_lanes_are_refused(tmp_path: Path, old: str, new: str, text: str) -> None:
    source = WIRES.read_text().replace(old, new)
    if new.startswith("input  logic        s_lane"):
        source = source.replace("  assign s_lane_l0_0_slip = slip;\n", "")
    top = tmp_path / WIRES.name
    top.write_text(source)
    with pytest.raises(BuildError, match=text):
        scan(top)
