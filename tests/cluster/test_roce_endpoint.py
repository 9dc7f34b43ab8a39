# SPDX-License-Identifier: Apache-2.0
"""Two RDMA nodes: every verb through a cable that loses frames, connections, refusals. 20 s."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.rdma import (
    Completion,
    ConnectionManager,
    QueuePair,
    Rdma,
    RdmaError,
    RpingClient,
    RpingServer,
)

CLUSTER = """
name: rdma
nodes:
  alice: {design: roce_endpoint, ip: 10.77.0.1/24}
  bob: {design: roce_endpoint, ip: 10.77.0.2/24}
cables:
  - {between: [alice.eth0, bob.eth0], loss: LOSS}
"""
SIZE = 20_000
FAR = 0x100000  # where the peer's data is
REFUSED_ACCESS, FLUSHED = 10, 5


@pytest.fixture
def cluster(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    loss = getattr(request, "param", "0 %")
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("LOSS", loss))
    with Cluster(tmp_path / "cluster.yaml") as cluster:
        yield cluster


def pairs(cluster: Cluster, mtu: int = 1024) -> tuple[Rdma, QueuePair, Rdma, QueuePair]:
    alice, bob = cluster["alice"].rdma, cluster["bob"].rdma
    a, b = alice.create_qp(), bob.create_qp()
    a.connect("10.77.0.2", b.number, 7, 0xFFFFFE, timeout=5, max_rd_atomic=4, mtu=mtu)
    b.connect("10.77.0.1", a.number, 0xFFFFFE, 7, timeout=5, max_rd_atomic=4, mtu=mtu)
    return alice, a, bob, b


def good(found: list[Completion]) -> list[Completion]:
    assert all(done.ok for done in found), [done.text for done in found]
    return found


@pytest.mark.parametrize("cluster", ["0 %", "2 %"], indirect=True)
def test_every_verb_moves_its_bytes(cluster: Cluster) -> None:
    rng = random.Random(1)
    alice, a, bob, b = pairs(cluster)
    region = bob.register(FAR, SIZE)
    data = rng.randbytes(SIZE)
    alice.memory.write(0, data)

    b.receive(0x1000, SIZE, id=1)
    a.send(3, SIZE - 7, id=2, imm=0xABCD)
    (sent,) = good(alice.wait())
    (got,) = good(bob.wait())
    assert (sent.id, got.id, got.length, got.imm, got.src_qp) == (2, 1, SIZE - 7, 0xABCD, a.number)
    assert bob.memory.read(0x1000, SIZE - 7) == data[3 : SIZE - 4]

    a.write(1, SIZE - 1, region.address + 1, region.key, id=3)
    good(alice.wait())
    assert bob.memory.read(FAR, SIZE) == b"\0" + data[1:]

    a.read(0x40001, SIZE - 2, region.address + 2, region.key, id=4)
    good(alice.wait())
    assert alice.memory.read(0x40001, SIZE - 2) == data[2:]

    bob.memory.write(FAR, (100).to_bytes(8, "little"))
    a.fetch_add(0x50000, FAR, region.key, 5)
    a.compare_swap(0x50008, FAR, region.key, 105, 7)
    a.compare_swap(0x50010, FAR, region.key, 105, 9)
    good(alice.wait(3))
    values = [int.from_bytes(alice.memory.read(0x50000 + 8 * i, 8), "little") for i in range(3)]
    assert values == [100, 105, 7]
    assert int.from_bytes(bob.memory.read(FAR, 8), "little") == 7

    a.send(0, 0, id=5)  # nothing to receive it yet: RNR NAK, then it goes
    cluster.run("50 us")
    b.receive(0x1000, 16, id=6)
    good(alice.wait())
    (got,) = good(bob.wait())
    assert (got.id, got.length) == (6, 0)


def test_the_first_packet_may_be_a_long_one(cluster: Cluster) -> None:
    """It waits for the peer's address, however long it is."""
    alice, a, bob, _ = pairs(cluster, mtu=4096)
    region = bob.register(FAR, SIZE)
    data = random.Random(2).randbytes(SIZE)
    alice.memory.write(0, data)
    a.write(0, SIZE, FAR, region.key, id=1)
    good(alice.wait())
    assert bob.memory.read(FAR, SIZE) == data


def test_what_is_refused(cluster: Cluster) -> None:
    alice, a, bob, _ = pairs(cluster)
    region = bob.register(FAR, 64)
    a.write(0, 65, FAR, region.key, id=1)
    a.write(0, 8, FAR, region.key, id=2)
    refused, flushed = alice.wait(2)
    assert (refused.id, refused.status, flushed.id, flushed.status) == (
        1,
        REFUSED_ACCESS,
        2,
        FLUSHED,
    )
    assert a.failed
    assert bob.memory.read(FAR, 80) == bytes(80)
    counts = cluster["bob"].regs.rdma.counters()
    assert counts["access_error"] > 0


@pytest.mark.parametrize("cluster", ["2 %"], indirect=True)
def test_connections_are_made_refused_and_ended(cluster: Cluster) -> None:
    rng = random.Random(2)
    pings = [rng.randbytes(3000) for _ in range(3)]
    alice, bob = cluster["alice"].rdma, cluster["bob"].rdma
    free = alice.free_qps, bob.free_qps
    got: list[bytes] = []
    with cluster.serving():
        listener = ConnectionManager(alice, "10.77.0.1", 0x400000, timeout=6)
        listener.listen(7174)

        def serve() -> None:
            got.extend(RpingServer(alice, listener, 0x200000).serve())

        thread = threading.Thread(target=serve)
        thread.start()
        manager = ConnectionManager(bob, "10.77.0.2", 0x400000, timeout=6)
        with pytest.raises(RdmaError, match="has refused"):
            manager.connect("10.77.0.1", 7175)
        RpingClient(bob, manager, 0x200000, size=3000).run("10.77.0.1", 7174, pings)
        thread.join(60)
        assert not thread.is_alive()
        listener.close()
        manager.close()
    assert got == pings
    assert (alice.free_qps, bob.free_qps) == free
