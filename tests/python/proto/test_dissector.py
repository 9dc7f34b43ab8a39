# SPDX-License-Identifier: Apache-2.0
"""The Wireshark dissector, run by the real tshark."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo.proto import eth_controller as ctl
from kumihimo.proto import eth_rtp as tp
from kumihimo.proto.layers import KumiCtl, KumiRtp, KumiRtpAck, KumiRtpHello
from proto_tshark import capture, fields, tshark
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap
from test_frames import A, B, random_frame

HEAD = Ether(dst=A, src=B)
TP_ERRORS = (
    "short",
    "bad_version",
    "bad_type",
    "bad_len",
    "bad_body",
    "bad_flags",
    "bad_limit",
    "bad_sack",
    "limit_fell",
    "retransmission",
    "broken_off",
)
FLAGS = ("first", "last", "ack_req", "duplicate")
CTL_ERRORS = ("short", "bad_version", "bad_len", "empty", "bad_left", "bad_last")


def number(text: str) -> int:
    """A field's value, decimal or hexadecimal."""
    return int(text, 0)


def test_every_field_of_the_transport(tmp_path: Path) -> None:
    """Random frames: tshark reads what was written."""
    rng = random.Random(3)
    frames = [random_frame(rng) for _ in range(300)]
    file = capture(tmp_path / "a.pcap", [f.to_bytes().ljust(60, b"\0") for f in frames])
    names = "version type flags flags.first flags.last flags.ack_req flags.duplicate tag tag.peer"
    names += " tag.nonce seq ack len limit sack own_tag own_tag.peer data sack.count sack.seq"
    rows = fields(file, *(f"kumi_rtp.{name}" for name in names.split()), "frame.protocols")
    assert len(rows) == len(frames)
    for f, row in zip(frames, rows, strict=True):
        got = dict(zip(names.split(), row, strict=False))
        flags = int(f.flags)
        assert [number(got[n]) for n in ("version", "type", "flags")] == [1, f.type, flags]
        bits = [got[f"flags.{n}"] in ("1", "True") for n in FLAGS]
        assert bits == [bool(flags >> i & 1) for i in range(4)]
        assert number(got["tag"]) == f.tag
        assert (number(got["tag.peer"]), number(got["tag.nonce"])) == (f.tag >> 20, f.tag & 0xFFFFF)
        assert (number(got["seq"]), number(got["ack"])) == (f.seq, f.ack)
        assert number(got["len"]) == len(f.to_bytes()) - 30
        if isinstance(f.body, tp.Ack):
            assert (number(got["limit"]), number(got["sack"])) == (f.body.limit, f.body.sack)
            assert [number(x) for x in got["sack.seq"].split(",")] == f.body.received(f.ack)
            assert number(got["sack.count"]) == f.body.sack.bit_count()
        elif isinstance(f.body, tp.Hello):
            assert number(got["limit"]) == f.body.limit
            assert number(got["own_tag"]) == f.body.own_tag
            assert number(got["own_tag.peer"]) == f.body.own_tag >> 20
        else:
            assert bytes.fromhex(got["data"]) == f.body
        assert row[-1].endswith("kumi_rtp")


def test_every_field_of_the_controller(tmp_path: Path) -> None:
    rng = random.Random(4)
    frames = []
    for _ in range(100):
        data = rng.randbytes(rng.choice([1, 36, 37, 9192]))
        left = len(data) + rng.choice([0, 1000])
        last = left == len(data)
        frames.append(ctl.Frame(A, B, rng.randrange(256), left, rng.random() < 0.5, last, data))
    file = capture(tmp_path / "a.pcap", [f.to_bytes().ljust(60, b"\0") for f in frames])
    names = ("version", "first", "last", "number", "len", "left", "data")
    rows = fields(file, *(f"kumi_ctl.{name}" for name in names), "_ws.expert")
    for f, row in zip(frames, rows, strict=True):
        version, first, last, num, size, left, data, wrong = row
        assert (first in ("1", "True"), last in ("1", "True")) == (f.first, f.last)
        assert (version, num, size, left) == ("1", str(f.number), str(len(f.data)), str(f.left))
        assert bytes.fromhex(data) == f.data and not wrong


def ack(acked: int, limit: int, *out_of_order: int, **more: int | str) -> Ether:
    """An ACK by scapy."""
    sack = sum(1 << (n - acked - 1) for n in out_of_order)
    return HEAD / KumiRtp(type="ACK", ack=acked, **more) / KumiRtpAck(limit=limit, sack=sack)


def test_info_column(tmp_path: Path) -> None:
    hello = KumiRtpHello(own_tag=0x00100ABC, limit=32)
    frames = [
        HEAD / KumiRtp(type="HELLO") / hello,
        HEAD / KumiRtp(type="HELLO", tag=0x00700123) / hello,
        HEAD / KumiRtp(type="DATA", seq=5, ack=3, flags="first") / bytes(1024),
        HEAD / KumiRtp(type="DATA", seq=6, ack=3, flags="first+last+ack_req") / b"x",
        HEAD / KumiRtp(type="DATA", seq=5, ack=3, flags="first") / bytes(1024),
        ack(5, 37),
        ack(5, 37, 7, 8, 9, 36, flags="duplicate"),
        ack(5, 37, flags="ack_req"),
        HEAD / KumiRtp(type="RESET", tag=0x00700123),
        HEAD / KumiCtl(first=1, number=3, left=5) / b"123",
        HEAD / KumiCtl(last=1, number=3, left=2) / b"12",
        Ether(dst=A, src=B, type=0x88B5) / bytes(50),
        HEAD / KumiRtp(type="DATA", seq=7, ack=3, flags="last"),
    ]
    file = tmp_path / "a.pcap"
    wrpcap(str(file), [bytes(f).ljust(60, b"\0") for f in frames], linktype=1)
    assert [row[0] for row in fields(file, "_ws.col.Info")] == [
        "HELLO own=0x00100abc tag=0x00000000 limit=32",
        "HELLO own=0x00100abc tag=0x00700123 limit=32",
        "DATA seq=5 first len=1024 ack=3",
        "DATA seq=6 first last ack_req len=1 ack=3",
        "[retransmission] DATA seq=5 first len=1024 ack=3",
        "ACK ack=5 limit=37",
        "ACK duplicate ack=5 limit=37 sack=7-9,36",
        "ACK ack_req ack=5 limit=37",
        "RESET tag=0x00700123",
        "message 3 first len=3 left=5",
        "message 3 last len=2 left=2",
        "paper framing, 50 bytes behind the type",
        "DATA seq=7 last broken off ack=3",
    ]
    # The filter names find what they should, and the second pass agrees with the first.
    assert len(tshark(file, "-2", "-Y", "kumi_rtp.analysis.first_seen == 3")) == 1
    assert len(tshark(file, "-2", "-Y", "kumi_rtp.sack.seq == 8")) == 1
    assert len(tshark(file, "-Y", "kumi_ctl.number == 3 && kumi_ctl.last")) >= 1


TP_WRONG = (
    ("short", Ether(dst=A, src=B, type=0x88B6) / b"\x10"),
    ("short", Ether(dst=A, src=B, type=0x88B6) / (b"\x10" + bytes(14))),
    ("bad_version", HEAD / KumiRtp(version=2) / b"x"),
    ("bad_version", HEAD / KumiRtp(version=0) / b"x"),
    ("bad_type", HEAD / KumiRtp(type=4) / b"x"),
    ("bad_type", HEAD / KumiRtp(type=15) / b"x"),
    ("bad_len", HEAD / KumiRtp(len=2) / b"x"),
    ("bad_len", HEAD / KumiRtp(len=65535) / bytes(100)),
    ("bad_len", HEAD / KumiRtp(type="ACK", len=12) / bytes(11)),
    ("bad_body", HEAD / KumiRtp()),
    ("bad_body", HEAD / KumiRtp(flags="first+last")),
    ("broken_off", HEAD / KumiRtp(seq=99, flags="last+ack_req")),
    ("bad_body", HEAD / KumiRtp(type="ACK", len=11) / bytes(12)),
    ("bad_body", HEAD / KumiRtp(type="HELLO") / bytes(13)),
    ("bad_body", HEAD / KumiRtp(type="RESET") / bytes(1)),
    ("bad_flags", HEAD / KumiRtp(flags=0x10) / b"x"),
    ("bad_flags", HEAD / KumiRtp(flags="duplicate", seq=1) / b"x"),
    ("bad_flags", HEAD / KumiRtp(type="HELLO", flags="ack_req") / KumiRtpHello()),
    ("bad_flags", ack(0, 1, flags="first")),
    ("bad_limit", ack(5, 4, tag=1)),
    ("bad_sack", ack(5, 37, 37, tag=2)),
    ("bad_sack", ack(5, 6, 6, tag=3)),
    ("", ack(5, 37, 36, tag=4)),
    ("limit_fell", ack(5, 36, tag=4)),
    ("", ack(4, 35, tag=4)),
    ("", ack(2**32 - 1, 1, 2**32, tag=5)),
    ("", HEAD / KumiRtp(seq=7) / b"x"),
    ("retransmission", HEAD / KumiRtp(seq=7) / b"x"),
    ("", HEAD / KumiRtp(seq=7, tag=9) / b"x"),
)
CTL_WRONG = (
    ("short", Ether(dst=A, src=B, type=0x88B5) / (b"\x10" + bytes(8))),
    ("bad_version", HEAD / KumiCtl(version=3, left=1, last=1) / b"x"),
    ("bad_len", HEAD / KumiCtl(left=9, len=2) / b"x"),
    ("empty", HEAD / KumiCtl(left=9, len=0)),
    ("bad_left", HEAD / KumiCtl(left=1, last=1) / b"xy"),
    ("bad_last", HEAD / KumiCtl(left=2, last=1) / b"x"),
    ("bad_last", HEAD / KumiCtl(left=1, last=0) / b"x"),
    ("", HEAD / KumiCtl(left=1, last=1) / b"x"),
)


@pytest.mark.parametrize(
    ("protocol", "names", "wrong"),
    [("kumi_rtp", TP_ERRORS, TP_WRONG), ("kumi_ctl", CTL_ERRORS, CTL_WRONG)],
)
def test_expert_info(
    tmp_path: Path, protocol: str, names: tuple[str, ...], wrong: tuple[tuple[str, Ether], ...]
) -> None:
    """Every kind of wrong frame has its own remark, and only that."""
    file = capture(tmp_path / "a.pcap", [bytes(frame) for _, frame in wrong])
    rows = fields(file, *(f"{protocol}.{name}" for name in names))
    assert {name for name, _ in wrong} == {"", *names}
    for (want, frame), row in zip(wrong, rows, strict=True):
        got = [name for name, value in zip(names, row, strict=True) if value]
        assert got == ([want] if want else []), frame.show(dump=True)


def test_any_bytes(tmp_path: Path) -> None:
    """Noise, cut frames and cut captures: no Lua error, one line a frame."""
    rng = random.Random(5)
    frames = []
    for _ in range(1000):
        kind = rng.choice([b"\x88\xb5", b"\x88\xb6"])
        frames.append(bytes(12) + kind + rng.randbytes(rng.randrange(80)))
        good = bytearray(random_frame(rng).to_bytes()[:200])
        for _ in range(rng.randrange(4)):
            good[rng.randrange(14, len(good))] = rng.getrandbits(8)
        frames.append(bytes(good[: rng.randrange(14, len(good) + 1)]))
    file = capture(tmp_path / "a.pcap", frames)
    assert len(tshark(file)) == len(frames)
    cut = tmp_path / "cut.pcap"
    wrpcap(str(cut), [(HEAD / KumiRtp(seq=1) / bytes(1000)), ack(5, 37)], snaplen=0, linktype=1)
    data = bytearray(cut.read_bytes())
    # The first record of the file keeps its length on the line and loses its last 990 bytes.
    at = 24
    data[at + 8 : at + 12] = (40).to_bytes(4, "little")
    del data[at + 16 + 40 : at + 16 + 1030]
    cut.write_bytes(data)
    rows = fields(cut, "_ws.col.Info", "kumi_rtp.bad_len", "kumi_rtp.data")
    assert rows == [
        ["DATA seq=1 len=1000 ack=0", "", "00" * 10],
        ["ACK ack=5 limit=37", "", ""],
    ]
