# SPDX-License-Identifier: Apache-2.0
"""Requests and replies found in frames, as they come.

ARP and ICMP echo say themselves which reply belongs to which request. Of UDP, a reply answers the
oldest open request with the same payload (an echo); else with the same first four bytes (an
identifier); else the oldest one. Of TCP, a request is what the side that opened the connection
sends until the other side answers; the time is from its last segment to the first of the answer.
Retransmitted bytes count once.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .decode import dotted
from .pcapng import ETHERNET, Packet

Key = tuple[Any, ...]
Station = tuple[str, int]
ONE_WAY = "UDP, one way"
TCP_ONE_WAY = "TCP, one way"
_FIN, _SYN, _ACK = 1, 2, 16


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
        one_way = self.kind in (ONE_WAY, TCP_ONE_WAY)
        return None if one_way else self.requests - len(self.latency_ns)

    def asked(self, time_ns: int, size: int) -> None:
        """Count a request."""
        self.requests += 1
        self.request_bytes += size
        self.last_ns = time_ns
        if self.first_ns < 0:
            self.first_ns = time_ns

    def answered(self, time_ns: int, since_ns: int, size: int) -> None:
        """Count a reply to a request of `since_ns`."""
        self.latency_ns.append(time_ns - since_ns)
        self.sizes.append(size)
        self.reply_bytes += size
        self.last_ns = time_ns

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
        shares = {"min": 0.0, "median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
        return {
            "interface": self.interface,
            "kind": self.kind,
            "client": self.client,
            "server": self.server,
            "requests": self.requests,
            "lost": self.lost,
            **{f"latency_{name}_ns": at(ordered, share) for name, share in shares.items()},
            "request_bps": round(self.request_bytes * 8e9 / span),
            "reply_bps": round(self.reply_bytes * 8e9 / span),
        }


def at(ordered: list[int], share: float) -> int | None:
    """The value that this share of an ordered list does not exceed; None of an empty one."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


@dataclass
class _Open:
    """A request that waits for its reply."""

    time_ns: int
    payload: int
    identifier: bytes


@dataclass
class _Datagrams:
    """One flow of UDP datagrams, seen as an echo and as a service until it is known which."""

    echo: Exchange
    service: Exchange
    back: Exchange
    client: Station
    echoes: dict[int, deque[int]] = field(default_factory=dict)
    waiting: deque[_Open] = field(default_factory=deque)
    replies: int = 0

    def request(self, packet: Packet, payload: bytes) -> None:
        size = len(packet.data)
        self.echo.asked(packet.time_ns, size)
        self.service.asked(packet.time_ns, size)
        self.echoes.setdefault(hash(payload), deque()).append(packet.time_ns)
        self.waiting.append(_Open(packet.time_ns, hash(payload), payload[:4]))

    def reply(self, packet: Packet, payload: bytes) -> None:
        size = len(packet.data)
        self.replies += 1
        self.back.asked(packet.time_ns, size)
        if same := self.echoes.get(hash(payload)):
            self.echo.answered(packet.time_ns, same.popleft(), size)
        if self.waiting:
            found = next((w for w in self.waiting if w.identifier == payload[:4]), self.waiting[0])
            self.waiting.remove(found)
            self.service.answered(packet.time_ns, found.time_ns, size)

    def result(self) -> Iterator[Exchange]:
        asked = self.echo.requests
        if self.echo.latency_ns:
            yield self.echo
        elif asked and asked <= 2 * self.replies <= 4 * asked:
            yield self.service
        else:
            for way in (self.echo, self.back):
                if way.requests:
                    way.kind = ONE_WAY
                    yield way


@dataclass
class _Connection:
    """One TCP connection at one interface."""

    connect: Exchange
    calls: Exchange
    client: Station
    syn_ns: int = -1
    asked_ns: int = -1
    asking: bool = False
    ends: dict[Station, int] = field(default_factory=dict)
    got: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def segment(self, packet: Packet, source: Station, flags: int, seq: int, size: int) -> None:
        now, mine = packet.time_ns, source == self.client
        if flags & _SYN and not flags & _ACK:
            if self.syn_ns < 0:
                self.connect.asked(now, len(packet.data))
            self.syn_ns = now
        elif flags & _SYN and self.syn_ns >= 0 and not self.connect.latency_ns:
            self.connect.answered(now, self.syn_ns, len(packet.data))
        if not size or not self._fresh(source, seq, size):
            return
        self.got[mine] += size
        if mine:
            if not self.asking:
                self.calls.asked(now, size)
            else:
                self.calls.request_bytes += size
            self.asking, self.asked_ns = True, now
        elif self.asking:
            self.calls.answered(now, self.asked_ns, size)
            self.asking = False
        else:
            self.calls.reply_bytes += size
        self.calls.last_ns = now
        if self.calls.first_ns < 0:
            self.calls.first_ns = now

    def _fresh(self, source: Station, seq: int, size: int) -> bool:
        """Whether a segment has bytes that were not seen before."""
        end, known = (seq + size) & 0xFFFFFFFF, self.ends.get(source)
        if known is not None and not 0 < (end - known) & 0xFFFFFFFF < 1 << 31:
            return False
        self.ends[source] = end
        return True

    def result(self) -> Iterator[Exchange]:
        if self.connect.requests:
            yield self.connect
        if self.got[True] and self.got[False]:
            yield self.calls
        elif self.got[True] or self.got[False]:
            self.calls.kind = TCP_ONE_WAY
            self.calls.requests = 1
            yield self.calls


class Pairing:
    """Takes frames one by one; `result` gives the exchanges so far."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._plain: dict[Key, Exchange] = {}
        self._open: dict[Key, deque[tuple[int, Exchange]]] = {}
        self._datagrams: dict[Key, _Datagrams] = {}
        self._connections: dict[Key, _Connection] = {}

    def add(self, packet: Packet) -> None:
        """Take a frame; those of other links than Ethernet are passed over."""
        if packet.link != ETHERNET:
            return
        frame, place = packet.data, 12
        while frame[place : place + 2] in (b"\x81\x00", b"\x88\xa8"):
            place += 4
        kind, body = frame[place : place + 2], frame[place + 2 :]
        if kind == b"\x08\x06" and len(body) >= 28:
            ends = dotted(body[14:18]), dotted(body[24:28])
            if ends[0] != ends[1]:  # gratuitous ARP: no reply
                self._ask(packet, "ARP", *ends, (), body[7] == 2)
        elif kind == b"\x08\x00" and len(body) >= 20:
            self._ip(packet, body)

    def _ip(self, packet: Packet, body: bytes) -> None:
        head = (body[0] & 15) * 4
        total = int.from_bytes(body[2:4], "big")
        if body[6] & 0x3F or body[7]:
            return  # a fragment
        source, target, inner = dotted(body[12:16]), dotted(body[16:20]), body[head:total]
        if body[9] == 1 and len(inner) >= 8 and inner[0] in (0, 8):
            self._ask(packet, "ICMP echo", source, target, (inner[4:8],), inner[0] == 0)
        elif body[9] == 17 and len(inner) >= 8:
            ports = struct.unpack_from(">HH", inner)
            self._datagram(packet, (source, ports[0]), (target, ports[1]), inner[8:])
        elif body[9] == 6 and len(inner) >= 20:
            one, two, seq = struct.unpack_from(">HHI", inner)
            size = len(inner) - (inner[12] >> 4) * 4
            self._segment(packet, (source, one), (target, two), (inner[13], seq, size))

    def _ask(
        self, packet: Packet, kind: str, source: str, target: str, key: Key, reply: bool
    ) -> None:
        if reply:
            waiting = self._open.get((packet.interface, kind, target, source, key))
            if waiting:
                since, exchange = waiting.popleft()
                exchange.answered(packet.time_ns, since, len(packet.data))
            return
        name = (packet.interface, kind, source, target)
        exchange = self._plain.setdefault(name, Exchange(*name))
        exchange.asked(packet.time_ns, len(packet.data))
        self._open.setdefault((*name, key), deque()).append((packet.time_ns, exchange))

    def _datagram(self, packet: Packet, source: Station, target: Station, payload: bytes) -> None:
        key = (packet.interface, *sorted((source, target)))
        flow = self._datagrams.get(key)
        if flow is None:
            ends = (source[0], target[0])
            flow = self._datagrams[key] = _Datagrams(
                Exchange(packet.interface, "UDP echo", *ends),
                Exchange(packet.interface, f"UDP port {target[1]}", *ends),
                Exchange(packet.interface, ONE_WAY, *ends[::-1]),
                source,
            )
        (flow.request if source == flow.client else flow.reply)(packet, payload)

    def _segment(
        self, packet: Packet, source: Station, target: Station, what: tuple[int, int, int]
    ) -> None:
        flags, seq, size = what
        key = (packet.interface, *sorted((source, target)))
        known = self._connections.get(key)
        opens = bool(flags & _SYN) and not flags & _ACK
        if known is None or (opens and known.got[True] + known.got[False]):
            if known is not None:  # the ports are used again
                self._connections[(*key, len(self._connections))] = known
            client, server = (target, source) if flags & _SYN and not opens else (source, target)
            ends = (client[0], server[0])
            known = self._connections[key] = _Connection(
                Exchange(packet.interface, "TCP connect", *ends),
                Exchange(packet.interface, f"TCP port {server[1]}", *ends),
                client,
            )
        known.segment(packet, source, flags, seq, size)

    def result(self) -> list[Exchange]:
        """One exchange per interface, kind and pair of stations."""
        plain = list(self._plain.values())
        answered = {(e.kind, e.client, e.server) for e in plain if e.latency_ns}
        found = [e for e in plain if not _bystander(e, answered)]
        for flow in self._datagrams.values():
            found += flow.result()
        for connection in self._connections.values():
            found += connection.result()
        return _merged(found)


def _bystander(e: Exchange, answered: set[tuple[str, str, str]]) -> bool:
    """A broadcast passing through; its reply takes another path."""
    return e.kind == "ARP" and not e.latency_ns and (e.kind, e.client, e.server) in answered


def _merged(flows: list[Exchange]) -> list[Exchange]:
    """One row per pair of stations and kind, over all ports of the client."""
    rows: dict[Key, Exchange] = {}
    for flow in flows:
        name = (flow.interface, flow.kind, flow.client, flow.server)
        if name not in rows:
            rows[name] = Exchange(*name, first_ns=flow.first_ns)
        rows[name].add(flow)
    return list(rows.values())
