# SPDX-License-Identifier: Apache-2.0
"""The same frames as scapy layers, bound to Ether. Importing this needs scapy.

    from kumihimo.proto.layers import KumiRtp, KumiRtpAck
    Ether(dst=peer) / KumiRtp(type="ACK", tag=0x00300001, ack=5) / KumiRtpAck(limit=37)

Unlike the plain classes they build invalid frames as well. `len` is computed if it is not given.
"""

from __future__ import annotations

from scapy.fields import (
    BitEnumField,
    BitField,
    ByteField,
    FlagsField,
    IntField,
    LenField,
    ShortField,
    XIntField,
    XLongField,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw, bind_layers

from . import eth_controller, eth_rtp

_FLAGS = ["first", "last", "ack_req", "duplicate", "bit4", "bit5", "bit6", "bit7"]


class _Sized(Packet):
    """Payload ends where `len` says; what follows is padding."""

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        """Payload and padding."""
        size = self.len or 0
        return s[:size], s[size:]


class KumiRtp(_Sized):
    """Header of the transport."""

    name = "KumiRtp"
    fields_desc = [  # noqa: RUF012
        BitField("version", eth_rtp.VERSION, 4),
        BitEnumField("type", 0, 4, {t.value: t.name for t in eth_rtp.Type}),
        FlagsField("flags", 0, 8, _FLAGS),
        XIntField("tag", 0),
        IntField("seq", 0),
        IntField("ack", 0),
        LenField("len", None),
    ]

    def guess_payload_class(self, payload: bytes) -> type[Packet]:
        """Body of ACK and HELLO, else bytes."""
        if len(payload) == eth_rtp.BODY_BYTES:
            if self.type == eth_rtp.Type.ACK:
                return KumiRtpAck
            if self.type == eth_rtp.Type.HELLO:
                return KumiRtpHello
        return Raw


class KumiRtpAck(Packet):
    """Body of an ACK."""

    name = "KumiRtpAck"
    fields_desc = [IntField("limit", 0), XLongField("sack", 0)]  # noqa: RUF012


class KumiRtpHello(Packet):
    """Body of a HELLO."""

    name = "KumiRtpHello"
    fields_desc = [XIntField("own_tag", 0), IntField("limit", 0), XIntField("reserved", 0)]  # noqa: RUF012


class KumiCtl(_Sized):
    """Header of the controller, default framing."""

    name = "KumiCtl"
    fields_desc = [  # noqa: RUF012
        BitField("version", eth_controller.VERSION, 4),
        BitField("reserved", 0, 2),
        BitField("last", 0, 1),
        BitField("first", 0, 1),
        ByteField("number", 0),
        LenField("len", None),
        ShortField("zero", 0),
        IntField("left", 0),
    ]


bind_layers(Ether, KumiRtp, type=eth_rtp.ETHERTYPE)
bind_layers(Ether, KumiCtl, type=eth_controller.ETHERTYPE)
