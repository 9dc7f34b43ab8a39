# SPDX-License-Identifier: Apache-2.0
"""RFC 9293, 3.5 and 3.10.7.3: connections that the target opens (as `iperf -c -r` makes it do)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tcp_peer import IPERF, Conn, Host, Seg, noise

WANTED = 5000


@contextmanager
def opened(host: Host, **options: object) -> Iterator[tuple[Conn, Seg]]:
    """The target's SYN, and a connection that has not answered yet."""
    with host.listening() as (port, syns):
        with host.open(IPERF) as ask:
            ask.send("PA", struct.pack(">IiiiIi", 0x8000_0000, 1, port, 8192, 0, WANTED))
            ask.close()
        syn = host.wait_for("the target's SYN", lambda: syns and syns.popleft())
        conn = host.conn(syn.sport, lport=port, **options)
        conn.learn(syn)
        yield conn, syn


def finish(conn: Conn) -> None:
    """All of the target's data, and its FIN."""
    data = conn.read(WANTED)
    assert len(data) == WANTED
    fin = conn.seen[-1] if "F" in conn.seen[-1].flags else conn.expect("FA")
    assert fin.end == conn.their(WANTED + 1)
    conn.rcv_nxt = fin.end
    conn.send("FA")
    conn.expect("A", ack=conn.snd_nxt)
    conn.over = True


def test_3_5_active_open(host: Host) -> None:
    with opened(host) as (conn, syn):
        assert syn.ack == 0 and syn.data == b"" and 536 <= syn.opts["MSS"] <= host.target.mss
        conn.send("SA")
        conn.expect("A", seq=conn.their(0), ack=conn.at(0))
        finish(conn)


def test_3_5_simultaneous_open(host: Host) -> None:
    """Both have sent SYN: both answer with SYN-ACK and need no further ACK.

    With window scale on both sides: Linux, whose SYN-ACK repeats the options of its SYN, goes on
    to scale its window here when the peer has not offered the option.
    """
    with opened(host, ws=7) as (conn, syn):
        conn.send("S")
        answer = conn.expect("SA", seq=syn.seq, ack=conn.at(0))
        assert answer.data == b""
        conn.send("SA", seq=conn.isn, ack=conn.their(0))
        finish(conn)


def test_3_5_simultaneous_open_ended_by_an_ack(host: Host) -> None:
    with opened(host, ws=7) as (conn, syn):
        conn.send("S")
        conn.expect("SA", seq=syn.seq, ack=conn.at(0))
        conn.send("A")
        finish(conn)


@pytest.mark.parametrize("off", [-1, 1, 1 << 30])
def test_3_10_7_3_wrong_ack_in_syn_sent(host: Host, off: int) -> None:
    """RST with the number of the wrong ACK; the correct answer is still accepted."""
    with opened(host) as (conn, _):
        conn.checked = False
        conn.send("SA", seq=conn.isn, ack=conn.their(off))
        conn.expect("R", seq=conn.their(off))
        conn.checked, conn.over = True, False
        conn.send("SA")
        conn.expect("A", seq=conn.their(0), ack=conn.at(0))
        finish(conn)


def test_3_10_7_3_refused(host: Host) -> None:
    """RST with the correct ACK: the open fails, the SYN is not retransmitted."""
    with opened(host) as (conn, _):
        conn.send("RA", seq=0)
        conn.quiet(host.times.syn * 1.5)
        conn.checked = False
        conn.send("SA")
        conn.expect("R", seq=conn.their(0))
        conn.over = True


@pytest.mark.parametrize("flags,off", [("RA", -1), ("RA", 1), ("R", 0)])
def test_3_10_7_3_rst_that_does_not_count(host: Host, flags: str, off: int) -> None:
    """Without ACK, or with one of something else, RST changes nothing in SYN-SENT."""
    with opened(host) as (conn, _):
        conn.send(flags, seq=conn.isn, ack=conn.their(off))
        conn.send("SA")
        conn.expect("A", seq=conn.their(0), ack=conn.at(0))
        finish(conn)


@pytest.mark.parametrize("flags", ["A", "FA", "F", "", "P"])
def test_3_10_7_3_neither_syn_nor_rst(host: Host, flags: str) -> None:
    """Dropped in SYN-SENT (a wrong ACK number is not, above)."""
    with opened(host) as (conn, _):
        conn.send(flags, seq=conn.isn, ack=conn.their(0), opts=[])
        conn.send("SA")
        conn.expect("A", seq=conn.their(0), ack=conn.at(0))
        finish(conn)


def test_3_8_1_syn_is_sent_again(host: Host) -> None:
    with opened(host) as (conn, syn):
        again = conn.expect("S", seq=syn.seq)
        assert again.time - syn.time >= host.times.rto
        conn.send("SA")
        finish(conn)


def test_3_4_data_on_the_syn_ack(host: Host) -> None:
    """They may be accepted or not; RST if nobody reads them before the target has closed."""
    with opened(host) as (conn, _):
        conn.send("SA", noise(20))
        ack = conn.expect("A", seq=conn.their(0))
        assert ack.ack in (conn.at(0), conn.at(20))
        conn.send("A", noise(20), seq=conn.at(0))
        conn.expect(where=lambda seg: "R" in seg.flags or seg.ack == conn.at(20))
