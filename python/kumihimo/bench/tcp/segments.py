# SPDX-License-Identifier: Apache-2.0
"""TCP segments as bytes, made and read fast: for floods and fuzzers that send a million of them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

FIN, SYN, RST, PSH, ACK, URG = 1, 2, 4, 8, 16, 32
WORD = 0xFFFF_FFFF
_IP = struct.Struct(">BBHHHBBHII")
_TCP = struct.Struct(">HHIIHHHH")


def number(address: str) -> int:
    """Dotted quad as an integer."""
    return int.from_bytes(bytes(map(int, address.split("."))), "big")


def sum16(data: bytes) -> int:
    """One's complement sum of 16-bit words, folded: big numbers do it faster than a loop."""
    value = int.from_bytes(data + b"\0" * (len(data) & 1), "big") % 0xFFFF
    return value or (0xFFFF if any(data) else 0)


@dataclass(frozen=True)
class Raw:
    """A segment that came."""

    peer_port: int  # the node's
    port: int  # ours
    address: int  # ours
    seq: int
    ack: int
    flags: int
    window: int
    data: bytes
    good: bool  # its checksums are right


class Maker:
    """Frames to one node."""

    def __init__(self, mac: int, peer_mac: int, peer_ip: str) -> None:
        """`mac` is ours, `peer_mac` and `peer_ip` are the node's."""
        self._ether = peer_mac.to_bytes(6, "big") + mac.to_bytes(6, "big") + b"\x08\x00"
        self.peer_ip = number(peer_ip)
        self.mac = mac

    def segment(
        self,
        source: int,
        port: int,
        peer_port: int,
        seq: int,
        ack: int,
        flags: int,
        window: int = 65535,
        options: bytes = b"",
        data: bytes = b"",
        urgent: int = 0,
    ) -> bytes:
        """A frame with right checksums; options are whole words."""
        head = (5 + len(options) // 4) << 12 | flags
        body = (
            _TCP.pack(port, peer_port, seq & WORD, ack & WORD, head, window, 0, urgent)
            + options
            + data
        )
        pseudo = source + self.peer_ip + 6 + len(body)
        check = 0xFFFF - (sum16(body) + pseudo % 0xFFFF) % 0xFFFF
        packet = _IP.pack(0x45, 0, 20 + len(body), port, 0x4000, 64, 6, 0, source, self.peer_ip)
        ip_check = 0xFFFF - sum16(packet)
        frame = (
            self._ether
            + packet[:10]
            + ip_check.to_bytes(2, "big")
            + packet[12:]
            + body[:16]
            + check.to_bytes(2, "big")
            + body[18:]
        )
        return frame.ljust(60, b"\0")

    def arp_answer(self, frame: bytes) -> bytes | None:
        """The answer to a request of the node, whatever address it asks for."""
        if frame[12:14] != b"\x08\x06" or frame[20:22] != b"\x00\x01":
            return None
        mine = self.mac.to_bytes(6, "big")
        sender, asker, wanted = frame[22:28], frame[28:32], frame[38:42]
        if asker == wanted:
            return None  # it announces itself
        head = sender + mine + b"\x08\x06" + frame[14:20] + b"\x00\x02"
        return (head + mine + wanted + sender + asker).ljust(60, b"\0")

    def announcement(self, source: int) -> bytes:
        """ARP request for the node from one of our addresses: it learns us by it."""
        mine, address = self.mac.to_bytes(6, "big"), source.to_bytes(4, "big")
        head = b"\xff" * 6 + mine + b"\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01"
        return (head + mine + address + bytes(6) + self.peer_ip.to_bytes(4, "big")).ljust(60, b"\0")


def parse(frame: bytes) -> Raw | None:
    """A TCP segment out of a frame, None for anything else."""
    if frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return None
    total = int.from_bytes(frame[16:18], "big")
    packet = frame[14 : 14 + total]
    body = packet[20:]
    source, dest = struct.unpack(">II", packet[12:20])
    good = sum16(packet[:20]) == 0xFFFF
    good = good and (sum16(body) + source + dest + 6 + len(body)) % 0xFFFF == 0
    sport, dport, seq, ack, head, window, _, _ = _TCP.unpack(body[:20])
    offset = (head >> 12) * 4
    return Raw(sport, dport, dest, seq, ack, head & 0x3F, window, body[offset:], good)
