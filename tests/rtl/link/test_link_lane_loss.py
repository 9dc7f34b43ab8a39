# SPDX-License-Identifier: Apache-2.0
"""Lanes: skew, lanes that fail and recover, different numbers of lanes, settings."""

from __future__ import annotations

import pytest
from link_pair import ALL, DARK, GOOD, HEADLESS, NOISE, Pair


@pytest.mark.parametrize("lanes", [2, 4])
def test_skew(lanes: int) -> None:
    """Up to 32 blocks between any lanes, in either order, and at any block boundary."""
    for seed, skew in enumerate([(0, 32, 16, 1), (32, 0, 0, 0), (31, 32, 0, 17), (0, 1, 2, 32)]):
        pair = Pair(lanes, skew=skew, seed=seed)
        pair.up()
        pair.exchange(20)


@pytest.mark.parametrize(
    "mode, way", [(DARK, "both"), (DARK, "ab"), (NOISE, "ba"), (NOISE, "both"), (HEADLESS, "ab")]
)
def test_lane_drops_out_and_comes_back(mode: int, way: str) -> None:
    """One of four lanes fails under traffic and recovers.

    In one direction or both. Both ends go on with the other three and nothing is lost.
    """
    lane = {DARK: 0, NOISE: 2, HEADLESS: 3}[mode]
    pair = Pair(4, skew=(3, 9, 0, 30), seed=mode)
    pair.up()
    pair.exchange(60, [900, 3000], events=[(150, lambda: pair.mode(mode, 1 << lane, way))])
    pair.until(lambda: pair.status("a")["lanes.count"] == 3, "three lanes")
    pair.until(lambda: pair.status("b")["lanes.used"] == ALL & ~(1 << lane), "the same at B")
    pair.up(3)
    rate = 3 * pair.exchange(30, [4000])
    assert rate < 4 * 30 * 4000 // 8 / 3 * 4  # three lanes carry more than two could
    pair.mode(GOOD)
    pair.plug(1 << lane)
    pair.up(4)
    pair.exchange(30)
    assert pair.count("a", "lanes.lane_down") == pair.count("b", "lanes.lane_down") == 1


def test_down_to_one_lane_and_up() -> None:
    """Lanes fail one after the other; the last one carries all."""
    pair = Pair(4)
    pair.up()
    for left, lanes in ((3, 0b0010), (2, 0b1010), (1, 0b1011)):
        pair.mode(NOISE, lanes)
        pair.exchange(20)
        pair.until(lambda n=left: pair.status("a")["lanes.count"] == n, f"{left} lanes")
        pair.exchange(10)
    pair.mode(GOOD)
    pair.plug(0b1011)
    pair.up(4)
    pair.exchange(20)


@pytest.mark.parametrize("lanes, other", [(4, 2), (1, 4)])
def test_different_numbers_of_lanes(lanes: int, other: int) -> None:
    """The lanes that both have are used; frames pass between the two stream widths."""
    pair = Pair(lanes, other)
    pair.up(min(lanes, other))
    pair.exchange(60)
    plain = Pair(lanes, other, retry=0)
    plain.up(min(lanes, other))
    plain.exchange(60)


def test_all_lanes_or_nothing() -> None:
    """cfg.all_lanes, as plain Aurora does it; and a lane that is not allowed is not used."""
    pair = Pair(4, cfg_a={"lanes.all_lanes": 1}, cfg_b={"lanes.all_lanes": 1})
    pair.up()
    pair.mode(DARK, 4)
    pair.dut.run(8000)
    assert not pair.status("a")["lanes.up"] and not pair.status("b")["lanes.up"]
    pair.mode(GOOD)
    pair.up(4)
    pair.set_cfg("b", lanes__lanes=0b0111)
    pair.set_cfg("a", lanes__lanes=ALL)
    pair.up(3)
    pair.set_cfg("b", lanes__lanes=ALL)
    pair.up(4)
    pair.exchange(10)


def test_a_bad_lane_does_not_keep_the_link_down() -> None:
    """A flapping lane is excluded; each failed return is followed by a longer wait."""
    pair = Pair(2)
    pair.up()
    start = pair.dut.cycle
    for _ in range(20):
        pair.mode(NOISE, 2)
        pair.dut.run(700)
        pair.mode(GOOD)
        pair.dut.run(1300)
    assert pair.dut.cycle - start >= 40_000
    pair.mode(DARK, 2)
    pair.up(1)
    pair.exchange(20)
