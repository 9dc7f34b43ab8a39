# SPDX-License-Identifier: Apache-2.0
"""Two boards with serial links: circuits by DMA and by registers, best effort, a kernel, plugs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kumihimo.cluster import Cluster
from kumihimo.host.overlay import Overlay
from kumihimo.host.packets import Packet
from kumihimo.link.planner import plan_file
from kumihimo.manager.board import MmioBoard
from kumihimo.manager.configure import configure
from kumihimo.manager.setup import setups
from scapy.layers.inet import ICMP, IP, UDP
from scapy.packet import Raw

HERE = Path(__file__).parent
BEST = "dma3"  # the best-effort channel of a board
SIZES = (1, 7, 8, 9, 63, 64, 65, 1499, 1500, 9000)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """The boards, configured."""
    plan = plan_file(HERE / "link_boards_plan.yaml")
    with Cluster(HERE / "link_boards.yaml") as running:
        running.run("100 us")  # links train
        boards = [MmioBoard(n.name, n.mmio) for n in running.values()]
        reports = configure(boards, setups([b.name for b in boards], plan), 300, parallel=1)
        assert [r.problem for r in reports] == ["", ""]
        running.run("20 us")
        yield running


def receive(
    cluster: Cluster, poll: Callable[[], list[Packet]], count: int, time_us: int = 200
) -> list[Packet]:
    """Packets that come within some time; fails when fewer do."""
    got: list[Packet] = []
    for _ in range(time_us // 4):
        got += poll()
        if len(got) >= count:
            break
        cluster.run("4 us")
    cluster.run("4 us")
    got += poll()
    assert len(got) == count
    return got


def counters(cluster: Cluster, node: str, what: str) -> list[int]:
    """Counters of one kind by circuit."""
    return [cluster[node].regs.circuit[what].read(i) for i in range(5)]


def test_circuits(cluster: Cluster) -> None:
    """Every path of a board at once: DMA both ways on two circuits, registers, best effort."""
    rng = random.Random(1)
    east, west = (Overlay.of(cluster, n) for n in ("east", "west"))
    rings = {(o, n): o[n].packets() for o in (east, west) for n in ("dma", "dma1", "dma2", BEST)}
    sent: dict[tuple[Overlay, str], list[bytes]] = {}
    for here, there in ((east, west), (west, east)):
        for name, dest in (("dma", 0), ("dma1", 0), (BEST, 1 if here is east else 0)):
            sizes = [s for s in SIZES if s <= 1500 or name == "dma"]
            sent[there, name] = [rng.randbytes(s) for s in sizes]
            for data in sent[there, name]:
                assert rings[here, name].queue(data, dest)
            rings[here, name].kick()
    words = [rng.randbytes(s) for s in (1, 4, 5, 300)]
    for data in words:
        east.mmio_fifo.send(data)
    for (there, name), want in sent.items():
        got = receive(cluster, rings[there, name].poll, len(want))
        assert [p.data for p in got] == want, name
        if name == BEST:  # the sender's number
            assert {p.id for p in got} == {0 if there is west else 1}
    assert [p.data for p in receive(cluster, rings[west, "dma2"].poll, 4)] == words
    for data in words:
        assert rings[west, "dma2"].send(data)
    assert [p.data for p in receive(cluster, east.mmio_fifo.poll, 4)] == words
    for node in ("east", "west"):
        for what in ("dropped", "bad", "truncated", "hunt", "full"):
            assert counters(cluster, node, what) == [0] * 5, what
    assert counters(cluster, "west", "good")[:3] == [10, 9, 4]


def test_kernel_answers(cluster: Cluster) -> None:
    """Ping and UDP echo at the end of a circuit, judged by scapy."""
    east = Overlay.of(cluster, "east")
    ring = east["dma2"].packets()
    kernel = cluster["west"].regs
    kernel.ip.netmask.write(0xFFFFFF00)
    kernel.ip.ip.write(0x0A090002)
    rng = random.Random(2)
    base = IP(src="10.9.0.1", dst="10.9.0.2")
    asked = [bytes(base / ICMP(id=7, seq=i) / Raw(rng.randbytes(16 * i))) for i in range(5)]
    asked += [bytes(base / UDP(sport=99 + i, dport=7) / Raw(rng.randbytes(i))) for i in range(5)]
    for packet in asked:
        assert ring.send(packet)
    answers = receive(cluster, ring.poll, len(asked))
    for answer, question in zip(answers, asked, strict=True):
        out, was = IP(answer.data), IP(question)
        assert (out.src, out.dst, out.len) == ("10.9.0.2", "10.9.0.1", was.len)
        at = 28 if UDP in was else 24  # ports change places; type and checksum differ
        assert answer.data[at : out.len] == question[at:]
    assert kernel.ip.counters()["rx_icmp"] == 5 and kernel.ip.counters()["rx_udp"] == 5


def test_late_receiver_loses_whole_packets(cluster: Cluster) -> None:
    """A circuit cannot wait: what finds no room is dropped whole and counted; the rest is right."""
    east, west = (Overlay.of(cluster, n) for n in ("east", "west"))
    rng = random.Random(3)
    ring = east["dma"].packets(slots=16)
    sent = [rng.randbytes(8000) for _ in range(15)]
    for data in sent:
        assert ring.queue(data)
    ring.kick()
    cluster.run("400 us")  # nobody reads: 64 KiB of room
    got = receive(cluster, west["dma"].packets(slots=16).poll, 8)
    assert [p.data for p in got] == sent[:8]
    assert counters(cluster, "west", "good")[0] == 15
    assert counters(cluster, "west", "full")[0] == 7
    assert ring.send(b"still there")
    assert receive(cluster, west["dma"].packets(slots=16).poll, 1)[0].data == b"still there"


def test_plug_pulled_and_put_back(cluster: Cluster) -> None:
    """A link that is pulled goes down, counts it, comes back by itself; good packets are right."""
    east, west = (Overlay.of(cluster, n) for n in ("east", "west"))
    rng = random.Random(4)
    out, back = east["dma"].packets(), west["dma"].packets()
    first = [rng.randbytes(1000) for _ in range(20)]
    for data in first:
        out.queue(data)
    out.kick()
    cluster.run("8 us")
    cluster.plug("east.l0_0", False)
    cluster.run("60 us")
    lanes = cluster["west"].regs.lanes
    assert lanes.status.get("up") == 0
    early = back.poll()
    assert [p.data for p in early] == [d for d in first if d in {p.data for p in early}]
    assert len(early) < len(first)
    cluster.plug("east.l0_0", True)
    cluster.run("400 us")
    assert lanes.status.get("up") == 1
    assert lanes["link_down"].read() >= 1 and lanes["link_up"].read() >= 2
    back.poll()
    second = [rng.randbytes(1000) for _ in range(20)]
    for data in second:
        out.queue(data)
    out.kick()
    got = [p.data for p in receive(cluster, back.poll, 20)]
    assert got == second
