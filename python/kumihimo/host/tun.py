# SPDX-License-Identifier: Apache-2.0
"""IP over a link: packets between a TUN device and the packet ring of a node.

The Linux kernel sees an ordinary network interface. Its packets go by DMA into the node and over
the link as bare IPv4 packets, one per frame, and vice versa. A route maps the destination address
to the `dest` (circuit) of the packet.

    with Namespace([TapConfig("link0", "", "10.9.0.1/24")]) as network, dma.packets() as ring:
        bridge = TunBridge(network.tap_fds["link0"], ring, routes={"10.9.0.2/32": 1})
        serve([bridge], stop.is_set)
"""

from __future__ import annotations

import errno
import ipaddress
import os
import select
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from .packets import Packet

MAX_PACKET = 65536


class Packets(Protocol):
    """Source and sink of packets: a PacketRing, or anything with its interface."""

    mtu: int

    def queue(self, data: bytes, dest: int = 0) -> bool:
        """Queue a packet; False: full."""
        ...

    def kick(self) -> None:
        """Send queued packets."""
        ...

    def poll(self, limit: int = 0) -> list[Packet]:
        """Received packets."""
        ...


@dataclass
class BridgeCounts:
    """Packet counters of a bridge."""

    to_link: int = 0
    from_link: int = 0
    ring_full: int = 0
    """Times that a packet had to wait for room in the ring."""
    not_ipv4: int = 0
    """Dropped: not an IPv4 packet, from either side."""
    no_route: int = 0
    """Dropped: no route for the destination."""
    too_long: int = 0
    """Dropped: longer than the ring's slots."""
    refused: int = 0
    """Dropped: the machine's kernel did not take it."""


class TunBridge:
    """Forwards packets in both directions; call `step` repeatedly."""

    def __init__(
        self,
        fd: int,
        ring: Packets,
        routes: Mapping[str, int] | None = None,
        batch: int = 64,
    ) -> None:
        """Join a TUN's descriptor (non-blocking) and a ring.

        Args:
            fd: descriptor of the TUN, without packet information.
            ring: the node's side.
            routes: dest by network; the longest matching prefix counts. None: all packets go to
                dest 0.
            batch: maximum number of packets per step and direction.
        """
        self.fd = fd
        self.counts = BridgeCounts()
        self._ring = ring
        self._batch = batch
        self._routes: list[tuple[ipaddress.IPv4Network, int]] | None = None
        if routes is not None:
            self._routes = sorted(
                ((ipaddress.IPv4Network(net), dest) for net, dest in routes.items()),
                key=lambda route: -route[0].prefixlen,
            )
        self._known: dict[bytes, int | None] = {}
        self._waiting: tuple[bytes, int] | None = None

    def route(self, address: bytes) -> int | None:
        """The dest of an address (4 bytes); None: no route."""
        if self._routes is None:
            return 0
        if address not in self._known:
            if len(self._known) > 4096:
                self._known.clear()
            found = ipaddress.IPv4Address(address)
            hits = (dest for net, dest in self._routes if found in net)
            self._known[address] = next(hits, None)
        return self._known[address]

    def step(self) -> int:
        """Forward available packets; returns their number."""
        return self._outward() + self._inward()

    def _outward(self) -> int:
        moved = 0
        while moved < self._batch:
            item = self._waiting or self._next()
            if item is None:
                break
            if not self._ring.queue(*item):
                # It waits here, and the kernel's queue behind it: back-pressure.
                self._waiting = item
                self.counts.ring_full += 1
                break
            self._waiting = None
            self.counts.to_link += 1
            moved += 1
        if moved:
            self._ring.kick()
        return moved

    def _next(self) -> tuple[bytes, int] | None:
        """The next forwardable packet of the kernel, with its dest."""
        while True:
            try:
                packet = os.read(self.fd, MAX_PACKET)
            except BlockingIOError:
                return None
            if len(packet) < 20 or packet[0] >> 4 != 4:
                self.counts.not_ipv4 += 1
            elif len(packet) > self._ring.mtu:
                self.counts.too_long += 1
            elif (dest := self.route(packet[16:20])) is None:
                self.counts.no_route += 1
            else:
                return packet, dest

    def _inward(self) -> int:
        moved = 0
        for packet in self._ring.poll(self._batch):
            moved += 1
            data = packet.data
            if len(data) < 20 or data[0] >> 4 != 4:
                self.counts.not_ipv4 += 1
                continue
            try:
                os.write(self.fd, data)
                self.counts.from_link += 1
            except OSError as problem:
                # The kernel drops packets that it has no space for or rejects, as any network does.
                if problem.errno not in (errno.EAGAIN, errno.EINVAL, errno.ENOBUFS, errno.EIO):
                    raise
                self.counts.refused += 1
        return moved

    @property
    def blocked(self) -> bool:
        """Whether a packet of the kernel waits for space in the ring."""
        return self._waiting is not None


def serve(
    bridges: Sequence[TunBridge],
    stop: Callable[[], object],
    advance: Callable[[], object] | None = None,
    idle_seconds: float = 0.0005,
) -> None:
    """Step bridges until stop() is true.

    Args:
        bridges: the bridges of this thread.
        stop: tested in every round.
        advance: runs the nodes, called in every round. None: something else runs them, and an idle
            round is followed by a pause until a kernel has a packet.
        idle_seconds: longest pause.
    """
    while not stop():
        moved = sum(bridge.step() for bridge in bridges)
        if advance is not None:
            advance()
        elif not moved:
            ready = [bridge.fd for bridge in bridges if not bridge.blocked]
            select.select(ready, [], [], idle_seconds)
