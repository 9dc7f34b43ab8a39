# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_tx_mem: responses to writes, data to rings, reports, closes."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing.sizes import data_widths
from tcp_tx_mem_bench import BAD_LENGTH, HALF_CLOSED, NO_SESSION, NO_SPACE, OK, TxBench, make

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256, 512)
LENGTHS = [0, 1, 2, 63, 64, 65, 100, 536, 1460, 2000, 4096, 5000]


def play(
    bench: TxBench, rng: random.Random, sids: list[int], steps: int, ends: float = 0.0
) -> None:
    """Random writes, acknowledgements and ends; `ends`: how often the peer ends a session."""
    dut = bench.dut
    for _ in range(steps):
        for _ in range(rng.randrange(1, 4)):
            sid = rng.choice(sids)
            session = bench.sessions.get(sid)
            if session is None or not session.open:
                if not any(s == sid for s, _ in bench.asked):
                    bench.open(sid, rng.choice([None, 0xFFFF_FE00]))
                continue
            if session.closed or session.aborted:
                if (session.fin_seen or session.abort_seen) and not bench.asked:
                    bench.shut(sid)
                    continue
            elif session.told and rng.random() < ends and not bench.asked:
                # The peer has ended it, and the next one comes at once.
                bench.shut(sid)
                bench.open(sid, (session.iss + rng.choice([1, 1 << 31])) % (1 << 32))
                continue
            elif session.told and rng.random() < 0.04 and not any(s == sid for s, _ in bench.asked):
                bench.close(sid, rng.random() < 0.3)
            bench.write(sid, rng.choice(LENGTHS))
        for _ in range(rng.randrange(4)):
            if bench.granted:
                bench.give()
        dut.run(rng.randrange(1, 120))
        bench.collect()
        for sid in sids:
            session = bench.sessions.get(sid)
            if session is not None and session.told > session.acked and rng.random() < 0.5:
                bench.acknowledge(sid, rng.randint(session.acked, session.told))
    bench.settle()
    for sid in sids:
        session = bench.sessions.get(sid)
        if session is not None:
            assert session.abort_seen == session.aborted
            if session.open and not session.aborted:
                assert session.told == len(session.data)
                assert session.fin_seen == session.closed


@pytest.mark.parametrize("width", WIDTHS)
def test_any_writes(width: int) -> None:
    """Sessions come and go over a slow memory, with back-pressure everywhere."""
    rng = random.Random(width)
    dut = make(width, 4, 4096, base=0x10_0000)
    bench = TxBench(dut, 4096, rng, base=0x10_0000)
    for stall, latency in ((0.0, 5), (0.4, 300)):
        dut.memory("m_axi").configure(latency_cycles=latency, jitter_ps=100_000 * (latency > 5))
        dut.stall_all(stall, stall, seed=width)
        play(bench, rng, [0, 1, 2, 3], 200)
        bench.wrong = 0.3
    counts = dut.counts("ev")
    assert {k: counts[k] for k in bench.expect} == bench.expect
    assert counts["stale"] == counts["write_error"] == 0
    for reason in (OK, NO_SESSION, NO_SPACE, HALF_CLOSED, BAD_LENGTH):
        assert bench.reasons.get(reason), reason
    assert counts["refused"] == sum(bench.reasons.values()) - bench.reasons[OK]


@pytest.mark.parametrize("width", [64, 512])
def test_numbers_are_used_again(width: int) -> None:
    """A session ends with outstanding writes: nothing of it reaches its successor."""
    rng = random.Random(width + 1)
    dut = make(width, 4, 4096, base=0x10_0000)
    dut.memory("m_axi").configure(latency_cycles=100)
    bench = TxBench(dut, 4096, rng, base=0x10_0000)
    play(bench, rng, [0, 3], 150, ends=0.2)
    dut.stall_all(0.3, 0.3, seed=width)
    play(bench, rng, [0, 1, 2, 3], 150, ends=0.2)
    counts = dut.counts("ev")
    assert bench.stale > 5
    # Frames that were on their way when the next session came may be stale too.
    assert bench.stale <= counts["stale"] <= bench.stale + 40
    assert counts["write_error"] == counts["short_frame"] == counts["long_frame"] == 0


@pytest.mark.parametrize("width", [64, 512])
def test_on_chip(width: int) -> None:
    """Rings on chip, 64 sessions: reported data are in memory, read in the next cycles."""
    rng = random.Random(width + 2)
    ring = 4096 if width == 64 else 65536
    dut = make(width, 64, ring, chip=True)
    bench = TxBench(dut, ring, rng, chip=True)
    play(bench, rng, list(range(64)), 200)
    dut.stall_all(0.3, 0.3, seed=width)
    play(bench, rng, [0, 63], 100)
    assert bench.reports > 50


@pytest.mark.parametrize("width", [64, 512])
def test_every_alignment(width: int) -> None:
    """Every place in a beat with lengths around a beat, two sessions by turns, across 2^32."""
    beat = width // 8
    ring = 4096 if width == 64 else 65536
    dut = make(width, 64, ring, chip=True)
    bench = TxBench(dut, ring, random.Random(3), chip=True)
    for sid in (6, 7):
        bench.open(sid, (1 << 32) - 3)
    for offset in list(range(beat)) * (64 // beat):
        for length in (offset + 1, beat - 1, beat, beat + 1, 2 * beat + 3):
            for sid in (6, 7, 7):
                bench.write(sid, length)
        bench.settle()
        for sid in (6, 7):
            bench.acknowledge(sid, bench.sessions[sid].told)
    assert all(s.told == len(s.data) > 3000 for s in bench.sessions.values())


def test_latency_and_rate() -> None:
    """The figures of the header and the page, 512 bits, rings on chip."""
    dut = make(512, 64, 65536, chip=True)
    bench = TxBench(dut, 65536, random.Random(4), chip=True)
    bench.open(1, 0)
    for sid in range(2, 35):
        bench.open(sid, 64)
    dut.sent("s_write")
    bench.write(1, 1)
    assert dut.recv("m_write", 1)[0].cycle - dut.sent("s_write")[0][0] == 4
    dut.run(10)
    dut.send("s_axis", b"x")
    assert dut.recv("m_data", 1)[0].cycle - dut.sent("s_axis")[0][0] == 7
    # Unaligned, one session: 1460 bytes in 24 cycles; 64 bytes in 2, aligned too.
    for sid, length, count, goal in ((1, 1460, 40, 24), (1, 64, 100, 2.05), (2, 64, 100, 2.05)):
        dut.sent("s_axis")
        for _ in range(count):
            dut.send("s_write", length | sid << 16)
            dut.send("s_axis", bytes(length))
        answers = dut.recv("m_write", count)
        dut.drain()
        cycles = [last for _, last in dut.sent("s_axis")]
        assert (cycles[-1] - cycles[4]) / (count - 5) <= goal, (length, cycles)
        assert all(bench.rsp_t.unpack(a.value)["reason"] == OK for a in answers)
    # 64 bytes of many sessions by turns, each frame of one beat.
    dut.sent("s_axis")
    for i in range(96):
        dut.send("s_write", 64 | (3 + i % 32) << 16)
        dut.send("s_axis", bytes(64))
    dut.recv("m_write", 96)
    dut.drain()
    cycles = [last for _, last in dut.sent("s_axis")]
    assert (cycles[-1] - cycles[4]) / 91 <= 2.05
    # Answers alone: one in two cycles.
    dut.sent("s_write")
    for _ in range(12):
        dut.send("s_write", 5 << 16 | 9)
    dut.recv("m_write", 12)
    taken = [first for first, _ in dut.sent("s_write")]
    assert taken[-1] - taken[0] == 22


def test_slow_memory_costs_no_rate() -> None:
    """300 cycles of latency: 1460 bytes in 24 cycles, 64 sessions by turns, 512 bits."""
    dut = make(512, 64, 1 << 17)
    dut.memory("m_axi").configure(latency_cycles=300)
    bench = TxBench(dut, 1 << 17, random.Random(5))
    for sid in range(64):
        bench.open(sid)
    dut.sent("s_axis")
    for i in range(128):
        dut.send("s_write", 1460 | (i % 64) << 16)
        dut.send("s_axis", bytes(1460))
    dut.drain()
    cycles = [last for _, last in dut.sent("s_axis")]
    assert (cycles[-1] - cycles[4]) / 123 <= 24
    # The longest write.
    bench = TxBench(dut, 1 << 17, random.Random(5))
    dut.recv("m_write")
    dut.run(1000)
    dut.recv("m_data")
    bench.open(9, 12345)
    bench.write(9, 65535)
    bench.settle()
    assert bench.sessions[9].told == 65535


def test_reports_never_block() -> None:
    """The core accepts no reports: data flow on; then one report per session covers all."""
    dut = make(64, 4, 4096)
    bench = TxBench(dut, 4096, random.Random(6))
    for sid in range(4):
        bench.open(sid)
    dut.stall("m_data", 1.0)
    for _ in range(20):
        for sid in range(4):
            bench.write(sid, 150)
    dut.run(100)
    for _ in range(30):
        bench.collect()
        while bench.granted:
            bench.give()
        dut.run(100)
    bench.close(0)
    bench.close(1, abort=True)
    dut.run(100)
    assert not dut.waiting("s_axis")
    dut.stall("m_data", 0.0)
    dut.run(100)
    # Two records may have been on offer before; the others are one a session.
    reports = [bench.data_t.unpack(f.value) for f in dut.recv("m_data")]
    assert len(reports) <= 4 + 2
    for report in reports:
        if report["abort"]:
            bench.sessions[report["sid"]].abort_seen = True
            continue
        session = bench.sessions[report["sid"]]
        session.told = (report["seq"] - session.iss) % (1 << 32)
        session.fin_seen |= bool(report["fin"])
        assert report["push"]
    assert [bench.sessions[sid].told for sid in (0, 2, 3)] == [3000] * 3
    assert bench.sessions[0].fin_seen and bench.sessions[1].abort_seen


def test_unfinished_frame_blocks_only_data() -> None:
    """An application stalls inside a frame: responses, ACKs and new sessions continue."""
    dut = make(64, 4, 4096)
    bench = TxBench(dut, 4096, random.Random(7))
    bench.open(0, 0)
    bench.open(1, 0)
    bench.write(0, 1000)
    bench.write(1, 10)
    dut.run(20)
    bench.collect()
    dut.stall("s_axis", 1.0)
    bench.give()
    dut.run(50)
    for _ in range(40):
        bench.write(2, 5)
        bench.write(1, 5000)
    dut.run(200)
    bench.collect()
    assert bench.reasons == {OK: 2, NO_SESSION: 40, NO_SPACE: 40}
    bench.open(2, 77)  # taken at once, or open() fails
    dut.stall("s_axis", 0.0)
    bench.settle()
    assert bench.sessions[0].told == 1000 and bench.sessions[1].told == 10


def test_memory_error_ends_the_session() -> None:
    """A failed write is not reported; the session is aborted, others continue."""
    dut = make(64, 4, 4096)
    bench = TxBench(dut, 4096, random.Random(8))
    bench.open(0, 0)
    bench.open(1, 0)
    dut.memory("m_axi").fault(100, 4)
    bench.faults = True
    for length in (50, 100, 30):
        for sid in (0, 1):
            bench.write(sid, length)
    bench.sessions[0].aborted = True
    bench.settle()
    assert bench.sessions[0].abort_seen and bench.sessions[1].told == 180
    assert dut.counts("ev")["write_error"] == 1
    # An abort from another unit.
    dut.send("s_fault", 1 << 1 | 1)
    bench.sessions[1].aborted = True
    bench.settle()
    assert bench.sessions[1].abort_seen
