# SPDX-License-Identifier: Apache-2.0
"""Rows of `kumi bench ib-bandwidth` for reliable connections: RoCEv2 over a 100 Gb/s cable.

Two nodes `roce_endpoint` at 512 bits and 250 MHz, all RTL, MTU 4096: SEND, WRITE, READ, one queue
pair and 64, one direction and both at once. Counted between two moments at which every queue pair
has work: packets of 4096 bytes that the receiver has executed (READ: the requester has accepted).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError
from kumihimo.cluster import Cluster
from kumihimo.rdma import MemoryRegion, QueuePair, Rdma

MTU, RATE_GBPS, CLOCK_MHZ = 4096, 100, 250
# Preamble, Ethernet, IP, UDP, BTH, ICRC, FCS, gap: of a middle packet.
OVERHEAD = 8 + 14 + 20 + 8 + 12 + 4 + 4 + 12
LIMIT = MTU / (MTU + OVERHEAD)
PARAMS = {"DATA_W": 512}
VERBS = ("write", "send", "read")
PAIRS = (1, 64)
WINDOW_US = 200
MESSAGE = {1: 1 << 20, 64: 1 << 18}
MESSAGES = {1: 12, 64: 1}
TARGET = 1 << 28  # where the peer writes and reads
KINDS = {"one way": ("a",), "both ways": ("a", "b")}

_NODE = f"design: roce_endpoint, clocks: {{clk: {CLOCK_MHZ} MHz}}, params: {{DATA_W: 512}}"
_FILE = f"""\
name: roce
nodes:
  a: {{{_NODE}, ip: 10.77.0.1/24}}
  b: {{{_NODE}, ip: 10.77.0.2/24}}
cables:
  - {{between: [a.eth0, b.eth0], rate: {RATE_GBPS} Gb/s}}
"""
_ADDRESS = {"a": "10.77.0.1", "b": "10.77.0.2"}
_OTHER = {"a": "b", "b": "a"}


@contextmanager
def running() -> Iterator[Cluster]:
    """Both nodes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "roce.yaml"
        file.write_text(_FILE)
        with Cluster(file) as cluster:
            yield cluster


def _join(cluster: Cluster, count: int) -> dict[str, list[QueuePair]]:
    """As many queue pairs at both, connected with one another."""
    pairs = {name: [cluster[name].rdma.create_qp() for _ in range(count)] for name in _ADDRESS}
    for name, other in _OTHER.items():
        cluster[name].regs.rdma.tick.write(CLOCK_MHZ * 1024 // 1000)
        for own, peer in zip(pairs[name], pairs[other], strict=True):
            own.connect(_ADDRESS[other], peer.number, 0, 0, mtu=MTU, timeout=8, max_rd_atomic=16)
    return pairs


def _resolve(
    cluster: Cluster, pairs: dict[str, list[QueuePair]], regions: dict[str, MemoryRegion]
) -> None:
    """Both know the other's MAC address before the first long message, as after rdma_cm."""
    for name, other in _OTHER.items():
        pairs[name][0].write(0, 64, TARGET, regions[other].key)
    cluster.run("20 us")
    for name in _OTHER:
        if not all(done.ok for done in cluster[name].rdma.poll()):
            raise BenchError(f"{name} does not reach {_OTHER[name]}")


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


def measure(cluster: Cluster, verb: str, count: int, kind: str) -> dict[str, Any]:
    """A row."""
    senders = KINDS[kind]
    rdmas: dict[str, Rdma] = {name: cluster[name].rdma for name in _ADDRESS}
    regions = {name: rdma.register(0, 1 << 30) for name, rdma in rdmas.items()}
    pairs = _join(cluster, count)
    _resolve(cluster, pairs, regions)
    before = {name: rdma.regs.counters() for name, rdma in rdmas.items()}
    for at in range(count):
        for name in senders:
            other = _OTHER[name]
            _post(verb, count, at, pairs[name][at], pairs[other][at], regions[other].key)
    cluster.run("10 us")
    start_ps, start = cluster.now_ps, _moved(cluster, verb, senders)
    cluster.run(f"{WINDOW_US} us")
    took_ps, packets = cluster.now_ps - start_ps, _moved(cluster, verb, senders) - start
    early = [done.text for rdma in rdmas.values() for done in rdma.poll() if not done.ok]
    lost = sum(
        rdmas[name].regs.counters()[what] - before[name][what]
        for name in _ADDRESS
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
        "path": "roce",
        "verb": verb,
        "queue_pairs": count,
        "direction": kind,
        "mtu": MTU,
        "packets": packets,
        "gbps": round(gbps, 3),
        "share": round(gbps / RATE_GBPS, 4),
        "of_payload_limit": round(gbps / RATE_GBPS / LIMIT, 4),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The least of each kind."""

    def least(key: str, **wanted: Any) -> float:
        found = [r[key] for r in rows if all(r.get(k) == v for k, v in wanted.items())]
        return float(min(found))

    out = {f"{verb}_share_4k": least("share", verb=verb) for verb in VERBS}
    out["roce_share_4k"] = least("of_payload_limit", queue_pairs=1, path="roce")
    out["roce_share_4k_64"] = least("of_payload_limit", queue_pairs=64, path="roce")
    return out
