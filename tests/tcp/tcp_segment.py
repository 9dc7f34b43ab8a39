# SPDX-License-Identifier: Apache-2.0
"""Segments from the target, and sequence numbers. What is wrong with a header fails the test."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass
from typing import Any

from scapy.layers.inet import TCP
from scapy.utils import checksum

WORD = 1 << 32
ECHO, DISCARD, HTTP, IPERF = 7, 9, 80, 5001
CLOSED = 4444  # nobody listens there
MY_IP, MY_MAC = "10.77.0.2", "02:4b:4d:00:02:02"
LETTERS = "FSRPAUEC"


def minus(a: int, b: int) -> int:
    """Signed distance from b to a in sequence space."""
    return (a - b + WORD // 2) % WORD - WORD // 2


def noise(count: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(count)


@dataclass(frozen=True)
class Seg:
    """A segment from the target."""

    time: float
    source: str
    sport: int
    dport: int
    seq: int
    ack: int
    flags: str
    win: int
    urg: int
    option_bytes: bytes
    data: bytes
    ecn: int = 0  # of the IP header (RFC 3168)

    @property
    def opts(self) -> dict[str, Any]:
        """Options by scapy's names: MSS, WScale, SAckOK, SAck, Timestamp."""
        header = struct.pack(
            ">HHIIHHHH", 0, 0, 0, 0, (5 + len(self.option_bytes) // 4) << 12, 0, 0, 0
        )
        return {key: value for key, value in TCP(header + self.option_bytes).options}

    @property
    def sacks(self) -> list[tuple[int, int]]:
        edges = self.opts.get("SAck", ())
        return list(zip(edges[::2], edges[1::2], strict=True))

    @property
    def space(self) -> int:
        """Sequence space that it occupies."""
        return len(self.data) + ("S" in self.flags) + ("F" in self.flags)

    @property
    def end(self) -> int:
        return (self.seq + self.space) % WORD

    def __str__(self) -> str:
        text = f"{self.sport}>{self.dport} {self.flags or '-'} seq={self.seq}"
        if "A" in self.flags:
            text += f" ack={self.ack}"
        return f"{text} win={self.win} len={len(self.data)} {self.opts or ''}"


def _flag_names(bits: int) -> str:
    return "".join(name for i, name in enumerate(LETTERS) if bits >> i & 1)


def parse(frame: bytes, now: float) -> Seg:
    """A segment of a frame; any error in its headers fails the test."""
    head = (frame[14] & 15) * 4
    total = int.from_bytes(frame[16:18], "big")
    assert frame[14] >> 4 == 4 and head >= 20 and 14 + total <= len(frame), "IP header"
    packet = frame[14 : 14 + total]
    assert checksum(packet[:head]) == 0, "IP header checksum"
    body = packet[head:]
    pseudo = packet[12:20] + struct.pack(">HH", 6, len(body))
    assert checksum(pseudo + body) == 0, "TCP checksum"
    sport, dport, seq, ack, bits, win, _, urg = struct.unpack(">HHIIHHHH", body[:20])
    offset = (bits >> 12) * 4
    assert 20 <= offset <= len(body), "data offset"
    assert bits >> 8 & 15 == 0, "reserved bits are set"
    source = ".".join(map(str, packet[12:16]))
    options, data = body[20:offset], body[offset:]
    flags = _flag_names(bits & 255)
    ecn = packet[1] & 3
    seg = Seg(now, source, sport, dport, seq, ack, flags, win, urg, options, data, ecn)
    assert seg.opts is not None
    return seg


class Stream:
    """Reassembles segments; a byte received again must be the same."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.data = bytearray()
        self.fin = False
        self._later: list[Seg] = []

    @property
    def next(self) -> int:
        return (self.first + len(self.data) + self.fin) % WORD

    def add(self, seg: Seg) -> None:
        self._later.append(seg)
        again = True
        while again:
            again = False
            for waiting in list(self._later):
                begin = minus(waiting.seq, self.first)
                if begin > len(self.data):
                    continue
                self._later.remove(waiting)
                known = bytes(self.data[max(begin, 0) : begin + len(waiting.data)])
                part = waiting.data[max(-begin, 0) :]
                assert part[: len(known)] == known, f"{waiting} differs from what was sent before"
                self.data += part[len(known) :]
                self.fin = self.fin or (
                    "F" in waiting.flags and begin + len(waiting.data) == len(self.data)
                )
                again = True
