# SPDX-License-Identifier: Apache-2.0
"""A flood of SYNs over a node's line, in small: `kumi bench tcp-flood` is the full size.

A tenth of the line that the session leaves, so that Linux needs one SYN.
"""

from __future__ import annotations

import pytest
from kumihimo.bench.tcp.flood import Syns, flood
from kumihimo.bench.tcp.rig import library
from kumihimo.bench.tcp.segments import SYN, parse
from scapy.layers.inet import TCP
from scapy.layers.l2 import Ether

NODE = {"DATA_W": 64, "SESSIONS": 16, "ON_CHIP": 1, "TX_STORE": 0}


def test_frames() -> None:
    """They are well-formed, all different, and what scapy would have made."""
    frames = Syns(0x0200_0000_0010, "10.77.0.10").batch(500)
    assert len(set(frames)) == 500
    for frame in frames:
        seg = parse(frame)
        assert seg is not None and seg.good and seg.flags == SYN and len(frame) == 60
    packet = Ether(frames[7])
    del packet["IP"].chksum, packet["TCP"].chksum
    assert bytes(packet) == frames[7]
    assert packet[TCP].options == [("MSS", 1460)]


@pytest.mark.parametrize("way", ["send", "receive"])
def test_session_and_client_in_a_flood(way: str) -> None:
    """A session keeps its rate, Linux connects by a cookie at once, with reset values."""
    row = flood(
        library(NODE),
        way,
        flood_us=800,
        before_us=200,
        line_bps=10e9,
        fill=1.0,
        period_ps=6400,
        clients=2,
        patience_s=30.0,
        each=4000,
        chunk=7300,
    )
    assert row["share"] >= 0.9
    assert row["linux_connects"] == row["linux_tried"] == row["cookies_taken"] == 2
    assert row["cookies_sent"] > 100 and row["syns"] > 500
