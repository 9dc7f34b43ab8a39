# SPDX-License-Identifier: Apache-2.0
"""Multiplexer, demultiplexer and broadcast."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, random_frames, same

WIDTHS = (64, 512)
N = 4


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_route")
    for width in WIDTHS:
        for name, robin in (("rr", 1), ("prio", 0)):
            bench.add(
                f"{name}{width}i",
                "kumi_axis_mux",
                {"N": N, "ROUND_ROBIN": robin},
                arrays={"s_axis": N},
                DATA_W=width,
            )
        bench.add(
            f"bc{width}i", "kumi_axis_broadcast", {"N": 3}, arrays={"m_axis": 3}, DATA_W=width
        )
        for name, dest in (("dest", 1), ("sel", 0)):
            bench.add(
                f"{name}{width}i",
                "kumi_axis_demux",
                {"N": 3, "SELECT_W": 4, "USE_DEST": dest},
                arrays={"m_axis": 3},
                pins_in={"select": 4},
                pins_out={"ev_drop": 1},
                DATA_W=width,
            )
    bench.add("onei", "kumi_axis_mux", {"N": 1}, arrays={"s_axis": 1}, DATA_W=64)
    return bench.build()


def tagged(rng: random.Random, width: int, source: int, count: int) -> list[Frame]:
    frames = random_frames(rng, width, count, bad=0.1)
    for frame in frames:
        frame.id = source
    return frames


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["rr", "prio"])
def test_mux_keeps_frames_whole(
    built: Dut, kind: str, width: int, stalls: tuple[float, float]
) -> None:
    built.restart()
    built.stall_all(*stalls, seed=2)
    rng = random.Random(width)
    sent = [tagged(rng, width, i, 80) for i in range(N)]
    for i, frames in enumerate(sent):
        built.send(f"s_axis_{kind}{width}i{i}", frames)
    out = built.recv(f"m_axis_{kind}{width}i", N * 80, 400_000)
    for i, frames in enumerate(sent):
        same([f for f in out if f.id == i], frames)


@pytest.mark.parametrize("kind", ["rr", "prio"])
@pytest.mark.parametrize("beats", [1, 2, 5])
def test_mux_never_idles(built: Dut, kind: str, beats: int) -> None:
    built.restart()
    for i in range(N):
        built.send(f"s_axis_{kind}64i{i}", [Frame(bytes(8 * beats), id=i)] * 30)
    out = built.recv(f"m_axis_{kind}64i", N * 30)
    gapless(out)
    order = [f.id for f in out]
    if kind == "rr":
        assert order == [0, 1, 2, 3] * 30
    else:
        assert order == sorted(order)


def test_mux_one_input(built: Dut) -> None:
    built.restart()
    frames = random_frames(random.Random(1), 64, 50)
    built.send("s_axis_onei0", frames)
    out = built.recv("m_axis_onei", 50)
    same(out, frames)
    gapless(out)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
def test_broadcast(built: Dut, width: int, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=4)
    frames = random_frames(random.Random(width), width, 120, bad=0.1)
    built.send(f"s_axis_bc{width}i", frames)
    for i in range(3):
        out = built.recv(f"m_axis_bc{width}i{i}", len(frames), 200_000)
        same(out, frames)
        if stalls == (0.0, 0.0):
            gapless(out)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
def test_demux_by_dest(built: Dut, width: int, stalls: tuple[float, float]) -> None:
    built.restart()
    built.watch(f"dest{width}i_ev_drop")
    built.stall_all(*stalls, seed=4)
    frames = random_frames(random.Random(width), width, 200, bad=0.1)
    built.send(f"s_axis_dest{width}i", frames)
    built.drain(timeout_cycles=400_000)
    for i in range(3):
        same(built.recv(f"m_axis_dest{width}i{i}"), [f for f in frames if f.dest == i])
    dropped = sum(f.dest >= 3 for f in frames)
    assert sum(built.counts(f"dest{width}i_ev_drop").values()) == dropped > 0
    if stalls == (0.0, 0.0):
        taken = built.sent(f"s_axis_dest{width}i")
        beats = sum(-(-len(f.data) // (width // 8)) for f in frames)
        assert taken[-1][1] - taken[0][0] + 1 == beats


def test_demux_by_select(built: Dut) -> None:
    """The select input counts at the first beat only."""
    built.restart()
    built.watch("sel64i_ev_drop")
    rng = random.Random(8)
    expected: dict[int, list[bytes]] = {i: [] for i in range(16)}
    for _ in range(40):
        choice = rng.randrange(5)
        data = rng.randbytes(rng.randint(1, 100))
        expected[choice].append(data)
        built.set("sel64i_select", choice)
        built.send("s_axis_sel64i", [data])
        built.run(2)
        built.set("sel64i_select", rng.randrange(16))
        built.drain()
    for i in range(3):
        assert built.recv_data(f"m_axis_sel64i{i}") == expected[i]
    drops = sum(len(expected[i]) for i in range(3, 16))
    assert sum(built.counts("sel64i_ev_drop").values()) == drops > 0
