# SPDX-License-Identifier: Apache-2.0
"""Sessions of the TCP core from open to end: data, every way to close, timeouts."""

from __future__ import annotations

import pytest
from tcp_core_bench import LATE, Bench, M, Peer, flags


@pytest.fixture(params=[(4, False), (64, False), (4, True)], ids=["4", "64", "4-cubic"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """A core with port 80 open; the one with 64 sessions is that of the soak test."""
    sessions, cubic = request.param
    b = Bench(sessions, gaps=2 if sessions == 64 else 4, cubic=cubic)
    assert b.listen(80) == "ok"
    return b


def finish(b: Bench) -> None:
    """All sessions have ended: numbers are free, nothing is left."""
    b.until(lambda: not b.dut.get("busy"), 4000, "rest")
    b.skip(b.cfg["time_wait"] + LATE)
    b.until(b.quiet, 4000, "all numbers free")
    assert not b.dut.protocol_errors()


def test_listen(bench: Bench) -> None:
    """A port opens once, closes, and is refused while closed."""
    b = bench
    assert b.listen(80) == "in_use"
    assert b.listen(81) == "ok"
    assert b.listen(80, off=True) == "ok"
    p = Peer(b)
    p.send("syn")
    r = b.next()
    assert (flags(r), r["seq"], r["ack"]) == ("RA", 0, 1001)
    assert b.quiet()


def test_in_order(bench: Bench) -> None:
    """Data both ways; every second segment is acknowledged, a single one after the delay."""
    b = bench
    p = Peer(b)
    r = p.connect()
    assert r["opts.mss"] == 1460 and r["wnd"] == 65535
    p.send(length=100)
    b.none(100)
    assert b.s[p.sid].upto == p.seq
    b.skip(b.cfg["ack_delay"])
    r = b.next(what="delayed ACK")
    assert (flags(r), r["ack"], r["len"]) == ("A", p.seq, 0)
    for _ in range(6):
        p.send(length=1460)
        p.send(length=1460)
        r = b.next(what="ACK of two")
        assert r["ack"] == p.seq
        b.none(100)
    assert b.covers(p.sid, 1001, p.seq)

    b.write(p.sid, 3000)
    got = [b.next() for _ in range(3)]
    assert [r["len"] for r in got] == [1460, 1460, 80]
    assert [flags(r) for r in got] == ["A", "A", "PA"]
    assert got[0]["seq"] == p.ack
    b.none(200)
    p.ack = (p.ack + 3000) % M
    p.send()
    b.until(lambda: b.s[p.sid].una == p.ack)
    b.until(lambda: not b.dut.get("busy"))


@pytest.mark.parametrize("first", ["peer", "own", "both"])
def test_close(bench: Bench, first: str) -> None:
    """FIN from either side first, with data on the half that is open, or from both at once."""
    b = bench
    p = Peer(b)
    p.connect()
    if first == "peer":
        p.send("fin ack", 50)
        r = b.next()
        assert (flags(r), r["ack"]) == ("A", p.seq)
        assert b.s[p.sid].fin and b.s[p.sid].upto == p.seq - 1
        b.write(p.sid, 700)  # half-closed: this side goes on
        r = b.next()
        assert r["len"] == 700
        p.ack = (p.ack + 700) % M
        p.send()
        b.write(p.sid, 0, fin=True)
        r = b.next()
        assert flags(r) == "FA" and r["seq"] == p.ack
        p.ack = (p.ack + 1) % M
        p.send()
        b.until(lambda: b.over)
        assert b.over[0].ended == "closed"
        b.until(b.quiet, what="no TIME_WAIT on this side")
    elif first == "own":
        b.write(p.sid, 100, fin=True)
        r = b.next()
        assert flags(r) == "FPA" and r["len"] == 100
        p.ack = (p.ack + 101) % M
        p.send()
        b.run(100)
        for _ in range(4):  # half-closed: the peer goes on
            p.send(length=1000)
        b.run(300)
        b.wire.clear()
        p.send("fin ack", 10)
        r = b.next()
        assert r["ack"] == p.seq
        b.until(lambda: b.over)
        s = b.over[0]
        assert s.ended == "closed" and s.fin and s.upto == p.seq - 1
        assert b.dut.get("sessions") == 1  # TIME_WAIT
        p.send("fin ack", at=p.seq - 1)  # its ACK was lost
        r = b.next()
        assert (flags(r), r["ack"]) == ("A", p.seq)
        finish(b)
    else:
        b.write(p.sid, 0, fin=True)
        assert flags(b.next()) == "FA"
        p.send("fin ack")
        r = b.next()
        assert (flags(r), r["ack"]) == ("A", p.seq)
        p.ack = (p.ack + 1) % M
        p.send()
        b.until(lambda: b.over)
        assert b.over[0].ended == "closed"
        finish(b)
    assert b.events()["close_ok"] == 1


def test_reset_and_abort(bench: Bench) -> None:
    """RST ends a session; an abort sends one."""
    b = bench
    p = Peer(b)
    p.connect()
    p.send("rst")
    b.until(lambda: b.over)
    assert b.over[0].ended == "reset"
    b.until(b.quiet)
    p = Peer(b, port=40001)
    p.connect()
    b.write(p.sid, 0, abort=True)
    r = b.next()
    assert (flags(r), r["seq"], r["ack"]) == ("RA", p.ack, p.seq)
    b.until(lambda: len(b.over) == 2)
    assert b.over[1].ended == "aborted"
    b.until(b.quiet)
    p.send(length=10)  # the peer did not get it
    assert flags(b.next()) == "R"


def test_retransmission(bench: Bench) -> None:
    """Times double; an ACK in between resumes; without any the session ends and all is free."""
    b = bench
    p = Peer(b)
    p.connect()
    b.write(p.sid, 2000)
    first = [b.next(), b.next()]
    b.none()
    wait = b.cfg["rto_min"]
    for _ in range(2):
        b.skip(wait - 300)
        b.none()
        b.skip(500)
        r = b.next(what="retransmission")
        assert (r["seq"], r["len"]) == (first[0]["seq"], 1460)
        b.none()
        wait *= 2
    p.ack = (p.ack + 1460) % M
    p.send()
    r = b.next(what="the rest")
    assert (r["seq"], r["len"]) == (first[1]["seq"], 540)
    p.ack = (p.ack + 540) % M
    p.send()
    b.run(200)
    b.write(p.sid, 10)
    b.next()
    for k in range(b.cfg["retries"]):
        b.skip(b.cfg["rto_min"] * 2**k + 100)
        r = b.next(what=f"retransmission {k}")
        assert r["len"] == 10
    b.skip(b.cfg["rto_max"])
    b.until(lambda: b.over)
    assert b.over[0].ended == "timeout"
    b.until(b.quiet)
    assert b.events()["close_timeout"] == 1


def test_syn_ack_lost(bench: Bench) -> None:
    """The SYN, ACK goes again by time and at the peer's SYN; unanswered, the number is free."""
    b = bench
    p = Peer(b)
    p.send("syn")
    r = b.next()
    p.send("syn", at=p.seq - 1)
    again = b.next()
    assert (flags(again), again["seq"], again["ack"]) == ("SA", r["seq"], r["ack"])
    for k in range(b.cfg["syn_retries"]):
        b.skip(b.cfg["rto_init"] * 2**k + 100)
        again = b.next(what=f"SYN, ACK {k}")
        assert (flags(again), again["seq"]) == ("SA", r["seq"])
    b.skip(b.cfg["rto_init"] * 16)
    b.until(b.quiet)
    assert b.events()["close_handshake"] == 1 and not b.notes


def test_many(bench: Bench) -> None:
    """More connections one after another than there are numbers, more at once than fit."""
    b = bench
    n = b.sessions_n
    peers = [Peer(b, port=1000 + i) for i in range(n)]
    for p in peers:
        p.connect()
    assert b.dut.get("sessions") == n
    extra = Peer(b, port=5000)
    extra.send("syn")
    r = b.next()
    assert flags(r) == "SA" and b.events()["miss_cookie_sent"] == 1
    extra.ack = (r["seq"] + 1) % M
    extra.send()  # there is no number for it yet
    b.none()
    assert b.events()["miss_refused"] == 1
    for p in peers:
        b.write(p.sid, 500, fin=True)
    got = {}
    while len(got) < n:
        r = b.next()
        got[r["sid"]] = r["len"], flags(r)
    assert set(got.values()) == {(500, "FPA")}
    for p in peers:
        p.ack = (p.ack + 501) % M
        p.send("fin ack")
    b.until(lambda: len(b.over) == n, 20000)
    b.run(1000)
    # All are in TIME_WAIT; a new one takes the place of the oldest.
    b.wire.clear()
    extra.send("syn", at=extra.seq - 1)
    r = b.next()
    assert flags(r) == "SA" and r["sid"] == peers[0].sid
    assert b.events()["time_wait_recycled"] == 1
    extra.send("rst", at=extra.seq)
    finish(b)
