# SPDX-License-Identifier: Apache-2.0
"""Channels over serial links: bit errors, back-pressure, a pulled cable, a board that is reset."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo import Cluster
from kumihimo.clusterfile import plan, plan_text
from kumihimo.hls.host import KernelTimeout

FILE = Path(__file__).with_name("serial.yaml")
FROM, TO = 0x1_0000, 0x100_0000
FACTOR = 0x9E3779B97F4A7C15


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(FILE) as running:
        yield running


def numbers(n: int, pause: int) -> bytes:
    """What `slow` makes of what `count` sends."""
    words = [i * FACTOR % 2**64 for i in range(n)]
    turned = [(w << pause % 64 | w >> (64 - pause % 64)) % 2**64 for w in words]
    return b"".join(w.to_bytes(8, "little") for w in turned)


def test_both_ways_with_bit_errors(cluster: Cluster) -> None:
    """Two lanes and one, in both directions at once, a bit wrong in a million; a slow reader."""
    alice, bob = cluster["alice"], cluster["bob"]
    for n in (0, 1, 2, 3000):
        data = {node: random.Random(n + i).randbytes(16 * n) for i, node in enumerate((alice, bob))}
        for node, sent in data.items():
            node.memory().write(FROM, sent)
            node.kernel("sink").start(TO, n)
            node.kernel("slow").start(TO + 16 * n, n, 7)
            node.kernel("count").start(n)
            node.kernel("source").start(FROM, n)
        for node, other in ((alice, bob), (bob, alice)):
            for kernel in ("source", "count", "sink", "slow"):
                node.kernel(kernel).wait("2 ms")
            assert node.memory().read(TO, 16 * n) == data[other]
            assert node.memory().read(TO + 16 * n, 8 * n) == numbers(n, 7)
    lanes = alice.regs.lanes
    assert int(lanes.link_up.read()) == 1 and int(lanes.link_down.read()) == 0
    assert alice.regs.serial.io_link0.read() == 1


def test_pulled_cable(cluster: Cluster) -> None:
    """Words wait while the cable is out, and none is missing afterwards."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = random.Random(9).randbytes(16 * 4000)
    alice.memory().write(FROM, data)
    bob.kernel("sink").start(TO, 4000)
    alice.kernel("source").start(FROM, 4000)
    cluster.run("40 us")
    cluster.plug("alice.l0", False)
    with pytest.raises(KernelTimeout):
        bob.kernel("sink").wait("100 us")
    cluster.plug("alice.l0")
    bob.kernel("sink").wait("2 ms")
    assert bob.memory().read(TO, len(data)) == data


def test_replay(tmp_path: Path) -> None:
    """A recording has all that a cluster of kernels needs, read from anywhere."""
    record = tmp_path / "serial.kumirec"
    with Cluster(FILE, record=record) as cluster:
        for node in cluster:
            cluster[node].kernel("count").start(500)
            cluster[node].kernel("slow").start(TO, 500, 1)
        cluster.run("100 us")
        digest = cluster.digest()
    result = Cluster(FILE).replay(record)
    assert result["equal"] and result["digest"] == digest
    again = plan_text(plan(FILE).portable(), tmp_path / "elsewhere.yaml")
    assert again.nodes["bob"].design == plan(FILE).nodes["bob"].design


def test_reset_board_closes_the_channel(cluster: Cluster) -> None:
    """Words of before the reset are lost, so no later one is taken for them."""
    alice, bob = cluster["alice"], cluster["bob"]
    alice.memory().write(FROM, bytes(16 * 4000))
    bob.kernel("sink").start(TO, 4000)
    alice.kernel("source").start(FROM, 4000)
    cluster.run("40 us")
    cluster.reset("alice")
    cluster.run("200 us")
    assert bob.regs.serial.io_link0.read() & 2
    assert bob.kernel("sink").busy
