# SPDX-License-Identifier: Apache-2.0
"""Stores from one node's interface to another's memory: SW2, router, InfiniBand, a switch, back."""

from __future__ import annotations

import struct

import pytest
from kumihimo.bench.ib.path import BASE, LIMIT, Path
from kumihimo.testing.sizes import by_size

PAPER_TOTAL_NS, GOAL_NS = 3208, 1500


@pytest.fixture(scope="module")
def path() -> Path:
    return Path()


def test_stores_arrive(path: Path) -> None:
    """Both ways at once; memory holds what was stored, and nothing else was written."""
    words = [(8 * n, n.to_bytes(8, "little")) for n in range(64)]
    for station in (0, 1):
        path.store(station, words)
    path.wait(64)
    for memory in path.memory:
        assert memory.read(BASE, 512) == b"".join(data for _, data in words)
        assert memory.read(BASE + 512, LIMIT - 512) == bytes(LIMIT - 512)
    for n in (0, 1):
        assert path.counts(f"rx_ev_{n}") == {"received": 64}


def test_total_latency(path: Path) -> None:
    """At 125 MHz (2.5 Gb/s a lane, SW2 of 2.5 Gb/s) with retransmission: below the goal."""
    for wait in range(8):  # all phases of the SW2 lines
        path.dut.run(40 + wait)
        times = path.latency()
        total = times["memory"] * 8
        assert total <= GOAL_NS < PAPER_TOTAL_NS, times


@pytest.mark.parametrize("rate,sw2_rate", [(120, 0), (200, 4000)])
def test_with_bit_errors(rate: int, sw2_rate: int) -> None:
    """Errors on InfiniBand and SW2 cables: each store once, in order, and the last one stays."""
    path = Path()
    path.dut.set("rate", rate)
    path.dut.set("sw2_rate", sw2_rate)
    count = by_size(300, 20_000)
    # All stores of a station go to few places: the last one to each must win.
    for station in (0, 1):
        path.store(station, [(8 * (n % 16), struct.pack("<Q", n)) for n in range(count)])
    path.wait(count)
    path.dut.set("rate", 0)
    path.dut.run(20_000)
    for n, memory in enumerate(path.memory):
        wanted = [max(m for m in range(count) if m % 16 == place) for place in range(16)]
        assert memory.read(BASE, 128) == struct.pack("<16Q", *wanted)
        assert path.counts(f"rx_ev_{n}") == {"received": count}
        counted = path.counts(f"router_ev_{n}")
        assert counted["sent"] == counted["received"] == count and counted["resent"] > 0
        assert "died" not in counted
    assert path.dut.get("injected") >= 20
    if sw2_rate:
        assert path.counts("sw2_ev_0")["corrected"] > 20
        assert "uncorrectable" not in path.counts("sw2_ev_0")
