# SPDX-License-Identifier: Apache-2.0
"""Rules of the TCP core, one test per clause: received segments and attacks."""

from __future__ import annotations

from tcp_core_bench import M, blocks, flags
from tcp_core_rules import TS, drain, start

# ---- receiving -----------------------------------------------------------------------------------


def test_rfc2018_blocks() -> None:
    """SACK blocks: newest first, merged ranges as one; an ACK per out-of-order segment."""
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
    """While nothing can be sent, duplicate ACKs are owed, not merged."""
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
    """Old data are trimmed in front, data beyond the window at the end."""
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
    """An out-of-order FIN counts once the gap is filled; one beyond the window does not."""
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
    """Old timestamps are answered by an ACK, missing ones dropped; the echo is correct."""
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
    """Neither SYN nor SYN, ACK ends a connection."""
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
    """A wrong ACK in the handshake is answered by RST, and the correct one still counts."""
    b, p = start()
    p.send("syn")
    r = b.next()
    p.send(ack=(r["seq"] + 2) % M)
    rst = b.next()
    assert flags(rst) == "R" and rst["seq"] == (r["seq"] + 2) % M
    p.ack = (r["seq"] + 1) % M
    p.send()
    b.until(lambda: b.notes)
