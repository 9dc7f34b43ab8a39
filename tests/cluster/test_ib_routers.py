# SPDX-License-Identifier: Apache-2.0
"""Two routers on a switch, all RTL, brought up by Debian's opensm: stores and RDMA writes.

Takes about 10 s of processor time, without building the nodes.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.errors import KumiError
from kumihimo.ib.router import Router, join, settle
from kumihimo.ib.site import Site

NODE = "clocks: {clk: 125 MHz}, ip: none"
FILE = f"""\
name: ibrouters
nodes:
  r0: {{design: ib_router, {NODE}}}
  r1: {{design: ib_router, {NODE}}}
  sw:
    design: ib_switch
    clocks: {{clk: 125 MHz}}
    ip: none
    params: {{PORTS: 4, DATA_VLS: 1, LFT_CAP: 64, MFT_CAP: 32}}
    open_ports: [p3, p4, p5, p6, p7, p8]
cables:
  - {{between: [r0.p1, sw.p1], latency: 10 m, skew: 4 ns}}
  - {{between: [r1.p1, sw.p2], latency: 5 m}}
"""
GHOST, GHOST_LID = 7, 40
SIZE = 1 << 16
HALF = SIZE // 2
# What bit errors on the InfiniBand cables may cost, and no more.
RECOVERED = {"gap", "duplicate", "stale_ack"}


@contextlib.contextmanager
def started(place: Path) -> Iterator[tuple[Site, dict[str, Router]]]:
    """Under opensm at r0, the routers joined by the LIDs that it has assigned."""
    file = place / "ibrouters.yaml"
    file.write_text(FILE)
    with Cluster(file, offline=True) as cluster:
        cluster.run("100 us")
        site = Site(cluster, place, ["r0"], limit=240.0)
        try:
            with pytest.raises(KumiError, match="has no LID"):
                join(cluster)
            site.manager()
            site.active("at first")
            assert site.discover_equal()
            routers = join(cluster, size=SIZE)
            assert list(routers) == ["r0", "r1"]
            assert len({site.lid(n) for n in ("r0", "r1", "sw")} - {0}) == 3
            yield site, routers
        finally:
            site.close()


def spoil(cluster: Cluster, rng: random.Random, count: int, every_ps: int) -> None:
    """Single-bit errors on both cables and ways."""
    for n in range(count):
        end = rng.choice(["r0.p1", "r1.p1"])
        way = rng.choice(["a_to_b", "b_to_a"])
        at = cluster.now_ps + (n + 1) * every_ps
        cluster.flip(end, rng.randrange(20), rng.randrange(4), way, at)


def injected(cluster: Cluster) -> int:
    """Bit errors of all InfiniBand cables so far."""
    cables = cluster.stats()["lanes"].values()
    return sum(cable[way]["bit_errors"] for cable in cables for way in ("ab", "ba"))


@pytest.mark.long(only=True)
def test_stores_and_rdma_writes_under_opensm(tmp_path: Path) -> None:
    with started(tmp_path) as (site, routers):
        cluster, (one, two) = site.cluster, routers.values()
        _partial_stores(one, two)
        _errors(cluster, one, two)
        _refused(one, two)
        _pulled(site, one, two)
        _dead(cluster, one, two)
        assert site.discover_equal()


def _partial_stores(one: Router, two: Router) -> None:
    """1 to 8 bytes at every place of a word, both ways; the bytes around stay."""
    two.memory.write(0, b"\xee" * 256)
    wanted = bytearray(b"\xee" * 256)
    for size, at in ((1, 0), (1, 7), (2, 3), (3, 9), (4, 20), (5, 34), (7, 41), (8, 56), (20, 99)):
        data = bytes(0x40 + n for n in range(size))
        one.store("r1", at, data)
        wanted[at : at + size] = data
    two.store("r0", 8, b"8 bytes!")
    settle(one, two)
    assert two.memory.read(0, 256) == wanted
    assert one.memory.read(0, 24) == bytes(8) + b"8 bytes!" + bytes(8)
    assert not one.drops() and not two.drops()


def _errors(cluster: Cluster, one: Router, two: Router) -> None:
    """More than 20 bit errors while RDMA writes, blocks and stores cross: each once, in order."""
    rng = random.Random(1)
    before = {r: r.traffic() for r in (one, two)}
    data = {r: rng.randbytes(24 << 10) for r in (one, two)}
    for router in (one, two):
        router.memory.write(0, data[router])
    start = injected(cluster)
    spoil(cluster, rng, 60, 4_000_000)
    for to, router in (("r1", one), ("r0", two)):
        router.rdma_write(to, HALF, 0, len(data[router]))
        router.store_block(to, SIZE - 512, data[router][:333])
    stores = 96
    for n in range(stores):  # the last one to each place has to win
        for to, router in (("r1", one), ("r0", two)):
            router.store(to, SIZE - 4096 + 8 * (n % 16), n.to_bytes(8, "little"), n % 4 // 3)
    settle(one, two)
    assert injected(cluster) - start >= 20
    packets = -(-len(data[one]) // 472) + 1 + stores
    for router, other in ((one, two), (two, one)):
        assert other.memory.read(HALF, len(data[router])) == data[router]
        assert other.memory.read(SIZE - 512, 336) == data[router][:333] + bytes(3)
        after = router.traffic()
        moved = {name: after[name] - before[router][name] for name in after}
        assert moved["sent"] == moved["received"] == moved["written"] == packets
        assert moved["resent"] > 0 and not router.dead
        assert set(router.drops()) <= RECOVERED, router.drops()
        last = [(stores - 16 + n) for n in range(16)]
        got = other.memory.read(SIZE - 4096, 128)
        assert [int.from_bytes(got[8 * n : 8 * n + 8], "little") for n in range(16)] == last


def _refused(one: Router, two: Router) -> None:
    """Outside the region, another group, no such peer, a window in use: refused and counted."""
    kept = two.memory.read(0, 2 * SIZE)
    before = {r: r.drops() for r in (one, two)}
    one.store("r1", SIZE, b"beyond")
    one.store(9, 0, b"nobody")
    one.group = 2
    one.store("r1", 4096, b"group")
    one.group = 1
    with pytest.raises(KumiError, match="refused"):
        one._write(15 << 12, bytes(8), 0xFF)
    one.rdma_write("r1", 0, SIZE - 8, 16)  # reads beyond its own window
    settle(one, two)
    new = {r: {k: v - before[r].get(k, 0) for k, v in r.drops().items()} for r in (one, two)}
    wanted = {"unknown_peer": 1, "store_refused": 1, "kick_refused": 1}
    assert {k: v for k, v in new[one].items() if v} == wanted
    assert {k: v for k, v in new[two].items() if v} == {"out_of_bounds": 1, "bad_region": 1}
    assert two.memory.read(0, 2 * SIZE) == kept


def _pulled(site: Site, one: Router, two: Router) -> None:
    """A cable out for a millisecond; what was stored meanwhile arrives once opensm has the port."""
    for router in (one, two):
        router.registers["timers"].set(timeout=1024)
    before = two.traffic()["written"]
    site.cluster.plug("r1.p1", False)
    site.cluster.run("2 us")
    for n in range(4):
        one.store("r1", 8 * n, bytes([n + 1] * 8))
    site.cluster.run("1 ms")
    assert two.traffic()["written"] == before and not one.dead
    site.cluster.plug("r1.p1", True)
    site.active("after a millisecond without a cable")
    one.flush("40 ms")
    two.wait_arrived()
    assert not one.dead
    assert two.traffic()["written"] == before + 4
    assert two.memory.read(0, 32) == bytes(n // 8 + 1 for n in range(32))


def _dead(cluster: Cluster, one: Router, two: Router) -> None:
    """A peer that never answers is reported, and the others get their packets."""
    for router in (one, two):
        router.registers["timers"].set(timeout=64, retries=3)
    one.connect(GHOST, GHOST_LID)
    for n in range(6):
        one.store(GHOST, 8 * n, b"lost....", 0)
        one.store("r1", 2048 + 8 * n, bytes([n + 1] * 8), 1)
    cluster.run("20 us")
    two.wait_arrived()
    assert not one.dead
    assert two.memory.read(2048, 48) == bytes(n // 8 + 1 for n in range(48))  # the other channel
    one.store("r1", 3000, b"behind the dead peer", 0)
    settle(one, two)
    assert one.dead == [GHOST]
    assert two.memory.read(3000, 20) == b"behind the dead peer"
    drops = one.drops()
    assert drops["died"] >= 1 and drops["dead_peer"] == 2
    one.store(GHOST, 0, b"still no")
    settle(one)
    assert one.drops()["dead_peer"] == 3
    one.disconnect(GHOST)
    assert not one.dead
