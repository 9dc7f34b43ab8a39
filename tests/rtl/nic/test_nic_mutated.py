# SPDX-License-Identifier: Apache-2.0
"""Mutated rings in bulk: the card survives each, and the other queues work on.

`test_nic_rings` looks at traffic after every few mutations; here a queue gets one mutated ring
after the other, each from a reset of the queue on, and the healthy ones are looked at after a
hundred. A million rings in the long run: half of them split, half packed.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from kumihimo.testing.virtio import MEMORY, Driver
from nic_bench import CONTROL, MAC, PAIRS
from test_nic_rings import Mad, MadPacked, MadSplit, started, traffic

RINGS = 100  # between two resets of the card
NEEDS_RESET = 0x40


@pytest.fixture(scope="module")
def card() -> Dut:
    """The card of the other tests; for a million rings a faster build pays."""
    profile = by_size("test", "fast")
    return Dut(
        "nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000}, profile=profile
    )


def renew(driver: Driver, mad: Mad) -> None:
    """Reset the queue alone, and give it another ring."""
    number = mad.q.number
    driver.write16(0x16, number)
    driver.write16(0x3A, 1)
    for _ in range(2000):
        if driver.read(0x38) >> 16 == 0:
            break
        driver.dut.run(4)
    assert driver.read(0x38) >> 16 == 0, "the queue does not end"
    mad.q = driver.queue(number, mad.rng.choice([2, 4, 8, 16, 64]))


def burst(dut: Dut, packed: bool, seed: int) -> int:
    """Mutated rings of one queue, then traffic over the others; whether one was found wrong."""
    rng = random.Random(seed)
    driver = started(dut, rng, packed)
    sick = rng.randrange(CONTROL + 1)
    mad = (MadPacked if packed else MadSplit)(driver, sick, rng)
    canary = driver.place(4096)
    driver.memory.write(canary, bytes(range(256)) * 16)
    try:
        for _ in range(RINGS):
            mad.done.clear()
            for _ in range(rng.choice([1, 2, 4])):
                mad.step()
            dut.run(rng.choice([0, 40, 150, 400]))
            renew(driver, mad)
        traffic(driver, dut, sick, seed)
        assert driver.memory.read(canary, 4096) == bytes(range(256)) * 16
        broken = driver.read(0x14) & NEEDS_RESET != 0
    except AssertionError as e:
        raise AssertionError(f"seed {seed}, queue {sick}, after {mad.done}: {e}") from e
    finally:
        dut.memory(MEMORY).fault(0x10_0000, 0xF0_0000, False)
    return int(broken)


@pytest.mark.long
@pytest.mark.parametrize("part", range(by_size(1, 20)))
def test_a_million_rings(card: Dut, packed: bool, part: int) -> None:
    bursts = by_size(2, 250)
    card.restart(seed=part + 1)
    card.set("mac", MAC)
    card.memory(MEMORY).configure(latency_cycles=30, jitter_ps=100_000, reorder=True)
    broken = sum(burst(card, packed, 100_000 * part + turn) for turn in range(bursts))
    # Each has rings that break their queue; else they would say nothing.
    assert broken == bursts
