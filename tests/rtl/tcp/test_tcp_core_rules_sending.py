# SPDX-License-Identifier: Apache-2.0
"""Rules of the TCP core, one test per clause: sending, loss and timers."""

from __future__ import annotations

from typing import Any

import pytest
from tcp_core_bench import LATE, Bench, M, Peer, flags, sack
from tcp_core_rules import TS, drain, start

# ---- sending -------------------------------------------------------------------------------------


def test_rfc6582_fast_retransmit() -> None:
    """Limited transmit, then one segment at the third duplicate, one at each partial ACK."""
    b, p = start(init_segs=4)
    p.connect()
    b.write(p.sid, 20000)
    out = drain(b)
    base = p.ack
    assert [r["seq"] - base for r in out] == [0, 1460, 2920, 4380]
    p.send()
    out = drain(b)
    assert [r["seq"] - base for r in out] == [5840]
    p.send()
    assert [r["seq"] - base for r in drain(b)] == [7300]
    p.send()
    out = drain(b)
    assert [r["seq"] - base for r in out] == [0]  # ssthresh 3 segments, 6 - 3 in the network
    assert b.events()["fast_recovery"] == 1
    p.ack = base + 1460
    p.send()
    out = drain(b)
    assert [r["seq"] - base for r in out] == [1460, 8760]
    p.ack = base + 8760
    p.send()
    out = drain(b)
    assert [r["seq"] - base for r in out] == [10220, 11680]  # ssthresh is the window now
    assert "rto" not in b.events()


@pytest.mark.parametrize("cubic", [False, True])
def test_rfc6675_two_holes(cubic: bool) -> None:
    """With SACK only missing data are retransmitted."""
    b, p = start(cubic=cubic, use_sack=1, init_segs=10, use_ws=1)
    p.connect({"sack_ok": 1})
    b.write(p.sid, 14600)
    out = drain(b, 600)
    assert len(out) == 10
    base = p.ack
    s = 1460
    p.send(opts=sack((base + s, base + 2 * s)))
    assert not drain(b)  # limited transmit, but there is nothing new
    p.send(opts=sack((base + s, base + 3 * s)))
    p.send(opts=sack((base + 4 * s, base + 5 * s), (base + s, base + 3 * s)))
    out = drain(b)
    assert [(r["seq"] - base) // s for r in out] == [0]
    p.send(opts=sack((base + 4 * s, base + 9 * s), (base + s, base + 3 * s)))
    out = drain(b)
    assert [(r["seq"] - base) // s for r in out] == [3]
    p.ack = base + 3 * s
    p.send(opts=sack((base + 4 * s, base + 9 * s)))
    p.ack = base + 9 * s
    p.send()
    p.ack = base + 10 * s
    p.send()
    assert not drain(b)
    assert b.events()["tx_retransmit"] == 2 and b.events()["fast_recovery"] == 1


@pytest.mark.parametrize("cubic", [False, True])
def test_lost_twice(cubic: bool) -> None:
    """A lost retransmission is repeated as soon as later data prove it lost."""
    b, p = start(cubic=cubic, use_sack=1, init_segs=10)
    p.connect({"sack_ok": 1})
    b.write(p.sid, 40000)
    drain(b, 600)
    base = p.ack
    s = 1460
    p.send(opts=sack((base + s, base + 9 * s)))
    sent = [(r["seq"] - base) // s for r in drain(b)]
    assert sent[0] == 0 and sent[1:] == list(range(10, 10 + len(sent) - 1)) and len(sent) > 3
    p.send(opts=sack((base + s, base + 12 * s)))
    assert 0 not in [(r["seq"] - base) // s for r in drain(b)]
    p.send(opts=sack((base + s, base + 13 * s)))
    assert next((r["seq"] - base) // s for r in drain(b)) == 0
    p.send(opts=sack((base + s, base + 14 * s)))
    assert 0 not in [(r["seq"] - base) // s for r in drain(b)]
    assert b.events()["tx_retransmit"] == 2 and "rto" not in b.events()


def test_rfc2883_is_no_duplicate() -> None:
    """D-SACK reports do not enter recovery."""
    b, p = start(use_sack=1)
    p.connect({"sack_ok": 1})
    b.write(p.sid, 10000)
    drain(b, 600)
    for _ in range(5):
        p.send(opts=sack((p.ack - 500, p.ack)))
    assert not drain(b)
    assert "fast_recovery" not in b.events()


def test_rfc2018_after_timeout() -> None:
    """After a timeout the holes are retransmitted in slow start, SACKed data are not."""
    b, p = start(use_sack=1, init_segs=10)
    p.connect({"sack_ok": 1})
    b.write(p.sid, 14600)
    drain(b, 600)
    base = p.ack
    s = 1460
    p.send(opts=sack((base + 2 * s, base + 3 * s)))
    b.skip(b.cfg["rto_min"] + 100)
    assert [(r["seq"] - base) // s for r in drain(b)] == [0]
    p.ack = base + s
    p.send(opts=sack((base + 2 * s, base + 3 * s)))
    assert [(r["seq"] - base) // s for r in drain(b)] == [1, 3]
    p.ack = base + 10 * s
    p.send()
    assert not drain(b)


def test_rfc9293_zero_window() -> None:
    """Probes with back-off while the window is zero, for as long as they are answered."""
    b, p = start()
    p.wnd = 1000
    p.connect()
    b.write(p.sid, 5000)
    r = b.next()
    assert r["len"] == 1000
    b.none()
    p.ack = (p.ack + 1000) % M
    p.wnd = 0
    p.send()
    for k in range(8):
        wait = min(b.cfg["rto_min"] * 2**k, b.cfg["rto_max"])
        b.skip(wait - 400)
        b.none(100)
        b.skip(600)
        r = b.next(what=f"probe {k}")
        assert r["len"] == 0 and r["seq"] == p.ack - 1
        p.send()
    p.wnd = 3000
    p.send()
    assert [r["len"] for r in drain(b)] == [1460, 1460]  # 80 more would be silly
    p.ack = (p.ack + 2920) % M
    p.wnd = 100
    p.send()
    assert not drain(b)
    b.skip(b.cfg["rto_min"] + 600)
    assert [r["len"] for r in drain(b)] == [100]  # the override of 3.8.6.2.1


def test_probes_unanswered() -> None:
    """A session whose peer does not answer probes times out."""
    b, p = start()
    p.wnd = 0
    p.connect()
    b.write(p.sid, 10)
    for k in range(b.cfg["retries"]):
        b.skip(b.cfg["rto_min"] * 2**k + 300)
        b.next(what="probe")
    b.skip(b.cfg["rto_max"])
    b.until(lambda: b.over)
    assert b.over[0].ended == "timeout"
    b.until(b.quiet)


def test_window_scale() -> None:
    """Both shifts of RFC 7323: SYNs are not shifted."""
    b = Bench(4, rx_ring=1 << 20, use_ws=1)
    b.listen(80)
    p = Peer(b)
    r = p.connect({"ws_valid": 1, "ws": 7})
    assert r["opts.ws_valid"] and r["opts.ws"] == 5 and r["wnd"] == 65535
    p.send(length=100)
    p.send(length=100)
    r = b.next()
    assert r["wnd"] == (1 << 20) >> 5 or abs(r["wnd"] - ((1 << 20) >> 5)) <= 200
    p.wnd = 23
    p.send()
    b.run(50)
    b.write(p.sid, 5000)
    assert sum(r["len"] for r in drain(b)) == 2920


def test_no_option_no_scale() -> None:
    """A peer without window scaling is offered at most 65535, for any ring; default MSS 536."""
    b = Bench(4, rx_ring=1 << 20, use_ws=1, use_ts=1, use_sack=1)
    b.listen(80)
    p = Peer(b)
    r = p.connect({"mss_valid": 0})
    assert not (r["opts.ws_valid"] or r["opts.ts_valid"] or r["opts.sack_ok"])
    p.send(length=1000)
    p.send(length=1000)
    assert b.next()["wnd"] in (65535, 63535)
    b.write(p.sid, 1000)
    assert [r["len"] for r in drain(b)] == [536, 464]


def test_wrap() -> None:
    """Sequence numbers of both sides wrap in the middle of data."""
    b = Bench(4)
    b.listen(80)
    b.hash_of = lambda key: M - 2000  # type: ignore[method-assign]
    p = Peer(b, seq=M - 1500)
    r = p.connect()
    assert r["seq"] > M - 2000
    for _ in range(4):
        p.send(length=1000)
    b.write(p.sid, 9000)
    out = drain(b, 600)
    assert b.s[p.sid].upto == 2501
    data = [r for r in out if r["len"]]
    assert sum(r["len"] for r in data) == 9000
    p.ack = (p.ack + 9000) % M
    p.send("fin ack")
    b.write(p.sid, 0, fin=True)
    b.run(200)
    p.ack = (p.ack + 1) % M
    p.send()
    b.until(lambda: b.over)
    assert b.over[0].ended == "closed"


# ---- times ---------------------------------------------------------------------------------------


def test_keep_alive() -> None:
    """A silent peer is probed and times out; one that answers does not."""
    b, p = start(keep_idle=10)
    p.connect()
    b.run(100)
    assert not b.dut.get("busy")
    for _ in range(4):
        b.skip(10_000 + LATE)
        r = b.next()
        assert r["len"] == 0 and r["seq"] == p.ack - 1
        p.send()
        b.none(100)
    b.skip(10_000 + LATE)
    b.next()
    for _ in range(2):
        b.skip(1_100)
        assert flags(b.next()) == "A"
    b.skip(1_100)
    assert flags(b.next()) == "RA"
    b.until(lambda: b.over)
    assert b.over[0].ended == "timeout"
    b.until(b.quiet)


def test_fin_wait_2() -> None:
    """The peer never closes."""
    b, p = start()
    p.connect()
    b.write(p.sid, 0, fin=True)
    b.next()
    p.ack += 1
    p.send()
    b.run(100)
    b.skip(b.cfg["fin_wait"] - 1000)
    p.send(length=10)  # it lives
    b.skip(b.cfg["fin_wait"] - 1000)
    assert not b.over
    b.skip(2000)
    b.until(lambda: b.over)
    assert b.over[0].ended == "timeout"
    b.until(b.quiet)


def test_linger() -> None:
    """Unread data of an ended session are discarded after the linger time."""
    b, p = start()
    b.auto_read = False
    p.connect()
    p.send(length=500)
    p.send("rst")
    b.run(200)
    assert b.s[p.sid].ended == "reset" and b.dut.get("sessions") == 1
    for _ in range(4):  # not while it reads
        b.skip(b.cfg["linger"] - 1000)
        b.read(p.sid, 100)
    b.skip(b.cfg["linger"] + LATE)
    b.until(lambda: b.over)
    assert b.over[0].forgotten
    b.until(b.quiet)
    assert b.events()["linger_timeout"] == 1


@pytest.mark.parametrize("minutes", [50, 121, 9000])
def test_keep_alive_of_hours(minutes: int) -> None:
    """No probe before the time, one after it, the next after the interval."""
    b, p = start(keep_idle=minutes * 60_000, keep_interval=75_000)
    p.connect()
    early = 20_000  # the clock also goes on between two jumps
    left = minutes * 60_000_000 - early
    while left:
        step = min(left, 1 << 30)
        b.skip(step)
        left -= step
    b.none(100)
    b.skip(early + LATE)
    assert b.next()["seq"] == p.ack - 1
    b.skip(74_000_000)
    b.none(100)
    b.skip(1_000_000 + LATE)
    assert b.next()["seq"] == p.ack - 1
    assert b.events()["keepalive"] == 2


def test_fin_wait_2_while_the_application_reads() -> None:
    """The half-closed session lasts as long as there is something to read."""
    b, p = start()
    b.auto_read = False
    p.connect()
    p.send(length=500)
    b.write(p.sid, 0, fin=True)
    while flags(b.next()) != "FA":
        pass
    p.ack += 1
    p.send()
    for _ in range(4):
        b.skip(b.cfg["fin_wait"] - 1000)
        b.read(p.sid, 100)
    b.skip(b.cfg["fin_wait"] - 1000)
    assert b.dut.get("sessions") == 1 and not b.s[p.sid].ended
    b.skip(1000 + LATE)
    assert b.s[p.sid].ended == "timeout"


def test_rfc5681_idle() -> None:
    """4.1: after a retransmission timeout without traffic the window starts again."""
    b, p = start(init_segs=2)
    p.connect()
    b.write(p.sid, 30 * 1460)
    for _ in range(30):
        p.ack += b.next()["len"]
        p.send()
    b.run(200)
    for idle, count in ((b.cfg["rto_min"] // 2, 30), (b.cfg["rto_min"] + 100, 2)):
        b.skip(idle)
        b.write(p.sid, 30 * 1460)
        sent = drain(b, 1500)
        assert len(sent) == count
        while sent:
            p.ack += sum(r["len"] for r in sent)
            p.send()
            sent = drain(b, 1000)


def test_persist_timer_survives_a_segment_without_effect() -> None:
    """Data that wait for the window are probed for, whatever else arrives."""
    b, p = start()
    p.wnd = 0
    p.connect()
    b.write(p.sid, 1000)
    b.run(100)
    p.send("psh", length=5)  # no ACK: dropped
    b.none(200)
    assert b.events()["hit_dropped"] == 1
    b.skip(b.cfg["rto_max"])
    assert b.next()["seq"] == p.ack - 1


@pytest.mark.parametrize("how", ["seq", "ts", "old"])
def test_rfc6191_reuse(how: str) -> None:
    """A new SYN replaces a connection in TIME-WAIT if it is clearly newer."""
    b, p = start(use_ts=1)
    opts = TS if how == "ts" else {}
    p.opts = opts
    b.hash_of = lambda key: 1000  # type: ignore[method-assign]
    p.connect(opts)
    b.write(p.sid, 9000, fin=True)  # more than the clock of initial numbers goes on meanwhile
    drain(b)
    p.ack += 9001
    p.send("fin ack")
    b.until(lambda: b.over)
    drain(b)
    b.notes.clear()
    at = {"seq": p.seq + 1000, "ts": p.seq - 5000, "old": p.seq - 5000}[how]
    more: dict[str, Any] = {"opts": TS | {"ts_val": 200}} if how == "ts" else {}
    p.send("syn", at=at % M, **more)
    r = b.next()
    if how == "old":
        assert flags(r) == "A" and r["ack"] == p.seq
        return
    assert flags(r) == "SA" and r["ack"] == (at + 1) % M
    assert (r["seq"] - p.ack) % M < M // 2  # RFC 9293, 3.6.1
    assert b.events()["hit_time_wait_reuse"] == 1
    b.arrive(p, flags="ack", seq=at + 1, ack=r["seq"] + 1, **more)
    b.until(lambda: b.notes, what="opened")


def test_rfc1337_time_wait() -> None:
    """RST does not end TIME-WAIT."""
    b, p = start()
    p.connect()
    b.write(p.sid, 0, fin=True)
    b.next()
    p.ack += 1
    p.send("fin ack")
    b.until(lambda: b.over)
    p.send("rst")
    b.run(200)
    assert b.dut.get("sessions") == b.dut.get("time_wait") == 1
    b.skip(b.cfg["time_wait"] + LATE)
    assert b.dut.get("sessions") == b.dut.get("time_wait") == 0
