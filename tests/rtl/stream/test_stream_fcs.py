# SPDX-License-Identifier: Apache-2.0
"""Frame check sequence: inserted as zlib computes it, checked, and taken off again."""

from __future__ import annotations

import random
import zlib

import pytest
from kumihimo.testing import Dut, Frame
from stream_bench import STALLS, Bench, gapless, random_frames, same

WIDTHS = (32, 64, 128, 256, 512)
EVENTS = ("ev_good", "ev_bad", "ev_runt")


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("stream_fcs")
    for width in WIDTHS:
        bench.add(f"ins{width}", "kumi_axis_fcs_insert", DATA_W=width)
        bench.add(
            f"chk{width}",
            "kumi_axis_fcs_check",
            pins_out={event: 1 for event in EVENTS},
            DATA_W=width,
        )
    return bench.build()


def fcs(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


def changed(frame: Frame, data: bytes, bad: bool) -> Frame:
    return Frame(data, bad, frame.user, id=frame.id, dest=frame.dest)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
def test_insert(built: Dut, width: int, stalls: tuple[float, float]) -> None:
    built.restart()
    built.stall_all(*stalls, seed=4)
    frames = random_frames(random.Random(width), width, 150, bad=0.1)
    built.send(f"s_axis_ins{width}", frames)
    out = built.recv(f"m_axis_ins{width}", len(frames), 200_000)
    expected = []
    for f in frames:
        check = bytes(b ^ 0xFF for b in fcs(f.data)) if f.bad else fcs(f.data)
        expected.append(changed(f, f.data + check, f.bad))
    same(out, expected)
    if stalls == (0.0, 0.0):
        gapless(out)


@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("width", WIDTHS)
def test_check(built: Dut, width: int, stalls: tuple[float, float]) -> None:
    built.restart()
    name = f"chk{width}"
    for event in EVENTS:
        built.watch(f"{name}_{event}")
    built.stall_all(*stalls, seed=4)
    rng = random.Random(width)
    sent, expected = [], []
    count = dict.fromkeys(EVENTS, 0)
    for f in random_frames(rng, width, 200, bad=0.1):
        kind = rng.choice(["good", "good", "flip", "runt"])
        if kind == "runt":
            sent.append(changed(f, rng.randbytes(rng.randint(1, 4)), f.bad))
            count["ev_runt"] += 1
            continue
        data = bytearray(f.data + fcs(f.data))
        if kind == "flip":
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        sent.append(changed(f, bytes(data), f.bad))
        expected.append(changed(f, bytes(data[:-4]), f.bad or kind == "flip"))
        count["ev_good" if kind == "good" else "ev_bad"] += 1
    built.send(f"s_axis_{name}", sent)
    same(built.recv(f"m_axis_{name}", len(expected), 200_000), expected)
    built.drain()
    assert built.recv(f"m_axis_{name}") == []
    assert {e: sum(built.counts(f"{name}_{e}").values()) for e in EVENTS} == count
    if stalls == (0.0, 0.0):
        taken = built.sent(f"s_axis_{name}")
        beats = sum(-(-len(f.data) // (width // 8)) for f in sent)
        assert taken[-1][1] - taken[0][0] + 1 == beats


@pytest.mark.parametrize("width", WIDTHS)
def test_latency(built: Dut, width: int) -> None:
    """As the headers say, and without a gap inside a frame."""
    crc = {32: 3, 64: 4, 128: 7, 256: 8, 512: 9}[width]
    for name, more in (("ins", 3), ("chk", 4)):
        built.restart()
        built.send(f"s_axis_{name}{width}", [bytes(width)])
        out = built.recv(f"m_axis_{name}{width}", 1)[0]
        assert out.cycle - built.sent(f"s_axis_{name}{width}")[0][0] == crc + more
        gapless([out])
