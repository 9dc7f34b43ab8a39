# SPDX-License-Identifier: Apache-2.0
"""Frames of the Ethernet transport, EtherType 0x88B6. Format: docs/blocks/eth-rtp.md."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag

ETHERTYPE = 0x88B6
VERSION = 1
HEADER_BYTES = 30
BODY_BYTES = 12  # of ACK and HELLO
SACK_BITS = 64
WRAP = 1 << 32

_HEADER = struct.Struct(">6s6sHBBIIIH")


class Type(IntEnum):
    """Type of a frame."""

    DATA = 0
    ACK = 1
    HELLO = 2
    RESET = 3


class Flag(IntFlag):
    """Flags of a frame."""

    FIRST = 1  # DATA: first frame of its message
    LAST = 2  # DATA: last frame of its message
    ACK_REQ = 4  # DATA, ACK: immediate ACK requested
    DUPLICATE = 8  # ACK: a duplicate frame was received


class BadFrame(ValueError):
    """Not a frame of the transport; `reason` is foreign, version, type or malformed."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True)
class Ack:
    """Body of an ACK."""

    limit: int  # sequence numbers below it may be sent
    sack: int = 0  # bit i: sequence number ack+1+i has been received

    def to_bytes(self) -> bytes:
        """Encoding on the wire."""
        return struct.pack(">IQ", self.limit % WRAP, self.sack)

    def received(self, ack: int) -> list[int]:
        """Sequence numbers marked as received in the bitmap."""
        return [(ack + 1 + i) % WRAP for i in range(SACK_BITS) if self.sack >> i & 1]


@dataclass(frozen=True)
class Hello:
    """Body of a HELLO."""

    own_tag: int  # the tag that the peer must use in its frames
    limit: int

    def to_bytes(self) -> bytes:
        """Encoding on the wire."""
        return struct.pack(">III", self.own_tag, self.limit % WRAP, 0)


def make_tag(number: int, nonce: int) -> int:
    """Tag of the sender that has this number in the receiver's table."""
    if not (0 <= number < 1 << 12 and 0 <= nonce < 1 << 20):
        raise ValueError(f"a tag holds a number of 12 bits and a nonce of 20: {number}, {nonce}")
    return number << 20 | nonce


@dataclass(frozen=True)
class Frame:
    """A frame without FCS; addresses in the usual notation."""

    dst: str
    src: str
    type: Type
    tag: int
    seq: int = 0
    ack: int = 0
    flags: Flag | int = 0
    body: bytes | Ack | Hello = b""

    def to_bytes(self) -> bytes:
        """Encoding on the wire, without padding."""
        body = self.body if isinstance(self.body, bytes) else self.body.to_bytes()
        head = _HEADER.pack(
            bytes.fromhex(self.dst.replace(":", "")),
            bytes.fromhex(self.src.replace(":", "")),
            ETHERTYPE,
            VERSION << 4 | self.type,
            self.flags,
            self.tag,
            self.seq % WRAP,
            self.ack % WRAP,
            len(body),
        )
        return head + body

    @staticmethod
    def parse(data: bytes) -> Frame:
        """Decode a frame; padding is dropped. Raises BadFrame.

        The upper four flags are ignored. DATA without data, with `last` and without `first`, means
        that the sender's kernel aborted the message.
        """
        if len(data) < 14 or data[12:14] != ETHERTYPE.to_bytes(2, "big"):
            raise BadFrame("foreign", "no frame of EtherType 0x88B6")
        if len(data) < HEADER_BYTES:
            raise BadFrame("malformed", f"{len(data)} bytes, the header has {HEADER_BYTES}")
        dst, src, _, kind, flags, tag, seq, ack, size = _HEADER.unpack_from(data)
        if kind >> 4 != VERSION:
            raise BadFrame("version", f"version {kind >> 4}, not {VERSION}")
        if kind & 15 > Type.RESET:
            raise BadFrame("type", f"unknown type {kind & 15}")
        room = len(data) - HEADER_BYTES
        if size > room:
            raise BadFrame("malformed", f"{size} bytes announced, {room} in the frame")
        raw = data[HEADER_BYTES : HEADER_BYTES + size]
        body: bytes | Ack | Hello = raw
        if kind & 15 in (Type.ACK, Type.HELLO):
            if size != BODY_BYTES:
                raise BadFrame("malformed", f"a body of {size} bytes, not {BODY_BYTES}")
            if kind & 15 == Type.ACK:
                body = Ack(*struct.unpack(">IQ", raw))
            else:
                body = Hello(*struct.unpack(">II4x", raw))
        elif kind & 15 == Type.DATA and size == 0 and flags & 3 != Flag.LAST:
            raise BadFrame("malformed", "a DATA frame without data")
        elif kind & 15 == Type.RESET and size != 0:
            raise BadFrame("malformed", "a RESET with a body")
        return Frame(
            dst.hex(":"), src.hex(":"), Type(kind & 15), tag, seq, ack, Flag(flags & 15), body
        )  # fmt: skip
