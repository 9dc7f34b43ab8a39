# SPDX-License-Identifier: Apache-2.0
"""Two channel adapters on a switch, all RTL, brought up by Debian's opensm: every verb.

Takes about 20 s of processor time, without building the nodes.
"""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from kumihimo.cluster import Cluster
from kumihimo.ib.site import Site
from kumihimo.rdma import Completion, QueuePair, Rdma

NODE = "clocks: {clk: 125 MHz}, ip: none"
FILE = f"""\
name: ibhca
nodes:
  a: {{design: ib_hca, {NODE}}}
  b: {{design: ib_hca, {NODE}}}
  sw:
    design: ib_switch
    clocks: {{clk: 125 MHz}}
    ip: none
    params: {{PORTS: 4, DATA_VLS: 1, MTU_CAP: 5, BLOCKS: 128, LFT_CAP: 64, MFT_CAP: 32}}
    open_ports: [p3, p4, p5, p6, p7, p8]
cables:
  - {{between: [a.p1, sw.p1], latency: 10 m, skew: 4 ns}}
  - {{between: [b.p1, sw.p2], latency: 5 m}}
"""
SIZE = 20_000
FAR = 0x100000  # where the peer's data is
Q_KEY = 0x1234
ERRORS = 24


@contextlib.contextmanager
def started(place: Path) -> Iterator[Site]:
    """Under opensm at a."""
    file = place / "ibhca.yaml"
    file.write_text(FILE)
    with Cluster(file, offline=True, pcap=place / "ib.pcapng") as cluster:
        cluster.run("100 us")
        site = Site(cluster, place, ["a"], limit=240.0)
        try:
            site.manager()
            site.active("at first")
            assert site.discover_equal()
            yield site
        finally:
            site.close()


def good(found: list[Completion], count: int = 1) -> list[Completion]:
    assert len(found) == count and all(done.ok for done in found), [done.text for done in found]
    return found


def joined(site: Site, mtu: int, timeout: int = 5) -> tuple[Rdma, QueuePair, Rdma, QueuePair]:
    """A queue pair at each, connected by LID."""
    one, two = (site.cluster[name].rdma for name in "ab")
    a, b = one.create_qp(), two.create_qp()
    a.connect(site.lid("b"), b.number, 7, 0xFFFFFE, timeout=timeout, max_rd_atomic=4, mtu=mtu)
    b.connect(site.lid("a"), a.number, 0xFFFFFE, 7, timeout=timeout, max_rd_atomic=4, mtu=mtu)
    return one, a, two, b


def test_verbs_under_opensm(tmp_path: Path) -> None:
    with started(tmp_path) as site:
        for mtu in (256, 2048, 4096):
            _verbs(site, mtu)
        _datagrams(site)
        clean_s = site.cluster.now_ps / 1e12
        _errors(site)
        _pulled(site)
        _strangers(site)
    _decoded(tmp_path / "ib.pcapng", clean_s)


def _verbs(site: Site, mtu: int) -> None:
    rng = random.Random(mtu)
    one, a, two, b = joined(site, mtu)
    region = two.register(FAR, SIZE)
    data = rng.randbytes(SIZE)
    one.memory.write(0, data)

    b.receive(0x1000, SIZE, id=1)
    a.send(3, SIZE - 7, id=2, imm=0xABCD)
    (sent,) = good(one.wait())
    (got,) = good(two.wait())
    assert (sent.id, got.id, got.length, got.imm) == (2, 1, SIZE - 7, 0xABCD)
    assert two.memory.read(0x1000, SIZE - 7) == data[3 : SIZE - 4]

    a.write(1, SIZE - 1, FAR + 1, region.key, id=3)
    good(one.wait())
    assert two.memory.read(FAR + 1, SIZE - 1) == data[1:]
    a.read(0x40001, SIZE - 2, FAR + 2, region.key, id=4)
    good(one.wait())
    assert one.memory.read(0x40001, SIZE - 2) == data[2:]

    two.memory.write(FAR, (100).to_bytes(8, "little"))
    a.fetch_add(0x50000, FAR, region.key, 5)
    a.compare_swap(0x50008, FAR, region.key, 105, 7)
    good(one.wait(2), 2)
    values = [int.from_bytes(one.memory.read(0x50000 + 8 * i, 8), "little") for i in range(2)]
    assert values == [100, 105]
    for size in (1, 2, 3, 4, 5, mtu - 1, mtu, mtu + 1):
        a.write(0, size, FAR + 64, region.key)
        good(one.wait())
        assert two.memory.read(FAR + 64, size) == data[:size]
        a.read(0x60000, size, FAR + 64, region.key)
        good(one.wait())
        assert one.memory.read(0x60000, size) == data[:size]
    b.receive(0x3000, 64)
    b.receive(0x3000, 64)
    a.send(0, 10)
    a.write(0, 100, FAR, region.key, imm=5)
    good(one.wait(2), 2)
    first, second = good(two.wait(2), 2)
    assert (first.length, second.imm) == (10, 5)
    assert two.memory.read(0x3000, 10) == data[:10]
    _ended(one, a, two, b)
    two.deregister(region)


def _ended(one: Rdma, a: QueuePair, two: Rdma, b: QueuePair) -> None:
    one.destroy_qp(a)
    two.destroy_qp(b)


def _datagrams(site: Site) -> None:
    one, two = (site.cluster[name].rdma for name in "ab")
    a, b = one.create_qp(), two.create_qp()
    a.open_datagrams(Q_KEY, mtu=2048)
    b.open_datagrams(Q_KEY, mtu=2048)
    b.receive(0x2000, 2048)
    one.memory.write(0, b"a datagram")
    a.send_datagram(0, 10, site.lid("b"), b.number, Q_KEY)
    good(one.wait())
    (got,) = good(two.wait())
    assert got.length == 50 and got.src_qp == a.number
    assert two.memory.read(0x2000 + 40, 10) == b"a datagram"
    _ended(one, a, two, b)


def _errors(site: Site) -> None:
    """Bit errors on both cables while both write: every byte once, in order."""
    cluster, rng = site.cluster, random.Random(3)
    one, a, two, b = joined(site, 1024)
    size = 200_000
    data = rng.randbytes(size), rng.randbytes(size)
    regions = one.register(FAR, size), two.register(FAR, size)
    one.memory.write(0x800000, data[0])
    two.memory.write(0x800000, data[1])
    before = _injected(cluster)
    for n in range(2 * ERRORS):
        at = cluster.now_ps + (n + 1) * 4_000_000
        way = rng.choice(["a_to_b", "b_to_a"])
        end = rng.choice(["a.p1", "b.p1"])
        cluster.flip(end, rng.randrange(20), rng.randrange(4), way, at)
    a.write(0x800000, size, FAR, regions[1].key)
    b.write(0x800000, size, FAR, regions[0].key)
    good(one.wait())
    good(two.wait())
    assert two.memory.read(FAR, size) == data[0] and one.memory.read(FAR, size) == data[1]
    assert _injected(cluster) - before >= ERRORS
    resent = sum(rdma.regs.counters()["go_back"] for rdma in (one, two))
    assert resent > 0
    _ended(one, a, two, b)
    one.deregister(regions[0])
    two.deregister(regions[1])


def _injected(cluster: Cluster) -> int:
    """Bit errors of all InfiniBand cables so far."""
    cables = cluster.stats()["lanes"].values()
    return sum(cable[way]["bit_errors"] for cable in cables for way in ("ab", "ba"))


def _pulled(site: Site) -> None:
    """A cable pulled for 1 ms while data moves, and back: opensm brings the port up again."""
    cluster = site.cluster
    one, a, two, b = joined(site, 2048, timeout=9)
    size = 400_000
    data = random.Random(4).randbytes(size)
    region = two.register(FAR, size)
    one.memory.write(0x800000, data)
    a.write(0x800000, size, FAR, region.key)
    cluster.run("50 us")
    cluster.plug("b.p1", False)
    cluster.run("1 ms")
    cluster.plug("b.p1", True)
    site.active("with the cable back")
    good(one.wait())
    assert two.memory.read(FAR, size) == data
    _ended(one, a, two, b)
    two.deregister(region)


def _strangers(site: Site) -> None:
    """A LID that nobody has: the request ends with an error, and others go on."""
    one, a, two, b = joined(site, 1024, timeout=3)
    lost = one.create_qp()
    lost.connect(99, 5, 0, 0, timeout=3, retry_cnt=1)
    region = two.register(FAR, 64)
    lost.write(0, 64, FAR, region.key, id=1)
    a.write(0, 64, FAR, region.key, id=2)
    found = {done.id: done for done in one.wait(2)}
    assert found[2].ok and not found[1].ok and lost.failed
    _ended(one, a, two, b)
    one.destroy_qp(lost)


def _decoded(pcap: Path, until_s: float) -> None:
    """Every packet up to the first bit error is known to tshark, and every opcode of the verbs."""
    argv = ["tshark", "-n", "-r", str(pcap), "-T", "fields", "-E", "separator=|"]
    names = ("infiniband.bth.opcode", "_ws.malformed", "frame.protocols", "frame.time_epoch")
    for name in names:
        argv += ["-e", name]
    for name in ("rpcordma", "iser", "nvme-rdma", "smb_direct", "rds", "ipoib", "edp"):
        argv += ["--disable-protocol", name]  # programs that it would look for in random payload
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=True)
    rows = [line.split("|") for line in done.stdout.splitlines()]
    rows = [row for row in rows if float(row[3]) < until_s]
    assert not [row for row in rows if row[1] or "infiniband" not in row[2]]
    seen = {int(row[0], 0) for row in rows if row[0]}
    # SEND, WRITE, READ and their parts, ACK, atomics, datagrams.
    assert seen >= {*range(0x13), 0x13, 0x14, 0x64} - {0x02, 0x05, 0x09, 0x0B}, sorted(seen)
