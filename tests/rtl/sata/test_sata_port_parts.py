# SPDX-License-Identifier: Apache-2.0
"""Parts of the port at its border: data FIFOs, counters, the mirror, and the range check."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame

STALLS = [(0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.5, 0.5)]


def data_fifo(module: str, wide: int, into: bool, clk_ps: int) -> Dut:
    """A data FIFO; `into`: its wide side is s_axis."""
    clocks = ("clk", "sata_clk") if into else ("sata_clk", "clk")
    widths = (wide, 32) if into else (32, wide)
    return Dut.of_module(
        module,
        {"BEATS": 128},
        {"s_axis": {"DATA_W": widths[0]}, "m_axis": {"DATA_W": widths[1]}},
        clocks={"s_axis": clocks[0], "m_axis": clocks[1]},
        periods_ps={"clk": clk_ps, "sata_clk": 6667},
    )


@pytest.mark.parametrize("wide,clk_ps", [(32, 4000), (64, 4000), (64, 9999), (512, 6667)])
@pytest.mark.parametrize("stalls", STALLS)
def test_write_data(wide: int, clk_ps: int, stalls: tuple[float, float]) -> None:
    """Whole words arrive as they are; what ends inside a word, or was marked bad, is marked bad."""
    dut = data_fifo("kumi_sata_wr_fifo", wide, True, clk_ps)
    dut.stall_all(*stalls, seed=wide)
    rng = random.Random(wide)
    frames = []
    for i in range(120):
        size = 4 * rng.randint(1, 40) - (rng.randint(1, 3) if i % 5 == 0 else 0)
        frames.append(Frame(rng.randbytes(size), user=int(i % 7 == 0)))
    dut.send("s_axis", frames)
    out = dut.recv("m_axis", len(frames), 400_000)
    for got, sent in zip(out, frames, strict=True):
        assert got.data[: len(sent.data)] == sent.data
        assert len(got.data) == -(-len(sent.data) // 4) * 4
        assert got.user & 1 == int(bool(sent.user & 1) or len(sent.data) % 4 != 0)
    if stalls == (0.0, 0.0) and 4 * clk_ps <= wide * 6667 // 8:
        # No pause but one cycle behind a beat that is not full, once the FIFO holds enough.
        words = sum(len(f.data) // 4 for f in out[20:100])
        short = sum(wide > 32 and len(f.data) % (wide // 8) != 0 for f in out[20:100])
        assert out[99].last_cycle - out[20].cycle + 1 <= (words + short) * 1.01 + 4


@pytest.mark.parametrize("wide,clk_ps", [(32, 4000), (64, 4000), (64, 9999), (512, 6667)])
@pytest.mark.parametrize("stalls", STALLS)
def test_read_data(wide: int, clk_ps: int, stalls: tuple[float, float]) -> None:
    dut = data_fifo("kumi_sata_rd_fifo", wide, False, clk_ps)
    dut.stall_all(*stalls, seed=wide)
    rng = random.Random(wide)
    frames = [
        Frame(rng.randbytes(4 * rng.randint(1, 60)), user=int(rng.random() < 0.2))
        for _ in range(120)
    ]
    dut.send("s_axis", frames)
    out = dut.recv("m_axis", len(frames), 400_000)
    assert [(f.data, f.user & 1) for f in out] == [(f.data, f.user & 1) for f in frames]
    assert all(f.beats == -(-len(f.data) // (wide // 8)) for f in out)


def read(dut: Dut, index: int) -> int:
    dut.set("req_index", index)
    dut.set("req", 1)
    dut.run(1)
    dut.set("req", 0)
    dut.run_until(lambda: dut.get("rd_ack"), 60, step=1, what="rd_ack")
    return int(dut.get("rd_data"))


@pytest.mark.parametrize("reading", [False, True])
def test_counters_are_exact(reading: bool) -> None:
    """Responses every fourth cycle, bursts of all others, reads meanwhile."""
    many = (0, 5, 13)
    dut = Dut.of_module("kumi_sata_counters", {"MANY": sum(1 << i for i in many)})
    rng = random.Random(8)
    want = [0] * 32
    left = 0
    for cycle in range(8000):
        busy = cycle % 2000 < 1500
        ev = rng.getrandbits(20) & sum(1 << i for i in many) if busy else 0
        if cycle % 32 < 7 and cycle % 2000 >= 32:
            ev |= (1 << 20) - 1
        rsp = int(busy and cycle >= 40 and cycle % 4 == 0)
        status = rng.randrange(12) if cycle % 3 else 4
        dut.set("ev", ev)
        dut.set("rsp", rsp)
        dut.set("rsp_status", status)
        left -= 1
        ask = reading and left < 0
        dut.set("req", int(ask))
        if ask:
            dut.set("req_index", rng.choice([4, 12, 17, 31, rng.randrange(32)]))
            left = 50
        dut.run(1)
        want[status] += rsp
        for i in range(20):
            want[12 + i] += ev >> i & 1
    for name in ("ev", "rsp", "req"):
        dut.set(name, 0)
    dut.run(60)
    assert [read(dut, i) for i in range(32)] == want
    dut.set("req_is_wr", 1)
    dut.set("req", 1)
    dut.run(1)
    dut.set("req", 0)
    dut.run(1)
    dut.set("req_is_wr", 0)
    assert read(dut, 4) == want[4]


@pytest.mark.parametrize("s_ps,m_ps", [(6667, 4000), (4000, 6667), (2000, 9999), (9999, 2000)])
def test_mirror(s_ps: int, m_ps: int) -> None:
    """Every word follows, and is one that the source has had."""
    dut = Dut.of_module(
        "kumi_cdc_mirror",
        {"WORDS": 5, "W": 16},
        periods_ps={"s_clk": s_ps, "m_clk": m_ps},
        phases_ps={"m_clk": 777},
    )
    rng = random.Random(s_ps)
    had: list[set[int]] = [{0} for _ in range(5)]
    value = 0

    def words(of: int) -> list[int]:
        return [of >> 16 * i & 0xFFFF for i in range(5)]

    for _ in range(60):
        value = rng.getrandbits(80)
        dut.set("s_data", value)
        for known, word in zip(had, words(value), strict=True):
            known.add(word)
        for _ in range(rng.randrange(40)):
            dut.run(1)
            shown = words(dut.get("m_data"))
            assert all(w in known for w, known in zip(shown, had, strict=True))
    dut.run(400)
    assert dut.get("m_data") == value


def test_range_check() -> None:
    dut = Dut.of_module("kumi_sata_range_check")
    rng = random.Random(4)
    ops = {"READ": 0, "WRITE": 1, "FLUSH": 2, "TRIM": 3, "LOG": 6}
    checked = [0, 0]
    for _ in range(3000):
        total = rng.choice([rng.getrandbits(48), 1 << 28, (1 << 28) * rng.randrange(1, 9), 77])
        sectors = rng.choice([0, 1, 8, 65535, 65536, 65537, rng.randrange(1 << 17)])
        lba = rng.choice(
            [
                rng.getrandbits(48),
                max(0, total - sectors + rng.randrange(-2, 3)),
                max(0, total - (1 << 28) + rng.randrange(-(1 << 17), 1 << 17)),
                max(0, total - (1 << 17) + rng.randrange(-2, 3)),
                rng.randrange(100),
            ]
        ) & ((1 << 48) - 1)
        op = rng.choice([*ops.values(), 9])
        dut.set("total", total)
        dut.set("cmd", (op << 82) | (sectors << 48) | lba)
        dut.run(3)
        if op in (0, 1, 3):
            bad = not 1 <= sectors <= 65536 or lba + sectors > total
        elif op == 6:
            bad = not 1 <= sectors <= 65535
        else:
            bad = op == 9
        assert dut.get("bad") == int(bad), (op, lba, sectors, total)
        checked[bad] += 1
    assert min(checked) > 500
