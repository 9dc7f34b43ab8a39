# SPDX-License-Identifier: Apache-2.0
"""SW2 link: packets of every size, bit errors, stop and go with the longest line, bad packets."""

from __future__ import annotations

import random
import struct

import pytest
from kumihimo.testing import Dut
from sw2_packets import MAX_DATA, Packet

CABLE = 32
SLACK = 2 + (24 + 2 * CABLE + 3) // 4


@pytest.fixture(scope="module")
def model() -> Dut:
    """Two ends; what the second receives comes back to the first."""
    return Dut.of_module(
        "tests/rtl/ib/kumi_tb_sw2_pair.sv",
        {"CABLE": CABLE},
        {"*": {"DATA_W": 64, "DEST_W": 2}},
        files=["tests/rtl/ib/kumi_tb_sw2_wire.sv"],
    )


@pytest.fixture
def dut(model: Dut) -> Dut:
    model.restart()
    for pin in ("flip", "flip_frame", "rate", "rate2"):
        model.set(pin, 0)
    line(model, 0)
    return model


def line(dut: Dut, delay: int) -> None:
    """Cycles of the line each way; events count from here."""
    dut.set("delay", delay)
    dut.run(2 * CABLE + 20)
    for end in "ab":
        dut.watch(f"ev_{end}")
        before[end] = dut.counts(f"ev_{end}")


before: dict[str, dict[str, int]] = {}


def events(dut: Dut, end: str = "b") -> dict[str, int]:
    """Counts that are not zero."""
    return {k: n for k, v in dut.counts(f"ev_{end}").items() if (n := v - before[end][k])}


def sizes(rng: random.Random) -> list[int]:
    return [
        1,
        7,
        8,
        9,
        16,
        17,
        MAX_DATA - 8,
        MAX_DATA,
        *(rng.randrange(1, MAX_DATA) for _ in "abcd"),
    ]


@pytest.mark.parametrize("delay,stall", [(0, 0.0), (5, 0.3), (CABLE, 0.7)])
def test_every_channel(dut: Dut, delay: int, stall: float) -> None:
    """Packets of all channels at once, there and back, unchanged and in order of their channel."""
    line(dut, delay)
    if stall:
        dut.stall_all(stall, stall, seed=2)
    rng = random.Random(delay)
    sent = {v: [Packet(rng.randbytes(n), src=v).raw() for n in sizes(rng)] for v in range(4)}
    for v, packets in sent.items():
        dut.send(f"s_axis_{v}", packets)
    for v, packets in sent.items():
        assert dut.recv_data(f"m_axis_{v}", len(packets), 60_000) == packets
    assert events(dut) == events(dut, "a") == {}


LATENCY, BEAT = 12, 4  # cycles of a link without a cable, and between beats


def test_rate_and_latency(dut: Dut) -> None:
    """A beat in 4 cycles; from the last beat taken to the first beat out what the header states."""
    packet = Packet(b"8 bytes!").raw()
    for wait in range(2 * BEAT):
        dut.run(60 + wait)
        dut.sent("s_axis_0")
        dut.send("s_axis_0", [packet])
        [frame] = dut.recv("m_axis_0", 1)
        [(_, last)] = dut.sent("s_axis_0")
        # There and back: the other end takes the last of three beats two beats after the first.
        assert frame.cycle - last == 2 * LATENCY + 2 * BEAT
    start = dut.cycle
    packets = [Packet(bytes(MAX_DATA)).raw() for _ in range(20)]
    dut.send("s_axis_2", packets)
    dut.recv("m_axis_2", 20, 40_000)
    assert dut.cycle - start < 1.02 * 20 * 61 * 4 + 61 * 4 + 200


@pytest.mark.parametrize("bit", range(0, 80, 7))
def test_single_bits_are_corrected(dut: Dut, bit: int) -> None:
    """A wrong bit in each flit of a packet, at every seventh place."""
    packet = Packet(bytes(range(40)), offset=8).raw()
    dut.send("s_axis_1", [packet])
    for n in range(4 * 30):
        dut.set("flip", 1 << bit % 20 if n % 4 == bit // 20 else 0)
        dut.run(1)
    dut.set("flip", 0)
    assert dut.recv_data("m_axis_1", 1) == [packet]
    counted = events(dut)
    assert set(counted) == {"corrected"} and counted["corrected"] >= 28


def test_errors_at_a_rate(dut: Dut) -> None:
    """Single-bit errors in one flit of four: none lost; double ones drop whole packets only."""
    rng = random.Random(5)
    dut.set("rate", 0x4000)
    sent = [Packet(rng.randbytes(rng.randrange(1, 200))).raw() for _ in range(60)]
    dut.send("s_axis_3", sent)
    assert dut.recv_data("m_axis_3", len(sent), 80_000) == sent
    assert events(dut)["corrected"] > 100 and set(events(dut)) == {"corrected"}
    dut.set("rate", 0)
    dut.set("rate2", 0x0600)
    sent = [struct.pack("<I", n) + rng.randbytes(rng.randrange(1, 100)) for n in range(150)]
    raw = [Packet(data).raw() for data in sent]
    dut.send("s_axis_3", raw)
    dut.run(150 * 20 * 4)
    dut.set("rate2", 0)
    dut.send("s_axis_3", [Packet(b"the end.").raw()])
    got: list[bytes] = []
    while not got or Packet.of(got[-1]).data != b"the end.":
        got += dut.recv_data("m_axis_3", 1)
    numbers = [raw.index(packet) for packet in got[:-1]]
    assert numbers == sorted(set(numbers)) and 20 < len(numbers) < 150
    counted = events(dut)
    assert counted["uncorrectable"] > 20 and counted["bad_packet"] > 10
    assert len(raw) - len(numbers) <= counted["uncorrectable"]
    assert "overrun" not in counted


def test_frame_signal(dut: Dut) -> None:
    """A frame signal that is missing or out of place costs a packet, and is counted."""
    rng = random.Random(6)
    for n in range(8):
        dut.send("s_axis_0", [Packet(rng.randbytes(64)).raw()])
        dut.run(20 + n % 4)
        dut.set("flip_frame", 1)
        dut.run(1)
        dut.set("flip_frame", 0)
        dut.run(120)
    good = Packet(b"after it").raw()
    dut.send("s_axis_0", [good])
    dut.run(300)
    assert dut.recv_data("m_axis_0")[-1] == good
    assert events(dut)["framing"] >= 8


@pytest.mark.parametrize("delay", [0, CABLE])
def test_stop_and_go(dut: Dut, delay: int) -> None:
    """A reader that stops, on the longest line: buffers fill up to the slack and not beyond."""
    line(dut, delay)
    dut.stall("m_axis_0", 1.0)
    rng = random.Random(7)
    sent = [Packet(rng.randbytes(MAX_DATA)).raw() for _ in range(12)]
    dut.send("s_axis_0", sent)
    other = [Packet(rng.randbytes(100)).raw() for _ in range(10)]
    dut.run(5000)
    dut.send("s_axis_1", other)
    assert dut.recv_data("m_axis_1", len(other), 20_000) == other  # not held up
    depth = dut.get("max_depth")
    assert 128 - SLACK <= depth <= 128
    if delay == CABLE:
        assert depth > 128 - 8  # the bound is not far from what happens
    dut.stall("m_axis_0", 0.0)
    assert dut.recv_data("m_axis_0", len(sent), 40_000) == sent
    assert events(dut) == events(dut, "a") == {}


def test_bad_packets(dut: Dut) -> None:
    """Too long, too short, no length: dropped and counted; the next packet passes."""
    good = Packet(b"good one").raw()
    long = Packet(bytes(64)).raw() + bytes(8)
    short = Packet(bytes(64)).raw()[:-8]
    none = Packet(b"").raw() + bytes(8)
    huge = Packet(bytes(480)).raw()
    dut.send("s_axis_0", [good, long, good, short, good, none, good, huge, good])
    assert dut.recv_data("m_axis_0", 5) == [good] * 5
    dut.run(200)
    assert dut.recv_data("m_axis_0") == []
    counted = events(dut)
    assert counted["bad_packet"] == 4 and set(counted) <= {"bad_packet", "stray"}
