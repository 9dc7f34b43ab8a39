# SPDX-License-Identifier: Apache-2.0
"""Link training of two ends that begin at different times."""

from __future__ import annotations

import pytest
from ib_pair import CONFIGS, DOWN, INIT, LINK_UP, Pair

SET_SYMBOLS = 16  # of a training set per lane


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_ends_that_begin_at_different_times(config: tuple[int, int, int]) -> None:
    """Whichever end begins, by any part of a training set: both are up, the first time."""
    lanes, width, _ = config
    set_cycles = SET_SYMBOLS * lanes * 8 // width
    pair = Pair(*config, skew=(1, 0, 2, 0))
    for lag in range(-4 * set_cycles - 20, 4 * set_cycles + 20):
        first, second = "ab" if lag >= 0 else "ba"
        for end in "ab":
            pair.dut.set(f"cfg_{end}", pair.cfg | {"enable": 0})
        pair.dut.run(100)
        assert pair.state("a") == pair.state("b") == DOWN
        downed = [pair.counters(end)["link_downed"] for end in "ab"]
        pair.dut.set(f"cfg_{first}", pair.cfg)
        pair.dut.run(abs(lag))
        pair.dut.set(f"cfg_{second}", pair.cfg)
        pair.dut.run(40 * set_cycles + 200)
        for end in "ab":
            assert pair.status(end) == {"phys_state": LINK_UP, "port_state": INIT}, (lag, end)
            assert pair.counters(end)["link_error_recovery"] == 0, lag
        assert [pair.counters(end)["link_downed"] for end in "ab"] == downed
