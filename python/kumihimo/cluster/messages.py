# SPDX-License-Identifier: Apache-2.0
"""Messages to and from peers through the channels of an `eth_messages` node.

    port = Messages(cluster["alice"])
    port.add_peer(1, cluster["bob"].mac)
    port.send(1, b"...")
    peer, data = port.receive(timeout="100 us")

The node's transport delivers each message once and in order, or reports its failure. Frames are
reassembled into messages here, peer by peer.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ..clusterfile import units
from .channel import ChannelBroken, ChannelTimeout

if TYPE_CHECKING:
    from .node import Node

STATUS = {1: "up", 2: "dead", 3: "restarted", 4: "bye", 5: "message failed"}


class Messages:
    """The message port of one node."""

    def __init__(self, node: Node, nonce: int = 0) -> None:
        """The port of a node; `nonce` must differ after each restart of the node."""
        self._node = node
        self._to = node.channel("send_to")
        self._out = node.channel("send_data")
        self._in = node.channel("receive_data")
        self._info = node.channel("receive_info")
        self._status = node.channel("status")
        self._open: dict[int, list[bytes]] = {}
        self._whole: deque[tuple[int, bytes, bool]] = deque()
        node.regs.eth_rtp.nonce.write(nonce or 1 + node.index * 0x1000)

    def add_peer(self, number: int, mac: str) -> None:
        """Give the peer with this MAC address a number; the association opens by itself."""
        address = int(mac.replace(":", ""), 16)
        port = self._node.regs.eth_port
        port.peer_hi.write(address >> 32)
        port.peer_lo.write(address & 0xFFFFFFFF)
        port.peer.write(number)

    def send(self, peer: int, data: bytes) -> None:
        """Send one message; returns at once."""
        self._to.write(peer)
        self._out.write(data)

    def receive(self, timeout: str | int = "1 ms") -> tuple[int, bytes]:
        """The next complete message and its sender.

        Raises ChannelTimeout when none arrives within the simulated time, and ChannelBroken (with
        the received part in `data`) when its sender died or restarted in the middle of a message.
        """
        span = timeout if isinstance(timeout, int) else units.time_ps(timeout)
        end = self._node.now_ps + span
        while not self._whole:
            info = self._info.read(max(0, end - self._node.now_ps))
            # The frame follows its record by the length of a frame.
            try:
                data, bad = self._in.read("1 ms"), False
            except ChannelBroken as broken:
                data, bad = broken.data, True
            self._join(info["peer"], data, bool(info["first"]), bool(info["last"]), bad)
        peer, data, bad = self._whole.popleft()
        if bad:
            text = f"A message of peer {peer} was aborted after {len(data)} bytes."
            raise ChannelBroken(text, data)
        return peer, data

    def _join(self, peer: int, data: bytes, first: bool, last: bool, bad: bool) -> None:
        parts = [] if first else self._open.pop(peer, [])
        if bad:  # the last frame is not part of the message
            self._whole.append((peer, b"".join(parts), True))
        elif last:
            self._whole.append((peer, b"".join([*parts, data]), False))
        else:
            self._open[peer] = [*parts, data]

    def statuses(self) -> list[tuple[int, str]]:
        """State changes of peers since the last call: (number, one of the values of STATUS)."""
        return [(r["peer"], STATUS.get(r["code"], str(r["code"]))) for r in self._status.read_all()]

    def wait_up(self, peer: int, timeout: str | int = "1 ms") -> None:
        """Run until the association with a peer is open."""
        record = self._status.read(timeout)
        if (record["peer"], record["code"]) != (peer, 1):
            what = STATUS.get(record["code"], record["code"])
            raise ChannelTimeout(f"Peer {peer} is not up: peer {record['peer']} is {what}.")
