# SPDX-License-Identifier: Apache-2.0
"""The Ethernet side at other widths than the host's memory: every byte, both ways, under stalls."""

from __future__ import annotations

import pytest
from kumihimo.testing import Dut, Frame
from nic_bench import MAC, PAIRS, frame
from test_nic import buffers, ready, received

LENGTHS = [60, 61, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1514]


@pytest.fixture(
    scope="module",
    params=[
        64,
        pytest.param(128, marks=pytest.mark.long(only=True)),
        pytest.param(256, marks=pytest.mark.long(only=True)),
    ],
)
def narrow(request: pytest.FixtureRequest) -> Dut:
    """A card whose Ethernet streams are narrower than its memory port."""
    return Dut(
        "nic",
        {"PAIRS": PAIRS, "DATA_W": request.param},
        pins={"mac": MAC},
        periods_ps={"clk": 4000},
    )


def test_sends_at_a_width(narrow: Dut, packed: bool) -> None:
    driver = ready(narrow, packed)
    narrow.stall_all(rx=0.2, tx=0.3)
    q = driver.queues[1]
    frames = [frame(length, length) for length in LENGTHS]
    for sent in frames:
        driver.send(q, sent, 2)
        driver.publish(q)
        assert narrow.recv_data("m_axis_eth0", 1) == [sent]
        driver.take(q)


def test_receives_at_a_width(narrow: Dut, packed: bool) -> None:
    driver = ready(narrow, packed)
    narrow.stall_all(rx=0.2, tx=0.3)
    given = buffers(driver, 0, [2048] * len(LENGTHS))
    frames = [frame(length, length) for length in LENGTHS]
    # A bad one in between leaves no trace.
    narrow.send("s_axis_eth0", [Frame(data) for data in frames[:4]])
    narrow.send("s_axis_eth0", [Frame(frame(200, 1), bad=True)])
    narrow.send("s_axis_eth0", [Frame(data) for data in frames[4:]])
    assert received(driver, 0, given, len(frames)) == frames
