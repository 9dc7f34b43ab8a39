# SPDX-License-Identifier: Apache-2.0
"""The line, read by an independent decoder."""

from __future__ import annotations

import itertools
import zlib

import pytest
from line_reference import CB, CC, NR, SA, Line, chunk, decode, users_frames
from link_pair import SIZES, Pair


def capture(pair: Pair, cycles: int) -> Line:
    """Decode what end A sends in the next cycles."""
    lanes: list[list[tuple[int, int]]] = [[] for _ in range(pair.lanes)]
    for _ in range(cycles):
        pair.dut.run(1)
        data, head = pair.dut.get("line_data"), pair.dut.get("line_head")
        for i, lane in enumerate(lanes):
            lane.append((head >> (2 * i) & 3, data >> (64 * i) & (2**64 - 1)))
    return decode(lanes)


@pytest.mark.parametrize("lanes", [1, 2, 3, 4])
def test_frames_as_published(lanes: int) -> None:
    """Frames of all sizes, back to back: data, SEP and SEP7, one row a cycle, nothing else."""
    pair = Pair(lanes, retry=0)
    pair.up()
    sent = [pair.rng.randbytes(n) for n in SIZES if n < 1100]
    pair.dut.send("s_axis_a", sent)
    line = capture(pair, max(2100, sum(len(f) // (8 * lanes) + 2 for f in sent) + 60))
    assert not line.wrong
    assert line.frames == sent
    # No row is wasted: a frame has the rows of its blocks, with the separator where it fits.
    for data, (first, last) in zip(sent, line.frame_rows, strict=True):
        cc = sum(first <= row <= last for row in line.cc_rows)
        assert last - first + 1 - cc == len(data) // (8 * lanes) + 1
    starts = [a for a, _ in line.frame_rows[1:]]
    gaps = [b - a[1] - 1 for a, b in zip(line.frame_rows, starts, strict=False)]
    assert sum(gaps) <= len(line.cc_rows)
    # Clock compensation: 7 rows every 1000.
    begins = [r for r in line.cc_rows if r - 1 not in line.cc_rows]
    assert len(begins) > 1 and {b - a for a, b in itertools.pairwise(begins)} == {1000}
    assert all(line.cc_rows.count(b + k) for b in begins[:-1] for k in range(7))
    assert set(line.idles) <= {SA, CC}


@pytest.mark.parametrize("lanes", [1, 4])
def test_training_as_published(lanes: int) -> None:
    """Idle blocks say "not ready" until the other side is there; bonding idles are on all lanes."""
    pair = Pair(lanes, retry=0)
    line = capture(pair, 3000)
    assert not line.wrong and not line.frames
    assert set(line.idles) == {NR | SA, CB, SA, CC}
    steps = {b - a for a, b in zip(line.cb_rows, line.cb_rows[1:], strict=False)}
    assert steps <= {128, 256}  # 256 where clock compensation took the place of one
    assert pair.status()["lanes.up"]


@pytest.mark.parametrize("lanes", [1, 4])
def test_chunks_as_documented(lanes: int) -> None:
    """With retransmission: chunks, their CRC by zlib, and greetings."""
    pair = Pair(lanes)
    pair.until(lambda: pair.status()["lanes.up"], "up")
    greeting = capture(pair, 600)
    for number, data in greeting.user_k:
        assert zlib.crc32(data[:3]) == int.from_bytes(data[3:], "little")
        assert number in (0, 1)
    hello = [int.from_bytes(d[:3], "big") for number, d in greeting.user_k if number == 1]
    assert hello and all(h >> 12 & 0x7FF == 5 for h in hello)  # the nonce of A
    assert hello[-1] & 0x7FF == 900  # and B's
    pair.up()
    sent = [pair.rng.randbytes(n) for n in (1, 8, 24, 25, 1016, 1017, 3000)]
    pair.dut.send("s_axis_a", sent)
    line = capture(pair, 900)
    assert not line.wrong
    chunks = [chunk(f) for f in line.frames]
    assert all(c.right for c in chunks)
    assert [c.seq for c in chunks] == list(range(len(chunks)))
    assert users_frames(chunks) == sent
    assert max(len(f) for f in line.frames) <= 1024 + 7


def test_bad_frame_and_flow_control_on_the_line() -> None:
    """A frame marked bad is announced by user K-block 8; a full receiver says XOFF, then XON."""
    pair = Pair(2, retry=0)
    pair.up()
    pair.dut.send("s_axis_a", b"x" * 40, bad=True)
    pair.dut.stall("m_axis_a", 1.0)
    pair.dut.send("s_axis_b", pair.frames(40, [64]))
    line = capture(pair, 400)
    assert (8, bytes(7)) in line.user_k and line.frames == [b"x" * 40]
    assert [word for _, word in line.nfc[:2]] == [0x0080, 0x0080]  # both lanes of one row
    pair.dut.stall("m_axis_a", 0.0)
    line = capture(pair, 400)
    assert {word for _, word in line.nfc} == {0}
    assert pair.dut.recv("m_axis_b", 1)[0].bad
