# SPDX-License-Identifier: Apache-2.0
"""Lanes and framing without retransmission: any frames, stalls, flow control, broken lines."""

from __future__ import annotations

import pytest
from link_pair import DARK, GOOD, HEADLESS, NOISE, SIZES, Pair


@pytest.fixture(scope="module", params=[1, 2, 3, 4])
def pair(request: pytest.FixtureRequest) -> Pair:
    made = Pair(request.param, retry=0, skew=(0, 32, 9, 31), seed=request.param)
    made.up()
    return made


def test_back_to_back(pair: Pair) -> None:
    """No beat is lost when a frame follows another without an idle row, at any size."""
    pair.dut.stall_all(0, 0)
    pair.exchange(80)
    pair.exchange(60, [8 * pair.lanes])
    pair.exchange(60, [1, 7, 8])


def test_stalls(pair: Pair) -> None:
    """Random back-pressure on every side; the receiver's makes flow control work."""
    for rx, tx in ((0.5, 0.1), (0.1, 0.6), (0.0, 0.9)):
        pair.dut.stall_all(rx, tx, seed=7)
        pair.exchange(60)
    pair.dut.stall_all(0, 0)
    assert pair.count("a", "frame.xoff_sent") and pair.count("b", "frame.xoff_seen")
    assert not pair.count("a", "frame.overrun") and not pair.count("a", "frame.broken")


def test_bad_marks(pair: Pair) -> None:
    """A bad frame arrives marked bad, whatever its size."""
    for size in SIZES[:20]:
        pair.dut.send("s_axis_a", pair.rng.randbytes(size), bad=True)
        pair.dut.send("s_axis_a", pair.rng.randbytes(size))
        one, two = pair.dut.recv("m_axis_b", 2)
        assert one.bad and not two.bad and len(one.data) == len(two.data) == size


def test_errors_are_marked(pair: Pair) -> None:
    """The stream continues with bit errors, and after them everything is correct.

    A frame then comes marked bad, changed (there is no CRC here), or not at all.
    """
    pair.errors(2e-5)
    pair.dut.send("s_axis_a", pair.frames(150, [200, 1000]))
    pair.dut.drain(100_000, settle=1000)
    pair.errors(0)
    got = pair.dut.recv("m_axis_b")
    assert 100 < len(got) <= 160
    # An error between frames makes the next one bad: it may have been its first block.
    pair.dut.send("s_axis_a", b"end")
    pair.dut.send("s_axis_b", b"end")
    pair.dut.run(300)
    for x in "ab":
        pair.dut.recv(f"m_axis_{x}")
    pair.exchange(20)


@pytest.mark.parametrize("mode", [DARK, NOISE, HEADLESS])
def test_line_breaks_inside_a_frame(pair: Pair, mode: int) -> None:
    """The frame ends bad, its rest is discarded at the sender, the next is complete."""
    downs = pair.count("b", "lanes.link_down")
    pair.dut.send("s_axis_a", pair.rng.randbytes(3000 * pair.lanes))
    pair.dut.run(150)
    pair.mode(mode)
    pair.dut.run(1500)
    assert not pair.status("a")["lanes.up"] and not pair.status("b")["lanes.up"]
    pair.mode(GOOD)
    pair.plug()
    pair.up()
    assert pair.count("b", "lanes.link_down") == downs + 1
    pair.dut.run(1000)
    cut = pair.dut.recv("m_axis_b")
    # Until block lock is lost noise may look like the ends of more frames: bad ones.
    assert cut and (len(cut) == 1 or mode == NOISE) and all(f.bad for f in cut)
    assert sum(len(f.data) for f in cut) < 3000 * pair.lanes
    assert all(f.bad for f in pair.dut.recv("m_axis_a"))
    pair.exchange(20)
