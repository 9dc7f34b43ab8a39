# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.2 and 3.7.1: options, none of them, and rubbish in their place."""

from __future__ import annotations

import pytest
from tcp_peer import Host, noise


def test_3_2_no_options(host: Host) -> None:
    """MSS 536 (which every segment is checked for), and no option that was not offered."""
    with host.open(mss=None) as conn:
        opts = conn.seen[0].opts
        assert not {"WScale", "SAckOK", "Timestamp", "SAck"} & set(opts), opts
        conn.echo(noise(5000))


@pytest.mark.parametrize("mss", [128, 256, 536, 537, 1000, 1460, 4096, 8959, 8960, 65_535])
@pytest.mark.parametrize("ts", [False, True])
def test_3_7_1_mss_is_honoured(host: Host, mss: int, ts: bool) -> None:
    """No longer than the peer's MSS, and that long when enough data are queued."""
    size = host.target.mss
    with host.open(mss=mss, ts=ts) as conn:
        data = noise(min(4 * mss, 20_000))
        conn.win = 0
        conn.send("A")
        for i in range(0, len(data), size - 12):
            conn.send("PA", data[i : i + size - 12])
            conn.wait_acked()
        conn.win = 65_535
        conn.send("A")
        assert conn.read(len(data)) == data
        longest = max(len(seg.data) + len(seg.option_bytes) for seg in conn.seen)
        assert longest >= min(mss, size, len(data)) * 9 // 10, longest


@pytest.mark.parametrize("mss", [0, 1, 20, 47])
def test_3_7_1_mss_too_small_to_live_by(host: Host, mss: int) -> None:
    """A lower bound is allowed; segments are still correct."""
    with host.open(mss=mss) as conn:
        data = noise(300)
        conn.send("PA", data)
        assert conn.read(300) == data
    host.works()


def test_3_7_1_own_mss_is_taken(host: Host) -> None:
    """Segments as long as the target's MSS."""
    with host.open(mss=host.target.mss) as conn:
        most = conn.seen[0].opts["MSS"]
        for size in (most, most - 1, most):
            data = noise(size, size)
            conn.send("PA", data)
            assert conn.read(size) == data


ALL = [("MSS", 1000), ("SAckOK", b""), ("Timestamp", (77, 0)), ("WScale", 3)]
ORDERS = {
    "linux": [ALL[0], ALL[1], ALL[2], ("NOP", None), ALL[3]],
    "bsd": [ALL[0], ("NOP", None), ALL[3], ("NOP", None), ("NOP", None), ALL[2], ALL[1]],
    "windows": [ALL[0], ("NOP", None), ALL[3], ("NOP", None), ("NOP", None), ALL[1]],
    "backwards": [ALL[3], ALL[2], ALL[1], ALL[0]],
    "nops first": [("NOP", None)] * 9 + [ALL[0]],
    "mss last": [ALL[2], ALL[1], ALL[3], ("NOP", None), ALL[0]],
}


@pytest.mark.parametrize("order", ORDERS)
def test_3_2_any_order(host: Host, order: str) -> None:
    """Options count in any order; offered ones may be negotiated."""
    options = ORDERS[order]
    names = {name for name, _ in options}
    with host.open(
        mss=None,
        extra=options,
        ts="Timestamp" in names,
        sack="SAckOK" in names,
        ws=3 if "WScale" in names else None,
    ) as conn:
        pass
    # As `extra` they stand before those that the options ask for: once more, alone.
    conn = host.conn(mss=1000)
    conn.ts, conn.sack, conn.ws = "Timestamp" in names, "SAckOK" in names, None
    if "WScale" in names:
        conn.ws = 3
    conn.send("S", opts=options)
    conn.ts_val = 100
    answer = conn.expect("SA", ack=conn.at(0))
    for name in ("Timestamp", "SAckOK", "WScale"):
        assert (name in answer.opts) <= (name in names)
    conn.send("A")
    conn.echo(noise(4000))


MSS = b"\x02\x04\x03\xe8"
GARBAGE = {
    "length 0": b"\x02\x00\x03\xe8",
    "length 0 of an unknown kind": b"\xfd\x00\x00\x00",
    "length 1": b"\x02\x01\x03\xe8",
    "length 1 of an unknown kind": b"\xfe\x01\xfe\x01",
    "beyond the header": b"\x01\x01\x02\xff",
    "kind without length": b"\x01\x01\x01\x02",
    "cut in two": b"\x01\x01\x02\x04",
    "mss of 3 bytes": b"\x02\x03\x03\x00",
    "mss of 6 bytes": b"\x02\x06\x03\xe8\x00\x00\x01\x01",
    "window scale of 2 bytes": b"\x03\x02\x01\x01",
    "window scale of 4 bytes": b"\x03\x04\x07\x07",
    "sack permitted of 3 bytes": b"\x04\x03\x01\x01",
    "timestamp of 8 bytes": b"\x08\x08" + bytes(6),
    "timestamp of 12 bytes": b"\x08\x0c" + bytes(10),
    "sack of 2 bytes": b"\x05\x02\x01\x01",
    "sack of 9 bytes": b"\x05\x09" + bytes(7) + b"\x01\x01\x01",
    "sack on a syn": b"\x05\x0a" + b"\xff" * 8 + b"\x01\x01",
    "end and then anything": b"\x00\x02\x00\xff",
    "end first": b"\x00" + b"\xaa" * 39,
    "40 times no operation": b"\x01" * 40,
    "40 times ff": b"\xff" * 40,
    "40 times end": b"\x00" * 40,
    "unknown kinds": b"\xfd\x04ab\xfe\x06abcd\x1e\x08abcdef\x13\x12" + b"m" * 16,
    "same option twice": MSS + b"\x02\x04\x02\x58",
    "good, then bad": MSS + b"\x63\x00\x00\x00",
    "window scale 15": MSS + b"\x03\x03\x0f\x01",
    "window scale 255": MSS + b"\x03\x03\xff\x01",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_3_1_rubbish_on_the_syn(host: Host, name: str) -> None:
    """Such a SYN is answered, refused or dropped; an answer yields a working connection.

    MUST-7: an illegal length must not hang or break anything; what to do with the rest is free.
    """
    conn = host.conn(mss=None)
    conn.checked = False  # what was understood of it is not known here
    conn.send("S", opts=GARBAGE[name])
    answer = conn.next(host.times.hush)
    if answer is not None and "R" not in answer.flags:
        assert answer.flags == "SA" and answer.ack == conn.at(0)
        conn.send("A", opts=[])
        conn.send("PA", b"works", opts=[])
        assert conn.read(5, answer=False) == b"works"
        if "Timestamp" not in answer.opts:
            conn.send("A", opts=[])
    host.works()


@pytest.mark.parametrize("name", GARBAGE)
def test_3_1_rubbish_on_data(host: Host, name: str) -> None:
    """Accepted or dropped; the stream continues."""
    with host.open() as conn:
        conn.echo(b"before")
        conn.send("PA", b"here", opts=GARBAGE[name])
        answer = conn.next(host.times.hush)
        if answer is None or answer.ack != conn.snd_nxt:
            conn.send("PA", b"here", seq=conn.snd_nxt - 4)
        got = answer.data if answer else b""
        conn.rcv_nxt = (conn.rcv_nxt + len(got)) % (1 << 32)
        assert got + conn.read(4 - len(got)) == b"here"
        conn.echo(b"after")


def test_3_2_every_kind(host: Host) -> None:
    """One SYN and one data segment with each of the 256 kinds, of 4 bytes."""
    with host.open() as conn:
        for kind in range(256):
            if kind in (2, 3, 4, 5, 8):
                continue
            body = bytes([kind]) + (b"" if kind < 2 else b"\x04ab")
            conn.send("PA", bytes([kind]), opts=body + b"\x01" * (-len(body) % 4))
            assert conn.read(1) == bytes([kind])
    for kind in range(6, 256):
        if kind != 8:
            conn = host.conn()
            conn.send("S", opts=MSS + bytes([kind]) + b"\x04ab")
            seg = conn.next()
            assert seg is not None and seg.flags == "SA", (kind, seg)
            conn.send("R", ack=0)
            conn.over = True
    host.works()


def test_3_2_options_of_a_syn_later(host: Host) -> None:
    """MSS, window scale and SACK-permitted count only on a SYN."""
    with host.open(mss=1460) as conn:
        conn.send("PA", b"x", opts=b"\x02\x04\x00\x40\x03\x03\x0e\x01\x04\x02\x01\x01")
        assert conn.read(1) == b"x"
        conn.echo(noise(4000))
        assert max(len(seg.data) for seg in conn.seen) > 1000
