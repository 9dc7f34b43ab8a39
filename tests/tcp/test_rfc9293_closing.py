# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.6 and the closing states of 3.10.7.4; RFC 1337 and 6191 for TIME-WAIT."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from tcp_peer import DISCARD, HTTP, Conn, Host, minus, noise

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@contextmanager
def closing(host: Host, **options: object) -> Iterator[Conn]:
    """FIN-WAIT-1: the target has answered and closed; only its data are acknowledged."""
    with host.open(HTTP, **options) as conn:
        conn.send("PA", REQUEST)
        first = conn.rcv_nxt
        data, fin = b"", None
        while fin is None:
            seg = conn.expect(where=lambda seg: bool(seg.space) and "S" not in seg.flags)
            if seg.seq == (first + len(data)) % (1 << 32):
                data += seg.data
                fin = seg if "F" in seg.flags else None
                conn.rcv_nxt = (first + len(data)) % (1 << 32)
                conn.send("A")
        assert data.startswith(b"HTTP/1.1 200")
        yield conn


def take_fin(conn: Conn) -> None:
    """Acknowledge the target's FIN, which is the next number."""
    conn.rcv_nxt = (conn.rcv_nxt + 1) % (1 << 32)
    conn.send("A")


def time_wait(host: Host, conn: Conn) -> None:
    """From FIN-WAIT-1 on."""
    take_fin(conn)
    conn.send("FA")
    conn.expect("A", ack=conn.snd_nxt)


# ---- the peer closes first -------------------------------------------------------------------


def test_3_6_half_close_by_the_peer(host: Host) -> None:
    """Data requested before the FIN are still sent in full, despite a small window."""
    data = noise(20_000)
    with host.open(win=2000) as conn:
        for i in range(0, len(data), 1000):
            conn.send("FPA" if i == 19_000 else "PA", data[i : i + 1000])
            if i == 19_000:
                break
            conn.wait_acked()
        assert conn.read(len(data)) == data
        if "F" not in conn.seen[-1].flags:
            conn.expect("FA", seq=conn.their(20_000))
        take_fin(conn)
        assert conn.acked == conn.at(20_001)
        conn.gone()


def test_3_6_fin_with_data(host: Host) -> None:
    with host.open() as conn:
        conn.send("FPA", b"last words")
        assert conn.read(10) == b"last words"
        conn.expect("FA", seq=conn.their(10), ack=conn.at(11))
        take_fin(conn)
        conn.gone()


def test_3_6_fin_again_is_acked_again(host: Host) -> None:
    """LAST-ACK: the peer has not heard the ACK of its FIN."""
    with host.open() as conn:
        conn.send("FA")
        conn.expect("FA", ack=conn.snd_nxt)
        conn.send("FA", seq=conn.at(0))
        conn.expect(ack=conn.at(1))
        conn.quiet()
        conn.send("FA", seq=conn.at(0))
        conn.expect(ack=conn.at(1))
        take_fin(conn)
        conn.gone()


def test_3_10_7_4_fin_out_of_order(host: Host) -> None:
    """The FIN counts once all data before it have arrived."""
    with host.open() as conn:
        conn.send("FPA", b"world", seq=conn.at(6))
        conn.expect("A", ack=conn.at(0))
        conn.send("PA", b"hello ", seq=conn.at(0))
        conn.snd_nxt = conn.at(12)
        assert conn.read(11) == b"hello world"
        if conn.acked != conn.at(12):  # an out-of-order FIN may be forgotten
            conn.send("FPA", b"world", seq=conn.at(6))
            conn.wait_acked()
        conn.expect("FA", seq=conn.their(11), ack=conn.at(12))
        take_fin(conn)
        conn.gone()


def test_3_10_7_4_fin_alone_out_of_order(host: Host) -> None:
    with host.open() as conn:
        conn.send("FA", seq=conn.at(3))
        conn.expect("A", ack=conn.at(0))
        conn.send("PA", b"abc")
        assert conn.read(3) == b"abc"
        conn.send("FA", seq=conn.at(3))
        conn.snd_nxt = conn.at(4)
        conn.expect("FA", ack=conn.at(4))
        take_fin(conn)
        conn.gone()


def test_3_8_1_fin_is_sent_again(host: Host) -> None:
    with host.open() as conn:
        conn.send("FA")
        first = conn.expect("FA", ack=conn.snd_nxt)
        again = conn.expect("FA", seq=first.seq, ack=conn.snd_nxt)
        assert again.time - first.time >= host.times.rto * 0.9
        take_fin(conn)
        conn.gone()


def test_3_10_7_4_data_behind_the_peers_fin(host: Host) -> None:
    """CLOSE-WAIT, LAST-ACK: ignored, the numbers do not move."""
    with host.open(DISCARD) as conn:
        conn.send("FA")
        conn.wait_acked()
        conn.send("PA", b"I changed my mind", seq=conn.at(1))
        for seg in conn.drain():
            assert seg.ack == conn.at(1) or "R" in seg.flags, seg


# ---- the target closes first -----------------------------------------------------------------


def test_3_6_half_close_by_the_target(host: Host) -> None:
    """FIN-WAIT-2 waits for a slow peer."""
    with closing(host) as conn:
        take_fin(conn)
        host.pause(host.times.hush * 3)
        conn.send("FA")
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


def test_3_10_7_4_data_in_fin_wait_2(host: Host) -> None:
    """RFC 1122, 4.2.2.13: accepted, or answered by RST when nobody reads them."""
    with closing(host) as conn:
        take_fin(conn)
        conn.send("PA", b"GET / HTTP/1.1\r\n\r\n")
        answer = conn.expect(where=lambda seg: "R" in seg.flags or seg.ack == conn.snd_nxt)
        if "R" not in answer.flags:
            conn.send("FA")
            conn.expect(ack=conn.snd_nxt)


def test_3_6_fin_and_ack_in_one(host: Host) -> None:
    """FIN-WAIT-1 to TIME-WAIT at once."""
    with closing(host) as conn:
        conn.rcv_nxt = (conn.rcv_nxt + 1) % (1 << 32)
        conn.send("FA")
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


def test_3_6_simultaneous_close(host: Host) -> None:
    """FIN-WAIT-1, CLOSING, TIME-WAIT."""
    with closing(host) as conn:
        conn.send("FA")  # the target's FIN is not acknowledged yet
        conn.expect(ack=conn.snd_nxt)
        take_fin(conn)
        conn.quiet()
        conn.send("FA", seq=conn.snd_nxt - 1)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


# ---- TIME-WAIT -------------------------------------------------------------------------------


def test_3_10_7_4_fin_again_in_time_wait(host: Host) -> None:
    with closing(host) as conn:
        time_wait(host, conn)
        for _ in range(3):
            conn.send("FA", seq=conn.snd_nxt - 1)
            conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


def test_3_10_7_4_old_data_in_time_wait(host: Host) -> None:
    """Answered by an ACK, not delivered."""
    with closing(host) as conn:
        time_wait(host, conn)
        conn.send("PA", b"G", seq=conn.at(0))
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


def test_rfc1337_time_wait_assassination(host: Host) -> None:
    """An old duplicate draws an ACK, which draws RST from the peer: TIME-WAIT persists."""
    with closing(host) as conn:
        time_wait(host, conn)
        conn.send("PA", b"G", seq=conn.at(0))
        ack = conn.expect("A", ack=conn.snd_nxt)
        conn.send("R", seq=ack.ack, ack=0)
        conn.quiet()
        conn.send("FA", seq=conn.snd_nxt - 1)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


@pytest.mark.parametrize("ts", [False, True])
def test_rfc6191_time_wait_is_used_again(host: Host, ts: bool) -> None:
    """A SYN with a later number, or a later timestamp, begins a new connection at once."""
    with closing(host, ts=ts) as conn:
        time_wait(host, conn)
        last = conn.rcv_nxt
        conn.over = True
    isn = (conn.snd_nxt + (-5000 if ts else 5000)) % (1 << 32)
    again = host.conn(HTTP, lport=conn.lport, isn=isn, ts=ts, ts_val=conn.ts_val + 5000)
    again.handshake(tries=3)
    assert minus(again.irs, last) > 0, "its numbers begin behind the old ones"
    again.send("PA", REQUEST)
    assert again.read(15).startswith(b"HTTP/1.1 200 OK")


def test_3_10_7_4_old_syn_in_time_wait(host: Host) -> None:
    """An old SYN is answered by an ACK and changes nothing."""
    with closing(host) as conn:
        time_wait(host, conn)
        conn.send("S", seq=conn.isn)
        conn.expect("A", seq=conn.rcv_nxt, ack=conn.snd_nxt)
        conn.over = True


# ---- RST in every state ----------------------------------------------------------------------


def established(host: Host, conn: Conn) -> None:
    conn.send("PA", b"x")
    conn.read(1)
    conn.wait_acked()


def close_wait(host: Host, conn: Conn) -> None:
    """The echo cannot be sent, so the target has not closed yet."""
    conn.send("A", win=0)
    conn.win = 0
    conn.send("FPA", noise(500))
    conn.wait_acked()


def last_ack(host: Host, conn: Conn) -> None:
    conn.send("FA")
    conn.expect("FA", ack=conn.snd_nxt)


@pytest.mark.parametrize("reach", [established, close_wait, last_ack])
def test_3_10_7_4_rst_in(host: Host, reach: Callable[[Host, Conn], None]) -> None:
    with host.open() as conn:
        reach(host, conn)
        conn.reset()
        conn.gone()


def fin_wait_1(host: Host, conn: Conn) -> None:
    """As it is."""


def fin_wait_2(host: Host, conn: Conn) -> None:
    take_fin(conn)


def both_closing(host: Host, conn: Conn) -> None:
    conn.send("FA")
    conn.expect(ack=conn.snd_nxt)


@pytest.mark.parametrize("reach", [fin_wait_1, fin_wait_2, both_closing])
def test_3_10_7_4_rst_when_the_target_has_closed(
    host: Host, reach: Callable[[Host, Conn], None]
) -> None:
    with closing(host) as conn:
        reach(host, conn)
        conn.reset()
        conn.gone()
