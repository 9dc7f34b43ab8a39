# SPDX-License-Identifier: Apache-2.0
"""Rings of tcp_coll nodes on a switch: every collective over the real engine, against numpy."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from kumihimo.cluster import Cluster

SEND, RECV, SCATTER, GATHER, BROADCAST, REDUCE, ALL_REDUCE, BARRIER, PASS = range(1, 10)
OK, NO_SESSION = 0, 7
WAIT = "20 ms"

TEXT = """\
name: coll
seed: 7
defaults:
  node:
    design: tcp_coll
    params: {{DATA_W: 64, SESSIONS: 4}}
    timers: fast
    regs: {{tcp.rto_init: 300, tcp.rto_min: 300}}
  cable: {{rate: 10 Gb/s, latency: 200 ns{impairments}}}
nodes:
{nodes}
switches:
  sw0: {{ports: 16, mode: cut-through}}
cables:
{cables}
"""


class Ring:
    """Nodes of one cluster, joined into a ring."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.cluster = cluster
        self.nodes = list(cluster.values())
        self.count = len(self.nodes)
        self.rnd = random.Random(seed)
        for rank, node in enumerate(self.nodes):
            after = self.nodes[(rank + 1) % self.count]
            node.regs.coll.place.set(rank=rank, nodes=self.count)
            node.regs.coll.next_ip.write(address(str(after.ip)))
        for node in self.nodes:
            node.regs.coll.ctrl.set(link=1)
        self.until_up()

    def until_up(self) -> None:
        for _ in range(300):
            if all(n.regs.coll.status.read() & 3 == 3 for n in self.nodes):
                return
            self.cluster.run("20 us")
        raise AssertionError([hex(n.regs.coll.status.read()) for n in self.nodes])

    def command(self, rank: int, op: int, root: int = 0, length: int = 0, real: int = 0) -> None:
        fields = {"op": op, "is_float": real, "root": root, "length": length}
        self.nodes[rank].channel("cmd").write(fields)

    def give(self, rank: int, data: bytes) -> None:
        self.nodes[rank].channel("local").write(data)

    def got(self, rank: int) -> tuple[int, bytes]:
        """Whose part came, and the part."""
        local = self.nodes[rank].channel("local")
        data = local.read(WAIT)
        return local.id, data

    def ended(self, rank: int) -> int:
        return int(self.nodes[rank].channel("done").read(WAIT))

    def all(self, op: int, **more: int) -> None:
        """All nodes begin the operation, at different times."""
        for rank in self.rnd.sample(range(self.count), self.count):
            self.command(rank, op, **more)
            self.cluster.run(self.rnd.randrange(1, 2_000_000))

    def all_ended(self) -> None:
        assert [self.ended(rank) for rank in range(self.count)] == [OK] * self.count

    def empty(self) -> None:
        for node in self.nodes:
            assert not node.channel("local").pending() and not node.channel("done").pending()


def address(ip: str) -> int:
    return int.from_bytes(bytes(int(part) for part in ip.split(".")), "big")


def ring(folder: Path, count: int, impairments: str = "") -> Iterator[Ring]:
    nodes = "".join(f"  n{i}: {{ip: 10.77.0.{10 + i}/24}}\n" for i in range(count))
    cables = "".join(f"  - {{between: [n{i}.eth0, sw0]}}\n" for i in range(count))
    file = folder / "coll.yaml"
    file.write_text(TEXT.format(nodes=nodes, cables=cables, impairments=impairments))
    with Cluster(file) as cluster:
        yield Ring(cluster, count)


@pytest.fixture(scope="module", params=[2, 4, 8])
def clean(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ring]:
    yield from ring(tmp_path_factory.mktemp("coll"), request.param)


def around(first: int, data: list[np.ndarray]) -> bytes:
    """The sum in the order of the ring, rounded at each step as numpy does."""
    total = data[first].copy()
    for i in range(1, len(data)):
        total = total + data[(first + i) % len(data)]
    return total.tobytes()


def numbers(rng: np.random.Generator, count: int, nodes: int, real: int) -> list[np.ndarray]:
    if not real:
        return [rng.integers(0, 1 << 32, count, np.uint32) for _ in range(nodes)]
    return [
        (rng.standard_normal(count) * 10.0 ** rng.integers(-6, 6, count)).astype("<f4")
        for _ in range(nodes)
    ]


def sums(ring: Ring, op: int, root: int, count: int, real: int) -> None:
    rng = np.random.default_rng(count + root)
    data = numbers(rng, count, ring.count, real)
    for rank, part in enumerate(data):
        ring.give(rank, part.tobytes())
    ring.all(op, root=root, length=4 * count, real=real)
    want = around((root + 1) % ring.count if op == REDUCE else 0, data)
    for rank in range(ring.count):
        if op == ALL_REDUCE or rank == root:
            assert ring.got(rank)[1] == want
    ring.all_ended()
    ring.empty()


@pytest.mark.parametrize("real", [0, 1])
@pytest.mark.parametrize("count", [1, 999])
def test_sums(clean: Ring, count: int, real: int) -> None:
    sums(clean, ALL_REDUCE, 0, count, real)
    sums(clean, REDUCE, clean.count - 1, count, real)


def test_parts_there_and_back(clean: Ring) -> None:
    """Broadcast, scatter, gather: each node's bytes are where they belong."""
    rng = np.random.default_rng(clean.count)
    for root, size in ((0, 3), (clean.count - 1, 2500)):
        (data,) = (rng.bytes(size),)
        clean.give(root, data)
        clean.all(BROADCAST, root=root, length=size)
        for rank in range(clean.count):
            if rank != root:
                assert clean.got(rank) == (root, data)
        clean.all_ended()
        parts = [rng.bytes(size) for _ in range(clean.count)]
        for i in range(clean.count):  # the root's own first, then backwards around the ring
            clean.give(root, parts[(root - i) % clean.count])
        clean.all(SCATTER, root=root, length=size)
        for rank in range(clean.count):
            assert clean.got(rank) == (root, parts[rank])
            clean.give(rank, parts[rank])
        clean.all_ended()
        clean.all(GATHER, root=root, length=size)
        for i in range(clean.count):
            rank = (root + i) % clean.count
            assert clean.got(root) == (rank, parts[rank])
        clean.all_ended()
        clean.empty()


def test_messages(clean: Ring) -> None:
    """From one to another; those between them let it pass."""
    last = clean.count - 1
    for source, dest in ((0, last), (last, 0), (last // 2, (last // 2 + last) % clean.count)):
        data = np.random.default_rng(source).bytes(3000)
        clean.give(source, data)
        passing = (source + 1) % clean.count
        while passing != dest:
            clean.command(passing, PASS)
            passing = (passing + 1) % clean.count
        clean.command(source, SEND, root=dest, length=3000)
        clean.command(dest, RECV, root=source, length=3000)
        assert clean.got(dest) == (source, data)
        passing = source
        while True:
            assert clean.ended(passing) == OK
            if passing == dest:
                break
            passing = (passing + 1) % clean.count
    clean.empty()


def test_barrier_waits_for_the_last(clean: Ring) -> None:
    late = clean.count // 2
    for rank in range(clean.count):
        if rank != late:
            clean.command(rank, BARRIER)
    clean.cluster.run("60 us")
    clean.empty()
    clean.command(late, BARRIER)
    clean.all_ended()


def test_what_cannot_be(clean: Ring) -> None:
    """It is refused, and the ring stays as it is."""
    clean.command(0, BROADCAST, root=clean.count, length=4)
    assert clean.ended(0) == NO_SESSION
    clean.command(0, SEND, root=0, length=4)
    assert clean.ended(0) == NO_SESSION
    clean.all(BARRIER)
    clean.all_ended()


def test_lossy_cables(tmp_path: Path) -> None:
    """Everything in a row over cables that lose, double, reorder and damage frames."""
    bad = ", loss: 0.01, duplicate: 0.02, reorder: 0.02, ber: 3.0e-7"
    for four in ring(tmp_path, 4, bad):
        rng = np.random.default_rng(11)
        for round_ in range(3):
            sums(four, ALL_REDUCE, 0, 2000, round_ % 2)
            sums(four, REDUCE, round_, 1500, 1 - round_ % 2)
            data = rng.bytes(5000)
            four.give(round_, data)
            four.all(BROADCAST, root=round_, length=5000)
            for rank in range(4):
                if rank != round_:
                    assert four.got(rank) == (round_, data)
            four.all_ended()
        again = [n.regs.tcp.counters("core")["tx_retransmit"] for n in four.nodes]
        assert sum(again) > 0, "no frame was lost: the test says nothing"


def test_a_node_leaves(tmp_path: Path) -> None:
    """An operation whose ring breaks fails at every node; the ring comes up again and works."""
    for three in ring(tmp_path, 3):
        for rank in (0, 2):
            three.command(rank, BARRIER)
        three.cluster.run("50 us")
        three.empty()
        three.nodes[1].regs.coll.ctrl.set(link=0)
        assert three.ended(0) != OK and three.ended(2) != OK
        three.nodes[1].regs.coll.ctrl.set(link=1)
        three.until_up()
        sums(three, ALL_REDUCE, 0, 300, 1)
        assert all(
            n.regs.coll.counters()["connections_lost"] for n in (three.nodes[0], three.nodes[2])
        )
