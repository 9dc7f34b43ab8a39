# SPDX-License-Identifier: Apache-2.0
"""RFC 7323: window scale, timestamps, protection against wrapped sequence numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from tcp_peer import DISCARD, WORD, Conn, Host, Stream, noise


def flight(conn: Conn, stream: Stream) -> int:
    before = len(stream.data)
    for seg in conn.drain():
        stream.add(seg)
    return len(stream.data) - before


# ---- window scale ------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 1, 4, 7, 14])
def test_2_window_scale_of_the_peer(host: Host, shift: int) -> None:
    """The target uses the scaled window, and no more."""
    data = noise(6000)
    raw = (3000 >> shift) or 1
    with host.open(ws=shift, win=raw, mss=500) as conn:
        assert conn.seen[0].opts.get("WScale", 0) <= 14
        for i in range(0, len(data), 1000):
            conn.send("PA", data[i : i + 1000], ack=conn.rcv_nxt)
        stream = Stream(conn.their(0))
        allowed = raw << (shift if "WScale" in conn.seen[0].opts else 0)
        new = flight(conn, stream)
        assert min(allowed, 6000) // 2 <= new <= allowed
        conn.rcv_nxt = stream.next
        conn.win = 65_535
        conn.send("A")
        assert conn.read(6000 - new) == data[new:]


def test_2_2_window_of_the_syn_is_not_scaled(host: Host) -> None:
    """The window of a SYN is not scaled, until an ACK updates it."""
    with host.open(ws=10, win=1) as conn:  # 1 on the SYN, 1024 after it
        for i in range(3):
            conn.send("PA", noise(1000, i), ack=conn.rcv_nxt)
        stream = Stream(conn.their(0))
        assert flight(conn, stream) <= 1024
        conn.rcv_nxt = stream.next
        conn.win = 100
        conn.send("A")
        rest = conn.read(3000 - len(stream.data))
        assert bytes(stream.data) + rest == b"".join(noise(1000, i) for i in range(3))


def test_2_2_without_window_scale(host: Host) -> None:
    """Not offered: not answered, and the target's own window is not scaled."""
    with host.open(DISCARD) as conn:
        assert "WScale" not in conn.seen[0].opts
        edge = conn.their_win
        for _ in range(0, edge, 1460):
            conn.send("A", noise(1460))
        conn.drain()
        assert conn.acked != conn.isn


def test_2_3_own_window_with_scale(host: Host) -> None:
    """The target accepts all that its scaled window advertises."""
    with host.open(DISCARD, ws=7, mss=host.target.mss) as conn:
        conn.send("A", noise(100))
        conn.wait_acked()
        promise = min(conn.their_win, 200_000)
        size = host.target.mss - 40
        sent = 0
        while sent < promise:
            step = min(size, promise - sent)
            conn.send("A", noise(step, sent))
            sent += step
        conn.wait_acked()


# ---- timestamps --------------------------------------------------------------------------------


def test_3_timestamps_in_every_segment(host: Host) -> None:
    """Once negotiated (each segment is checked for it), and never backwards."""
    with host.open(ts=True, ts_val=5) as conn:
        first = conn.seen[0]
        assert first.opts["Timestamp"][1] == 5
        for i in range(5):
            conn.echo(noise(2000, i))
        values = [seg.opts["Timestamp"][0] for seg in conn.seen]
        assert all((b - a) % WORD < 1 << 31 for a, b in pairwise(values))


def test_3_not_agreed_on(host: Host) -> None:
    """Timestamps of a peer that did not offer them are ignored, and not answered."""
    with host.open() as conn:
        assert "Timestamp" not in conn.seen[0].opts
        conn.send("PA", b"x", opts=[("NOP", None), ("NOP", None), ("Timestamp", (9, 9))])
        assert conn.read(1) == b"x"
        assert all("Timestamp" not in seg.opts for seg in conn.seen)


def test_3_2_segment_without_timestamp(host: Host) -> None:
    """Dropped (as the RFC requires) or accepted (as most do); with one it is accepted."""
    with host.open(ts=True) as conn:
        conn.echo(b"x")
        conn.send("PA", b"data", opts=[])
        conn.drain()
        if conn.acked != conn.snd_nxt:
            conn.send("PA", b"data", seq=conn.snd_nxt - 4)
        conn.wait_acked()


def test_3_2_rst_without_timestamp(host: Host) -> None:
    with host.open(ts=True) as conn:
        conn.echo(b"x")
        conn.send("R", ack=0, opts=[])
        conn.checked = False
        conn.gone()


def test_4_3_echo_of_the_last_in_order(host: Host) -> None:
    """TSecr is of the segment that last moved the left edge; a later one out of order is not."""
    with host.open(ts=True, ts_val=100) as conn:

        def stamp(value: int) -> list[Any]:
            return [("NOP", None), ("NOP", None), ("Timestamp", (value, conn.ts_ecr))]

        conn.send("PA", b"abcd", opts=stamp(200))
        assert conn.expect("A", ack=conn.at(4)).opts["Timestamp"][1] == 200
        conn.rcv_nxt = conn.their(4)
        conn.drain()
        conn.rcv_nxt = conn.their(4)
        conn.send("A", opts=stamp(201))
        conn.send("PA", b"6789", seq=conn.at(6), opts=stamp(300))
        seg = conn.expect("A", ack=conn.at(4))
        assert seg.opts["Timestamp"][1] in (200, 201), seg
        conn.send("PA", b"45", seq=conn.at(4), opts=stamp(400))
        seg = conn.expect("A", ack=conn.at(10))
        assert seg.opts["Timestamp"][1] == 400, seg


def test_4_3_echo_when_acks_are_delayed(host: Host) -> None:
    """One ACK for two segments carries the timestamp of the first (or there are two ACKs)."""
    with host.open(DISCARD, ts=True, ts_val=100) as conn:
        for i in range(6):
            conn.send("A", noise(1448), seq=conn.at(1448 * i))
            conn.snd_nxt = conn.at(1448 * (i + 1))
        conn.wait_acked()
        stamps = {conn.at(1448 * (i + 1)): 102 + i for i in range(6)}
        low = 102
        for seg in conn.seen[1:]:
            value = seg.opts["Timestamp"][1]
            assert low - 1 <= value <= stamps[seg.ack], (seg, low)
            low = max(low, value)


# ---- PAWS --------------------------------------------------------------------------------------


@pytest.mark.parametrize("back", [2, 1000, (1 << 31) - 2])
def test_5_3_old_timestamp(host: Host, back: int) -> None:
    """A segment with the right number but an old timestamp: ACK, and dropped."""
    with host.open(ts=True, ts_val=1 << 31) as conn:
        conn.echo(b"x")
        old = (conn.ts_val - back) % WORD
        opts = [("NOP", None), ("NOP", None), ("Timestamp", (old, conn.ts_ecr))]
        conn.send("PA", b"ghost", seq=conn.snd_nxt, opts=opts)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt, data=b"")
        conn.quiet()
        conn.echo(b"alive")


def test_5_3_timestamps_wrap(host: Host) -> None:
    with host.open(ts=True, ts_val=WORD - 4) as conn:
        for i in range(8):
            conn.echo(noise(30, i))
        assert conn.ts_val < 100


def test_5_3_rst_with_an_old_timestamp(host: Host) -> None:
    """RST is not subject to PAWS."""
    with host.open(ts=True, ts_val=5000) as conn:
        conn.echo(b"x")
        opts = [("NOP", None), ("NOP", None), ("Timestamp", (1, 0))]
        conn.send("R", ack=0, opts=opts)
        conn.gone()


def test_5_3_same_timestamp_is_not_old(host: Host) -> None:
    with host.open(ts=True) as conn:
        conn.echo(b"x")
        opts = [("NOP", None), ("NOP", None), ("Timestamp", (conn.ts_val, conn.ts_ecr))]
        for _ in range(5):
            conn.send("PA", b"same", opts=opts)
            assert conn.read(4, answer=False) == b"same"
            conn.send("A", opts=opts)


def test_5_5_zero_is_a_timestamp(host: Host) -> None:
    with host.open(ts=True, ts_val=0) as conn:
        assert conn.seen[0].opts["Timestamp"][1] == 0
        conn.echo(b"zero")


def test_5_2_wrapped_numbers_and_wrapped_stamps(host: Host) -> None:
    with host.open(ts=True, ts_val=WORD - 3, isn=WORD - 3, ws=4, sack=True) as conn:
        for i in range(6):
            conn.echo(noise(500, i))
        conn.close()
