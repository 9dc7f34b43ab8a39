# SPDX-License-Identifier: Apache-2.0
"""Width converter: bytes, frame boundaries and side-band survive, the narrow side never pauses."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, random_frames, same

PAIRS = [
    (8, 16), (8, 32), (8, 64), (8, 512), (32, 64), (64, 128), (64, 512), (256, 512), (8, 24),
    (16, 8), (32, 8), (64, 8), (512, 8), (64, 32), (128, 64), (512, 64), (512, 256), (24, 8),
    (64, 64),
]  # fmt: skip


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_width")
    for a, b in PAIRS:
        bench.add(
            f"w{a}to{b}",
            "kumi_axis_width",
            axis={"s_axis": {"DATA_W": a}, "m_axis": {"DATA_W": b}},
        )
    return bench.build()


@pytest.mark.parametrize("stalls", STALLS)
def test_frames_survive(built: Dut, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=11)
    rng = random.Random(5)
    sent = {}
    for a, b in PAIRS:
        # Each conversion meets the edges of both of its widths.
        sent[a, b] = random_frames(rng, a, 90, bad=0.1) + random_frames(rng, b, 90, bad=0.1)
        built.send(f"s_axis_w{a}to{b}", sent[a, b])
    for (a, b), frames in sent.items():
        out = built.recv(f"m_axis_w{a}to{b}", len(frames), 400_000)
        same(out, frames)
        # No beat is wasted either: all but the last of a frame are full.
        assert all(f.beats == -(-len(f.data) // (b // 8)) for f in out)


@pytest.mark.parametrize(("a", "b"), [p for p in PAIRS if p[0] != p[1]])
def test_narrow_side_is_never_idle(built: Dut, a: int, b: int) -> None:
    built.restart()
    rng = random.Random(6)
    narrow, wide = min(a, b) // 8, max(a, b) // 8
    frames = [Frame(rng.randbytes(rng.randint(1, 4 * wide))) for _ in range(80)]
    name = f"w{a}to{b}"
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(frames), 100_000)
    same(out, frames)
    taken = built.sent(f"s_axis_{name}")
    if b < a:
        gapless(out)
        assert out[0].cycle - taken[0][0] == 2
    else:
        assert taken[-1][1] - taken[0][0] + 1 == sum(-(-len(f.data) // narrow) for f in frames)
        for frame, (_, last) in zip(out, taken, strict=True):
            assert frame.last_cycle - last == 2
