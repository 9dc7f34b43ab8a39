# SPDX-License-Identifier: Apache-2.0
"""Tail loss probes of the TCP core (RFC 8985, 7), one test per rule."""

from __future__ import annotations

import pytest
from tcp_core_bench import Bench, M, Peer, flags, sack
from tcp_core_rules import drain, start

S = 1460
RTT = 100


def sender(segments: int, delivered: int, cubic: bool = False, **cfg: int) -> tuple[Bench, Peer]:
    """A session of RTT us that has sent `segments`, of which so many are acknowledged."""
    b, p = start(cubic=cubic, **{"use_sack": 1, "use_tlp": 1, "init_segs": 20} | cfg)
    p.send("syn", opts={"mss_valid": 1, "mss": S, "sack_ok": 1})
    p.ack = (b.next()["seq"] + 1) % M
    b.skip(RTT)
    p.send()
    b.until(lambda: b.notes, what="opened")
    p.sid = b.notes.popleft()[0]
    b.run(60)
    b.write(p.sid, segments * S)
    assert len(drain(b, 600)) == segments
    b.skip(RTT)
    if delivered:
        p.ack += delivered * S
        p.send()
        drain(b)
    return b, p


def probe_after(b: Bench, least: int, most: int) -> dict[str, int]:
    """The next segment comes between two times."""
    b.skip(least)
    b.none(100)
    b.skip(most - least)
    return b.next(what="a probe")


@pytest.mark.parametrize("cubic", [False, True])
def test_7_last_segment_lost(cubic: bool) -> None:
    """Repaired after two round trips and the peer's delay, not after the RTO; then cwnd is cut."""
    b, p = sender(10, 9, cubic)
    last = p.ack
    r = probe_after(b, RTT + b.cfg["tlp_delay"], 3 * RTT + b.cfg["tlp_delay"])
    assert (r["seq"], r["len"]) == (last, S) and b.events()["tx_tlp"] == 1
    b.skip(RTT)
    p.ack += S
    p.send()
    assert not drain(b) and "tlp_loss" not in b.events()
    b.write(p.sid, 3 * S)
    assert [r["len"] for r in drain(b)] == [S] * 3
    p.ack += S
    p.send()
    drain(b)
    assert b.events()["tlp_loss"] == 1  # 7.4.2: something new behind it is acknowledged
    assert "rto" not in b.events() and "fast_recovery" not in b.events()


def test_7_two_segments_lost() -> None:
    """With more than one segment in flight the peer owes an ACK at once: two round trips."""
    b, p = sender(10, 8)
    base = p.ack
    r = probe_after(b, RTT, 2 * RTT)
    assert (r["seq"] - base, r["len"]) == (S, S)
    p.send(opts=sack((base + S, base + 2 * S)))  # the probe arrives: the one before it is lost
    r = b.next()
    assert r["seq"] == base and b.events()["fast_recovery"] == 1
    p.ack += 2 * S
    p.send()
    assert not drain(b) and "rto" not in b.events() and "tlp_loss" not in b.events()


def test_7_3_beyond_the_window_of_congestion() -> None:
    """No space in cwnd, data wait: the probe is the next segment of them."""
    b, p = sender(10, 0, init_segs=10)
    b.write(p.sid, 20 * S)
    base, sent = p.ack, 10
    b.skip(RTT)  # the second one; less than tlp_delay
    r = b.next(what="a probe")
    assert ((r["seq"] - base) // S, r["len"]) == (sent, S)
    p.ack += (sent + 1) * S  # all had arrived: nothing was lost
    p.send()
    drain(b, 600)
    assert "tlp_loss" not in b.events() and "tx_retransmit" not in b.events()


def test_7_4_spurious() -> None:
    """The ACK was late, the segment comes twice: D-SACK or a plain duplicate ACK says so."""
    for report in (True, False):
        b, p = sender(10, 9)
        last = p.ack
        probe_after(b, RTT + b.cfg["tlp_delay"], 3 * RTT + b.cfg["tlp_delay"])
        p.ack += S
        p.send()
        p.send(opts=sack((last, last + S)) if report else {})
        drain(b)
        b.write(p.sid, 2 * S)
        assert len(drain(b)) == 2
        p.ack += 2 * S
        p.send()
        drain(b)
        assert "tlp_loss" not in b.events()


def test_7_once_then_the_timeout() -> None:
    """One probe; without an answer the RTO follows, counted from the probe; then all is as ever."""
    b, p = sender(10, 8)
    base = p.ack
    probe_after(b, RTT, 3 * RTT)
    b.skip(b.cfg["rto_min"] - 200)
    b.none(100)
    b.skip(400)
    r = b.next(what="the retransmission")
    assert r["seq"] == base and b.events()["rto"] == 1 and b.events()["tx_tlp"] == 1
    p.ack += 2 * S
    p.send()
    drain(b)
    b.write(p.sid, 4 * S)
    assert len(drain(b)) >= 2


def test_7_hole_with_little_above() -> None:
    """Two segments above a hole are too few for RFC 6675; after two round trips it is lost."""
    b, p = sender(4, 1)
    base = p.ack
    p.send(opts=sack((base + S, base + 3 * S)))
    b.none(100)
    r = probe_after(b, RTT, 3 * RTT)
    assert r["seq"] == base and r["len"] == S and b.events()["fast_recovery"] == 1
    assert "tx_tlp" not in b.events() and "rto" not in b.events()


def test_7_no_probe_in_recovery() -> None:
    """Recovery stops the timer of a probe: the next one is the RTO, of the whole time."""
    b, p = sender(10, 0)
    base = p.ack
    p.send(opts=sack((base + S, base + 5 * S)))
    assert b.next()["seq"] == base
    b.skip(4 * RTT)
    b.none(100)
    assert "tx_tlp" not in b.events()
    b.skip(b.cfg["rto_min"])
    assert b.next()["seq"] == base and b.events()["rto"] == 1


def test_7_fin() -> None:
    """A lost FIN is probed for, with the end of the data before it."""
    b, p = sender(4, 3)
    b.write(p.sid, 0, fin=True)
    assert flags(b.next())[0] == "F"
    r = probe_after(b, RTT, b.cfg["tlp_delay"] + 4 * RTT)
    assert flags(r)[0] == "F" and (r["seq"] + r["len"] + 1 - p.ack) % M == S + 1
    p.ack += S + 1
    p.send("fin ack")
    b.until(lambda: b.over)


@pytest.mark.parametrize("without", ["use_tlp", "use_sack"])
def test_not_negotiated(without: str) -> None:
    """Without SACK, or switched off, there are none."""
    b, p = sender(10, 9, **{without: 0})
    b.skip(b.cfg["rto_min"] - 2 * RTT)
    b.none(100)
    b.skip(3 * RTT)
    assert b.next()["seq"] == p.ack and b.events()["rto"] == 1


def test_idle_time_is_an_rto() -> None:
    """RFC 5681, 4.1: the window starts again after an idle RTO, not after a probe's time."""
    b, p = sender(4, 4, init_segs=4)
    for idle, count in ((b.cfg["rto_min"] // 2, 8), (3 * b.cfg["rto_min"], 4)):
        for _ in range(2):  # a jump of the clock fires a timer once
            b.skip(idle // 2)
        b.write(p.sid, 10 * S)
        assert len(drain(b, 800)) == count
        while p.ack != b.s[p.sid].tail:
            p.ack = (p.ack + min(2 * S, (b.s[p.sid].tail - p.ack) % M)) % M
            p.send()
            drain(b, 200)


def test_zero_window_has_the_persist_timer() -> None:
    """Nothing in flight, data wait for the window: the probe of 3.8.6.1, with the RTO."""
    b, p = sender(10, 10)
    p.wnd = 0
    p.send()
    drain(b)
    b.write(p.sid, S)
    b.skip(b.cfg["rto_min"] - 300)
    b.none(100)
    b.skip(500)
    r = b.next()
    assert r["len"] == 0 and r["seq"] == p.ack - 1 and "tx_tlp" not in b.events()
