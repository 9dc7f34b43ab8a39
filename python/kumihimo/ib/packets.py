# SPDX-License-Identifier: Apache-2.0
"""Management datagrams as packets: LRH, BTH, DETH, 256 bytes, ICRC (IBTA volume 1, 13.5, 14.2)."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

MAD_BYTES = 256
PACKET_BYTES = 288
CLASS_SUBN, CLASS_SA, CLASS_DIRECTED = 0x01, 0x03, 0x81
GET, SET, TRAP, TRAP_REPRESS, RESPONSE = 0x01, 0x02, 0x05, 0x07, 0x80
NODE_INFO, PORT_INFO, P_KEYS = 0x11, 0x15, 0x16
PERMISSIVE = 0xFFFF
Q_KEY = 0x8001_0000

_HEAD = struct.Struct(">BBHHHBBHIIII")  # LRH, BTH, DETH
_MAD = struct.Struct(">BBBBHBBQHHI")


@dataclass(frozen=True)
class Datagram:
    """A datagram and what its packet says of it."""

    mad: bytes
    dlid: int = PERMISSIVE
    slid: int = 0  # 0: the sender's own
    dest_qp: int = 0
    src_qp: int = 0
    sl: int = 0

    @property
    def mgmt_class(self) -> int:
        """Management class."""
        return self.mad[1]

    @property
    def method(self) -> int:
        """Method, with the bit of a response."""
        return self.mad[3]

    @property
    def tid(self) -> int:
        """Transaction."""
        return int.from_bytes(self.mad[8:16], "big")

    @property
    def is_smp(self) -> bool:
        """Whether it is subnet management, on QP0."""
        return self.mgmt_class in (CLASS_SUBN, CLASS_DIRECTED)

    def packet(self) -> bytes:
        """LRH to ICRC; subnet management on VL15."""
        qp = 0 if self.is_smp else 1
        data = _HEAD.pack(
            0xF0 if self.is_smp else 0, self.sl << 4 | 2, self.dlid, PACKET_BYTES // 4, self.slid,
            0x64, 0, 0xFFFF, qp, 0, 0 if self.is_smp else Q_KEY, qp,
        ) + self.mad  # fmt: skip
        masked = bytes([data[0] | 0xF0]) + data[1:12] + b"\xff" + data[13:]
        return data + struct.pack("<I", zlib.crc32(masked))

    @staticmethod
    def of(packet: bytes) -> Datagram:
        """Of a packet from LRH to ICRC."""
        if len(packet) != PACKET_BYTES:
            raise ValueError(f"a management packet has {PACKET_BYTES} bytes, not {len(packet)}")
        _, sl, dlid, _, slid, _, _, _, dest_qp, _, _, src_qp = _HEAD.unpack_from(packet)
        mad = packet[_HEAD.size : _HEAD.size + MAD_BYTES]
        return Datagram(mad, dlid, slid, dest_qp & 0xFFFFFF, src_qp & 0xFFFFFF, sl >> 4)

    def with_tid(self, tid: int) -> Datagram:
        """The same of another transaction."""
        mad = self.mad[:8] + tid.to_bytes(8, "big") + self.mad[16:]
        return Datagram(mad, self.dlid, self.slid, self.dest_qp, self.src_qp, self.sl)


def local_get(attribute: int, tid: int) -> Datagram:
    """A Get of the local agent: a directed route without a hop."""
    mad = _MAD.pack(1, CLASS_DIRECTED, 1, GET, 0, 0, 0, tid, attribute, 0, 0)
    mad += struct.pack(">QHH", 0, PERMISSIVE, PERMISSIVE)
    return Datagram(mad.ljust(MAD_BYTES, b"\0"), slid=PERMISSIVE)
