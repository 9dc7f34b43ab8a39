# SPDX-License-Identifier: Apache-2.0
"""Frame fifo: whole frames or nothing, every drop with its reason, lengths beside the frames."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, random_frames, same

WIDTHS = (8, 32, 64, 128, 256, 512)
EVENTS = ("ev_good", "ev_bad", "ev_full", "ev_oversize")
DEPTH = 64


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_frame_fifo")
    pins = {"depth": 7, **{e: 1 for e in EVENTS}}
    for width in WIDTHS:
        for kind, params in (
            ("drop", {"LEN_DEPTH": 16}),
            ("stall", {"DROP_FULL": 0, "STYLE": 1, "LEN_DEPTH": 4}),
        ):
            bench.add(
                f"{kind}{width}",
                "kumi_axis_frame_fifo",
                {"DEPTH": DEPTH, **params},
                hdr={"m_len": 16},
                pins_out=pins,
                DATA_W=width,
            )
    bench.add(
        "marked64",
        "kumi_axis_frame_fifo",
        {"DEPTH": DEPTH, "DROP_BAD": 0, "DROP_FULL": 0},
        hdr={"m_len": 16},
        pins_out=pins,
        DATA_W=64,
    )
    return bench.build()


def watch(dut: Dut, name: str) -> None:
    for event in EVENTS:
        dut.watch(f"{name}_{event}")


def counts(dut: Dut, name: str) -> dict[str, int]:
    return {event: sum(dut.counts(f"{name}_{event}").values()) for event in EVENTS}


def beats(frame: Frame, width: int) -> int:
    return -(-len(frame.data) // (width // 8))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stalls", STALLS)
def test_stalling_loses_only_bad_and_oversize(
    built: Dut, width: int, stalls: tuple[float, float]
) -> None:
    built.restart()
    name = f"stall{width}"
    watch(built, name)
    built.stall_all(*stalls, seed=width)
    rng = random.Random(width)
    step = width // 8
    frames = random_frames(rng, width, 150, bad=0.2)
    for extra in (DEPTH * step - 1, DEPTH * step, DEPTH * step + 1, DEPTH * step * 3):
        frames.insert(rng.randrange(len(frames)), Frame(rng.randbytes(extra)))
        frames.insert(rng.randrange(len(frames)), Frame(rng.randbytes(extra), bad=True))
    fits = [f for f in frames if beats(f, width) <= DEPTH]
    good = [f for f in fits if not f.bad]
    built.send(f"s_axis_{name}", frames)
    same(built.recv(f"m_axis_{name}", len(good), 400_000), good)
    built.drain(timeout_cycles=400_000)
    assert [f.value for f in built.recv(f"m_hdr_{name}")] == [len(f.data) for f in good]
    assert built.recv(f"m_axis_{name}") == []
    assert counts(built, name) == {
        "ev_good": len(good),
        "ev_bad": len(fits) - len(good),
        "ev_full": 0,
        "ev_oversize": len(frames) - len(fits),
    }
    assert built.get(f"{name}_depth") == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stall", [0.0, 0.6, 0.9])
def test_dropping_never_stalls_and_accounts_for_all(built: Dut, width: int, stall: float) -> None:
    built.restart()
    name = f"drop{width}"
    watch(built, name)
    built.stall(f"m_axis_{name}", stall, 5)
    built.stall(f"m_hdr_{name}", stall, 6)
    rng = random.Random(width)
    step = width // 8
    frames = random_frames(rng, width, 200, bad=0.2)
    frames += [Frame(rng.randbytes(DEPTH * step)), Frame(rng.randbytes(DEPTH * step + 1))]
    rng.shuffle(frames)
    built.send(f"s_axis_{name}", frames)
    built.drain(timeout_cycles=400_000)
    total = sum(beats(f, width) for f in frames)
    taken = built.sent(f"s_axis_{name}")
    assert taken[-1][1] - taken[0][0] + 1 == total
    built.stall_all(0.0, 0.0)
    built.drain()
    built.run(20 * DEPTH)
    out = built.recv(f"m_axis_{name}")
    # What came out is a subsequence of what went in, whole and good.
    left = iter(frames)
    for frame in out:
        assert any(f.data == frame.data and not f.bad for f in left)
    assert [f.value for f in built.recv(f"m_hdr_{name}")] == [len(f.data) for f in out]
    seen = counts(built, name)
    assert seen["ev_good"] == len(out)
    assert sum(seen.values()) == len(frames)
    assert seen["ev_oversize"] == sum(beats(f, width) > DEPTH for f in frames)
    if stall == 0.0:
        gone = [f for f in frames if f.bad or beats(f, width) > DEPTH]
        assert seen["ev_bad"] <= sum(f.bad for f in frames)
        assert len(out) <= len(frames) - len(gone)
    else:
        assert seen["ev_full"] > 0


def test_exact_fill_then_full(built: Dut) -> None:
    """With a blocked output DEPTH beats fit, the next frame is dropped, and all recovers."""
    built.restart()
    name = "drop64"
    watch(built, name)
    built.stall(f"m_axis_{name}", 1.0)
    first, second = bytes(range(256)) * 2, b"x" * 8
    built.send(f"s_axis_{name}", [first])
    built.run(100)  # one beat waits in the output register, so one more finds room
    built.send(f"s_axis_{name}", [second, second, b"later"])
    built.run(20)
    assert counts(built, name) == {"ev_good": 2, "ev_bad": 0, "ev_full": 2, "ev_oversize": 0}
    built.stall(f"m_axis_{name}", 0.0)
    assert built.recv_data(f"m_axis_{name}", 2) == [first, second]
    built.send(f"s_axis_{name}", [b"again"])
    assert built.recv_data(f"m_axis_{name}", 1) == [b"again"]


def test_bad_frames_can_pass_marked(built: Dut) -> None:
    built.restart()
    frames = [f for f in random_frames(random.Random(9), 64, 80, bad=0.5) if beats(f, 64) <= DEPTH]
    built.send("s_axis_marked64", frames)
    same(built.recv("m_axis_marked64", len(frames), 50_000), frames)


@pytest.mark.parametrize("width", WIDTHS)
def test_frames_leave_back_to_back(built: Dut, width: int) -> None:
    """Behind the first frame the output never pauses while the input does not."""
    built.restart()
    rng = random.Random(width)
    frames = [Frame(rng.randbytes(rng.randint(1, width))) for _ in range(40)]
    frames = [Frame(rng.randbytes(8 * width // 8))] + [
        Frame(f.data[: 8 * (width // 8)]) for f in frames
    ]
    name = f"stall{width}"
    built.send(f"s_axis_{name}", frames)
    out = built.recv(f"m_axis_{name}", len(frames), 50_000)
    same(out, frames)
    gapless([f for f in out[:1]])
    taken = built.sent(f"s_axis_{name}")
    for frame, (_, last) in zip(out, taken, strict=True):
        assert frame.cycle - last >= 3
    assert out[-1].last_cycle - taken[-1][1] <= 3 + 8
