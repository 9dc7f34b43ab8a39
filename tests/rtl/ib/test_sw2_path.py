# SPDX-License-Identifier: Apache-2.0
"""Stores from one node's interface to another's memory: SW2, router, InfiniBand, a switch, back."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from ib_pair import ACTIVE, ARMED, INIT, config
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size

BASE = 0x1000
# Events in the order of `stamps`, then the switch's two.
EVENTS = ("store", "interface", "sw2_up", "encapsulated", "link", "sw2_side", "sw2_down", "memory",
          "switch_in", "switch_out")  # fmt: skip
PAPER_TOTAL_NS, GOAL_NS = 3208, 1500


class Path:
    """Both stations and the switch, every link Active."""

    def __init__(self, **params: Any) -> None:
        width = params.get("DATA_W", 64)
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_sw2_path.sv",
            params,
            {"*": {"DATA_W": 64}, "m_axi_0": {"ADDR_W": 32}, "m_axi_1": {"ADDR_W": 32}},
            files=["tests/rtl/ib/kumi_tb_sw2_station.sv", "tests/rtl/ib/kumi_tb_sw2_stores.sv"],
        )
        assert width in (32, 64)
        for pin in ("rate", "sw2_rate", "start", "arm", "set_state", "lft_we", "s2v_we"):
            self.dut.set(pin, 0)
        self.dut.set("cfg", config(4) | {"phy_errors": 15})
        self.dut.run_until(lambda: self.dut.get("tables_ready"))
        for port in (1, 2):
            for name, value in (("lid", 99 + port), ("port", port), ("we", 1)):
                self.dut.set(f"lft_{name}", value)
            self.dut.run(1)
            self.dut.set("lft_we", 0)
            self.dut.run(2)
        for source in range(5):
            for out in range(5):
                row = sum((sl % 4) << 60 - 4 * sl for sl in range(16))
                for name, value in (("in", source), ("out", out), ("table", row), ("we", 1)):
                    self.dut.set(f"s2v_{name}", value)
                self.dut.run(1)
                self.dut.set("s2v_we", 0)
        self.dut.set("start", 1)
        self.dut.run_until(lambda: self.least() >= INIT, 60_000, step=32, what="Init")
        for state in (ARMED, ACTIVE):
            self.dut.set("set_state", state)
            self.dut.run(1)
            self.dut.set("set_state", 0)
            self.dut.run(200)
        self.dut.run_until(lambda: self.least() >= ACTIVE, 10_000, step=32, what="Active")
        self.dut.run(1500)
        self.memory = [self.dut.memory(f"m_axi_{n}") for n in (0, 1)]
        for n in (0, 1):
            self.dut.watch(f"router_ev_{n}")
            self.dut.watch(f"rx_ev_{n}")
        self.dut.watch("sw2_ev_0")

    def least(self) -> int:
        value = self.dut.get("states")
        return min(value >> 3 * i & 7 for i in range(4))

    def store(self, station: int, words: list[tuple[int, bytes]]) -> None:
        """8-byte stores to places in the other station's region."""
        frames = [struct.pack("<Q", at | 0xFF << 32) + data for at, data in words]
        self.dut.send(f"s_axis_{station}", frames)

    def wait(self, count: int) -> None:
        """Run until so many stores have arrived at each station, and the answers with them."""
        self.dut.run_until(
            lambda: all(self.counts(f"rx_ev_{n}").get("received", 0) >= count for n in (0, 1)),
            4_000_000, step=1000, what="all stores",
        )  # fmt: skip
        self.dut.run(1000)

    def counts(self, pin: str) -> dict[str, int]:
        return {k: v for k, v in self.dut.counts(pin).items() if v}

    def latency(self) -> dict[str, int]:
        """Cycles of one store, from its write data on."""
        self.dut.set("arm", 1)
        self.dut.run(1)
        self.dut.set("arm", 0)
        self.store(0, [(0, b"8 bytes!")])
        self.dut.run(400)
        value = self.dut.get("stamps")
        times = {name: value >> 16 * i & 0xFFFF for i, name in enumerate(EVENTS)}
        return {name: times[name] - times["store"] for name in EVENTS}


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
        assert memory.read(BASE + 512, 0x1000 - 512) == bytes(0x1000 - 512)
    for n in (0, 1):
        assert path.counts(f"rx_ev_{n}") == {"received": 64}


def test_total_latency(path: Path) -> None:
    """At 125 MHz (2.5 Gb/s a lane, SW2 of 2.5 Gb/s) with retransmission: below the goal."""
    for wait in range(8):  # all phases of the SW2 lines
        path.dut.run(40 + wait)
        times = path.latency()
        total = times["memory"] * 8
        assert total <= GOAL_NS < PAPER_TOTAL_NS, times
        print(times)


@pytest.mark.parametrize("rate,sw2_rate", [(120, 0), (60, 4000)])
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
