# SPDX-License-Identifier: Apache-2.0
"""RFC 3168: explicit congestion notification, with targets that accept it when asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tcp_conn import Conn
from tcp_peer import ECHO, Host, Seg, noise

ECT0, CE = 2, 3
SIZE = 1000


@contextmanager
def agreed(host: Host) -> Iterator[Conn]:
    """A connection that this side requests ECN for."""
    conn = host.conn(ECHO, sack=True, ts=True, mss=SIZE + 12)
    conn.send("SEC")
    answer = conn.expect("SA", ack=conn.snd_nxt)
    assert "E" in answer.flags and "C" not in answer.flags and answer.ecn == 0, host.history()
    conn.send("A")
    yield conn
    conn.abandon()


def echoed(conn: Conn, count: int, ecn: int = ECT0, flags: str = "PA") -> list[Seg]:
    """Send so many segments, and take what comes back; none of it is acknowledged yet."""
    end = (conn.snd_nxt + count * SIZE - conn.isn + conn.irs) % (1 << 32)
    segs: list[Seg] = []
    for i in range(count):
        conn.send(flags, noise(SIZE, i), ecn=ecn)
    while not segs or segs[-1].end != end:
        seg = conn.next()
        assert seg is not None, conn.host.history()
        if seg.data:
            segs.append(seg)
    conn.rcv_nxt = end
    return segs


@pytest.mark.parametrize("flags", ["S", "SE", "SC"])
def test_6_1_1_not_asked(host: Host, flags: str) -> None:
    """Any other SYN is an ordinary one: nothing is agreed to, or marked."""
    conn = host.conn(ECHO)
    conn.send(flags)
    answer = conn.expect("SA", ack=conn.snd_nxt)
    assert not set(answer.flags) & set("EC")
    conn.send("A")
    assert {seg.ecn for seg in echoed(conn, 2, 0)} == {0}
    conn.abandon()


def test_6_1_1_agreed(host: Host) -> None:
    """Data are ECN-capable, pure ACKs are not (6.1.4)."""
    with agreed(host) as conn:
        echoed(conn, 4)
        assert {seg.ecn for seg in conn.seen if seg.data} == {ECT0}
        assert {seg.ecn for seg in conn.seen if not seg.data} <= {0}
        assert not any(set(seg.flags) & set("EC") for seg in conn.seen if "S" not in seg.flags)


def test_6_1_3_echo(host: Host) -> None:
    """From the first mark on each ACK has ECE, until CWR comes."""
    with agreed(host) as conn:
        echoed(conn, 1)
        conn.send("A")
        conn.seen.clear()
        echoed(conn, 1, CE)
        assert "E" in conn.seen[-1].flags, host.history()
        conn.send("A")
        for _ in range(2):
            assert all("E" in seg.flags for seg in echoed(conn, 1)), host.history()
            conn.send("A")
        back = echoed(conn, 1, flags="PAC")
        assert "E" not in back[-1].flags, host.history()


def test_6_1_2_response(host: Host) -> None:
    """ECE is answered by CWR in the next new data, once; retransmissions have neither mark."""
    with agreed(host) as conn:
        echoed(conn, 4)
        conn.send("AE")
        back = echoed(conn, 2)  # the smallest window after a reduction
        assert [("C" in seg.flags) for seg in back].count(True) == 1 and "C" in back[0].flags
        assert {seg.ecn for seg in back} == {ECT0}
        again = conn.expect(None, where=lambda seg: bool(seg.data))
        assert again.ecn == 0 and "C" not in again.flags, host.history()
