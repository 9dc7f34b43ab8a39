# SPDX-License-Identifier: Apache-2.0
"""RFC 5681, 6582 and 6928: congestion control. RFC 6298: the retransmission timer."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tcp_peer import DISCARD, Conn, Host, Seg, Stream, minus, noise


def ask(conn: Conn, count: int, size: int = 1000) -> bytes:
    """Send segments to echo, nothing of the echo acknowledged, all of ours accepted."""
    whole = b""
    for i in range(count):
        data = noise(size, i)
        conn.send("PA", data, ack=conn.rcv_nxt)
        whole += data
        if i % 8 == 7:
            conn.wait_acked()
    conn.wait_acked()
    return whole


def taken(conn: Conn) -> Stream:
    """The target's stream so far."""
    stream = Stream(conn.their(0))
    for seg in conn.seen:
        if seg.data:
            stream.add(seg)
    return stream


def wait_for(conn: Conn, count: int) -> Stream:
    while len((stream := taken(conn)).data) < count:
        seg = conn.next()
        assert seg is not None, conn.host.history()
    return stream


def data_segment(conn: Conn, seq: int) -> Seg:
    return conn.expect(seq=seq, where=lambda seg: bool(seg.data))


# ---- sending ---------------------------------------------------------------------------------


def test_rfc6928_initial_window(host: Host) -> None:
    """No more than ten segments before the first ACK; with ACKs no more than two for each."""
    with host.open(mss=1000) as conn:
        whole = ask(conn, 20)
        conn.drain()
        stream = taken(conn)
        first = len(stream.data)
        assert 2000 <= first <= 10_000
        conn.rcv_nxt = conn.their(1000)
        conn.send("A")
        conn.drain(host.times.hush / 2)
        assert len(taken(conn).data) <= first + 2000
        conn.rcv_nxt = taken(conn).next
        conn.send("A")
        wait_for(conn, 20_000)
        assert bytes(taken(conn).data) == whole
        conn.rcv_nxt = conn.their(20_000)
        conn.send("A")


@pytest.mark.parametrize("ts", [False, True])
def test_rfc5681_3_2_fast_retransmit(host: Host, ts: bool) -> None:
    """Two duplicate ACKs: no retransmission. The third: the first segment, before its RTO."""
    with host.open(mss=1012 if ts else 1000, ts=ts) as conn:
        whole = ask(conn, 8)
        wait_for(conn, 8000)
        begin = host.wire.now()
        for _ in range(2):
            conn.send("A")
        for seg in conn.drain(host.times.hush / 2):
            again = minus(seg.seq, conn.their(0)) < 8000 and seg.data
            assert not again or host.wire.now() - begin > host.times.rto, seg
        begin = host.wire.now()
        for _ in range(3):
            conn.send("A")
        seg = data_segment(conn, conn.their(0))
        assert seg.data == whole[: len(seg.data)]
        assert seg.time - begin < host.times.rto, "the RTO sent it, not the ACKs"
        conn.rcv_nxt = conn.their(8000)
        conn.send("A")
        conn.echo(b"done")


def test_rfc6582_3_2_partial_ack(host: Host) -> None:
    """Two segments lost: the ACK of the first brings the second without three more ACKs."""
    with host.open(mss=1000) as conn:
        whole = ask(conn, 8)
        wait_for(conn, 8000)
        conn.rcv_nxt = conn.their(1000)
        conn.send("A")
        for _ in range(5):
            conn.send("A")
        data_segment(conn, conn.their(1000))
        begin = host.wire.now()
        conn.rcv_nxt = conn.their(4000)
        conn.send("A")
        seg = data_segment(conn, conn.their(4000))
        assert seg.time - begin < host.times.rto, "the RTO sent it, not the partial ACK"
        assert seg.data == whole[4000 : 4000 + len(seg.data)]
        conn.rcv_nxt = conn.their(8000)
        conn.send("A")
        conn.echo(b"done")


def test_rfc5681_3_2_window_updates_are_no_duplicates(host: Host) -> None:
    """ACKs with another window, or with data, do not count."""
    with host.open(mss=1000) as conn:
        ask(conn, 5)
        wait_for(conn, 5000)
        begin = host.wire.now()
        for i in range(5):
            conn.send("A", win=60_000 + i * 100)
        for seg in conn.drain(host.times.hush / 2):
            again = seg.data and minus(seg.seq, conn.their(0)) < 5000
            assert not again or host.wire.now() - begin > host.times.rto, seg
        conn.rcv_nxt = conn.their(5000)
        conn.send("A")
        conn.echo(b"done")


@pytest.mark.parametrize("sack", [False, True])
def test_rfc6298_5_5_timer_doubles(host: Host, sack: bool) -> None:
    """No ACK at all: the same segment is retransmitted, with back-off.

    With SACK a probe of the tail (RFC 8985) may come before the first; it does not count.
    """
    with host.open(mss=1000, sack=sack) as conn:
        whole = ask(conn, 4)
        wait_for(conn, 4000)
        times = []
        while len(times) < 3:
            seg = conn.expect(where=lambda seg: bool(seg.data))
            if seg.seq == conn.their(0):
                assert seg.data == whole[: len(seg.data)]
                times.append(seg.time)
        first, second = times[1] - times[0], times[2] - times[1]
        assert 1.5 < second / first < 3, (first, second)
        conn.rcv_nxt = conn.their(4000)
        conn.send("A")
        conn.echo(b"done")


def test_rfc5681_3_1_one_segment_after_a_time_out(host: Host) -> None:
    """The loss window is one segment; later losses are retransmitted as ACKs permit."""
    with host.open(mss=1000) as conn:
        whole = ask(conn, 8)
        wait_for(conn, 8000)
        data_segment(conn, conn.their(0))
        more = [seg for seg in conn.drain(host.times.hush / 2) if seg.data]
        assert not more, more
        stream = Stream(conn.their(0))
        stream.add(conn.seen[-1])
        while len(stream.data) < 8000:
            conn.rcv_nxt = stream.next
            conn.send("A")
            seg = conn.expect(where=lambda seg: minus(seg.end, stream.next) > 0)
            stream.add(seg)
        assert bytes(stream.data) == whole
        conn.rcv_nxt = stream.next
        conn.send("A")
        conn.echo(b"done")


def test_rfc6298_5_2_timer_stops(host: Host) -> None:
    """All is acknowledged: nothing is retransmitted."""
    with host.open(mss=1000) as conn:
        conn.echo(noise(4000))
        conn.quiet(host.times.rto * 2)


def test_rfc9293_3_8_3_gives_up_not_too_soon(host: Host) -> None:
    """A few timeouts do not end a connection."""
    with host.open(mss=1000) as conn:
        ask(conn, 2)
        host.pause(host.times.rto * 6)
        wait_for(conn, 2000)
        conn.rcv_nxt = conn.their(2000)
        conn.send("A")
        conn.drain()
        conn.echo(b"still there")


# ---- receiving -------------------------------------------------------------------------------


def test_rfc5681_4_2_at_least_every_second_segment(host: Host) -> None:
    """An ACK for every second full segment, without waiting for the timer."""
    with host.open(DISCARD, mss=1460) as conn:
        for _ in range(20):
            before = len(conn.seen)
            for _ in range(2):
                conn.send("A", noise(1460))
            conn.wait_acked()
            assert len(conn.seen) > before
        acks = [seg.ack for seg in conn.seen[1:]]
        steps = [minus(b, a) for a, b in pairwise(acks)]
        assert max(steps) <= 2 * 1460, steps


def test_rfc5681_4_2_a_lone_segment_is_acked_in_time(host: Host) -> None:
    """Within half a second."""
    with host.open(DISCARD) as conn:
        for size in (1, 10, 1460):
            conn.send("PA", noise(size))
            conn.expect("A", ack=conn.snd_nxt, within=host.times.ack)


def test_rfc5681_4_2_out_of_order_at_once(host: Host) -> None:
    """One duplicate ACK for each segment above a gap, and one when it is filled."""
    with host.open(DISCARD) as conn:
        for i in range(1, 8):
            conn.send("A", noise(100, i), seq=conn.at(100 * i))
            conn.expect("A", ack=conn.at(0))
        conn.send("A", noise(100), seq=conn.at(0))
        conn.expect("A", ack=conn.at(800))
        conn.snd_nxt = conn.at(800)
