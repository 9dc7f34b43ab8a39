# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.8.6: flow control, both ways; RFC 1122, 4.2.3.6: keep-alive."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tcp_peer import WORD, Conn, Host, Stream, minus, noise


def ask(conn: Conn, data: bytes, size: int = 1000) -> None:
    """Send data to echo, with nothing of the echo acknowledged."""
    for i in range(0, len(data), size):
        conn.send("PA", data[i : i + size], ack=conn.rcv_nxt)


def flight(conn: Conn, stream: Stream, seconds: float | None = None) -> int:
    """Take what comes; new bytes of the target's stream."""
    before = len(stream.data)
    for seg in conn.drain(seconds):
        stream.add(seg)
    return len(stream.data) - before


def fill(conn: Conn, stream: Stream, count: int) -> int:
    """As `flight`, but a slow target's first bytes are awaited with more patience."""
    before = len(stream.data)
    end = conn.host.wire.now() + conn.host.times.rto
    while len(stream.data) - before < count and (seg := conn.next(end - conn.host.wire.now())):
        stream.add(seg)
    flight(conn, stream)
    return len(stream.data) - before


@pytest.mark.parametrize("win", [100, 536, 1000, 1460, 1461, 4000])
def test_3_8_6_window_is_filled_and_not_more(host: Host, win: int) -> None:
    """The check of every segment watches the edge; here: all of it is used, step by step."""
    data = noise(min(8 * win, 8000))
    with host.open(win=win, mss=536) as conn:
        ask(conn, data)
        stream = Stream(conn.their(0))
        while len(stream.data) < len(data):
            new = flight(conn, stream)
            left = len(data) - (len(stream.data) - new)
            assert 0 < new <= win
            # With room for some segments nearly all of it is used (silly windows aside).
            assert new >= min(left, win - 536 + 1), new
            conn.rcv_nxt = stream.next
            conn.send("A")
        assert bytes(stream.data) == data
        conn.wait_acked()


def test_3_8_6_1_zero_window_and_probes(host: Host) -> None:
    """Nothing but probes, each later than the one before, answered or not; then all of it."""
    data = noise(5000)
    with host.open(win=0) as conn:
        ask(conn, data)
        conn.wait_acked()
        conn.drain()
        begin = host.wire.now()
        probes = []
        for _ in range(3):
            probe = conn.expect("A", where=lambda seg: minus(seg.seq, conn.rcv_nxt) <= 1)
            assert len(probe.data) <= 1
            probes.append(probe.time)
            conn.send("A")
        assert probes[0] - begin > 0.3 * host.times.rto
        first, second = probes[1] - probes[0], probes[2] - probes[1]
        assert second > 1.3 * first > host.times.rto * 0.5
        conn.win = 65_535
        conn.send("A")
        assert conn.read(5000) == data


def test_3_8_6_1_window_update_is_lost(host: Host) -> None:
    """The target finds out by its own probe, to which the answer is the open window."""
    with host.open(win=0) as conn:
        conn.send("PA", b"waiting")
        conn.wait_acked()
        conn.win = 65_535  # and nothing is sent that says so
        conn.expect("A", where=lambda seg: seg.seq == conn.their(-1) or bool(seg.data))
        if conn.seen[-1].data:
            assert conn.seen[-1].data == b"w"
        conn.send("A")
        assert conn.read(7) == b"waiting"


def test_3_8_6_reader_that_stops_and_goes_on(host: Host) -> None:
    """The target cannot send, so it stops to read: its window closes, and opens again later.

    No byte beyond the edge is taken, a probe is answered, and the window does not open in
    crumbs (3.8.6.2.2).
    """
    size = host.target.mss
    with host.open(win=0, mss=size, ws=0) as conn:
        sent = bytearray()
        for i in range(3000):
            room = minus(conn._their_edge or 0, conn.snd_nxt)
            if room <= 0:
                break
            data = noise(min(room, size), i)
            conn.send("PA", data)
            sent += data
            conn.wait_acked()
            while conn.next(0) is not None:
                pass
        conn.drain()
        assert conn.their_win == 0 and sent
        for _ in range(2):
            conn.send("PA", b"!", seq=conn.snd_nxt)
            conn.expect("A", ack=conn.snd_nxt, where=lambda seg: seg.win == 0)
        conn.win = 30_000
        before = len(conn.seen)
        conn.send("A")
        assert conn.read(len(sent)) == bytes(sent)
        opened = [seg.win for seg in conn.seen[before:] if seg.win]
        assert opened and opened[0] >= 1000, opened
        while conn.next(host.times.hush) is not None:
            pass
        assert conn.their_win > 0
        conn.echo(b"and on")


def test_3_8_6_window_is_taken_back(host: Host) -> None:
    """A peer that shrinks its window (it should not) gets nothing new beyond, and loses nothing."""
    data = noise(12_000)
    with host.open(win=8000, mss=1000) as conn:
        ask(conn, data[:3000])
        stream = Stream(conn.their(0))
        assert fill(conn, stream, 3000) == 3000
        conn.rcv_nxt = stream.next
        conn.send("A", win=0)  # the edge was at 8000
        conn._edge = conn.their(3000)
        ask_more = data[3000:]
        conn.win = 0
        ask(conn, ask_more)
        assert flight(conn, stream) <= 1
        conn.win = 8000
        conn.send("A", seq=conn.snd_nxt)
        assert conn.read(9000) == ask_more


def test_3_8_6_shrunk_below_what_is_in_flight(host: Host) -> None:
    data = noise(6000)
    with host.open(win=8000, mss=1000) as conn:
        ask(conn, data)
        stream = Stream(conn.their(0))
        assert fill(conn, stream, 6000) == 6000
        conn.rcv_nxt = conn.their(1000)
        conn.send("A", win=500)
        host.pause(host.times.rto * 3)
        conn.win = 8000
        conn.send("A")
        again = Stream(conn.their(1000))
        while len(again.data) < 5000:
            seg = conn.next()
            assert seg is not None, host.history()
            again.add(seg)
            conn.rcv_nxt = again.next
            conn.send("A")
        assert bytes(again.data) == data[1000:]
        conn.wait_acked()


@pytest.mark.parametrize("crumb", [1, 10, 100])
def test_3_8_6_2_1_silly_window_of_the_peer(host: Host, crumb: int) -> None:
    """A full window that opens by crumbs is not filled with crumbs at once (the sender's part)."""
    data = noise(9000)
    with host.open(win=4000, mss=1000) as conn:
        ask(conn, data)
        stream = Stream(conn.their(0))
        assert fill(conn, stream, 4000) == 4000
        conn.rcv_nxt = stream.next
        for i in range(1, 4):
            conn.send("A", win=crumb * i)
        begin = host.wire.now()
        seg = conn.next(host.times.hush)
        late = host.wire.now() - begin > host.times.rto / 2
        assert seg is None or late or not seg.data, f"{seg}\n{host.history()}"
        conn.send("A")
        assert conn.read(5000) == data[4000:]


def test_3_8_6_2_2_window_does_not_creep(host: Host) -> None:
    """The edge moves by worthwhile steps, or not at all, while the target reads slowly."""
    with host.open(win=0) as conn:
        edges = [conn._their_edge or 0]
        for i in range(20):
            conn.send("PA", noise(700, i))
            conn.wait_acked()
            edges.append(conn._their_edge or 0)
        steps = [minus(b, a) for a, b in pairwise(edges)]
        assert all(step == 0 or step >= 536 for step in steps), steps


# ---- keep-alive ------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\0"])
def test_rfc1122_4_2_3_6_keep_alive_is_answered(host: Host, data: bytes) -> None:
    """One number back, with or without a byte of garbage, which is not taken."""
    with host.open() as conn:
        conn.echo(b"hello")
        for _ in range(3):
            conn.send("A", data, seq=conn.snd_nxt - 1)
            conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt, data=b"")
        conn.echo(b"there")


def test_rfc1122_4_2_3_6_keep_alive_of_the_target(host: Host) -> None:
    """A silent peer is asked; one that answers is kept, one that has vanished times out."""
    kept, lost = host.conn(), host.conn()
    for conn in (kept, lost):
        conn.handshake()
        conn.echo(b"x")
    begin = host.wire.now()
    end = begin + host.times.keep_all * 1.6
    asked = {kept.lport: 0, lost.lport: 0}
    while host.wire.now() < end:
        for conn in (kept, lost):
            seg = conn.next(host.times.hush / 4)
            if seg is not None and "R" not in seg.flags:
                assert len(seg.data) <= 1 and seg.seq == (conn.rcv_nxt - 1) % WORD, seg
                assert seg.time - begin > 0.5 * host.times.keep_idle
                asked[conn.lport] += 1
                if conn is kept:
                    conn.send("A")
    assert asked[kept.lport] and asked[lost.lport]
    lost.gone()
    kept.echo(b"still here")
