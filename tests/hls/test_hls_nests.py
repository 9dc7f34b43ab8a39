# SPDX-License-Identifier: Apache-2.0
"""Loops in loops: RTL equals emulation, and an inner loop begins again before it has drained.

About 10 s of processor.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words
from kumihimo.hls.ops import Design

FILE = Path(__file__).with_name("nests.cl")
CHANNELS = (
    "scale", "deep", "ends", "sums", "stored", "late", "split", "breaks", "shared", "triangle",
    "tried", "looks",
)  # fmt: skip
SIZES = [(0, 3), (1, 1), (2, 1), (7, 1), (3, 2), (5, 12), (12, 5)]


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(FILE, tmp_path_factory.mktemp("nests"))


@pytest.mark.parametrize("kernel", CHANNELS)
def test_rtl_does_what_emulation_does(twin: Twin, kernel: str) -> None:
    for n, m in SIZES:
        words = [w if w != 9 else 8 for w in random_words(32, 4 * n * (m + 1), n)]
        if kernel == "breaks":
            words[5:6] = [7]
            words[40:41] = [9]
        run = Run({kernel: {"n": n, "m": m}}, {f"{kernel.upper()}_IN": words})
        twin.compare(run)
        for seed, stall in enumerate((0.1, 0.5, 0.8)):
            twin.compare(run, stall=stall, seed=10 * n + seed)


def test_one_of_three_pointers_is_read_and_written(twin: Twin) -> None:
    for n, m in SIZES:
        size = 4 * n * m + 64
        given = {k: bytearray(bytes(range(1, 200)) * 9)[:size] for k in ("a", "b", "c")}
        run = Run({"shift": {**given, "n": n, "m": m}})
        twin.compare(run, latency=10)
        twin.compare(run, stall=0.4, seed=n, latency=30, jitter=8)


@pytest.mark.parametrize("kernel", ["copy", "fill"])
def test_memory(twin: Twin, kernel: str) -> None:
    for n, m in SIZES:
        size = max(4 * n * m, 4)
        given = {"a": bytearray(bytes(range(256)) * (size // 256 + 1))} if kernel == "copy" else {}
        run = Run({kernel: {**given, "b": bytearray(size), "n": n, "m": m}})
        twin.compare(run, latency=10)
        twin.compare(run, stall=0.4, seed=n, latency=30, jitter=8)


def _nest(twin: Twin, kernel: str) -> Design:
    return next(d for d in twin.printed.designs if d.name == kernel)


@pytest.mark.parametrize("kernel", ["scale", "deep", "ends", "stored", "split", "triangle"])
def test_overlaps(twin: Twin, kernel: str) -> None:
    """A round takes the cycles up to the early end, and those of the blocks on the way back."""
    loop = next(s for s in _nest(twin, kernel).segments if s.back)
    assert loop.exit < loop.stages - 1
    if kernel == "scale":
        words = random_words(32, 60, 1)
        cycles = twin.compare(Run({"scale": {"n": 60, "m": 1}}, {"SCALE_IN": words}))
        blocks = sum(s.stages for s in loop.back if s is not loop)
        assert cycles < 60 * (blocks + loop.exit + 1) + 40 < 60 * (blocks + loop.stages)


@pytest.mark.parametrize("kernel", ["copy", "late", "sums"])
def test_does_not(twin: Twin, kernel: str) -> None:
    """Loads in flight; the outer variable or the next round's value at the end of the pipe."""
    assert not any(s.back for s in _nest(twin, kernel).segments)
