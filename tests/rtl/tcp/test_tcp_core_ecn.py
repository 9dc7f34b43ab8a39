# SPDX-License-Identifier: Apache-2.0
"""Explicit congestion notification of the TCP core (RFC 3168, 6.1), one test per rule."""

from __future__ import annotations

import pytest
from tcp_core_bench import Bench, M, Peer, flags, sack
from tcp_core_rules import drain, start

S = 1460
SETUP = "syn ece cwr"
OFF, REQUEST, ACCEPT = range(3)


def ecn(r: dict[str, int]) -> str:
    """ECT, ECE and CWR of a segment that was sent."""
    names = (("ect", r["ect"]), ("ece", r["flags.ece"]), ("cwr", r["flags.cwr"]))
    return " ".join(name for name, bit in names if bit)


def session(
    setup: str = SETUP, opts: dict[str, int] | None = None, **cfg: int
) -> tuple[Bench, Peer]:
    """A session that the peer opens with these flags; `ecn` of the SYN, ACK must agree."""
    b, p = start(**{"ecn": ACCEPT, "init_segs": 10} | cfg)
    p.send(setup, opts={"mss_valid": 1, "mss": S} | (opts or {}))
    r = b.next()
    agreed = b.cfg["ecn"] != OFF and setup == SETUP
    assert flags(r) == "SA" and ecn(r) == ("ece" if agreed else "")
    p.ack = (r["seq"] + 1) % M
    p.send()
    b.until(lambda: b.notes, what="opened")
    p.sid = b.notes.popleft()[0]
    b.run(60)
    return b, p


@pytest.mark.parametrize("setup", [SETUP, "syn", "syn ece", "syn cwr"])
@pytest.mark.parametrize("mode", [OFF, REQUEST, ACCEPT])
def test_6_1_1_accept(setup: str, mode: int) -> None:
    """Only an ECN-setup SYN is agreed to; without agreement nothing is marked or obeyed."""
    b, p = session(setup, ecn=mode)
    agreed = mode != OFF and setup == SETUP
    b.write(p.sid, 3 * S)
    assert [ecn(r) for r in drain(b)] == ["ect" if agreed else ""] * 3
    p.ack += S
    p.send("ack ece")
    drain(b)
    p.send(length=10, ce=1)
    p.send(length=10)
    assert [ecn(r) for r in drain(b)] == (["ece", "ece"] if agreed else [""])
    assert ("ecn_reduced" in b.events()) == ("ecn_ce" in b.events()) == agreed


@pytest.mark.parametrize("reply", ["syn ack ece", "syn ack", "syn ack ece cwr"])
@pytest.mark.parametrize("mode", [OFF, REQUEST, ACCEPT])
def test_6_1_1_request(reply: str, mode: int) -> None:
    """An active open requests it; SYN, ACK with ECE alone agrees (6.1.1)."""
    b, _ = start(ecn=mode)
    b.give("s_open", ip=0x0A000002, port=7)
    r = b.next()
    assert flags(r) == "S" and ecn(r) == ("ece cwr" if mode == REQUEST else "")
    p = Peer(b, port=7, local=r["tuple.local_port"], seq=5000, ack=(r["seq"] + 1) % M)
    p.send(reply, opts={"mss_valid": 1, "mss": S})
    assert ecn(b.next()) == ""
    b.until(lambda: b.opened)
    b.run(60)
    b.write(r["sid"], S)
    assert ecn(b.next()) == ("ect" if (mode, reply) == (REQUEST, "syn ack ece") else "")


def test_6_1_1_1_fallback() -> None:
    """A network may drop such SYNs: the retransmission does not request it, and it is off."""
    b, _ = start(ecn=REQUEST)
    b.give("s_open", ip=0x0A000002, port=7)
    assert ecn(b.next()) == "ece cwr"
    b.skip(b.cfg["rto_init"] + 100)
    r = b.next()
    assert flags(r) == "S" and ecn(r) == ""
    p = Peer(b, port=7, local=r["tuple.local_port"], seq=5000, ack=(r["seq"] + 1) % M)
    p.send("syn ack ece", opts={"mss_valid": 1, "mss": S})
    drain(b)
    b.write(r["sid"], S)
    assert ecn(b.next()) == ""


def test_6_1_3_receiver() -> None:
    """ECE on each ACK from the first mark to CWR; a mark with CWR begins again."""
    b, p = session()
    p.send(length=100)
    p.send(length=100)
    assert [ecn(r) for r in drain(b)] == [""]
    p.send(length=100, ce=1)
    assert [ecn(r) for r in drain(b)] == ["ece"]  # not delayed
    for _ in range(2):
        p.send(length=100)
        p.send(length=100)
        assert [ecn(r) for r in drain(b)] == ["ece"]
    b.write(p.sid, 10)
    assert ecn(b.next()) == "ect ece"
    p.send("ack cwr")  # 6.1.3: CWR is on data
    p.send("ack cwr", length=100)
    p.send(length=100)
    assert [ecn(r) for r in drain(b)][-1] == ""
    p.send("ack cwr", length=100, ce=1)
    assert [ecn(r) for r in drain(b)] == ["ece"]
    assert b.events()["ecn_ce"] == 2


def test_6_1_3_marks_that_do_not_count() -> None:
    """On an ACK without data, or a segment that is not acceptable (6.1.3, 6.1.5)."""
    b, p = session()
    p.send(length=100)
    p.send(ce=1)
    p.send(length=100, at=p.seq - 100, ce=1)  # a duplicate
    assert "ece" not in [ecn(r) for r in drain(b)]
    assert "ecn_ce" not in b.events()


@pytest.mark.parametrize("cubic", [False, True])
def test_6_1_2_sender(cubic: bool) -> None:
    """ECE reduces the window once per window of data; CWR goes with the next new data."""
    b, p = session(cubic=cubic)
    b.write(p.sid, 40 * S)
    assert [ecn(r) for r in drain(b, 600)] == ["ect"] * 10
    end = (p.ack + 10 * S) % M
    p.ack += 2 * S
    p.send("ack ece")  # 8 in flight, the window becomes 4
    assert not drain(b)
    p.ack += 2 * S
    p.send("ack ece")  # the same window: no further reduction, no growth
    p.ack += S
    p.send("ack ece")
    assert not drain(b) and b.events()["ecn_reduced"] == 1
    sent = []
    while p.ack != end:
        p.ack = (p.ack + S) % M
        p.send("ack ece")
        sent += drain(b)
    assert [ecn(r) for r in sent] == ["ect cwr", *["ect"] * (len(sent) - 1)]
    assert 3 <= len(sent) <= 5 and b.events()["ecn_reduced"] == 1
    p.ack = (p.ack + S) % M
    p.send("ack ece")  # beyond that window: once more
    drain(b)
    assert b.events()["ecn_reduced"] == 2 and "tx_retransmit" not in b.events()


def test_6_1_2_loss_and_mark() -> None:
    """A loss and a mark in one window: one reduction, CWR, the retransmission is without ECT."""
    b, p = session(opts={"sack_ok": 1}, use_sack=1)
    b.write(p.sid, 40 * S)
    drain(b, 600)
    base = p.ack
    p.send("ack", opts=sack((base + S, base + 6 * S)))
    out = drain(b)
    assert (out[0]["seq"], ecn(out[0])) == (base, "")
    assert [ecn(r) for r in out[1:]] in ([], ["ect cwr"], ["ect cwr", "ect"])
    p.send("ack ece", opts=sack((base + S, base + 7 * S)))
    drain(b)
    assert b.events()["fast_recovery"] == 1 and "ecn_reduced" not in b.events()


def test_6_1_2_timeout() -> None:
    """CWR after a timeout as well; what is retransmitted is not ECN-capable (6.1.5)."""
    b, p = session()
    b.write(p.sid, 2 * S)
    drain(b)
    b.skip(b.cfg["rto_min"] + 200)
    assert ecn(b.next()) == ""
    p.ack += 2 * S
    p.send()
    b.write(p.sid, 2 * S)
    assert [ecn(r) for r in drain(b)] == ["ect cwr", "ect"]


def test_6_1_4_ack_and_fin() -> None:
    """ACKs, window probes and a FIN without data are not ECN-capable (6.1.4, 6.1.6)."""
    b, p = session()
    p.send(length=100)
    p.send(length=100)
    b.write(p.sid, 0, fin=True)
    assert [ecn(r) for r in drain(b)] in ([""], ["", ""])


def test_cookies_do_without() -> None:
    """A SYN cookie has no place for it: not agreed to."""
    b, _ = start(ecn=ACCEPT, half_open=1)
    Peer(b, port=100).send("syn")
    b.next()
    p = Peer(b, port=200, seq=5000)
    p.send(SETUP)
    r = b.next()
    assert flags(r) == "SA" and ecn(r) == ""
    p.ack = (r["seq"] + 1) % M
    p.send()
    b.until(lambda: b.notes, what="opened")
    b.write(b.notes.popleft()[0], 100)
    assert ecn(b.next()) == ""
