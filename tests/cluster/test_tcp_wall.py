# SPDX-License-Identifier: Apache-2.0
"""The rows of `kumi bench tcp-wall`, in small: what iperf says and what the node counted agree.

No rate is asked for: a test's machine may be busy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from kumihimo.bench.core import BenchError
from kumihimo.bench.tcp import wall
from kumihimo.cluster import Cluster
from kumihimo.common.process import find_program

SETTING = replace(wall.NARROW, mtu=1500)
AMOUNT = 200_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if not find_program("iperf"):
        pytest.fail("iperf is missing: make setup-test installs it")
    with wall.serving(SETTING) as cluster:
        yield cluster


def test_into_the_node(cluster: Cluster) -> None:
    row = wall.there(cluster, SETTING, AMOUNT)
    assert row["payload_bytes"] >= AMOUNT
    # Full segments but for the ends: 1,448 bytes with time stamps; SYN, FIN and ACKs besides.
    assert AMOUNT / 1448 <= row["segments"] <= AMOUNT / 1448 * 1.2 + 20
    assert 0 < row["bytes_per_cycle"] < 8
    assert row["cycles"] > row["payload_bytes"] / 8
    # iperf's time is part of ours.
    assert row["mbit_s"] * 1e6 * row["wall_s"] >= row["payload_bytes"] * 8 * 0.99
    assert (row["width"], row["mtu"]) == (64, 1500)


def test_out_of_the_node(cluster: Cluster) -> None:
    row = wall.back(cluster, SETTING, AMOUNT)
    assert row["payload_bytes"] >= AMOUNT
    assert row["mbit_s"] > 0 and row["mbit_s_there"] > 0


def test_udp(cluster: Cluster) -> None:
    """The node's other service: every byte that iperf says it sent has arrived."""
    block = cluster["server"].regs.iperf_server
    before = block.read64("udp")
    sent, _ = wall.iperf(cluster, "-u", "-l", "1000", "-n", "100000", "-b", "4M")[0]
    # The client's last datagram may be the one that says the end, sent again until it is answered.
    assert sent >= 100_000
    assert sent <= block.read64("udp") - before <= sent + 10 * 1000


def test_bytes_that_differ_are_no_figure(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wall, "iperf", lambda *_: [(AMOUNT, 1e6)])
    monkeypatch.setattr(wall, "SETTLE_S", 0.2)
    with pytest.raises(BenchError, match="the node got 0"):
        wall.there(cluster, SETTING, AMOUNT)
