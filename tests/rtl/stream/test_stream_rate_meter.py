# SPDX-License-Identifier: Apache-2.0
"""Rate meter: its windows add up to what really went through."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from stream_bench import random_frames

RESULTS = ("bytes", "beats", "frames", "bad_frames", "stalled", "idle")


@pytest.mark.parametrize("window", [1, 2, 100, 1000])
@pytest.mark.parametrize("stalls", [(0.0, 0.0), (0.3, 0.4)])
def test_windows(window: int, stalls: tuple[float, float]) -> None:
    dut = Dut.of_module(
        "kumi_rate_meter",
        interfaces={"*": {"DATA_W": 64}},
        pins={"window": window},
    )
    dut.stall_all(*stalls, seed=3)
    frames = random_frames(random.Random(window), 64, 20, bad=0.3)
    dut.send("s_axis", frames)
    total = dict.fromkeys(RESULTS, 0)
    cycles = 3000 if window < 100 else 6000
    for _ in range(cycles):
        dut.run(1)
        if dut.get("done"):
            now = {name: dut.get(name) for name in RESULTS}
            assert now["beats"] + now["stalled"] + now["idle"] == window
            for name, value in now.items():
                total[name] += value
    out = dut.recv("m_axis", len(frames))
    assert total["bytes"] == sum(len(f.data) for f in frames)
    assert total["beats"] == sum(f.beats for f in out)
    assert total["frames"] == len(frames)
    assert total["bad_frames"] == sum(f.bad for f in frames)
    if stalls == (0.0, 0.0):
        assert total["stalled"] == 0
