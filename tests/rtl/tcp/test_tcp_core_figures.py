# SPDX-License-Identifier: Apache-2.0
"""Cycles that the TCP core takes: an event of each kind, the way through when it is idle."""

from __future__ import annotations

from tcp_core_bench import Bench, M, Peer


def steps(cycles: list[int]) -> float:
    """Mean distance."""
    return (cycles[-1] - cycles[0]) / (len(cycles) - 1)


def burst(b: Bench, peers: list[Peer], count: int, length: int) -> list[int]:
    """Cycles of the commands for segments that arrive as fast as they are taken."""
    b.run(200)
    for i in range(count):
        peers[i % len(peers)].send(length=length)
    start = b.dut.cycle
    out: list[int] = []
    while len(out) < count:
        assert b.dut.cycle < start + 50 * count
        b.dut.run(4)
        out += [f.cycle for f in b.dut.recv("m_rx_cmd")]
        b.dut.recv("m_tx")
    b.dut.recv("m_tx_space")
    b.expect_frames.clear()
    return out


def test_received() -> None:
    """A received segment takes ten cycles or less, of one session or of two in turn."""
    b = Bench(4)
    b.listen(80)
    peers = [Peer(b, port=2000 + i) for i in range(2)]
    for p in peers:
        p.connect()
    one = steps(burst(b, peers[:1], 60, 100))
    two = steps(burst(b, peers, 60, 100))
    print(f"cycles a received segment: one session {one:.2f}, two in turn {two:.2f}")
    assert one <= 10 and two <= 10


def test_idle_latency() -> None:
    """From a segment to the command for it, and from a write to the segment."""
    b = Bench(4)
    b.listen(80)
    p = Peer(b)
    p.connect()
    b.run(400)
    b.dut.sent("s_hit")
    p.send(length=1)
    b.dut.run(30)
    (cmd,) = b.dut.recv("m_rx_cmd")
    rx = cmd.cycle - b.dut.sent("s_hit")[-1][1]
    b.expect_frames.clear()
    b.dut.sent("s_tx_data")
    s = b.s[p.sid]
    at = b.dut.cycle
    b.give("s_tx_data", sid=p.sid, seq=(s.tail + 1) % M)
    b.dut.run(30)
    tx = b.dut.recv("m_tx")[0].cycle - at
    print(f"cycles: segment taken to command {rx}, write offered to segment {tx}")
    assert rx <= 8 and tx <= 12


def test_sending() -> None:
    """A session that has much to send takes six cycles a segment."""
    b = Bench(4, init_segs=40, mss=100)
    b.listen(80)
    p = Peer(b)
    p.connect()
    b.write(p.sid, 4000)
    b.run(400)
    rate = steps([r["cycle"] for r in b.wire])
    print(f"cycles a segment sent: {rate:.2f}")
    assert len(b.wire) == 40 and rate <= 6
