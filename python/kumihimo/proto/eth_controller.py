# SPDX-License-Identifier: Apache-2.0
"""Frames of the Ethernet controller, EtherType 0x88B5. Format: docs/blocks/eth-controller.md."""

from __future__ import annotations

import struct
from dataclasses import dataclass

ETHERTYPE = 0x88B5
VERSION = 1
HEADER_BYTES = 24

_HEADER = struct.Struct(">6s6sHBBHHI")


@dataclass(frozen=True)
class Frame:
    """A frame in the default framing, without FCS; addresses in the usual notation."""

    dst: str
    src: str
    number: int  # of the message, modulo 256
    left: int  # bytes of the message from this frame on
    first: bool
    last: bool
    data: bytes

    def to_bytes(self) -> bytes:
        """Encoding on the wire, without padding."""
        head = _HEADER.pack(
            bytes.fromhex(self.dst.replace(":", "")),
            bytes.fromhex(self.src.replace(":", "")),
            ETHERTYPE,
            VERSION << 4 | self.last << 1 | self.first,
            self.number & 0xFF,
            len(self.data),
            0,
            self.left,
        )
        return head + self.data

    @staticmethod
    def parse(frame: bytes) -> Frame:
        """Decode a frame; padding is dropped. Raises ValueError."""
        if len(frame) < HEADER_BYTES:
            raise ValueError(f"{len(frame)} bytes, the header has {HEADER_BYTES}")
        dst, src, ether, flags, number, size, _, left = _HEADER.unpack_from(frame)
        if ether != ETHERTYPE or flags >> 4 != VERSION:
            raise ValueError(f"EtherType 0x{ether:04x}, version {flags >> 4}")
        if not 0 < size <= len(frame) - HEADER_BYTES:
            raise ValueError(f"{size} bytes announced, {len(frame) - HEADER_BYTES} in the frame")
        if size > left or bool(flags & 2) != (size == left):
            raise ValueError(f"{size} bytes of {left} left, but last is {flags >> 1 & 1}")
        data = frame[HEADER_BYTES : HEADER_BYTES + size]
        return Frame(
            dst.hex(":"), src.hex(":"), number, left, bool(flags & 1), bool(flags & 2), data
        )  # fmt: skip
