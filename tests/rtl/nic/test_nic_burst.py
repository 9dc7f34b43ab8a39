# SPDX-License-Identifier: Apache-2.0
"""Short frames at a beat a cycle, a host far away: every buffer is filled once, in order.

About 2 s of processor.
"""

from __future__ import annotations

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.virtio import HEADER, Driver

PAIRS = 2
MAC = 0x020000000042
SIZE = 256


@pytest.fixture(scope="module")
def nic() -> Dut:
    """A card with two pairs of queues."""
    return Dut("nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000})


@pytest.mark.parametrize(("length", "segments"), [(60, 1), (60, 2), (200, 1)])
def test_a_burst_of_short_frames(nic: Dut, packed: bool, length: int, segments: int) -> None:
    nic.restart()
    nic.set("mac", MAC)
    nic.memory("m_axi_host").configure(latency_cycles=400, reorder=True)
    driver = Driver(nic, packed=packed)
    q = driver.queue(0, SIZE)
    driver.start()
    per = [HEADER + 128] if segments == 1 else [HEADER, 256]
    chains = {}
    for _ in range(SIZE // segments):
        parts = [(driver.place(n), n) for n in per]
        chains[driver.add(q, [(addr, n, True) for addr, n in parts])] = parts
    driver.publish(q)
    nic.run(12_000)
    head = MAC.to_bytes(6, "big") + bytes(6) + b"\x88\xb5"
    count = SIZE // segments // -(-(length + HEADER) // sum(per))
    frames = [head + bytes((n + i) & 0xFF for i in range(length - 14)) for n in range(count)]
    done = 0
    for first in range(0, count, 200):  # as many as the frame memory has records for
        some = frames[first : first + 200]
        nic.send("s_axis_eth0", some)
        for frame in some:
            data = b""
            many = 1
            while many:
                (chain, used) = driver.wait(q, 1)[0]
                got = b"".join(driver.memory.read(a, n) for a, n in chains.pop(chain))[:used]
                many = (int.from_bytes(got[10:12], "little") if not data else many) - 1
                data += got
            assert data[HEADER:] == frame
            done += 1
    assert done == count
    assert [driver.read(0x800 + 4 * n) for n in range(7)] == [count] + [0] * 6
