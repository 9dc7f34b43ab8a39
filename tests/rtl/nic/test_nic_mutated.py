# SPDX-License-Identifier: Apache-2.0
"""Mutated rings in bulk: the card survives each, and the queues that are well work on.

`test_nic_rings` looks at traffic after every few mutations; here up to three queues at a time get
one mutated ring after the other, each from a reset of its queue on, and one pair stays well. A
million rings in the long run: half of them split, half packed.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from kumihimo.testing.virtio import MEMORY, Driver
from nic_bench import CONTROL, MAC, PAIRS
from test_nic_rings import Mad, MadPacked, MadSplit, started, traffic

ROUNDS = 60  # between two resets of the card: what its memory has room for
NEEDS_RESET = 0x40


@pytest.fixture(scope="module")
def card() -> Dut:
    """The card of the other tests; for a million rings a faster build pays."""
    profile = by_size("test", "fast")
    return Dut(
        "nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000}, profile=profile
    )


def renew(driver: Driver, mads: list[Mad]) -> None:
    """Reset the queues alone, and give them other rings.

    A queue ends after the chain of 64 linked descriptors that may be read just then; the control
    queue after its commands, which take a cycle for every two of up to 64 Ki bytes.
    """
    polls = 4000 if any(mad.q.number == CONTROL for mad in mads) else 500
    for mad in mads:
        driver.write16(0x16, mad.q.number)
        driver.write16(0x3A, 1)
    for mad in mads:
        driver.write16(0x16, mad.q.number)
        for _ in range(polls):
            if driver.read(0x38) >> 16 == 0:
                break
            driver.dut.run(16)
        assert driver.read(0x38) >> 16 == 0, "the queue does not end"
        mad.q = driver.queue(mad.q.number, mad.rng.choice([2, 4, 8, 16, 64]))


def burst(dut: Dut, packed: bool, seed: int) -> tuple[int, bool]:
    """Mutated rings of some queues, then traffic over the others.

    Returns how many rings there were, and whether one has broken its queue.

    One pair of queues is well, so some traffic is always seen.
    """
    rng = random.Random(seed)
    driver = started(dut, rng, packed)
    well = rng.randrange(PAIRS)
    others = [q for q in range(CONTROL + 1) if q // 2 != well]
    sick = rng.sample(others, rng.choice([1, 2, 3, 3]))
    mads = [(MadPacked if packed else MadSplit)(driver, number, rng) for number in sick]
    canary = driver.place(4096)
    driver.memory.write(canary, bytes(range(256)) * 16)
    try:
        for _ in range(ROUNDS):
            for mad in mads:
                mad.done.clear()
                for _ in range(rng.choice([1, 2, 4])):
                    mad.step()
            dut.run(rng.choice([0, 40, 150, 400]))
            renew(driver, mads)
        assert driver.top < 0x100_0000, "the driver's memory is used up"
        traffic(driver, dut, sick, seed)
        assert driver.memory.read(canary, 4096) == bytes(range(256)) * 16
        broken = driver.read(0x14) & NEEDS_RESET != 0
    except AssertionError as e:
        done = [mad.done for mad in mads]
        raise AssertionError(f"seed {seed}, queues {sick}, after {done}: {e}") from e
    finally:
        dut.memory(MEMORY).fault(0x10_0000, 0xF0_0000, False)
    return ROUNDS * len(sick), broken


@pytest.mark.long
@pytest.mark.parametrize("part", range(by_size(1, 20)))
def test_a_million_rings(card: Dut, packed: bool, part: int) -> None:
    card.restart(seed=part + 1)
    card.set("mac", MAC)
    card.memory(MEMORY).configure(latency_cycles=30, jitter_ps=100_000, reorder=True)
    rings = turns = broken = 0
    while rings < by_size(100, 25_000):
        done, bad = burst(card, packed, 100_000 * part + turns)
        rings, turns, broken = rings + done, turns + 1, broken + bad
    # Nearly each has rings that break a queue; else they would say nothing.
    assert broken > 0.9 * turns
