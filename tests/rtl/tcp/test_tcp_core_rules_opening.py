# SPDX-License-Identifier: Apache-2.0
"""Rules of the TCP core, one test per clause: opens, SYN cookies and stale lookups."""

from __future__ import annotations

import pytest
from tcp_core_bench import Bench, M, Peer, flags, signed
from tcp_core_rules import TS, drain, start

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
    b.give("s_open", ip=0x0A000005, port=5)
    assert answer(b) == "no_room"
    b.accepting = True
    assert b.dut.get("sessions") == 0
    for i in range(5):
        b.give("s_open", ip=0x0A000005, port=5 + i)
    assert answer(b) == "no_room"
    b.run(200)
    for _ in range(5):
        b.skip(b.cfg["rto_init"] * 16)
    assert [answer(b) for _ in range(4)] == ["unreachable"] * 4
    b.until(b.quiet)
    b.dut.set("cfg", b.cfg | {"enable": 0})
    b.give("s_open", ip=0x0A000005, port=5)
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
    fake.send()  # may be what is left of a client whose first segment was lost
    b.none()
    fake.send(ack=fake.ack ^ 1 << 31)  # not of this time
    assert flags(b.next()) == "R" and b.dut.get("sessions") == 2
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


@pytest.mark.parametrize("established", [0, 1])
def test_rfc4987_a_quarter(established: int) -> None:
    """At reset, silent peers get a quarter of what is free, and an honest one connects."""
    b = Bench(4, half_open=0)
    b.listen(80)
    for i in range(established):
        Peer(b, port=50 + i).connect()
    for i in range(8):
        Peer(b, port=100 + i).send("syn")
        assert flags(b.next()) == "SA"
    silent = 1 - established  # with three numbers left none is for them
    assert b.dut.get("sessions") == established + silent
    assert b.events()["miss_cookie_sent"] == 8 - silent
    p = Peer(b, port=200)
    p.send("syn")
    p.ack = (b.next()["seq"] + 1) % M
    p.send()
    b.until(lambda: b.notes, what="opened")
    assert b.dut.get("sessions") == established + silent + 1


def test_rfc4987_key() -> None:
    """Cookies have a key of their own: with another one they are void."""
    b = Bench(4, half_open=1)
    b.listen(80)
    Peer(b, port=100).send("syn")
    b.next()
    p = Peer(b, port=200, seq=5000)
    p.send("syn")
    p.ack = (b.next()["seq"] + 1) % M
    for bit in (0, 63):
        b.dut.set("cfg", b.cfg | {"cookie_key": b.cfg["cookie_key"] ^ 1 << bit})
        p.send()
        b.none()
    b.dut.set("cfg", b.cfg)
    p.send()
    b.until(lambda: b.notes, what="opened")


@pytest.mark.parametrize("ip", [0, 5, 0x7F000001, 0xE0000001, 0xF0000001, 0xFFFFFFFF, 0x0A000001])
def test_rfc9293_open_to_no_peer(ip: int) -> None:
    """3.10.1: an active open to an address that no peer can have fails, and sends nothing."""
    b, _ = start()
    b.give("s_open", ip=ip, port=5)
    assert answer(b) == "unreachable"
    b.none()
    b.give("s_open", ip=0x0A000005, port=5)
    assert flags(b.next()) == "S"


def test_rfc4987_first_segment_lost() -> None:
    """The segment with the cookie is lost: what follows ends nothing; sent again, it begins.

    Also an ACK without data, which a client sends that gets a second cookie for a repeated SYN.
    """
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
    p.send("ack", at=first + 200)
    b.none()
    assert b.events()["miss_ignored"] == 3
    p.send("ack", at=first + 200, ack=p.ack ^ 1 << 31)  # no cookie's time: RFC 9293, 3.10.7.2
    assert flags(b.next()) == "R"
    p.send("psh ack", length=100, at=first)
    b.until(lambda: b.notes, what="opened")
    assert b.events()["miss_cookie_accepted"] == 1


def test_answers_while_a_session_fills_the_wire() -> None:
    """SYNs are answered between its segments, for a twelfth of its bytes; neither starves."""
    b, p = start(half_open=1, init_segs=40)
    p.connect()
    Peer(b, port=99).send("syn")
    b.next()
    b.dut.stall("m_tx", 0.95)
    b.write(p.sid, 58_400)
    for i in range(90):
        Peer(b, port=1000 + i).send("syn")
    while sum(r["len"] for r in b.wire) < 58_400:
        b.run(50)
    kinds = "".join("d" if r["len"] else "c" for r in b.wire if r["len"] or flags(r) == "SA")
    middle = kinds[8:].rstrip("c")
    share = 84 * middle.count("c") / (1538 * middle.count("d") + 84 * middle.count("c"))
    assert kinds.count("d") == 40 and 0.05 < share < 0.10
    b.dut.stall("m_tx", 0.0)
    while b.wire.popleft() and len(b.wire):
        b.run(50)
    assert b.events()["miss_cookie_sent"] == 90


def test_rfc4987_cookies_at_line_rate() -> None:
    """SYNs are answered as fast as they come here (a record moves in two cycles), all different."""
    b, _ = start(half_open=1)
    Peer(b, port=99).send("syn")
    b.next()
    b.dut.sent("s_miss")
    peers = [Peer(b, port=1000 + i, seq=77 * i) for i in range(200)]
    for p in peers:
        p.send("syn")
    b.run(1200)
    assert len(b.wire) == 200 == b.events()["miss_cookie_sent"]
    first, last = b.wire[0]["cycle"], b.wire[-1]["cycle"]
    print(f"cycles a cookie: {(last - first) / 199:.2f}")
    assert (last - first) / 199 <= 2.1
    assert len({r["seq"] for r in b.wire}) == 200
    for p, r in zip(peers, b.wire, strict=True):
        assert r["tuple.peer_port"] == p.port and r["ack"] == p.seq + (p.port == 0)
    honest = peers[150]
    honest.ack = (b.wire[150]["seq"] + 1) % M
    honest.send()
    b.until(lambda: b.notes, what="opened")


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
    """False hits come back to back: each is looked up again, none is forgotten."""
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
    """Segments right after the one that ends their session are answered as without a session."""
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
    """3.10.7.2: an open port ignores segments without SYN, ACK, RST; a closed one answers."""
    b, p = start()
    for f in ("", "fin", "psh", "fin psh urg"):
        p.send(f, 4)
        assert not drain(b, 100)
        Peer(b, local=81).send(f, 4)
        assert flags(b.next()) == "RA"


def test_late_writer() -> None:
    """A write record of an earlier session changes nothing."""
    b, p = start()
    p.connect()
    s = b.s[p.sid]
    for seq in (s.tail - 1, s.tail + 65537, s.tail + (1 << 31)):
        b.give("s_tx_data", sid=p.sid, seq=seq % M, abort=1)
        b.give("s_tx_data", sid=p.sid, seq=seq % M, fin=1)
    b.give("s_tx_data", sid=p.sid ^ 1, seq=0, abort=1)
    assert not drain(b)
    assert b.events()["data_ignored"] == 7
