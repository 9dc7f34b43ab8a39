# SPDX-License-Identifier: Apache-2.0
"""RTP associations: peers that join, restart, die, leave, or do not read."""

from __future__ import annotations

import random

import pytest
from rtp_core_bench import (
    BASE,
    BYE,
    DEAD,
    FAILED,
    HELLO,
    RESET,
    RESTART,
    UP,
    Fate,
    Header,
    Net,
)
from test_eth_rtp import SIZES, Rough, arrived, talk


def silence(*cores: int) -> Fate:
    """A network with some cores disconnected."""

    def fate(net: Net, source: int, frame: bytes) -> list[tuple[int, bytes]]:
        target = int.from_bytes(frame[:6], "big") - BASE
        return [] if source in cores or target in cores else [(0, frame)]

    return fate


def codes(net: Net, core: int) -> list[int]:
    """What a core has reported, but for messages that failed."""
    return [c for _, c in net.inbox[core].status if c != FAILED]


def restart(net: Net, core: int, nonce: int) -> None:
    """Reset one core with fresh nonces; what it was receiving is lost."""
    net.dut.set("rst_core", 1 << core)
    net.dut.set("nonces", nonce * sum(1 << 20 * i for i in range(net.cores)))
    net.run(32)
    net.dut.set("rst_core", 0)
    net.run(64)
    net.inbox[core].open.clear()


@pytest.mark.parametrize("first", [0, 1, 2])
def test_opening(first: int) -> None:
    """One side opens, or both at once; three HELLOs suffice, four if they meet."""
    net = Net()
    if first < 2:
        net.peer(first, 1 - first, BASE + 1 - first)
        net.run(300)
        assert not net.inbox[0].status and not net.inbox[1].status
        assert net.events(1 - first)["rx_unknown"] >= 1
        net.dut.run(20)
        net.sent.clear()
        net.peer(1 - first, first, BASE + first)
    else:
        net.peer(0, 1, BASE + 1)
        net.peer(1, 0, BASE)
    net.until(lambda: all(b.status for b in net.inbox), 5000)
    net.run(1000)
    hellos = [f for _, f in net.sent if Header.parse(f).kind == HELLO]
    assert len(hellos) <= 4
    arrived(net, talk(net, 10, SIZES, first))
    assert codes(net, 0) == codes(net, 1) == [UP]


@pytest.mark.parametrize("seed", range(6))
def test_opening_in_a_storm(seed: int) -> None:
    """HELLOs lost, duplicated and very late: the association opens, old ones do not close it."""
    net = Net(cfg={"max_timeouts": 15}, seed=seed)
    net.fate = Rough(0.3, 0.5, 0.5, 0.0)
    net.peer(0, 1, BASE + 1)
    net.peer(1, 0, BASE)
    net.until(lambda: all(UP in codes(net, i) for i in range(2)), 100_000)
    expect = talk(net, 20, SIZES, 5)
    try:
        net.until(
            lambda: all(len(b.messages) >= len(e) for b, e in zip(net.inbox, expect, strict=True))
        )
    finally:
        print(net.picture())
    # While opening a side may see the other restart, but then it stays up.
    net.run(20_000)
    count = [len(codes(net, i)) for i in range(2)]
    late = [f for s, f in net.sent if Header.parse(f).kind == HELLO]
    net.fate = lambda net, source, frame: [(0, frame)]
    for frame in late:
        target = int.from_bytes(frame[:6], "big") - BASE
        net.inject(target, frame)
        net.run(net.rng.randrange(200))
    net.run(20_000)
    assert [len(codes(net, i)) for i in range(2)] == count
    assert codes(net, 0)[-1] == codes(net, 1)[-1] == UP


@pytest.mark.parametrize("seed", range(3))
def test_restart(seed: int) -> None:
    """One side restarts in the middle of messages in both directions; no old data is delivered."""
    net = Net(cfg={"max_timeouts": 15}, seed=seed, delay=100)
    net.join()
    net.fate = Rough(0.05, 0.1, 0.2, 0.0)
    old = [bytes([1]) + random.Random(i).randbytes(20_000) for i in range(4)]
    for message in old:
        net.send(0, 1, message)
        net.send(1, 0, message)
    net.run(900 + 500 * seed)
    before = len(net.inbox[0].messages)
    restart(net, 1, 7777 + seed)
    net.inbox[1].status.clear()
    net.inbox[1].messages.clear()
    net.peer(1, 0, BASE)
    net.until(lambda: codes(net, 0)[-2:] == [RESTART, UP] and codes(net, 1) == [UP], 60_000)
    # Messages in flight are aborted on both sides.
    net.until(lambda: not net.dut.waiting("s_msg[0]"), 60_000)
    net.run(500)
    assert (1, FAILED) in net.inbox[0].status or net.inbox[1].messages == []
    assert all(m in old for _, m in net.inbox[0].messages[:before])
    assert not net.inbox[0].open or 1 not in net.inbox[0].open
    new = bytes([2]) * 5000
    net.inbox[0].messages.clear()
    net.inbox[1].messages.clear()
    net.send(0, 1, new)
    net.send(1, 0, new)
    net.until(lambda: (1, new) in net.inbox[0].messages and (0, new) in net.inbox[1].messages)
    # What core 1 sent after its reset is in order; of its old messages only complete ones.
    assert all(m == new or m in old for _, m in net.inbox[0].messages + net.inbox[1].messages)


def test_death() -> None:
    """A peer that falls silent in the middle of messages both ways is reported dead on both."""
    net = Net(cores=3)
    net.join()
    big = random.Random(1).randbytes(60_000)
    net.send(0, 1, big)
    net.send(1, 0, big)
    net.until(lambda: len(net.inbox[0].open.get(1, b"")) > 5000, 10_000)
    net.fate = silence(1)
    for i in range(20):
        net.send(2, 0, bytes([i]) * 3000)
        net.send(0, 2, bytes([i]) * 3000)
    net.until(lambda: DEAD in codes(net, 0) and DEAD in codes(net, 1), 60_000)
    net.until(lambda: len(net.inbox[2].messages) == 20 and len(net.inbox[0].messages) == 20)
    assert (1, FAILED) in net.inbox[0].status
    assert (0, FAILED) in net.inbox[1].status
    assert net.inbox[0].broken and net.inbox[0].broken[0][0] == 1 and net.inbox[0].broken[0][1]
    assert 1 not in net.inbox[0].open and 0 not in net.inbox[1].open
    # Its kernel sees the peers fail, none waits.
    net.send(0, 1, b"no")
    net.until(lambda: net.inbox[0].status.count((1, FAILED)) >= 2, 2000)
    # When the network heals they find each other again.
    net.fate = lambda net, source, frame: [(0, frame)]
    net.until(lambda: codes(net, 0)[-1] == UP and codes(net, 1)[-1] == UP, 60_000)
    net.inbox[1].messages.clear()
    net.send(0, 1, big)
    net.until(lambda: net.inbox[1].messages == [(0, big)])


def test_silent_sender() -> None:
    """Half a message received, nothing in flight: probes detect that the sender died."""
    net = Net()
    net.join()
    net.dut.stall("s_msg[0]", 0.0)
    net.send(0, 1, bytes(8000))
    net.until(lambda: len(net.inbox[1].open.get(0, b"")) >= 1440, 10_000)
    net.fate = silence(0)
    net.run(200)
    net.until(lambda: DEAD in codes(net, 1), 60_000)
    assert net.inbox[1].broken[0][0] == 0 and net.events(1)["timeout"] >= 3


def test_leaving() -> None:
    """A peer that is taken out says so; its last messages have arrived."""
    net = Net()
    net.join()
    for i in range(5):
        net.send(0, 1, bytes([i]) * 2000)
    net.until(lambda: len(net.inbox[1].messages) == 5)
    net.peer(0, 1, (1 << 48) - 1)
    net.until(lambda: codes(net, 0) == [UP, BYE] and codes(net, 1) == [UP, BYE], 5000)
    assert sum(Header.parse(f).kind == RESET for _, f in net.sent) == 1
    net.send(0, 1, b"gone")
    net.until(lambda: net.inbox[0].status[-1] == (1, FAILED), 2000)
    # Taken in again, at another number.
    net.peer(0, 3, BASE + 1)
    net.until(lambda: net.inbox[0].status[-1] == (3, UP) and codes(net, 1)[-1] == UP, 60_000)
    net.send(0, 3, b"hello" * 100)
    net.until(lambda: net.inbox[1].messages[-1] == (0, b"hello" * 100))


def test_not_reading() -> None:
    """A kernel that does not read holds up its own messages only; `room` tells whom to skip."""
    net = Net(cores=3)  # WINDOW is 4
    net.join()
    net.dut.stall("m_msg[1]", 1.0)
    for i in range(8):
        net.dut.set("credit_peer", sum(1 << 6 * k for k in range(3)))
        net.run(64)
        assert net.dut.get("credit_up") & 1
        if not net.dut.get("credit") & 1:
            break
        net.send(0, 1, bytes([i]) * 500)
        net.run(200)
    # One is in the registers of the stream, four in the window.
    assert 4 <= i <= 6
    for k in range(30):
        net.send(0, 2, bytes([k]) * 1000)
        net.send(2, 0, bytes([k]) * 1000)
    net.until(lambda: len(net.inbox[2].messages) == 30 and len(net.inbox[0].messages) == 30, 20_000)
    net.run(20_000)  # probed, and alive
    assert codes(net, 0) == [UP, UP] and codes(net, 1) == [UP, UP]
    net.dut.stall("m_msg[1]", 0.0)
    net.until(lambda: len(net.inbox[1].messages) == i, 20_000)
    net.until(lambda: bool(net.dut.get("credit") & 1), 20_000)


def test_broken_off() -> None:
    """A message that the kernel marks bad is dropped, or aborted at the receiver."""
    net = Net()
    net.join()
    net.send(0, 1, b"x" * 100)
    net.send(0, 1, b"y" * 100, bad=True)
    net.send(0, 1, b"z" * 5000, bad=True)
    net.send(0, 1, b"w" * 5000)
    net.until(lambda: len(net.inbox[1].messages) == 2)
    assert net.inbox[1].messages == [(0, b"x" * 100), (0, b"w" * 5000)]
    assert len(net.inbox[1].broken) == 1
    assert net.events(0)["tx_bad"] == 2


def test_no_such_peer() -> None:
    """Messages for peers that are not in the table, or beyond it, are swallowed and reported."""
    net = Net()
    net.join()
    for peer in (2, 3, 0):
        net.send(0, peer, bytes(4000))
    net.send(0, 1, b"good")
    net.until(lambda: net.inbox[1].messages == [(0, b"good")], 5000)
    assert net.inbox[0].status[1:] == [(2, FAILED), (3, FAILED), (0, FAILED)]
