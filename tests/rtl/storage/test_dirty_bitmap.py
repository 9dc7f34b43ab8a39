# SPDX-License-Identifier: Apache-2.0
"""The dirty bitmap of 2^24 stripes against a set, with its bits in a sparse memory above 4 GiB."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut

STRIPES, AREA = 1 << 24, 0x27_0020_0000
PATIENCE = 2_000_000


@pytest.fixture(scope="module")
def built() -> Dut:
    shapes = {"m_axi": {"DATA_W": 64, "ADDR_W": 40}}
    return Dut.of_module("kumi_array_dirty_bitmap", {}, shapes, profile="soak")


def begin(dut: Dut, latency: int, stall: float = 0.0) -> None:
    dut.restart()
    for pin in ("clear", "prepare", "set", "scan", "m_ready"):
        dut.set(pin, 0)
    dut.set("area", AREA)
    dut.set("count", STRIPES)
    dut.memory("m_axi").configure(latency_cycles=latency, size=1 << 40)
    if stall:
        dut.stall_all(stall, stall, seed=latency)
    dut.run_until(lambda: dut.get("idle") == 1, PATIENCE, 1)


def prepare(dut: Dut, stripe: int) -> bool:
    """Whether memory had the stripe's line."""
    dut.set("stripe", stripe)
    dut.set("prepare", 1)
    dut.run_until(lambda: dut.get("prepared") == 1, PATIENCE, 1)
    good = dut.get("bad") == 0
    dut.set("prepare", 0)
    dut.run(2)
    return good


def mark(dut: Dut, stripe: int) -> None:
    assert prepare(dut, stripe)
    pulse(dut, "set")


def pulse(dut: Dut, pin: str) -> None:
    dut.set(pin, 1)
    dut.run(1)
    dut.set(pin, 0)
    dut.run(1)


def scan(dut: Dut) -> list[int] | None:
    """Stripes listed; None after a memory error."""
    pulse(dut, "scan")
    dut.set("m_ready", 1)
    found: list[int] = []

    def step() -> bool:
        if dut.get("m_valid"):
            found.append(dut.get("m_at"))
        return dut.get("idle") == 1

    dut.run_until(step, PATIENCE, 1)
    dut.set("m_ready", 0)
    dut.run(1)
    return None if dut.get("scan_bad") else found


@pytest.mark.parametrize(("latency", "stall"), [(1, 0.0), (60, 0.3), (200, 0.0)])
def test_lists_what_was_set_in_order(built: Dut, latency: int, stall: float) -> None:
    """Several rounds; memory keeps what former ones left there, and it does not matter."""
    begin(built, latency, stall)
    built.memory("m_axi").write(AREA, b"\xff" * 4096)  # nothing is set for all that
    r = random.Random(latency)
    assert scan(built) == []
    for count in (1, 70, 200):
        near = r.randrange(STRIPES - 4096)
        stripes = {0, STRIPES - 1} | {
            r.choice((r.randrange(STRIPES), near + r.randrange(4096), near)) for _ in range(count)
        }
        for stripe in r.sample(sorted(stripes), len(stripes)):
            mark(built, stripe)
        mark(built, near)  # again, or for the first time
        for _ in range(2):
            assert scan(built) == sorted(stripes | {near})
        pulse(built, "clear")
        built.run_until(lambda: built.get("idle") == 1, PATIENCE, 1)
        assert scan(built) == []


def test_errors_of_memory(built: Dut) -> None:
    begin(built, 20)
    memory = built.memory("m_axi")
    lines = [32 * i for i in range(4)]  # they take the same place on chip
    for line in lines[:3]:
        mark(built, 512 * line + 5)
    built.run(100)
    memory.fault(AREA + 64 * lines[1], 64)
    assert not prepare(built, 512 * lines[1] + 6)  # cannot be read
    assert scan(built) is None
    assert prepare(built, 512 * lines[3])  # new
    memory.fault(AREA + 64 * lines[1], 64, False)
    assert scan(built) == [512 * line + 5 for line in lines[:3]]
    mark(built, 512 * lines[1] + 6)
    memory.fault(AREA + 64 * lines[1], 64)
    prepare(built, 512 * lines[2] + 6)
    built.run(100)  # what was changed cannot be written back
    memory.fault(AREA + 64 * lines[1], 64, False)
    assert not prepare(built, 512 * lines[0])
    assert scan(built) is None
    pulse(built, "clear")
    built.run_until(lambda: built.get("idle") == 1, PATIENCE, 1)
    mark(built, 7)
    assert scan(built) == [7]


def test_cycles(built: Dut) -> None:
    begin(built, 200)

    def took(stripe: int) -> int:
        start = built.cycle
        mark(built, stripe)
        return built.cycle - start - 4  # as `mark` waits

    assert took(5) <= 30  # a line that memory need not know
    assert took(9) <= 10
    start = built.cycle
    assert scan(built) == [5, 9]
    assert built.cycle - start <= 4 * 512 + 35 + 3 * 2 + 10


@pytest.mark.parametrize("stripes", [256, 1000])
def test_illegal_parameters(stripes: int) -> None:
    shapes = {"m_axi": {"DATA_W": 64, "ADDR_W": 40}}
    with pytest.raises(Exception, match="STRIPES"):
        Dut.of_module("kumi_array_dirty_bitmap", {"STRIPES": stripes}, shapes)
