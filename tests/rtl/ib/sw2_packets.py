# SPDX-License-Identifier: Apache-2.0
"""SW2 packets for tests, written from the field tables of the block's page."""

from __future__ import annotations

import struct
from dataclasses import dataclass

AOTF, BOTF, RDMA = 1, 2, 3
MAX_DATA = 472


@dataclass(frozen=True)
class Packet:
    """A packet: where it goes, and its data in the byte lanes of its place."""

    data: bytes
    dst: int = 1
    src: int = 0
    region: int = 0
    pgid: int = 0
    offset: int = 0
    op: int = BOTF

    def raw(self) -> bytes:
        """Head, place, data; whole words."""
        head = self.dst | self.src << 16 | self.region << 32 | len(self.data) << 40 | self.op << 56
        place = self.offset | self.pgid << 32
        data = bytes(self.offset % 8) + self.data
        return struct.pack("<QQ", head, place) + data + bytes(-len(data) % 8)

    @staticmethod
    def of(raw: bytes) -> Packet:
        """A packet from its bytes."""
        head, place = struct.unpack("<QQ", raw[:16])
        length, offset = head >> 40 & 0xFFFF, place & 0xFFFFFFFF
        at = 16 + offset % 8
        return Packet(
            raw[at : at + length], head & 0xFFFF, head >> 16 & 0xFFFF, head >> 32 & 0xFF,
            place >> 32 & 0xFFFF, offset, head >> 56 & 15,
        )  # fmt: skip
