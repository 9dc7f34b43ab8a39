# SPDX-License-Identifier: Apache-2.0
"""InfiniBand packets for tests of clusters: headers by scapy where it has them, else by struct."""

from __future__ import annotations

import struct
import zlib

from scapy.contrib.roce import BTH
from scapy.packet import Raw

UD_SEND_ONLY, RC_SEND_ONLY = 0x64, 0x04


def lrh(words: int, dlid: int, slid: int, vl: int = 0, sl: int = 0) -> bytes:
    """Local route header in front of a BTH; `words` from LRH to ICRC."""
    return struct.pack(">BBHHH", vl << 4, sl << 4 | 2, dlid, words, slid)


def packet(
    payload: bytes, dlid: int, slid: int, vl: int = 0, sl: int = 0, opcode: int = RC_SEND_ONLY,
    qp: int = 17, psn: int = 0,
) -> bytes:  # fmt: skip
    """LRH to padding."""
    pad = -len(payload) % 4
    bth = BTH(opcode=opcode, migreq=1, padcount=pad, pkey=0xFFFF, dqpn=qp, psn=psn)
    body = bytes(bth / Raw(payload + bytes(pad)))[:-4]  # scapy's room for the ICRC
    return lrh((8 + len(body) + 4) // 4, dlid, slid, vl, sl) + body


def smp(attribute: int, tid: int, dlid: int = 0xFFFF, slid: int = 0xFFFF) -> bytes:
    """A directed-route Get of subnet management on VL15."""
    mad = struct.pack(">BBBBHBBQHHI", 1, 0x81, 1, 1, 0, 0, 1, tid, attribute, 0, 0)
    mad = mad.ljust(32, b"\0") + b"\xff\xff\xff\xff"
    deth = struct.pack(">II", 0, 0)
    return packet(
        deth + mad.ljust(256, b"\0"), dlid, slid, vl=15, opcode=UD_SEND_ONLY, qp=0
    )  # fmt: skip


def icrc(data: bytes) -> bytes:
    """CRC-32 over LRH to padding with the fields that change on the way as ones; no GRH."""
    masked = bytearray(data)
    masked[0] |= 0xF0
    masked[12] = 0xFF
    return struct.pack("<I", zlib.crc32(bytes(masked)))
