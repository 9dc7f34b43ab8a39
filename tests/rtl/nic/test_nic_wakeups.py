# SPDX-License-Identifier: Apache-2.0
"""No wake-up is lost: a driver that notifies only when it must.

Virtio 1.2, 2.7.10 and 2.8.10; a few seconds of processor.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from kumihimo.testing.virtio import EVENT_IDX, Driver
from nic_bench import MAC, PAIRS, frame

ROUNDS, PATIENCE = by_size(50, 500), 3_000
SENDING = [2 * pair + 1 for pair in range(PAIRS)]


def publish(driver: Driver, number: int, before: int) -> bool:
    """Show what was added since index `before`, and notify if the device asks; whether it did."""
    q = driver.queues[number]
    driver.publish(q, notify=False)
    asked = q.asks(driver.memory, before)
    if asked:
        driver.write(0x2000 + 4 * number, number)
    return asked


@pytest.mark.long
@pytest.mark.parametrize("latency", [4, 40, 150])
def test_every_chain_is_used_in_time(nic: Dut, packed: bool, latency: int) -> None:
    """Queues run dry together, one after the other, and while the others are filled."""
    nic.restart(seed=latency)
    nic.set("mac", MAC)
    nic.memory("m_axi_host").configure(latency_cycles=latency, reorder=True)
    driver = Driver(nic, packed=packed)
    assert driver.features & EVENT_IDX
    for number in range(2 * PAIRS + 1):
        driver.queue(number)
    driver.start()
    rng = random.Random(latency)
    asked = 0
    for _ in range(ROUNDS):
        for number in rng.sample(SENDING, rng.randint(1, len(SENDING))):
            q = driver.queues[number]
            before = q.available
            for _ in range(min(rng.choice([1, 1, 1, 2, 5]), len(q.free))):
                driver.send(q, frame(60))
            if q.available != before:
                asked += publish(driver, number, before)
            nic.run(rng.choice([0, 0, 1, 2, 7, latency, 3 * latency]))
        if rng.random() < 0.5:
            for number in SENDING:
                q = driver.queues[number]
                driver.wait(q, len(q.done) + len(q.chains), PATIENCE)
                q.done.clear()
            nic.run(rng.choice([0, latency, 6 * latency]))
            nic.recv("m_axis_eth0")
    for number in SENDING:
        q = driver.queues[number]
        driver.wait(q, len(q.done) + len(q.chains), PATIENCE)
    assert asked > ROUNDS / 4  # else it would say nothing
