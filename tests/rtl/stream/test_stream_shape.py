# SPDX-License-Identifier: Apache-2.0
"""Pad to a minimum length and trim to a given one."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, interesting_lengths, random_frames, same

WIDTHS = (8, 32, 64, 128, 256, 512)


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_shape")
    for width in WIDTHS:
        bench.add(f"pad{width}", "kumi_axis_pad", {"MIN_BYTES": 60}, DATA_W=width)
        bench.add(
            f"trim{width}",
            "kumi_axis_trim",
            hdr={"s_len": 16},
            pins_out={"ev_short": 1},
            DATA_W=width,
        )
    bench.add("pad64x64", "kumi_axis_pad", {"MIN_BYTES": 64}, DATA_W=64)
    bench.add("pad512x1", "kumi_axis_pad", {"MIN_BYTES": 1}, DATA_W=512)
    return bench.build()


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize(
    ("name", "width", "least"),
    [(f"pad{w}", w, 60) for w in WIDTHS] + [("pad64x64", 64, 64), ("pad512x1", 512, 1)],
)
def test_pad(built: Dut, name: str, width: int, least: int, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=4)
    frames = random_frames(random.Random(width), width, 150, bad=0.1)
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(frames), 200_000)
    expected = [
        Frame(f.data.ljust(least, b"\0"), f.bad, f.user, id=f.id, dest=f.dest) for f in frames
    ]
    same(out, expected)
    if stalls == (0.0, 0.0):
        gapless(out)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
def test_trim(built: Dut, width: int, stalls: tuple[float, float]) -> None:
    built.restart()
    name = f"trim{width}"
    built.watch(f"{name}_ev_short")
    built.stall_all(*stalls, seed=4)
    rng = random.Random(width)
    frames = random_frames(rng, width, 250, bad=0.1)
    step = width // 8
    lengths, expected, short = [], [], 0
    for f in frames:
        near = [0, 1, step, step - 1, step + 1, len(f.data), len(f.data) - 1, len(f.data) + 1]
        length = rng.choice([*near, rng.randint(0, len(f.data)), rng.choice([46, 65535])])
        lengths.append(length)
        short += length > len(f.data)
        bad = f.bad or length > len(f.data)
        if length:
            expected.append(Frame(f.data[:length], bad, f.user, id=f.id, dest=f.dest))
    built.send(f"s_hdr_{name}", lengths)
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(expected), 200_000)
    assert [f.data for f in out] == [f.data for f in expected]
    same(out, expected)
    built.drain()
    assert sum(built.counts(f"{name}_ev_short").values()) == short > 0
    if stalls == (0.0, 0.0):
        taken = built.sent(f"s_axis_{name}")
        beats = sum(-(-len(f.data) // step) for f in frames)
        assert taken[-1][1] - taken[0][0] + 1 == beats


@pytest.mark.parametrize("width", WIDTHS)
def test_trim_of_equal_length_is_gapless(built: Dut, width: int) -> None:
    built.restart()
    rng = random.Random(width)
    frames = [rng.randbytes(n) for n in interesting_lengths(width)]
    built.send(f"s_hdr_trim{width}", [len(f) for f in frames])
    built.send(f"s_axis_trim{width}", frames)
    out = built.recv(f"m_axis_trim{width}", len(frames), 100_000)
    assert [f.data for f in out] == frames
    gapless(out)
