# SPDX-License-Identifier: Apache-2.0
"""The loss bench in small: two narrow engines, a line of 10 Gb/s, 10 us, frames lost both ways."""

from __future__ import annotations

import pytest
from kumihimo.bench.tcp.loss import goodput
from kumihimo.bench.tcp.rig import library, share_limit
from kumihimo.build import BuildResult

# The same as test_tcp_traffic's: one library for both.
NODE = {"DATA_W": 64, "SESSIONS": 16, "ON_CHIP": 1, "TX_STORE": 0, "CUBIC": 1, "TX_QUEUE": 16}
LINE_BPS = 10e9
US = 1_200


@pytest.fixture(scope="module")
def built() -> BuildResult:
    return library(NODE)


def test_without_loss(built: BuildResult) -> None:
    """The line is full, and nothing is sent twice."""
    row = goodput(built, 0, 300, 1, warm_up_us=200, line_bps=LINE_BPS)
    assert row["goodput_share_of_line"] == pytest.approx(share_limit(1500, True), rel=0.01)
    assert row["retransmitted"] == row["lost_data_frames"] == row["time_outs"] == 0


def test_loss_costs_little(built: BuildResult) -> None:
    """Each loss is mended by one segment sent again, without a time-out, at little cost."""
    row = goodput(built, 5e-3, US, 1, warm_up_us=200, line_bps=LINE_BPS)
    assert row["lost_data_frames"] >= 4
    assert row["lost_data_frames"] - 1 <= row["retransmitted"] <= row["lost_data_frames"] + 1
    assert row["time_outs"] == 0
    assert row["goodput_share_of_line"] > 0.95 * share_limit(1500, True)
