# SPDX-License-Identifier: Apache-2.0
"""Rows of `kumi bench ib-bandwidth` for reliable connections, over both wires.

Two nodes, all RTL, MTU 4096: SEND, WRITE, READ, one queue pair and 64, one direction and both at
once. RoCEv2: `roce_endpoint` at 512 bits and 250 MHz on a cable of 100 Gb/s. Native: `ib_hca` 4x at
2.5 Gb/s a lane (8 Gb/s of data) and 125 MHz, brought up by opensm. Counted between two moments at
which every queue pair has work: packets of 4096 bytes that the receiver has executed (READ: the
requester has accepted).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.cluster import Cluster
from kumihimo.ib.site import Site
from kumihimo.rdma import MemoryRegion, QueuePair, Rdma

MTU = 4096
VERBS = ("write", "send", "read")
PAIRS = (1, 64)
MESSAGE = {1: 1 << 20, 64: 1 << 18}
MESSAGES = {1: 12, 64: 1}
TARGET = 1 << 28  # where the peer writes and reads
KINDS = {"one way": ("a",), "both ways": ("a", "b")}
PARAMS = {"DATA_W": 512}
_OTHER = {"a": "b", "b": "a"}


@dataclass(frozen=True)
class Wire:
    """How packets travel: data rate of the line, bytes around a middle packet's payload."""

    name: str
    design: str
    rate_gbps: float
    clock_mhz: int
    overhead: int
    fill_us: int  # until requests have passed what was queued before them
    window_us: int
    file: str

    @property
    def limit(self) -> float:
        """Share of the line that payload can have."""
        return MTU / (MTU + self.overhead)


ROCE = Wire(
    "roce",
    "roce_endpoint",
    100,
    250,
    8 + 14 + 20 + 8 + 12 + 4 + 4 + 12,  # preamble, Ethernet, IP, UDP, BTH, ICRC, FCS, gap
    10,
    200,
    """\
name: roce
nodes:
  a: {design: roce_endpoint, clocks: {clk: 250 MHz}, params: {DATA_W: 512}, ip: 10.77.0.1/24}
  b: {design: roce_endpoint, clocks: {clk: 250 MHz}, params: {DATA_W: 512}, ip: 10.77.0.2/24}
cables:
  - {between: [a.eth0, b.eth0], rate: 100 Gb/s}
""",
)
NATIVE = Wire(
    "native",
    "ib_hca",
    8,
    125,
    8 + 12 + 4 + 2 + 2,  # LRH, BTH, ICRC, VCRC, delimiters
    100,
    400,
    """\
name: native
nodes:
  a: {design: ib_hca, clocks: {clk: 125 MHz}, ip: none}
  b: {design: ib_hca, clocks: {clk: 125 MHz}, ip: none}
cables:
  - {between: [a.p1, b.p1], latency: 10 m}
""",
)


@contextmanager
def running(wire: Wire) -> Iterator[tuple[Cluster, dict[str, str | int]]]:
    """Both nodes, and their addresses."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wire.yaml"
        file.write_text(wire.file)
        with Cluster(file, offline=True) as cluster:
            if wire is ROCE:
                yield cluster, {"a": "10.77.0.1", "b": "10.77.0.2"}
                return
            cluster.run("100 us")
            site = Site(cluster, Path(folder), ["a"])
            try:
                site.manager()
                site.active("at first")
                yield cluster, {name: site.lid(name) for name in _OTHER}
            finally:
                site.close()


def _join(
    cluster: Cluster, wire: Wire, addresses: dict[str, str | int], count: int
) -> dict[str, list[QueuePair]]:
    """As many queue pairs at both, connected with one another."""
    pairs = {name: [cluster[name].rdma.create_qp() for _ in range(count)] for name in _OTHER}
    for name, other in _OTHER.items():
        cluster[name].regs.rdma.tick.write(wire.clock_mhz * 1024 // 1000)
        for own, peer in zip(pairs[name], pairs[other], strict=True):
            own.connect(addresses[other], peer.number, 0, 0, mtu=MTU, timeout=8, max_rd_atomic=16)
    return pairs


def _reach(
    cluster: Cluster, pairs: dict[str, list[QueuePair]], regions: dict[str, MemoryRegion]
) -> None:
    """Both know the other's MAC address before the first long message, as after rdma_cm."""
    for name, other in _OTHER.items():
        pairs[name][0].write(0, 64, TARGET, regions[other].key)
    for name in _OTHER:
        (done,) = cluster[name].rdma.wait()
        if not done.ok:
            raise BenchError(f"{name} does not reach {_OTHER[name]}: {done.text}")


def _post(verb: str, count: int, at: int, own: QueuePair, peer: QueuePair, key: int) -> None:
    size = MESSAGE[count]
    for n in range(MESSAGES[count]):
        local, there = (at * MESSAGES[count] + n) * size, TARGET + (at * MESSAGES[count] + n) * size
        if verb == "send":
            peer.receive(there, size)
            own.send(local, size)
        elif verb == "write":
            own.write(local, size, there, key)
        else:
            own.read(local, size, there, key)


def _moved(cluster: Cluster, verb: str, senders: tuple[str, ...]) -> int:
    """Packets of payload that have arrived for all of the senders."""
    total = 0
    for name in senders:
        if verb == "read":
            total += cluster[name].regs.rdma.counters()["rx_response"]
        else:
            total += cluster[_OTHER[name]].regs.rdma.counters()["rx_request"]
    return total


def measure(
    cluster: Cluster, wire: Wire, addresses: dict[str, str | int], verb: str, count: int, kind: str
) -> dict[str, Any]:
    """A row."""
    senders = KINDS[kind]
    rdmas: dict[str, Rdma] = {name: cluster[name].rdma for name in _OTHER}
    regions = {name: rdma.register(0, 1 << 30) for name, rdma in rdmas.items()}
    pairs = _join(cluster, wire, addresses, count)
    _reach(cluster, pairs, regions)
    before = {name: rdma.regs.counters() for name, rdma in rdmas.items()}
    for at in range(count):
        for name in senders:
            other = _OTHER[name]
            _post(verb, count, at, pairs[name][at], pairs[other][at], regions[other].key)
    cluster.run(f"{wire.fill_us} us")
    start_ps, start = cluster.now_ps, _moved(cluster, verb, senders)
    cluster.run(f"{wire.window_us} us")
    took_ps, packets = cluster.now_ps - start_ps, _moved(cluster, verb, senders) - start
    early = [done.text for rdma in rdmas.values() for done in rdma.poll() if not done.ok]
    lost = sum(
        rdmas[name].regs.counters()[what] - before[name][what]
        for name in _OTHER
        for what in ("gap", "timed_out", "go_back", "qp_error")
    )
    if early or lost:
        raise BenchError(f"{verb}, {count} queue pairs: {lost} lost packets, {early}")
    for name, rdma in rdmas.items():
        for pair in pairs[name]:
            rdma.destroy_qp(pair)
        rdma.deregister(regions[name])
    cluster.run("20 us")
    for rdma in rdmas.values():
        while rdma.poll():
            pass
    gbps = packets * MTU * 8000 / took_ps / len(senders)
    return {
        "path": wire.name,
        "verb": verb,
        "queue_pairs": count,
        "direction": kind,
        "mtu": MTU,
        "packets": packets,
        "gbps": round(gbps, 3),
        "share": round(gbps / wire.rate_gbps, 4),
        "of_payload_limit": round(gbps / wire.rate_gbps / wire.limit, 4),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The least of each kind."""

    def least(key: str, **wanted: Any) -> float:
        found = [r[key] for r in rows if all(r.get(k) == v for k, v in wanted.items())]
        return float(min(found))

    out = {f"{verb}_share_4k": least("share", verb=verb, path="native") for verb in VERBS}
    for verb in VERBS:
        out[f"{verb}_share_4k_roce"] = least("share", verb=verb, path="roce")
    out["roce_share_4k"] = least("of_payload_limit", queue_pairs=1, path="roce")
    out["roce_share_4k_64"] = least("of_payload_limit", queue_pairs=64, path="roce")
    return out
