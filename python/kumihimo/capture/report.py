# SPDX-License-Identifier: Apache-2.0
"""Latency and rate from a capture: requests matched with their replies, port by port.

Times are the capture's simulated time stamps; a request without a reply counts as lost. A pair of
UDP ports without a single echoed payload is reported as "UDP, one way".
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .pcapng import Capture, Packet

Key = tuple[Any, ...]
ONE_WAY = "UDP, one way"


@dataclass
class Exchange:
    """Requests of one kind between two stations, at one interface."""

    interface: str
    kind: str
    client: str
    server: str
    requests: int = 0
    request_bytes: int = 0
    reply_bytes: int = 0
    latency_ns: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    first_ns: int = -1
    last_ns: int = 0

    @property
    def lost(self) -> int | None:
        """Requests without a reply; None if no reply is expected."""
        return None if self.kind == ONE_WAY else self.requests - len(self.latency_ns)

    def add(self, other: Exchange) -> None:
        """Add the counts of another exchange."""
        self.requests += other.requests
        self.request_bytes += other.request_bytes
        self.reply_bytes += other.reply_bytes
        self.latency_ns += other.latency_ns
        self.sizes += other.sizes
        self.first_ns = min(self.first_ns, other.first_ns)
        self.last_ns = max(self.last_ns, other.last_ns)

    def figures(self) -> dict[str, Any]:
        """Figures as a flat dictionary: latency in ns, rates in bits per simulated second."""
        ordered = sorted(self.latency_ns)
        span = max(1, self.last_ns - self.first_ns)
        return {
            "interface": self.interface,
            "kind": self.kind,
            "client": self.client,
            "server": self.server,
            "requests": self.requests,
            "lost": self.lost,
            "latency_min_ns": ordered[0] if ordered else None,
            "latency_median_ns": ordered[len(ordered) // 2] if ordered else None,
            "latency_max_ns": ordered[-1] if ordered else None,
            "request_bps": round(self.request_bytes * 8e9 / span),
            "reply_bps": round(self.reply_bytes * 8e9 / span),
        }


@dataclass(frozen=True)
class _Seen:
    kind: str
    source: str
    target: str
    key: Key
    reply: bool | None  # None: unknown; the first of a pair is the request
    size: int
    ports: Key = ()


def _dotted(raw: bytes) -> str:
    return ".".join(map(str, raw))


def _classify(frame: bytes) -> _Seen | None:
    at = 12
    ether = frame[at : at + 2]
    while ether in (b"\x81\x00", b"\x88\xa8"):
        at += 4
        ether = frame[at : at + 2]
    body = frame[at + 2 :]
    if ether == b"\x08\x06" and len(body) >= 28:
        reply = body[7] == 2
        source, target = _dotted(body[14:18]), _dotted(body[24:28])
        return _Seen("ARP", source, target, (), reply, len(frame))
    if ether != b"\x08\x00" or len(body) < 20:
        return None
    head = (body[0] & 15) * 4
    total = struct.unpack_from(">H", body, 2)[0]
    source, target, inner = _dotted(body[12:16]), _dotted(body[16:20]), body[head:total]
    if body[9] == 1 and len(inner) >= 8 and inner[0] in (0, 8):
        return _Seen("ICMP echo", source, target, (inner[4:8],), inner[0] == 0, len(frame))
    if body[9] == 17 and len(inner) >= 8:
        ports = struct.unpack_from(">HH", inner)
        pair = tuple(sorted(ports))
        key = (pair, len(inner), hash(inner[8:]))
        return _Seen("UDP echo", source, target, key, None, len(frame), pair)
    return None


def exchanges(packets: Iterable[Packet]) -> list[Exchange]:
    """Match requests and replies of a capture."""
    found: dict[Key, Exchange] = {}
    open_: dict[Key, deque[tuple[int, Exchange]]] = {}
    for packet in packets:
        seen = _classify(packet.data)
        if seen is None:
            continue
        back = (packet.interface, seen.kind, seen.target, seen.source, seen.key)
        waiting = open_.get(back)
        if seen.reply is not False and waiting:
            start, exchange = waiting.popleft()
            exchange.latency_ns.append(packet.time_ns - start)
            exchange.sizes.append(seen.size)
            exchange.reply_bytes += seen.size
            exchange.last_ns = packet.time_ns
            continue
        if seen.reply:
            continue
        if seen.kind == "ARP" and seen.source == seen.target:
            continue  # gratuitous ARP: no reply
        name = (packet.interface, seen.kind, seen.source, seen.target)
        exchange = found.setdefault((*name, seen.ports), Exchange(*name))
        exchange.requests += 1
        exchange.request_bytes += seen.size
        exchange.last_ns = packet.time_ns
        if exchange.first_ns < 0:
            exchange.first_ns = packet.time_ns
        forward = (packet.interface, seen.kind, seen.source, seen.target, seen.key)
        open_.setdefault(forward, deque()).append((packet.time_ns, exchange))
    answered = {(e.kind, e.client, e.server) for e in found.values() if e.latency_ns}

    def bystander(e: Exchange) -> bool:
        """A broadcast passing through; its reply takes another path."""
        return e.kind == "ARP" and not e.latency_ns and (e.kind, e.client, e.server) in answered

    return _merged(e for e in found.values() if not bystander(e))


def _merged(flows: Iterable[Exchange]) -> list[Exchange]:
    """One row per pair of stations and kind, over all ports."""
    rows: dict[Key, Exchange] = {}
    for flow in flows:
        if flow.kind == "UDP echo" and not flow.latency_ns:
            flow.kind = ONE_WAY
        name = (flow.interface, flow.kind, flow.client, flow.server)
        if name in rows:
            rows[name].add(flow)
        else:
            rows[name] = flow
    return list(rows.values())


def analyse(file: Path) -> list[Exchange]:
    """Match requests and replies of a capture file."""
    return exchanges(Capture(file))


def picture(found: list[Exchange], file: Path) -> None:
    """Plot latency against frame size, and the distribution of latency (SVG or PNG)."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for exchange in found:
        if not exchange.latency_ns:
            continue
        label = f"{exchange.kind} {exchange.client} to {exchange.server}"
        micro = [ns / 1000 for ns in exchange.latency_ns]
        left.plot(exchange.sizes, micro, ".", markersize=2, label=label)
        share = [100 * (i + 1) / len(micro) for i in range(len(micro))]
        right.plot(sorted(micro), share, label=label)
    left.set_xlabel("frame size of the reply (bytes)")
    left.set_ylabel("request to reply, simulated (us)")
    right.set_xlabel("request to reply, simulated (us)")
    right.set_ylabel("share of exchanges (%)")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
    if left.get_legend_handles_labels()[0]:
        left.legend(fontsize=7, markerscale=5)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)
