# SPDX-License-Identifier: Apache-2.0
"""Packets through a DMA channel: buffers on both rings, as in a network driver."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from ..common.closing import Closing
from ..regs import Block
from .allocate import Pool
from .platform import Platform
from .ring import DmaError, Flag, Ring

SEND, RECV = 0, 1


@dataclass
class PacketCounts:
    """Packet counters."""

    sent: int = 0
    send_full: int = 0
    """Not taken: the ring was full."""
    send_errors: int = 0
    received: int = 0
    bad: int = 0
    """Dropped: marked bad on the stream."""
    too_long: int = 0
    """Dropped: longer than a slot."""
    recv_errors: int = 0
    """Dropped: memory error."""


@dataclass(frozen=True)
class Packet:
    """A received packet, and its tid on the stream."""

    data: bytes
    id: int = 0


class PacketRing(Closing):
    """Send and receive whole packets. Close it, or use it in a `with`."""

    def __init__(
        self, platform: Platform, block: Block, pool: Pool, slots: int = 256, mtu: int = 9216
    ) -> None:
        """Start both rings with `slots` (a power of two) buffers of `mtu` bytes each."""
        log2 = slots.bit_length() - 1
        if slots != 1 << log2:
            raise ValueError("slots must be a power of two.")
        self.mtu = mtu
        self.slots = slots
        self.counts = PacketCounts()
        self._platform = platform
        self._pool = pool
        self._room = mtu + -mtu % 64
        self._send = Ring(platform, block, SEND, pool, log2)
        self._recv = Ring(platform, block, RECV, pool, log2)
        self._out = pool.take(slots * self._room)
        self._in = pool.take(slots * self._room)
        self._next_out = self._next_in = 0
        self._long = False  # within a packet longer than a slot
        self._ready: deque[Packet] = deque()
        self._send.start()
        self._recv.start()
        for slot in range(slots):
            self._recv.post(self._in + slot * self._room, mtu)
        self._recv.doorbell()

    def send(self, data: bytes, dest: int = 0) -> bool:
        """Queue a packet and ring the doorbell; False: the ring is full."""
        queued = self.queue(data, dest)
        self.kick()
        return queued

    def queue(self, data: bytes, dest: int = 0) -> bool:
        """Queue a packet; `kick` passes queued packets to the hardware."""
        if not 0 < len(data) <= self.mtu:
            raise ValueError(f"A packet has 1 to {self.mtu} bytes, not {len(data)}.")
        if self._send.free == 0:
            self._reap()
        if self._send.free == 0:
            self.counts.send_full += 1
            return False
        addr = self._out + self._next_out * self._room
        self._next_out = (self._next_out + 1) % self.slots
        self._platform.memory.write(addr, data)
        self._send.post(addr, len(data), Flag.SOP | Flag.EOP, dest)
        self.counts.sent += 1
        return True

    def kick(self) -> None:
        """Ring the doorbell of the send ring."""
        self._send.doorbell()

    def _reap(self) -> None:
        for done in self._send.reap():
            self.counts.send_errors += done.code != 0

    @property
    def sending(self) -> int:
        """Queued packets that have not been reported as sent."""
        self._reap()
        return self._send.pending

    def poll(self, limit: int = 0) -> list[Packet]:
        """Received packets, oldest first, at most `limit`; never waits."""
        packets: list[Packet] = []
        for done in self._recv.reap(limit):
            addr = self._in + self._next_in * self._room
            self._next_in = (self._next_in + 1) % self.slots
            ends = bool(done.flags & Flag.EOP)
            if done.code:
                self.counts.recv_errors += 1
            elif self._long or not ends:
                self.counts.too_long += ends
            elif done.flags & Flag.BAD:
                self.counts.bad += 1
            else:
                packets.append(Packet(self._platform.memory.read(addr, done.length), done.dest))
            if not done.code:
                self._long = not ends
            self._recv.post(addr, self.mtu)
        self._recv.doorbell()
        self.counts.received += len(packets)
        return packets

    def check(self) -> None:
        """Raise if a ring has stopped with an error."""
        self._send.check()
        self._recv.check()

    def close(self) -> None:
        """Stop both rings and free the memory."""
        try:
            self._send.close()
            self._recv.close()
        finally:
            self._pool.give(self._out, self.slots * self._room)
            self._pool.give(self._in, self.slots * self._room)


__all__ = ["DmaError", "Packet", "PacketCounts", "PacketRing"]
