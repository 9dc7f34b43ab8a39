# SPDX-License-Identifier: Apache-2.0
"""Rules of the TCP core one by one, by the clause that makes them."""

from __future__ import annotations

from typing import Any

import pytest
from tcp_core_bench import Bench, M, Peer, blocks, flags, sack, signed

TS = {"ts_valid": 1, "ts_val": 100, "ts_ecr": 0}


def start(**cfg: int) -> tuple[Bench, Peer]:
    """A core with one connection."""
    b = Bench(4, **cfg)
    b.listen(80)
    p = Peer(b)
    return b, p


def drain(b: Bench, cycles: int = 400) -> list[dict[str, int]]:
    """All that comes out."""
    b.run(cycles)
    out = list(b.wire)
    b.wire.clear()
    return out


# ---- receiving -----------------------------------------------------------------------------------


def test_rfc2018_blocks() -> None:
    """SACK blocks: the newest first, joined ranges as one; each segment ahead has its ACK."""
    b, p = start(use_sack=1)
    p.connect({"sack_ok": 1})
    base = p.seq
    for at in (1000, 3000, 5000):
        p.send(length=500, at=base + at)
    out = drain(b)
    assert [r["ack"] for r in out] == [base] * 3
    want = [(1000, 1500), (3000, 3500), (5000, 5500)]
    assert [x - base for x in blocks(out[0])[0]] == [1000, 1500]
    assert [(x - base, y - base) for x, y in blocks(out[2])] == want[::-1]
    p.send(length=500, at=base + 3500)
    (r,) = drain(b)
    got = [(x - base, y - base) for x, y in blocks(r)]
    assert got == [(3000, 4000), (5000, 5500), (1000, 1500)]
    p.send(length=500, at=base + 7000)
    p.send(length=500, at=base + 9000)  # a fifth range: not taken
    out = drain(b)
    assert len(blocks(out[-1])) == 4 and b.events()["rx_ooo_full"] == 1
    p.send(length=1000, at=base)
    (r,) = drain(b)
    assert r["ack"] == base + 1500 and b.s[p.sid].upto == base + 1500
    p.send(length=4000, at=base + 1500)  # covers a range whole and ends in the next
    (r,) = drain(b)
    assert r["ack"] == base + 5500
    assert b.covers(p.sid, base, base + 5500)


def test_rfc5681_bursts_of_duplicates() -> None:
    """While nothing can be sent duplicate ACKs are owed, not joined."""
    b, p = start()
    p.connect()
    b.dut.stall("m_tx", 0.995, seed=3)
    for i in range(5):
        p.send(length=100, at=p.seq + 1000 + 100 * i)
    b.run(100)
    b.dut.stall("m_tx", 0.0)
    out = drain(b)
    assert len(out) == 5 and all(r["ack"] == p.seq and r["len"] == 0 for r in out)


def test_rfc9293_trimming() -> None:
    """What is old is cut in front, what lies beyond the window behind."""
    b, p = start(rx_ring=4096)
    b.auto_read = False
    p.connect()
    base = p.seq
    p.send(length=1000)
    p.send(length=1000, at=base + 500)
    b.run(100)
    assert b.s[p.sid].stored == [(base, 1000), (base + 1000, 500)]
    p.send(length=4000, at=base + 1000)
    b.run(100)
    assert b.s[p.sid].upto == base + 4096
    drain(b)
    p.send(length=10, at=base + 4096)  # zero window
    (r,) = drain(b)
    assert r["ack"] == base + 4096 and r["wnd"] == 0
    b.read(p.sid, 1)
    assert not drain(b)  # silly window
    b.read(p.sid, 2100)
    (r,) = drain(b)
    assert r["wnd"] == 2101


def test_rfc9293_fin_ahead() -> None:
    """FIN ahead of a gap counts when the gap is filled; one beyond the window does not."""
    b, p = start()
    p.connect()
    base = p.seq
    p.send("fin ack", 100, at=base + 100)
    b.run(100)
    assert not b.s[p.sid].fin
    p.send(length=100, at=base)
    b.run(100)
    assert b.s[p.sid].fin and b.s[p.sid].upto == base + 200
    assert drain(b)[-1]["ack"] == base + 201


def test_rfc7323_paws() -> None:
    """Old timestamps are refused with an ACK, segments without one dropped; the echo is right."""
    b, p = start(use_ts=1)
    p.opts = TS
    r = p.connect(TS)
    p.opts = {}
    assert r["opts.ts_valid"] and r["opts.ts_ecr"] == 100
    p.send(length=10, opts=TS | {"ts_val": 90})
    (r,) = drain(b)
    assert r["ack"] == p.seq - 10 and b.events()["hit_paws"] == 1
    p.seq -= 10
    p.send(length=10)
    assert not drain(b)
    assert b.events()["hit_dropped"] == 1
    p.seq -= 10
    p.send(opts=TS | {"ts_val": 101})
    p.send(length=10, opts=TS | {"ts_val": 102})
    p.send(length=10, opts=TS | {"ts_val": 103})
    (r,) = drain(b)
    assert r["ack"] == p.seq and r["opts.ts_ecr"] == 102  # 4.3 (2): not the delayed one's
    p.send(length=10, at=p.seq + 100, opts=TS | {"ts_val": 110})
    (r,) = drain(b)
    assert r["opts.ts_ecr"] in (102, 103)
    p.send("rst", opts={})
    b.until(lambda: b.over)


# ---- attacks -------------------------------------------------------------------------------------


def test_rfc5961_rst() -> None:
    """RST counts at rcv_nxt only; in the window it is challenged, elsewhere dropped."""
    b, p = start()
    p.connect()
    for at, answers in ((1, 1), (60000, 1), (-1, 0), (66000, 0), (1 << 31, 0)):
        p.send("rst", at=(p.seq + at) % M)
        out = drain(b)
        assert [flags(r) for r in out] == ["A"] * answers, at
    p.send("rst", at=p.seq)
    b.until(lambda: b.over)
    assert b.over[0].ended == "reset"


def test_rfc5961_syn() -> None:
    """A SYN never ends a connection; so does a SYN, ACK not."""
    b, p = start()
    p.connect()
    for f in ("syn", "syn ack", "syn ack rst"):
        p.send(f, at=p.seq + 5)
        (r,) = drain(b)
        assert flags(r) == "A" and r["ack"] == p.seq
    p.send("syn", at=p.seq - 1)
    (r,) = drain(b)
    assert flags(r) == "A"


def test_rfc5961_ack() -> None:
    """ACKs of what was never sent, or too old, are challenged; the answers are limited."""
    b, p = start()
    p.connect()
    sid = p.sid
    p.send(ack=(p.ack + 1) % M)
    p.send(ack=(p.ack - 65537) % M)
    p.send(length=10, at=p.seq, ack=(p.ack + 100000) % M)
    out = drain(b)
    assert [r["ack"] for r in out] == [p.seq] * 3
    assert b.s[sid].upto == p.seq
    for _ in range(10):
        p.send(ack=(p.ack + 1) % M)
    assert len(drain(b, 800)) == 4
    assert b.events()["hit_rate_limited"] == 6
    b.skip(140_000)
    p.send(ack=(p.ack + 1) % M)
    assert len(drain(b)) == 1


def test_rfc9293_no_ack_flag() -> None:
    """Without the ACK flag a segment is dropped."""
    b, p = start()
    p.connect()
    p.send("psh", 10)
    assert not drain(b)
    assert b.s[p.sid].upto == p.seq - 10


def test_rfc9293_syn_received_bad_ack() -> None:
    """A wrong ACK in the handshake is answered with RST, and the right one still counts."""
    b, p = start()
    p.send("syn")
    r = b.next()
    p.send(ack=(r["seq"] + 2) % M)
    rst = b.next()
    assert flags(rst) == "R" and rst["seq"] == (r["seq"] + 2) % M
    p.ack = (r["seq"] + 1) % M
    p.send()
    b.until(lambda: b.notes)


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
    """With SACK what is missing goes again, and only that."""
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
    """What is lost when it is sent again goes once more, as soon as later data prove it lost."""
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
    """Reports of duplicates do not begin a recovery."""
    b, p = start(use_sack=1)
    p.connect({"sack_ok": 1})
    b.write(p.sid, 10000)
    drain(b, 600)
    for _ in range(5):
        p.send(opts=sack((p.ack - 500, p.ack)))
    assert not drain(b)
    assert "fast_recovery" not in b.events()


def test_rfc2018_after_timeout() -> None:
    """After a time-out the holes go again, in slow start, and what was reported does not."""
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
    """Probes with growing distance while the window is zero, for as long as they are answered."""
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
    """A peer that does not answer probes is given up."""
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
    """A peer without window scale is offered at most 65535, whatever the ring; default MSS 536."""
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
    """A silent peer is probed and given up; one that answers is not."""
    b, p = start(keep_idle=10_000)
    p.connect()
    b.run(100)
    assert not b.dut.get("busy")
    for _ in range(4):
        b.skip(10_100)
        r = b.next()
        assert r["len"] == 0 and r["seq"] == p.ack - 1
        p.send()
        b.none(100)
    b.skip(10_100)
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
    """An application that does not read what is left is not waited for."""
    b, p = start()
    b.auto_read = False
    p.connect()
    p.send(length=500)
    p.send("rst")
    b.run(200)
    assert b.s[p.sid].ended == "reset" and b.dut.get("sessions") == 1
    b.skip(b.cfg["linger"] + 10)
    b.until(lambda: b.over)
    assert b.over[0].forgotten
    b.until(b.quiet)
    assert b.events()["linger_timeout"] == 1


@pytest.mark.parametrize("how", ["seq", "ts", "old"])
def test_rfc6191_reuse(how: str) -> None:
    """A new SYN takes the place of a connection in TIME-WAIT if it is clearly newer."""
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
    assert b.dut.get("sessions") == 1


# ---- opening -------------------------------------------------------------------------------------


def dial(b: Bench, port: int = 9) -> tuple[Peer, dict[str, int]]:
    """The application opens; the SYN and its target."""
    b.give("s_open", ip=0x0A000002, port=port)
    r = b.next(what="SYN")
    assert flags(r) == "S"
    p = Peer(b, port=port, local=r["tuple.local_port"], seq=77000)
    p.ack = (r["seq"] + 1) % M
    return p, r


def answer(b: Bench) -> str:
    """What became of an open."""
    b.until(lambda: b.opened, what="an answer")
    return {0: "ok", 4: "refused", 5: "unreachable", 9: "no_room", 12: "disabled"}[
        b.opened.popleft()["reason"]
    ]


def test_active_open() -> None:
    """SYN with all options, SYN, ACK, data both ways; ports are different ones."""
    b = Bench(4, use_ws=1, use_ts=1, use_sack=1)
    p, r = dial(b)
    assert r["opts.mss"] == 1460 and r["opts.ws_valid"] and r["opts.sack_ok"] and r["opts.ts_valid"]
    assert r["tuple.local_port"] >= 32768
    p.send("syn ack", opts={"mss_valid": 1, "mss": 1000})
    r = b.next()
    assert (flags(r), r["seq"], r["ack"]) == ("A", p.ack, p.seq)
    assert answer(b) == "ok"
    assert not b.notes
    sid = r["sid"]
    b.write(sid, 1500)
    assert [r["len"] for r in drain(b)] == [1000, 500]
    p.send(length=10)
    b.run(100)
    assert b.s[sid].upto == p.seq
    b.skip(b.cfg["ack_delay"])
    assert len(drain(b)) == 1
    p.ack = (p.ack + 1500) % M
    p.send()
    q, r2 = dial(b, 10)
    assert r2["tuple.local_port"] != p.local
    q.send("rst ack")
    assert answer(b) == "refused"
    q, _ = dial(b, 11)
    for k in range(b.cfg["syn_retries"]):
        b.skip(b.cfg["rto_init"] * 2**k + 100)
        assert flags(b.next()) == "S"
    b.skip(b.cfg["rto_max"])
    assert answer(b) == "unreachable"
    q, _ = dial(b, 12)
    q.send("ack", ack=q.ack + 5)  # of something else: RFC 9293, 3.5.1
    r = b.next()
    assert flags(r) == "R" and r["seq"] == q.ack + 5
    q.send("syn ack", opts={})
    assert flags(b.next()) == "A"
    assert answer(b) == "ok"
    assert b.dut.get("sessions") == 2


def test_simultaneous_open() -> None:
    """RFC 9293, 3.5, figure 7."""
    b = Bench(4)
    p, r = dial(b)
    p.send("syn", opts={"mss_valid": 1, "mss": 1000})
    again = b.next()
    assert (flags(again), again["seq"], again["ack"]) == ("SA", r["seq"], p.seq)
    p.send("syn ack", at=p.seq - 1)
    assert answer(b) == "ok"
    b.wire.clear()
    b.write(again["sid"], 10)
    assert drain(b)[0]["len"] == 10


def test_open_limits() -> None:
    """No number, no room in the table, engine off: an answer each time, and nothing is lost."""
    b = Bench(4)
    b.accepting = False
    b.give("s_open", ip=5, port=5)
    assert answer(b) == "no_room"
    b.accepting = True
    assert b.dut.get("sessions") == 0
    for i in range(5):
        b.give("s_open", ip=5, port=5 + i)
    assert answer(b) == "no_room"
    b.run(200)
    for _ in range(5):
        b.skip(b.cfg["rto_init"] * 16)
    assert [answer(b) for _ in range(4)] == ["unreachable"] * 4
    b.until(b.quiet)
    b.dut.set("cfg", b.cfg | {"enable": 0})
    b.give("s_open", ip=5, port=5)
    assert answer(b) == "disabled"


@pytest.mark.parametrize("opts", [{}, TS | {"ws_valid": 1, "ws": 4, "sack_ok": 1}])
def test_rfc4987_cookies(opts: dict[str, int]) -> None:
    """With the half-open sessions full SYNs cost nothing, and honest clients still connect."""
    b = Bench(4, half_open=2, use_ws=1, use_ts=1, use_sack=1)
    b.listen(80)
    for i in range(2):
        Peer(b, port=100 + i).send("syn")
        b.next()
    p = Peer(b, port=200, seq=123456)
    p.send("syn", opts={"mss_valid": 1, "mss": 1300} | opts)
    r = b.next()
    assert flags(r) == "SA" and b.dut.get("sessions") == 2
    assert r["opts.mss"] == 1460 and r["opts.ws_valid"] == bool(opts)
    fake = Peer(b, port=201, seq=p.seq, ack=(r["seq"] + 1) % M)
    fake.send()
    assert flags(b.next()) == "R"
    p.ack = (r["seq"] + 1) % M
    if opts:
        p.opts = {"ts_valid": 1, "ts_val": 101, "ts_ecr": r["opts.ts_val"]}
    p.send(length=100)  # the payload of the ACK is lost to the table
    b.until(lambda: b.notes, what="opened")
    p.sid = b.notes.popleft()[0]
    b.write(p.sid, 3000)
    out = drain(b)
    assert out[0]["len"] == (1208 if opts else 1220)
    p.send(length=100, at=p.seq - 100)
    p.send(length=100)
    b.run(100)
    assert b.s[p.sid].upto == p.seq
    p.send(length=10, at=p.seq + 10)
    r = drain(b)[-1]
    assert r["opts.sacks"] == bool(opts) and r["opts.ts_valid"] == bool(opts)
    assert b.events()["miss_cookie_accepted"] == 1
    b.skip(200_000_000)
    drain(b)
    q = Peer(b, port=p.port, seq=p.seq, ack=p.ack)
    b.table.clear()
    q.send()  # the same ACK minutes later
    assert flags(b.next()) == "R"


def test_rfc4987_first_segment_lost() -> None:
    """Data and FIN that overtake the segment with the cookie end nothing; sent again, it begins."""
    b = Bench(4, half_open=1)
    b.listen(80)
    Peer(b, port=100).send("syn")
    b.next()
    p = Peer(b, port=200, seq=5000)
    p.send("syn")
    r = b.next()
    first, p.ack = p.seq, (r["seq"] + 1) % M
    p.send("psh ack", length=100, at=first + 100)
    p.send("fin ack", at=first + 200)
    b.run(200)
    assert not b.wire and b.events()["miss_ignored"] == 2
    p.send("ack", at=first + 200)  # no data: RFC 9293, 3.10.7.2
    assert flags(b.next()) == "R"
    p.send("psh ack", length=100, at=first)
    b.until(lambda: b.notes, what="opened")
    assert b.events()["miss_cookie_accepted"] == 1


def test_answers_while_a_session_fills_the_wire() -> None:
    """SYNs are answered between its segments, one for one at most; neither starves."""
    b, p = start(half_open=1, init_segs=40)
    p.connect()
    Peer(b, port=99).send("syn")
    b.next()
    b.dut.stall("m_tx", 0.95)
    b.write(p.sid, 58_400)
    for i in range(60):
        Peer(b, port=1000 + i).send("syn")
    while sum(r["len"] for r in b.wire) < 58_400:
        b.run(50)
    kinds = "".join("d" if r["len"] else "c" for r in b.wire if r["len"] or flags(r) == "SA")
    assert kinds.count("d") == 40 and 15 <= kinds.rstrip("c").count("c") <= 40
    assert "cc" not in kinds[8:].rstrip("c")
    b.dut.stall("m_tx", 0.0)


def test_stale_lookups() -> None:
    """A segment that the front found no session for, when there is one now, or the other way."""
    b, p = start()
    p.connect()
    key = (p.ip, p.port, p.local)
    sid = b.table.pop(key)
    p.send("fin ack")
    b.dut.run(1)
    b.table[key] = sid
    b.run(200)
    assert b.events()["miss_relookup_hit"] == 1 and b.s[sid].fin
    drain(b)
    p.send(length=50, sid=sid ^ 1)  # a number that is no session's
    assert not drain(b)  # looked up again: it has one, but the payload is gone
    other = Peer(b, port=999)
    other.send(length=50, sid=sid)  # another's; looked up again it has none
    assert flags(b.next()) == "R"
    other.send("rst", sid=sid)  # RST is never answered
    b.run(200)
    assert not b.wire
    assert b.events()["hit_stale"] == 3 and not b.expect_frames


def test_many_stale_lookups() -> None:
    """Hits that are none come back to back: each is looked up again, none is forgotten."""
    b, p = start()
    p.connect()
    count = 24
    for i in range(count):
        Peer(b, port=500 + i).send(length=i % 2 * 50, sid=p.sid ^ i & 1)
    b.run(count * 60)
    assert b.events()["hit_stale"] == count
    out = drain(b)
    assert {r["tuple.peer_port"] for r in out if flags(r) == "R"} == set(range(500, 500 + count))
    assert not b.expect_frames
    p.send(length=10)
    b.run(100)
    assert b.s[p.sid].upto == p.seq


@pytest.mark.parametrize("wraps", [False, True])
def test_timestamp_is_never_zero(wraps: bool) -> None:
    """Peers take a timestamp of 0 for none at all, from reset on and when the clock wraps."""
    b = Bench(4, use_ts=1, half_open=1)
    b.listen(80)
    if wraps:  # 50 days, in jumps that the clock allows
        for _ in range(1023):
            for us in (1 << 31, 0):
                b.dut.set("now_us", us)
                b.dut.run(2)
        b.skip(1 << 31)
        b.skip((1 << 31) - 2000)
    p = Peer(b, opts=TS)
    r = p.connect(TS)
    assert r["opts.ts_val"] != 0
    last = r["opts.ts_val"]
    for _ in range(12):
        p.send("psh ack", 10)
        p.send("psh ack", 10)
        r = b.next()
        assert r["opts.ts_val"] != 0 and signed(r["opts.ts_val"] - last) >= 0
        last = r["opts.ts_val"]
        b.skip(300)
    Peer(b, port=100).send("syn")  # the only one in the making that is allowed
    b.next()
    q = Peer(b, port=200)
    q.send("syn", opts=TS)
    r = b.next()
    assert b.events()["miss_cookie_sent"] == 1 and r["opts.ts_val"] != 0


def test_close_behind_the_end() -> None:
    """Segments right behind the one that ends their session are answered as without it."""
    b, p = start()
    p.connect()
    p.send("rst", sid=p.sid)
    p.send("psh ack", 10, sid=p.sid)
    assert flags(b.next()) == "R"
    b.until(b.quiet)
    p.connect()
    p.send("rst", at=p.seq, sid=p.sid)
    p.send("syn", sid=p.sid)
    assert flags(b.next()) == "SA"


def test_rfc9293_no_flag_that_counts() -> None:
    """3.10.7.2: an open port is silent about segments without SYN, ACK, RST; a closed one not."""
    b, p = start()
    for f in ("", "fin", "psh", "fin psh urg"):
        p.send(f, 4)
        assert not drain(b, 100)
        Peer(b, local=81).send(f, 4)
        assert flags(b.next()) == "RA"


def test_late_writer() -> None:
    """A record of the writer that belongs to an earlier session changes nothing."""
    b, p = start()
    p.connect()
    s = b.s[p.sid]
    for seq in (s.tail - 1, s.tail + 65537, s.tail + (1 << 31)):
        b.give("s_tx_data", sid=p.sid, seq=seq % M, abort=1)
        b.give("s_tx_data", sid=p.sid, seq=seq % M, fin=1)
    b.give("s_tx_data", sid=p.sid ^ 1, seq=0, abort=1)
    assert not drain(b)
    assert b.events()["data_ignored"] == 7
