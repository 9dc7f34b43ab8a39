# SPDX-License-Identifier: Apache-2.0
"""Link-level retry: nothing is lost, duplicated or changed, whatever the line does."""

from __future__ import annotations

import itertools

import pytest
from link_pair import DARK, GOOD, NOISE, Pair


@pytest.mark.parametrize("lanes", [1, 2, 3, 4])
def test_bit_errors(lanes: int) -> None:
    """Error rates up to 1e-5, and ten times that, with stalls on all sides."""
    pair = Pair(lanes, seed=lanes)
    pair.up()
    for rate, count in ((0, 60), (1e-6, 60), (1e-5, 150), (1e-4, 60)):
        pair.errors(rate)
        pair.exchange(count)
    pair.errors(1e-5)
    pair.dut.stall_all(0.3, 0.4, seed=3)
    pair.exchange(80)
    pair.dut.stall_all(0, 0)
    assert pair.count("a", "retry.bad_crc") and pair.count("a", "retry.replayed")
    assert pair.count("a", "retry.sent") >= pair.count("b", "retry.good")
    assert not pair.count("a", "lanes.link_down")


def test_long_cable() -> None:
    """500 blocks (100 m of fibre are about 80) each way."""
    pair = Pair(1)
    pair.dut.set("delay_ab", 500)
    pair.dut.set("delay_ba", 500)
    pair.up()
    pair.errors(1e-5)
    pair.exchange(100)


@pytest.mark.parametrize("mode", [DARK, NOISE])
def test_unplugged_under_traffic(mode: int) -> None:
    """The session outlives it: frames of before and after are in order and complete."""
    pair = Pair(2, seed=mode)
    pair.up()
    for way in ("both", "ab", "ba"):

        def back() -> None:
            pair.mode(GOOD)
            pair.plug()

        pair.exchange(60, events=[(300, lambda w=way: pair.mode(mode, ways=w)), (3000, back)])
        pair.up()
    assert pair.count("a", "retry.restart") == 0


def test_a_stalled_receiver_holds_the_sender() -> None:
    """A receiver that stalls for long: no loss, and no retransmission.

    The other direction runs at full speed meanwhile.
    """
    pair = Pair(1)
    pair.up()
    pair.dut.stall("m_axis_b", 1.0)
    ahead = pair.frames(60, [1000])
    pair.dut.send("s_axis_a", ahead)
    pair.dut.run(9000)
    assert pair.dut.waiting("s_axis_a") > 20 and not pair.dut.recv("m_axis_b")
    other = pair.frames(20, [4096])
    pair.dut.send("s_axis_b", other)
    start = pair.dut.cycle
    assert pair.dut.recv_data("m_axis_a", 20, 20_000) == other
    assert pair.dut.cycle - start < 20 * 4096 / 8 * 1.1
    pair.dut.stall("m_axis_b", 0.0)
    assert pair.dut.recv_data("m_axis_b", 60, 40_000) == ahead
    assert pair.count("a", "retry.replayed") == 0


def test_a_short_frame_is_its_own_chunk() -> None:
    """It does not wait for a chunk to fill, nor the one after it for its acknowledgement."""
    pair = Pair(1)
    pair.up()
    sent = [bytes([i]) * 24 for i in range(40)]
    pair.dut.send("s_axis_a", sent)
    got = pair.dut.recv("m_axis_b", 40)
    assert [f.data for f in got] == sent
    steps = [b.last_cycle - a.last_cycle for a, b in itertools.pairwise(got)]
    assert min(steps) == 4 and sum(steps) < 4.8 * len(steps)  # 3 blocks and a separator


def test_one_end_begins_anew() -> None:
    """B is reset in the middle: data in flight is lost, afterwards nothing is missing."""
    pair = Pair(2)
    pair.up()
    pair.dut.send("s_axis_a", pair.frames(30, [5000]))
    pair.dut.send("s_axis_b", pair.frames(30, [5000]))
    pair.dut.run(1500)
    pair.set_cfg("b", retry__nonce=901)
    pair.dut.check = False  # a stream port that is reset in mid-frame breaks its contract
    pair.dut.set("rst_b", 1)
    pair.dut.run(20)
    pair.dut.set("rst_b", 0)
    pair.up()
    pair.dut.drain(100_000, settle=4000)
    assert pair.count("a", "retry.restart") == 1
    for x in "ab":
        pair.dut.recv(f"m_axis_{x}")
    # The last old frame may have lost its start in B; from here on everything is complete.
    pair.exchange(30)


def test_partner_without_retransmission() -> None:
    """After a while frames pass plain, if allowed; else the link stays shut.

    When the partner gets it, both change over.
    """
    pair = Pair(1, cfg_b={"retry.enable": 0})
    pair.up()
    assert not pair.status("a")["retry.retry"]
    pair.exchange(20)
    pair.set_cfg("b", retry__nonce=7)
    pair.until(lambda: pair.status("a")["retry.retry"] and pair.status("b")["retry.retry"],
               "retransmission at both ends")  # fmt: skip
    pair.up()
    pair.errors(1e-5)
    pair.exchange(60)

    strict = Pair(1, cfg_a={"retry.plain_ok": 0}, cfg_b={"retry.enable": 0})
    strict.until(lambda: strict.status("a")["lanes.up"], "up")
    strict.dut.send("s_axis_a", b"not this way")
    strict.dut.run(25_000)
    assert not strict.status("a")["retry.open"]
    assert strict.dut.waiting("s_axis_a") == 1 and not strict.dut.recv("m_axis_b")


def test_bad_marks_pass() -> None:
    """A frame marked bad by the user arrives so."""
    pair = Pair(4)
    pair.up()
    for size in (1, 32, 1016, 5000):
        pair.dut.send("s_axis_a", pair.rng.randbytes(size), bad=True)
        pair.dut.send("s_axis_a", pair.rng.randbytes(size))
        one, two = pair.dut.recv("m_axis_b", 2)
        assert one.bad and not two.bad and len(one.data) == len(two.data) == size
