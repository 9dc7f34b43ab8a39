# SPDX-License-Identifier: Apache-2.0
"""Put a header of fixed length on and take it off."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, interesting_lengths, random_frames, same

# Headers shorter than a beat, of a whole beat, longer, and of whole beats.
SHAPES = [(64, 14), (64, 8), (64, 3), (64, 16), (64, 30), (128, 14), (256, 30), (256, 14)]
SHAPES += [(256, 32), (512, 14), (512, 63), (512, 65), (32, 14)]
# What is taken off, and how; a record at a top has 512 bits at most.
OFF = [("strip", *shape) for shape in SHAPES]
OFF += [("behead", width, count) for width, count in SHAPES if count <= 64]


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_header")
    for width, count in SHAPES:
        name = f"{width}x{count}"
        bench.add(
            f"pre{name}",
            "kumi_axis_prepend",
            {"BYTES": count},
            pins_in={"head": 8 * count},
            DATA_W=width,
        )
    for module, width, count in OFF:
        bench.add(
            f"{module}{width}x{count}",
            f"kumi_axis_{module}",
            {} if module == "behead" else {"BYTES": count},
            hdr={"m_head": 8 * count} if module == "behead" else {},
            pins_out={"ev_short": 1},
            DATA_W=width,
        )
    return bench.build()


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize(("width", "count"), SHAPES)
def test_prepend(built: Dut, width: int, count: int, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=5)
    name = f"pre{width}x{count}"
    rng = random.Random(width + count)
    head = rng.randbytes(count)
    built.set(f"{name}_head", int.from_bytes(head, "little"))
    frames = [Frame(rng.randbytes(n)) for n in interesting_lengths(width)]
    frames += random_frames(rng, width, 120, bad=0.1)
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(frames), 200_000)
    same(out, [Frame(head + f.data, f.bad, f.user, id=f.id, dest=f.dest) for f in frames])
    if stalls == (0.0, 0.0):
        gapless(out)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize(("module", "width", "count"), OFF)
def test_take_off(
    built: Dut, module: str, width: int, count: int, stalls: tuple[float, float]
) -> None:
    """Away, or as a record that comes no later than the rest of its frame."""
    built.restart()
    name = f"{module}{width}x{count}"
    built.watch(f"{name}_ev_short")
    built.stall_all(*stalls, seed=6)
    rng = random.Random(width - count)
    frames = [Frame(rng.randbytes(count + n)) for n in interesting_lengths(width)]
    frames += [Frame(rng.randbytes(n)) for n in range(1, count + 1)]
    frames += random_frames(rng, width, 120, bad=0.1)
    rng.shuffle(frames)
    expected = [
        Frame(f.data[count:], f.bad, f.user, id=f.id, dest=f.dest)
        for f in frames
        if len(f.data) > count
    ]
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(expected), 200_000)
    same(out, expected)
    built.drain()
    short = len(frames) - len(expected)
    assert sum(built.counts(f"{name}_ev_short").values()) == short >= count
    if module == "behead":
        heads = built.recv(f"m_hdr_{name}", len(expected))
        left = [f.data[:count] for f in frames if len(f.data) > count]
        assert [head.value for head in heads] == [int.from_bytes(h, "little") for h in left]
        if stalls == (0.0, 0.0):
            assert all(h.cycle <= f.cycle for h, f in zip(heads, out, strict=True))
    if stalls == (0.0, 0.0):
        taken = built.sent(f"s_axis_{name}")
        # A frame that needs a further beat for its end holds the next one back by one cycle.
        beats = sum(-(-len(f.data) // (width // 8)) for f in frames)
        assert taken[-1][1] - taken[0][0] + 1 <= beats + len(frames)
