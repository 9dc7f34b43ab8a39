# SPDX-License-Identifier: Apache-2.0
"""Messages of the connection manager (IBTA volume 1, clause 12.6), as Linux's rdma_cm uses them.

A message is a MAD of 256 bytes: 24 bytes of header, then the message. Annex A11 puts IP addresses
and the source port in front of the private data of a request.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass

from .records import Gid

MAD_BYTES = 256
_CLASS, _CLASS_VERSION, _SEND = 0x07, 2, 0x03
REQ, MRA, REJ, REP, RTU, DREQ, DREP = range(0x10, 0x17)
_TCP_SPACE = 0x0106 << 16  # RDMA_PS_TCP in front of a port
_PRIVATE = {REQ: (140, 92), REJ: (84, 148), REP: (36, 196), RTU: (8, 224)}
_IP_BYTES = 36
INVALID_SERVICE, CONSUMER_REJECT = 8, 28  # reasons of a REJ


@dataclass(frozen=True)
class Message:
    """A message; fields that its kind does not have are 0."""

    kind: int
    transaction: int
    local_id: int = 0
    remote_id: int = 0
    qpn: int = 0
    psn: int = 0
    private: bytes = b""
    # REQ
    port: int = 0
    source: str = "0.0.0.0"
    source_port: int = 0
    destination: str = "0.0.0.0"
    mtu: int = 1024
    ack_timeout: int = 14
    retry_cnt: int = 7
    rnr_retry: int = 7
    # REQ, REP: READs and atomics under way that the sender answers, and that it asks for
    responder_resources: int = 1
    initiator_depth: int = 1
    # REJ
    reason: int = 0

    def pack(self) -> bytes:
        """The MAD."""
        out = bytearray(24 + 232)

        def put(at: int, value: int, size: int) -> None:
            out[24 + at : 24 + at + size] = value.to_bytes(size)

        out[:4] = bytes((1, _CLASS, _CLASS_VERSION, _SEND))
        out[8:16] = self.transaction.to_bytes(8)
        out[16:18] = self.kind.to_bytes(2)
        put(0, self.local_id, 4)
        private = self.private
        if self.kind == REQ:
            self._request(put)
            ends = (self.source, self.destination)
            addresses = b"".join(ipaddress.IPv4Address(a).packed.rjust(16, b"\0") for a in ends)
            private = b"\0\x40" + self.source_port.to_bytes(2) + addresses + private
        else:
            put(4, self.remote_id, 4)
        if self.kind == REP:
            put(12, self.qpn << 8, 4)
            put(20, self.psn << 8, 4)
            put(24, self.responder_resources, 1)
            put(25, self.initiator_depth, 1)
            put(27, self.rnr_retry << 5, 1)
            put(28, _guid(self.source), 8)
        elif self.kind == DREQ:
            put(8, self.qpn << 8, 4)
        elif self.kind == REJ:
            put(10, self.reason, 2)
        if self.kind in _PRIVATE:
            at, size = _PRIVATE[self.kind]
            if len(private) > size:
                raise ValueError(f"private data of {len(private)} bytes, at most {size}")
            out[24 + at : 24 + at + len(private)] = private
        return bytes(out)

    def _request(self, put: Callable[[int, int, int], None]) -> None:
        put(8, _TCP_SPACE | self.port, 8)
        put(16, _guid(self.source), 8)
        put(32, self.qpn << 8 | self.responder_resources, 4)
        put(36, self.initiator_depth, 4)
        put(40, 20 << 3, 4)  # the peer answers within 4.096 us * 2^20; reliable connection
        put(44, self.psn << 8 | 20 << 3 | self.retry_cnt, 4)
        put(48, 0xFFFF, 2)
        put(50, (self.mtu.bit_length() - 8) << 4 | self.rnr_retry, 1)
        put(51, 15 << 4, 1)
        put(52, 0xFFFFFFFF, 4)  # no LIDs
        put(56, int.from_bytes(Gid.of(self.source)), 16)
        put(72, int.from_bytes(Gid.of(self.destination)), 16)
        put(88, 3, 4)  # 10 Gb/s
        put(93, 64, 1)
        put(95, self.ack_timeout << 3, 1)


def _guid(address: str) -> int:
    """An EUI-64 of local use, of an address."""
    return 0x0200_0000_0000_0000 | int(ipaddress.IPv4Address(address))


def parse(mad: bytes) -> Message | None:
    """The message in a MAD; None if it is another one."""
    if len(mad) != MAD_BYTES or mad[:4] != bytes((1, _CLASS, _CLASS_VERSION, _SEND)):
        return None

    def get(at: int, size: int) -> int:
        return int.from_bytes(mad[24 + at : 24 + at + size])

    kind = int.from_bytes(mad[16:18])
    transaction = int.from_bytes(mad[8:16])
    if kind not in range(REQ, DREP + 1):
        return None
    at, size = _PRIVATE.get(kind, (232, 0))
    private = mad[24 + at : 24 + at + size]
    if kind == REQ:
        return _parse_request(get, transaction, private)
    ids = get(0, 4), get(4, 4)
    if kind == REP:
        return Message(
            kind,
            transaction,
            ids[0],
            ids[1],
            qpn=get(12, 3),
            psn=get(20, 3),
            private=private,
            responder_resources=get(24, 1),
            initiator_depth=get(25, 1),
            rnr_retry=get(27, 1) >> 5,
        )
    if kind == DREQ:
        return Message(kind, transaction, ids[0], ids[1], qpn=get(8, 3))
    if kind == REJ:
        return Message(kind, transaction, ids[0], ids[1], reason=get(10, 2), private=private)
    return Message(kind, transaction, ids[0], ids[1], private=private)


def _parse_request(
    get: Callable[[int, int], int], transaction: int, private: bytes
) -> Message | None:
    mtu = get(50, 1) >> 4
    reliable = get(43, 1) >> 1 & 3 == 0
    if get(8, 8) >> 16 != _TCP_SPACE >> 16 or private[1] >> 4 != 4 or not reliable:
        return None
    if not 1 <= mtu <= 5:
        return None
    return Message(
        REQ,
        transaction,
        local_id=get(0, 4),
        qpn=get(32, 3),
        psn=get(44, 3),
        private=private[_IP_BYTES:],
        port=get(8, 8) & 0xFFFF,
        source=str(ipaddress.IPv4Address(private[16:20])),
        source_port=int.from_bytes(private[2:4]),
        destination=str(ipaddress.IPv4Address(private[32:36])),
        mtu=128 << mtu,
        ack_timeout=get(95, 1) >> 3,
        retry_cnt=get(47, 1) & 7,
        rnr_retry=get(50, 1) & 7,
        responder_resources=get(35, 1),
        initiator_depth=get(39, 1),
    )
