# SPDX-License-Identifier: Apache-2.0
"""The InfiniBand port: symbols in and out, the signal, plugs, bit errors as 8b/10b shows them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo.build import BuildError, scan
from kumihimo.testing import Dut

WIRES = Path(__file__).parent / "hw/kumi_node_ib_wires.sv"
CONTROL = (0x1C, 0x3C, 0x5C, 0x7C, 0x9C, 0xBC, 0xDC, 0xFC, 0xF7, 0xFB, 0xFD, 0xFE)
LATENCY = 6
LANES, SYMBOLS = 4, 2

Symbol = tuple[int, bool]
Seen = tuple[int, bool, bool]  # and a code violation


@pytest.fixture(scope="module")
def built() -> Dut:
    return Dut(WIRES)


@pytest.fixture
def dut(built: Dut) -> Dut:
    built.restart()
    built.set("quiet", 0)
    return built


class Codec:
    """The 8b/10b tables of the project's encoder and decoder, which have tests of their own."""

    def __init__(self, dut: Dut) -> None:
        self.encoded: dict[tuple[int, bool, int], tuple[int, int]] = {}
        self.decoded: dict[tuple[int, int], tuple[int, bool, bool, bool, int]] = {}
        for k, bytes_ in ((False, range(256)), (True, CONTROL)):
            for data in bytes_:
                for rd in (0, 1):
                    dut.set("enc_data", data)
                    dut.set("enc_k", k)
                    dut.set("enc_rd", rd)
                    dut.run()
                    self.encoded[data, k, rd] = (dut.get("enc_code"), dut.get("enc_rd_out"))
        for code in range(1024):
            for rd in (0, 1):
                dut.set("dec_code", code)
                dut.set("dec_rd", rd)
                dut.run()
                names = ("data", "k", "bad_code", "bad_rd", "rd_out")
                data, k, bad_code, bad_rd, out = (dut.get(f"dec_{name}") for name in names)
                self.decoded[code, rd] = (data, bool(k), bool(bad_code), bool(bad_rd), out)

    def line(self, symbols: list[Symbol], flips: set[int]) -> list[Seen | None]:
        """What arrives of a lane with errors at these bits; None: no code group."""
        sent_rd = received_rd = 0
        out: list[Seen | None] = []
        for number, (data, k) in enumerate(symbols):
            code, sent_rd = self.encoded[data, k, sent_rd]
            for bit in range(10):
                if 10 * number + bit in flips:
                    code ^= 1 << bit
            data, k, bad_code, bad_rd, received_rd = self.decoded[code, received_rd]
            out.append(None if bad_code else (data, k, bad_rd))
        return out


def random_symbols(seed: int, count: int) -> list[Symbol]:
    rng = random.Random(seed)
    return [
        (rng.choice(CONTROL), True) if rng.random() < 0.2 else (rng.randrange(256), False)
        for _ in range(count)
    ]


def put(dut: Dut, lanes: list[list[Symbol]], cycle: int) -> None:
    """Show what the lanes send in a cycle."""
    data = k = 0
    for lane, symbols in enumerate(lanes):
        for s in range(SYMBOLS):
            byte, flag = symbols[cycle * SYMBOLS + s]
            data |= byte << 8 * (lane * SYMBOLS + s)
            k |= flag << lane * SYMBOLS + s
    dut.set("data", data)
    dut.set("k", k)


def seen(dut: Dut) -> list[list[Seen]]:
    """What p2 shows, by lane."""
    data, k, err = (dut.get(f"p2_{name}") for name in ("data", "k", "err"))
    places = [[lane * SYMBOLS + s for s in range(SYMBOLS)] for lane in range(LANES)]
    return [
        [(data >> 8 * i & 255, bool(k >> i & 1), bool(err >> i & 1)) for i in lane]
        for lane in places
    ]


def test_what_a_node_has(dut: Dut) -> None:
    ports = {p["name"]: (p["kind"], p["rx_bits"], p["tx_bits"]) for p in dut.node.info["ports"]}
    assert ports == {"p1": ("ib", 64, 64), "p2": ("ib", 64, 64), "p3": ("ib", 32, 32)}
    dut.drain()
    dut.stall_all(0.5, 0.5)


def test_without_a_cable_there_is_no_signal(dut: Dut) -> None:
    dut.run(5)
    assert (dut.get("p2_signal"), dut.get("p2_err"), dut.get("p2_data")) == (0, 0xFF, 0)
    assert (dut.get("p3_signal"), dut.get("p3_err")) == (0, 0xF)
    assert dut.stats("p2")["lane_dark"] == 5


def test_symbols_leave_each_cycle(dut: Dut) -> None:
    dut.lane_keep("p1")
    dut.set("data", 0x1122334455667788)
    dut.set("k", 0x81)
    dut.run(3)
    assert dut.lane_sent("p1") == [(i, 0x1122334455667788, 0x81) for i in range(3)]


def test_a_cable_and_its_signal(dut: Dut) -> None:
    """Latency, symbols, each lane late by less than a word; quiet and unplugged are dark."""
    cycles = 60
    lanes = [random_symbols(10 + lane, cycles * SYMBOLS) for lane in range(LANES)]
    dut.lane_cable("p1", "p2", latency_cycles=LATENCY)
    got: list[list[Seen]] = [[] for _ in range(LANES)]
    signal = []
    for cycle in range(cycles):
        put(dut, lanes, cycle)
        dut.set("quiet", 20 <= cycle < 25)
        if cycle in (40, 45):
            dut.lane_plug("p1", cycle == 45)
        dut.run()
        signal.append(dut.get("p2_signal"))
        for lane, symbols in enumerate(seen(dut)):
            got[lane] += symbols
    dark = [c for c in range(cycles) if signal[c] == 0]
    shift = next(c for c in range(cycles) if signal[c])
    assert LATENCY <= shift <= LATENCY + 1
    assert dark == [*range(shift), *range(20 + shift, 25 + shift), *range(40 + shift, 45 + shift)]
    assert all(signal[c] == 0xF for c in range(cycles) if c not in dark)
    late = set()
    for first, last in ((0, 20), (25, 40), (45, cycles - shift)):
        for lane in range(LANES):
            sent = [(*s, False) for s in lanes[lane][first * SYMBOLS : last * SYMBOLS]]
            arrived = got[lane][(first + shift) * SYMBOLS : (last + shift) * SYMBOLS]
            delay = next(d for d in range(SYMBOLS) if arrived[d:] == sent[: len(sent) - d])
            assert all(err for _, _, err in arrived[:delay])
            late.add(delay)
    assert late == {0, 1}  # no receiver knows where the word begins


def test_one_lane(dut: Dut) -> None:
    dut.lane_cable("p3", latency_cycles=LATENCY)
    dut.set("data", 0xBC112233)
    dut.set("k", 0x8)
    dut.run(3 * LATENCY)
    words = {0xBC112233 >> 8 * s | (0xBC112233 << 32 - 8 * s & 0xFFFFFFFF) for s in range(4)}
    assert dut.get("p3_data") in words and dut.get("p3_signal") == 1 and dut.get("p3_err") == 0


def test_bit_errors_are_those_of_the_code(dut: Dut) -> None:
    """Each error gives what an 8b/10b receiver sees, and later violations of the disparity."""
    codec = Codec(dut)
    dut.restart()
    dut.set("quiet", 0)
    cycles, rng = 3000, random.Random(3)
    lanes = [random_symbols(20 + lane, cycles * SYMBOLS) for lane in range(LANES)]
    flips: list[set[int]] = [set() for _ in range(LANES)]
    dut.lane_cable("p1", "p2", latency_cycles=LATENCY)
    got: list[list[Seen]] = [[] for _ in range(LANES)]
    for cycle in range(cycles):
        put(dut, lanes, cycle)
        for lane in range(LANES):
            if rng.random() < 0.1 and cycle > 2:
                bit = rng.randrange(10 * SYMBOLS)
                dut.ib_flip("p1", lane, bit)
                flips[lane].add(10 * SYMBOLS * cycle + bit)
        dut.run()
        for lane, symbols in enumerate(seen(dut)):
            got[lane] += symbols
    hidden = 0
    for lane in range(LANES):
        wanted = codec.line(lanes[lane], flips[lane])
        start = next(i for i, s in enumerate(got[lane]) if s == wanted[0])
        assert start < (LATENCY + 3) * SYMBOLS
        for number, (was, is_) in enumerate(zip(wanted, got[lane][start:], strict=False)):
            if was is None:
                assert is_[2], f"lane {lane} symbol {number}: no violation"
            else:
                assert is_ == was, f"lane {lane} symbol {number}"
                hidden += not was[2] and was[:2] != lanes[lane][number]
    assert hidden > 20  # errors that look like another symbol


@pytest.mark.parametrize("ber", [1e-2, 1e-4])
def test_the_rate_of_bit_errors(dut: Dut, ber: float) -> None:
    """Of idle symbols; each error is at least one violation or a changed symbol."""
    cycles = 3000 if ber > 1e-3 else 60_000
    dut.lane_cable("p1", "p2", latency_cycles=LATENCY, ber=ber, seed=5)
    dut.set("data", 0)
    dut.set("k", 0)
    dut.run(LATENCY + 2)
    hits = 0
    for _ in range(cycles):
        dut.run()
        hits += bool(dut.get("p2_err") or dut.get("p2_data"))
    wanted = cycles * (1 - (1 - ber) ** (10 * LANES * SYMBOLS))
    assert 0.85 * wanted - 5 < hits < 2.2 * wanted + 5


@pytest.mark.parametrize(
    "old,new,text",
    [
        ("output logic [63:0] m_ib_p1_data", "output logic [31:0] m_ib_p1_data", "one width"),
        ("input  logic [ 7:0] s_ib_p1_err", "input  logic [ 3:0] s_ib_p1_err", "8 are needed"),
        ("input  logic [ 3:0] s_ib_p1_signal", "input  logic [ 1:0] s_ib_p1_signal", "on 2"),
        ("s_ib_p2_signal", "s_ib_p2_sig", "lacks s_ib_p2_signal"),
        ("m_ib_p2_quiet", "s_ib_p2_quiet", "wrong direction"),
    ],
)
def test_bad_ports_are_refused(tmp_path: Path, old: str, new: str, text: str) -> None:
    source = WIRES.read_text().replace(old, new)
    if new.endswith("m_ib_p1_data"):
        source = source.replace("[ 7:0] m_ib_p1_k", "[ 3:0] m_ib_p1_k")
        source = source.replace("m_ib_p1_data = data", "m_ib_p1_data = data[31:0]")
        source = source.replace("m_ib_p1_k = k", "m_ib_p1_k = k[3:0]")
    top = tmp_path / WIRES.name
    top.write_text(source)
    with pytest.raises(BuildError, match=text):
        scan(top)
