# SPDX-License-Identifier: Apache-2.0
"""Building and parsing frames: the plain classes against the scapy layers."""

from __future__ import annotations

import random

import pytest
from kumihimo.proto import eth_controller as ctl
from kumihimo.proto import eth_rtp as tp
from kumihimo.proto.layers import KumiCtl, KumiRtp, KumiRtpAck, KumiRtpHello
from scapy.layers.l2 import Ether
from scapy.packet import Raw

A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


def random_frame(rng: random.Random) -> tp.Frame:
    """Any well-formed frame."""
    kind = tp.Type(rng.randrange(4))
    body: bytes | tp.Ack | tp.Hello = b""
    if kind == tp.Type.DATA:
        body = rng.randbytes(rng.choice([1, 2, 11, 12, 13, 29, 30, 31, 1470, 9186]))
    elif kind == tp.Type.ACK:
        body = tp.Ack(rng.getrandbits(32), rng.getrandbits(64))
    elif kind == tp.Type.HELLO:
        body = tp.Hello(rng.getrandbits(32), rng.getrandbits(32))
    words = (rng.getrandbits(32) for _ in range(3))
    return tp.Frame(A, B, kind, *words, flags=tp.Flag(rng.getrandbits(4)), body=body)


def as_layers(frame: tp.Frame) -> Ether:
    """The same frame by scapy."""
    head = KumiRtp(
        type=frame.type.name,
        flags=int(frame.flags),
        tag=frame.tag,
        seq=frame.seq,
        ack=frame.ack,
    )
    out = Ether(dst=frame.dst, src=frame.src) / head
    if isinstance(frame.body, tp.Ack):
        return out / KumiRtpAck(limit=frame.body.limit, sack=frame.body.sack)
    if isinstance(frame.body, tp.Hello):
        return out / KumiRtpHello(own_tag=frame.body.own_tag, limit=frame.body.limit)
    return out / Raw(frame.body) if frame.body else out


def test_transport_both_ways() -> None:
    rng = random.Random(1)
    for _ in range(300):
        frame = random_frame(rng)
        data = frame.to_bytes()
        assert bytes(as_layers(frame)) == data
        padded = data.ljust(60, b"\0") + rng.randbytes(rng.randrange(5))
        assert tp.Frame.parse(padded) == frame
        seen = Ether(padded)
        assert (seen[KumiRtp].type, seen[KumiRtp].len) == (frame.type, len(data) - 30)
        if isinstance(frame.body, tp.Ack):
            assert seen[KumiRtpAck].sack == frame.body.sack
        elif isinstance(frame.body, tp.Hello):
            assert seen[KumiRtpHello].own_tag == frame.body.own_tag
        elif frame.body:
            assert seen[Raw].load == frame.body


def test_a_frame_by_hand() -> None:
    """Every field at its place, as the page says."""
    sack = tp.Ack(limit=0x41424344, sack=1 << 63 | 1)
    tag = tp.make_tag(0xABC, 0xDEF01)
    frame = tp.Frame(A, B, tp.Type.ACK, tag, seq=0, ack=6, flags=tp.Flag.DUPLICATE, body=sack)
    assert frame.to_bytes().hex(" ", -2) == (
        "0200 0000 000a 0200 0000 000b 88b6 1108 abcd ef01 0000 0000 0000 0006 000c "
        "4142 4344 8000 0000 0000 0001"
    )
    assert sack.received(6) == [7, 70]
    assert tp.Ack(0, 2).received(2**32 - 2) == [0]
    with pytest.raises(ValueError, match="12 bits"):
        tp.make_tag(4096, 0)


BAD = (
    (b"", "foreign"),
    (bytes(12) + b"\x88\xb5" + bytes(40), "foreign"),
    (bytes(12) + b"\x88\xb6" + b"\x10" + bytes(14), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(version=2) / b"x"), "version"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(type=4) / b"x"), "type"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(len=2) / b"x"), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp()), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(flags="first+last")), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(type="RESET") / b"x"), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(type="ACK") / bytes(11)), "malformed"),
    (bytes(Ether(dst=A, src=B) / KumiRtp(type="HELLO") / bytes(13)), "malformed"),
)


@pytest.mark.parametrize(("data", "reason"), BAD)
def test_eth_rtp_bad_input(data: bytes, reason: str) -> None:
    with pytest.raises(tp.BadFrame) as caught:
        tp.Frame.parse(data)
    assert caught.value.reason == reason


def test_broken_off() -> None:
    frame = tp.Frame(A, B, tp.Type.DATA, 1, 7, 3, tp.Flag.LAST)
    assert tp.Frame.parse(frame.to_bytes().ljust(60, b"\0")) == frame
    reserved = bytearray(frame.to_bytes())
    reserved[15] |= 0xF0
    assert tp.Frame.parse(bytes(reserved)) == frame


def test_controller_both_ways() -> None:
    rng = random.Random(2)
    for _ in range(200):
        data = rng.randbytes(rng.choice([1, 36, 37, 1476, 9192]))
        left = len(data) + rng.choice([0, 1, 100000])
        last = left == len(data)
        frame = ctl.Frame(A, B, rng.randrange(256), left, rng.random() < 0.5, last, data)
        head = KumiCtl(last=last, first=frame.first, number=frame.number, left=left)
        made = bytes(Ether(dst=A, src=B) / head / data)
        assert made == frame.to_bytes()
        assert ctl.Frame.parse(made.ljust(60, b"\0")) == frame
        assert Ether(made.ljust(60, b"\0"))[Raw].load == data


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (KumiCtl(version=2, left=1, last=1), "version 2"),
        (KumiCtl(left=2, last=1), "last is 1"),
        (KumiCtl(left=1), "last is 0"),
        (KumiCtl(left=0, last=1), "of 0 left"),
        (KumiCtl(left=2, len=2, last=1), "2 bytes announced, 1"),
        (KumiCtl(left=0, len=0), "0 bytes announced"),
    ],
)
def test_controller_bad(head: KumiCtl, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ctl.Frame.parse(bytes(Ether(dst=A, src=B) / head / b"x"))
    with pytest.raises(ValueError, match="the header has 24"):
        ctl.Frame.parse(bytes(23))
