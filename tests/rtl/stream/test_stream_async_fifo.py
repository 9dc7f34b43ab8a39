# SPDX-License-Identifier: Apache-2.0
"""Asynchronous fifo at clock ratios from 1:5 to 5:1, and at equal rates without a gap."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from stream_bench import STALLS, gapless, random_frames, same

PARAMS = {"DEPTH": 16}
CLOCKS = {"s_axis": "s_clk", "m_axis": "m_clk"}


PERIODS = [(6400, 6400), (6400, 6397), (3103, 6400), (6400, 3200), (2000, 9999), (9999, 2000)]


@pytest.mark.parametrize(("s_ps", "m_ps"), PERIODS)
@pytest.mark.parametrize("stalls", STALLS)
@pytest.mark.parametrize("style", [0, 1, 2, 3])
def test_order(s_ps: int, m_ps: int, stalls: tuple[float, float], style: int) -> None:
    dut = Dut.of_module(
        "kumi_axis_async_fifo",
        params={**PARAMS, "STYLE": style},
        interfaces={"*": {"DATA_W": 64, "USER_W": 2, "ID_W": 4, "DEST_W": 4}},
        clocks=CLOCKS,
        periods_ps={"s_clk": s_ps, "m_clk": m_ps},
        phases_ps={"m_clk": 1234},
    )
    dut.stall_all(*stalls, seed=s_ps)
    frames = random_frames(random.Random(m_ps), 64, 150, bad=0.1)
    dut.send("s_axis", frames)
    out = dut.recv("m_axis", len(frames), 400_000)
    same(out, frames)
    if stalls == (0.0, 0.0):
        if m_ps >= s_ps:
            gapless(out)
        if s_ps >= m_ps:
            taken = dut.sent("s_axis")
            assert taken[-1][1] - taken[0][0] + 1 == sum(f.beats for f in out)
        assert dut.get("s_depth") <= 16


def test_capacity() -> None:
    dut = Dut.of_module(
        "kumi_axis_async_fifo",
        params={**PARAMS, "STYLE": 0},
        interfaces={"*": {"DATA_W": 64, "USER_W": 2, "ID_W": 4, "DEST_W": 4}},
        clocks=CLOCKS,
        periods_ps={"s_clk": 6400, "m_clk": 5000},
    )
    dut.stall("m_axis", 1.0)
    words = [bytes([i] * 8) for i in range(30)]
    dut.send("s_axis", words)
    dut.run(100)
    assert len(dut.sent("s_axis")) == 17
    assert dut.get("s_depth") == dut.get("m_depth") == 16
    dut.stall("m_axis", 0.0)
    assert dut.recv_data("m_axis", 30) == words
