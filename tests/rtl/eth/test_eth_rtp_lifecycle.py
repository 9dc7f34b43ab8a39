# SPDX-License-Identifier: Apache-2.0
"""Life of an RTP association: restart, dead peers, closing, aborted messages.

The endpoints in Python know only docs/blocks/eth-rtp.md; the watcher of `rtp_endpoint_bench` checks
every frame, as in `test_eth_rtp_conformance.py`.
"""

from __future__ import annotations

import random

import pytest
from kumihimo.proto.eth_rtp import Frame, Type, make_tag
from kumihimo.testing import Frame as Message
from rtp_endpoint_bench import (
    BYE,
    DEAD,
    FAILED,
    OWN,
    RESTART,
    TICK,
    TIMES,
    UP,
    WINDOW,
    Bench,
    acks,
    address,
    data_frame,
    its_number,
    restart_core,
    small,
    transport,
    value,
)

ROOM = 544  # bytes of a message in a full frame at 256 bits and an MTU of 600


# ---- restart, time-out, close ------------------------------------------------------------------


def half_way(bench: Bench) -> None:
    """A long message in each direction, both half received."""
    bench.dut.send("s_msg", Message(random.Random(1).randbytes(60_000), dest=2))
    bench.ends[2].send(its_number(2), random.Random(2).randbytes(60_000))
    bench.until(lambda: len(bench.segments) > 20 and len(bench.ends[2].delivered) > 20)


def test_restart_of_the_peer() -> None:
    """A new association; the message breaks off; frames of the old one are not delivered."""
    bench = small()
    half_way(bench)
    old = [f for f in bench.into if Frame.parse(f).type in (Type.DATA, Type.ACK)]
    bench.ends[2] = bench.endpoint(2, 0x9000)
    bench.ends[2].open(its_number(2))
    bench.until(lambda: len(bench.status) >= 3)
    bench.run(3000)
    assert [code for _, code in bench.status if code != FAILED] == [UP, RESTART, UP]
    assert [u & 1 for _, u, _ in bench.segments].count(1) == 1
    assert bench.segments[-1][1] & 1 and len(bench.segments[-1][2]) == 1
    bench.segments.clear()
    count = bench.drops().get("rx_stale_tag", 0)
    for frame in old:
        bench.throw(frame)
    bench.run(10_000)
    assert bench.drops() == {"rx_stale_tag": count + len(old)} and len(old) > 20
    assert not bench.segments
    bench.dut.send("s_msg", Message(b"there", dest=2))
    bench.ends[2].send(its_number(2), b"back")
    bench.until(lambda: bench.segments and bench.ends[2].delivered)
    assert bench.messages(2) == [b"back"]
    assert bench.ends[2].messages(its_number(2)) == [b"there"]


def test_restart_of_the_transport() -> None:
    """Its reset: the peer sees a restart, and neither accepts old data."""
    bench = small()
    half_way(bench)
    old = list(bench.into)
    bench.base += bench.dut.cycle
    restart_core(bench.dut, nonce=5000)
    bench._flying.clear()
    bench.segments.clear()
    bench.status.clear()
    bench.ends[2].delivered.clear()
    bench.set_peers()
    bench.until(lambda: bench.status)
    bench.until(lambda: len(bench.ends[2].status) >= 3)
    assert [what for _, what in bench.ends[2].status] == ["up", "restart", "up"]
    for frame in old:
        bench.throw(frame)
    bench.run(10_000)
    assert not bench.segments
    kinds = [Frame.parse(f).type for f in old]
    assert bench.drops()["rx_stale_tag"] >= len(old) - kinds.count(Type.HELLO)
    bench.ends[2].delivered.clear()
    bench.dut.send("s_msg", Message(b"there", dest=2))
    bench.ends[2].send(its_number(2), b"back")
    bench.until(lambda: bench.segments and bench.ends[2].delivered)
    assert bench.messages(2) == [b"back"] and bench.status == [(2, UP)]
    assert bench.ends[2].messages(its_number(2)) == [b"there"]


def test_old_hellos_do_not_harm() -> None:
    """HELLOs of this and earlier associations, in any order, while a stream continues."""
    rng = random.Random(4)
    bench = small()
    for nonce in (0x9000, 0xA000):
        bench.ends[2] = bench.endpoint(2, nonce)
        bench.ends[2].open(its_number(2))
        count = len(bench.status)
        bench.until(lambda count=count: len(bench.status) >= count + 2)
    bench.run(2000)
    status = list(bench.status)
    old = [f for f in bench.into if Frame.parse(f).type == Type.HELLO]
    assert len({f[30:34] for f in old}) >= 3
    there, back = rng.randbytes(50_000), rng.randbytes(50_000)
    bench.dut.send("s_msg", Message(there, dest=2))
    bench.ends[2].send(its_number(2), back)
    for _ in range(200):
        bench.throw(rng.choice(old), rng.randrange(1, 20_000))
    bench.run(20_000)
    bench.until(lambda: bench.messages(2) and bench.ends[2].messages(its_number(2)), 200_000)
    assert bench.messages(2) == [back] and bench.ends[2].messages(its_number(2)) == [there]
    assert bench.status == status


def bound() -> int:
    """Cycles after which a silent peer must have been reported: all time-outs, with back-off."""
    rto, total = TIMES["rto_init"], 0
    for _ in range(TIMES["max_timeouts"] + 2):
        total += rto
        rto = min(2 * rto, TIMES["rto_max"])
    return total * TICK + TIMES["probe_interval"] * TICK


@pytest.mark.parametrize("role", ["sender", "receiver", "blocked"])
def test_death(role: str) -> None:
    """A peer falls silent; whether data, the end of a message or credit is owed, it is noticed."""
    bench = small()
    if role == "sender":
        bench.silent.add(2)
        bench.dut.send("s_msg", Message(bytes(3000), dest=2))
    elif role == "receiver":
        bench.ends[2].send(its_number(2), bytes(60_000))
        bench.until(lambda: len(bench.segments) > 10)
        bench.silent.add(2)
    else:
        bench.link(2).hold = True
        bench.dut.send("s_msg", Message(bytes(60_000), dest=2))
        bench.until(lambda: bench.seen(2).next == WINDOW)
        bench.run(3000)
        bench.silent.add(2)
    took = bench.until(lambda: (2, DEAD) in bench.status, 2 * bound())
    assert took <= bound()
    assert bench.events()["down_timeout"] == 1
    bench.run(2000)
    if role == "receiver":
        assert bench.segments[-1][1] & 1 and len(bench.segments[-1][2]) == 1
        assert sum(u & 1 for _, u, _ in bench.segments) == 1
    else:
        # A message that was not sent completely fails by itself; the others with the peer.
        assert not bench.segments
        assert bench.status.count((2, FAILED)) == (role == "blocked")
    # Messages to it fail, one by one, and are taken.
    count = bench.status.count((2, FAILED))
    for _ in range(3):
        bench.dut.send("s_msg", Message(bytes(2000), dest=2))
    bench.dut.drain()
    bench.run(500)
    assert bench.status.count((2, FAILED)) == count + 3
    # It comes back.
    bench.silent.clear()
    bench.ends[2] = bench.endpoint(2, 0x9000)
    bench.until(lambda: bench.status[-1] == (2, UP), 200_000)
    bench.segments.clear()
    bench.ends[2].send(its_number(2), b"again")
    bench.until(lambda: bench.segments)
    assert bench.messages(2) == [b"again"]


def test_idle_peers_are_left_alone() -> None:
    """Nothing is owed: no probes, no death, however long it lasts."""
    bench = small()
    bench.dut.send("s_msg", Message(b"x", dest=2))
    bench.ends[2].send(its_number(2), b"y")
    bench.run(3000)
    bench.silent.add(2)
    start = len(bench.watcher.frames)
    bench.run(40_000)
    assert bench.watcher.frames[start:] == [] and bench.status == [(2, UP)]
    assert not bench.dut.get("busy")


def test_leave() -> None:
    """RESET from the peer; and one to it when it is taken out of the table."""
    bench = small()
    half_way(bench)
    bench.ends[2].bye(its_number(2))
    bench.advance()
    bench.silent.add(2)
    bench.until(lambda: (2, BYE) in bench.status)
    bench.run(300)
    assert bench.segments[-1][1] & 1 and sum(u & 1 for _, u, _ in bench.segments) == 1
    bench.silent.clear()
    bench.until(lambda: bench.status[-1] == (2, UP))
    bench.dut.send("set_peer", 2 << 48 | (1 << 48) - 1)
    bench.until(lambda: [what for _, what in bench.ends[2].status].count("bye") == 2)
    assert bench.status[-1] == (2, BYE)
    bench.ends[2].open(its_number(2))
    bench.run(4000)
    assert bench.drops().get("rx_unknown", 0) >= 2 and bench.status[-1] == (2, BYE)
    bench.dut.send("s_msg", Message(b"x", dest=2))
    bench.until(lambda: bench.status[-1] == (2, FAILED))


def test_a_false_leave() -> None:
    """RESETs with any other tag, or with a body, are counted and do nothing."""
    bench = small()
    tag = bench.link(2).rem
    wrong = [0, tag ^ 1, tag ^ 1 << 20, make_tag(3, tag & 0xFFFFF), make_tag(4095, 0)]
    for other in wrong:
        bench.throw(Frame(OWN, address(2), Type.RESET, other).to_bytes())
    bench.throw(Frame(OWN, address(2), Type.RESET, tag, body=b"x").to_bytes())
    bench.run(1000)
    assert bench.drops() == {"rx_stale_tag": len(wrong), "rx_malformed": 1}
    assert bench.status == [(2, UP)]


def test_messages_that_the_kernel_breaks_off() -> None:
    """Marked bad: a single frame is not sent; of more, the receiver gets an abort."""
    bench = small()
    bench.dut.send("s_msg", Message(b"good", dest=2))
    bench.dut.send("s_msg", Message(b"bad", dest=2, bad=True))
    bench.dut.send("s_msg", Message(bytes(5 * ROOM + 3), dest=2, bad=True))
    bench.dut.send("s_msg", Message(b"last", dest=2))
    bench.run(3000)
    segments = [s for _, s in bench.ends[2].delivered]
    assert segments[0].data == b"good" and segments[-1].data == b"last"
    assert [s.bad for s in segments].count(True) == 1 and segments[-2].bad
    assert b"bad" not in [s.data for s in segments]
    assert bench.events()["tx_bad"] == 2 and bench.status == [(2, UP)]


def test_the_peers_kernel_breaks_off() -> None:
    """DATA without data and with `last` ends a message as bad; the next is not harmed."""
    bench = small()
    bench.silent.add(2)
    tag = bench.link(2).rem
    frames = ((0, 1, bytes(100)), (1, 0, bytes(100)), (2, 2, b""), (3, 3, b"next"))
    for seq, flags, data in frames:
        bench.hand(2, data_frame(2, tag, seq, data, flags=flags))
    bench.run(1000)
    assert [(u & 1, len(d)) for _, u, d in bench.segments] == [(0, 100), (0, 100), (1, 1), (0, 4)]
    assert acks(bench)[-1].ack == 4


def test_peers_outside_the_table() -> None:
    """A message to a number that is not in the table, or beyond it, fails."""
    bench = Bench(transport(peers=3))
    bench.open()
    for dest in (0, 3, 1):
        bench.dut.send("s_msg", Message(bytes(1000), dest=dest))
    bench.dut.send("s_msg", Message(b"good", dest=2))
    bench.until(lambda: bench.ends[2].messages(its_number(2)))
    assert [s for s in bench.status if s[1] == FAILED] == [(0, FAILED), (3, FAILED), (1, FAILED)]


def test_own_address() -> None:
    """set_source_addr changes the address in frames that leave."""
    bench = small()
    new = "02:00:00:00:00:77"
    bench.dut.send("set_source_addr", value(new))
    bench.run(100)
    bench.dut.send("s_msg", Message(b"x", dest=2))
    found = []
    for _ in range(50):
        bench.dut.run(16)
        found += bench.dut.recv_data("m_frame")
    assert found and found[0][6:12] == bytes.fromhex(new.replace(":", ""))
