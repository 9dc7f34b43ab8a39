# SPDX-License-Identifier: Apache-2.0
"""Frames that each cause one drop of the reliable Ethernet transport."""

from __future__ import annotations

from eth_drops import peers
from kumihimo.proto.eth_rtp import Ack, Flag, Frame, Hello, Type, make_tag
from ledgerkit import HOST_MAC, NODE_MAC, Cause, Rig

OWN = make_tag(5, 77)
"""Tag that the node must use in its frames to us."""


def _frames(rig: Rig) -> list[Frame]:
    """What the node sent."""
    return [Frame.parse(f.data) for f in rig.dut.recv("m_axis_eth0")]


def _put(
    rig: Rig, kind: Type, tag: int, src: str = HOST_MAC, bad: bool = False, **more: object
) -> None:
    frame = Frame(NODE_MAC, src, kind, tag, **more)  # type: ignore[arg-type]
    rig.send(frame.to_bytes(), bad=bad)
    rig.dut.drain(400_000)


def joined(rig: Rig) -> int:
    """Open an association; returns the tag that the node wants to see."""
    peers(rig)
    rig.dut.recv("m_axis_eth0")
    _put(rig, Type.HELLO, 0, body=Hello(OWN, 16))
    rig.dut.run(400)
    offers = [f for f in _frames(rig) if f.type == Type.HELLO and isinstance(f.body, Hello)]
    assert offers, "the node answers a HELLO"
    body = offers[-1].body
    assert isinstance(body, Hello)
    _put(rig, Type.HELLO, body.own_tag, body=Hello(OWN, 16))
    return body.own_tag


def data(tag_change: int = 0, seq: int = 0, bad: bool = False) -> Cause:
    """A DATA frame in an association."""

    def cause(rig: Rig) -> None:
        tag = joined(rig)
        flags = Flag.FIRST | Flag.LAST
        _put(rig, Type.DATA, tag ^ tag_change, seq=seq, flags=flags, body=bytes(100), bad=bad)
        rig.dut.recv("m_axis_receive_data")

    return cause


def _bad_ack(rig: Rig) -> None:
    tag = joined(rig)
    _put(rig, Type.ACK, tag, ack=1000, body=Ack(1016))


def _stranger(rig: Rig) -> None:
    peers(rig)
    _put(rig, Type.HELLO, 0, src="02:00:00:00:99:99", body=Hello(OWN, 16))


def _nobody(rig: Rig) -> None:
    """A message to a peer that is not up."""
    rig.dut.send("s_hdr_send_to", 9)
    rig.dut.send("s_axis_send_data", bytes(100))


def _many_hellos(rig: Rig) -> None:
    peers(rig)
    hello = Frame(NODE_MAC, HOST_MAC, Type.HELLO, 0, body=Hello(OWN, 16)).to_bytes()
    rig.send(*[hello] * 60)


CAUSES: dict[str, Cause] = {
    "eth_rtp.rx_bad": data(bad=True),
    "eth_rtp.rx_malformed": lambda rig: rig.send(
        Frame(NODE_MAC, HOST_MAC, Type.DATA, 0, flags=Flag.FIRST).to_bytes()
    ),
    "eth_rtp.rx_unknown": _stranger,
    "eth_rtp.rx_stale_tag": data(tag_change=1),
    "eth_rtp.rx_out_of_window": data(seq=1000),
    "eth_rtp.rx_bad_ack": _bad_ack,
    "eth_rtp.rx_hello_overflow": _many_hellos,
    "eth_rtp.tx_failed": _nobody,
}
