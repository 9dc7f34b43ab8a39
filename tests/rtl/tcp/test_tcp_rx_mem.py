# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_rx_mem: payload to rings, notifications, reads, and the end of sessions."""

from __future__ import annotations

import random

import pytest
from kumihimo.testing.sizes import data_widths
from tcp_rx_mem_bench import PORTS, RxBench, make

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256, 512)


def play(bench: RxBench, rng: random.Random, sids: list[int], steps: int, longest: int) -> None:
    """Random segments, reads and ends; every session is closed in the end."""
    dut = bench.dut
    for _ in range(steps):
        for _ in range(rng.randrange(1, 4)):
            sid = rng.choice(sids)
            session = bench.sessions.get(sid)
            if session is None or session.released:
                if session is None or session.gone_seen:
                    bench.open(sid, rng.choice([None, 0xFFFF_FF00]), rng.random() < 0.7)
                continue
            if session.gone_sent:
                if not session.forgot and rng.random() < 0.05:
                    bench.forget(sid)
            elif rng.random() < 0.03:
                if rng.random() < 0.5 and session.opened:
                    session.fin_sent = True
                    upto = (session.iss + session.upto) % (1 << 32)
                    bench.command(sid, notify=1, fin=1, in_order_end=upto)
                bench.end(sid, rng.random() < 0.3)
            else:
                room = bench.room(sid)
                ahead = rng.choice([0, 0, 0, rng.randrange(0, 2000)])
                start = session.upto + min(ahead, room)
                length = min(
                    rng.choice([0, 1, rng.randrange(1, 100), longest]), room - min(ahead, room)
                )
                bench.segment(sid, start, length)
        for _ in range(rng.randrange(0, 4)):
            bench.read(rng.choice(sids), rng.choice([0, 1, 63, 64, 65, 1000, 65535]))
        dut.run(rng.randrange(1, 120))
        bench.collect()
    for sid in sids:
        session = bench.sessions.get(sid)
        if session is not None and not session.gone_sent:
            bench.end(sid)
    bench.settle()
    for sid in sids:
        bench.read(sid, 65535)
    bench.settle()
    for sid in sids:
        session = bench.sessions.get(sid)
        assert session is None or (session.released and session.gone_seen)
        assert session is None or session.forgot or session.read == session.upto
    assert not any(dut.counts("ev")[name] for name in ("short_frame", "write_error", "read_error"))


@pytest.mark.parametrize("width", WIDTHS)
def test_any_traffic(width: int) -> None:
    """Sessions come and go over a slow memory, with back-pressure everywhere."""
    rng = random.Random(width)
    ring = 4096
    dut = make(width, 4, ring, base=0x10_0000)
    bench = RxBench(dut, ring, rng)
    for stall, latency in ((0.0, 5), (0.4, 300)):
        dut.memory("m_axi").configure(latency_cycles=latency, jitter_ps=100_000 * (latency > 5))
        dut.stall_all(stall, stall, seed=width)
        play(bench, rng, [0, 1, 2, 3], 150, 1460)
    assert bench.bytes_read > 30_000 and bench.released > 4


@pytest.mark.parametrize("width", [64, 512])
def test_on_chip(width: int) -> None:
    """The same with rings on chip, 64 sessions."""
    rng = random.Random(width + 1)
    ring = 4096 if width == 64 else 65536
    dut = make(width, 64, ring, chip=True, **({} if width == 512 else {"READ_BEATS": 64}))
    bench = RxBench(dut, ring, rng)
    play(bench, rng, list(range(64)), 250, 1460)
    dut.stall_all(0.3, 0.3, seed=width)
    play(bench, rng, [5, 63], 150, 3000)
    assert bench.bytes_read > 30_000


@pytest.mark.parametrize("width", [64, 512])
def test_every_alignment(width: int) -> None:
    """Every place in a beat, lengths around a beat, across the ring's end; neighbours survive."""
    beat = width // 8
    ring = 4096 if width == 64 else 65536
    dut = make(width, 4 if width == 64 else 64, ring, chip=True)
    bench = RxBench(dut, ring, random.Random(3))
    session = bench.open(2, (1 << 32) - 5)
    for offset in list(range(beat)) * (64 // beat):
        for length in (1, beat - 1, beat, beat + 1, 2 * beat + 3):
            # First the gap behind, then what is missing: neither touches the other's bytes.
            start = session.upto
            bench.segment(2, start + offset + 1, length)
            bench.segment(2, start, offset + 1)
            bench.read(2, 65535)
            dut.run(40)
            bench.collect()
        bench.settle()
        bench.read(2, 65535)
        bench.settle()
    assert session.read == session.upto > 3000


def test_latency_and_rate() -> None:
    """The figures of the header and the page, 512 bits, rings on chip."""
    dut = make(512, 64, 65536, chip=True)
    bench = RxBench(dut, 65536, random.Random(4))
    bench.open(1, 0)
    bench.settle()

    def push(length: int) -> None:
        session = bench.sessions[1]
        start, session.upto = session.upto, session.upto + length
        session.data += bench.rng.randbytes(length)
        bench.command(
            1,
            bytes(session.data[start:]),
            len=length,
            seq=start,
            notify=1,
            in_order_end=session.upto,
        )

    dut.sent("s_cmd")
    push(1)
    note = dut.recv("m_notify", 1)[0].cycle
    assert note - dut.sent("s_cmd")[0][0] == 8
    bench.sessions[1].told += 1
    dut.sent("s_read")
    bench.read(1, 1)
    dut.run(30)
    took = dut.sent("s_read")[0][0]
    frame = dut.recv("m_axis", 1)[0]
    assert frame.cycle - took == 7 and frame.data == bytes(bench.sessions[1].data)
    dut.recv("m_read", 1)

    # Writes and reads of 1460 bytes at once, at a bad alignment: a beat of memory a cycle each.
    for _ in range(40):
        push(1460)
    dut.recv("m_notify", 20)
    for _ in range(20):
        dut.send("s_read", 1460 | 1 << 16)
    frames = dut.recv("m_axis", 20)
    dut.drain()
    cycles = [last for _, last in dut.sent("s_axis")]
    assert (cycles[-1] - cycles[5]) / (len(cycles) - 6) <= 24
    assert (frames[-1].last_cycle - frames[4].last_cycle) / 15 <= 24
    # Small reads: one in three cycles.
    dut.recv("m_notify")
    for _ in range(100):
        dut.send("s_read", 64 | 1 << 16)
    frames = dut.recv("m_axis", 100)
    assert (frames[-1].last_cycle - frames[4].last_cycle) / 95 <= 3.05
    # Small segments: one is told in four cycles.
    for _ in range(100):
        push(64)
    notes = [note.cycle for note in dut.recv("m_notify", 100)]
    assert (notes[-1] - notes[4]) / 95 <= 4.05


def test_slow_memory_costs_no_rate() -> None:
    """300 cycles of latency: 1460 bytes in 24 cycles each way, 512 bits, 64 sessions."""
    dut = make(512, 64, 1 << 18)
    dut.memory("m_axi").configure(latency_cycles=300)
    bench = RxBench(dut, 1 << 18, random.Random(5))
    for sid in range(64):
        bench.open(sid)
    bench.settle()
    dut.sent("s_axis")
    for i in range(128):
        session = bench.sessions[i % 64]
        data = bench.rng.randbytes(1460)
        seq = (session.iss + session.upto) % (1 << 32)
        session.data += data
        session.upto += 1460
        upto = (session.iss + session.upto) % (1 << 32)
        bench.command(i % 64, data, len=1460, seq=seq, notify=1, in_order_end=upto)
    bench.settle()
    cycles = [last for _, last in dut.sent("s_axis")]
    assert (cycles[-1] - cycles[5]) / (len(cycles) - 6) <= 24
    for i in range(128):
        bench.read(i % 64, 1460)
    frames = dut.recv("m_axis", 128)
    assert (frames[-1].last_cycle - frames[4].last_cycle) / 123 <= 24
    for rsp in dut.recv("m_read"):
        bench._answer(bench.rsp.unpack(rsp.value))
    for frame in frames:
        bench._data(frame)
    bench.settle()


def test_long_news_are_split() -> None:
    """A gap of more than 65535 bytes is filled: several notifications, fin and ended last."""
    ring = 1 << 18
    dut = make(512, 64, ring)
    bench = RxBench(dut, ring, random.Random(6))
    session = bench.open(0, 7)
    for start in range(1, 200_001, 20_000):
        bench.segment(0, start, 20_000)
    bench.segment(0, 0, 1)
    session.fin_sent = session.gone_sent = True
    upto = 7 + session.upto
    bench.command(0, notify=1, fin=1, ended=1, in_order_end=upto, reason=1)
    bench.settle()
    assert session.told == session.upto == 200_001 and session.fin_seen and session.gone_seen
    for _ in range(4):
        bench.read(0, 65535)
    bench.settle()
    assert session.read == 200_001 and session.released


def test_nothing_waits_for_others() -> None:
    """Stalled notifications, data, and reports block nothing else."""
    ring = 4096
    dut = make(64, 4, ring, chip=True)
    bench = RxBench(dut, ring, random.Random(7))
    for sid in range(4):
        bench.open(sid)
    bench.settle()
    # Reports: the core takes none, data flow until the rings are full.
    dut.stall("m_done", 1.0)
    for sid in range(4):
        for _ in range(4):
            bench.segment(sid, bench.sessions[sid].upto, 900)
            dut.run(300)
            bench.read(sid, 65535)
    dut.run(2000)
    bench.collect()
    assert all(s.read == 3600 for s in bench.sessions.values())
    # One report a session is left, but what was on offer, or on its way there, already.
    dut.stall("m_done", 0.0)
    dut.run(100)
    done = dut.recv("m_done")
    assert len(done) <= 4 + 3
    for one in done:
        bench._report(bench.done.unpack(one.value))
    assert all(s.freed == 3600 for s in bench.sessions.values())
    # Data that the application does not take: notes, other commands and ends go on.
    dut.stall("m_axis", 1.0)
    for sid in range(4):
        bench.segment(sid, bench.sessions[sid].upto, 900)
    dut.run(600)
    for sid in range(4):
        bench.read(sid, 500)
    dut.run(100)
    for sid in range(4):
        bench.segment(sid, bench.sessions[sid].upto, 200)
        bench.end(sid, forget=True)
    dut.run(600)
    bench.collect()
    assert all(s.gone_seen for s in bench.sessions.values())
    assert not all(s.released for s in bench.sessions.values())  # their reads are under way
    dut.stall("m_axis", 0.0)
    bench.settle()
    assert all(s.released for s in bench.sessions.values())
    # Notes that nobody takes: reads go on.
    session = bench.open(1)
    bench.segment(1, 0, 2000)
    bench.settle()
    dut.stall("m_notify", 1.0)
    for _ in range(8):
        bench.segment(1, session.upto, 100)
    dut.run(300)
    bench.read(1, 2000)
    dut.run(400)
    bench.collect()
    assert session.read == 2000
    dut.stall("m_notify", 0.0)
    bench.settle()


@pytest.mark.parametrize("sessions", [4, 128])
def test_notes_that_nobody_takes(sessions: int) -> None:
    """They coalesce per session; commands continue, and no number is reused before."""
    dut = make(64, sessions, 4096, chip=True)
    bench = RxBench(dut, 4096, random.Random(11))
    dut.stall("m_notify", 1.0)
    for sid in range(sessions):
        bench.open(sid)
    for turn in range(12):
        for sid in range(sessions):
            bench.segment(sid, bench.sessions[sid].upto, 300)
        dut.run(sessions * 200)
        for sid in range(sessions):
            bench.read(sid, 65535)
        dut.run(sessions * 200)
        bench.collect()
        assert all(s.read == 300 * (turn + 1) for s in bench.sessions.values())
    for sid in range(sessions):
        bench.sessions[sid].fin_sent = True
        upto = (bench.sessions[sid].iss + bench.sessions[sid].upto) % (1 << 32)
        bench.command(sid, notify=1, fin=1, in_order_end=upto)
        bench.end(sid)
    dut.run(sessions * 40)
    bench.collect()
    assert not any(dut.waiting(port) for port in PORTS)
    assert bench.released <= 1  # of the session whose note is on offer
    dut.stall("m_notify", 0.0)
    dut.run(sessions * 20)
    notes = [bench.note.unpack(frame.value) for frame in dut.recv("m_notify")]
    assert len(notes) <= sessions + 1  # but for the one on offer, one a session
    for note in notes:
        bench._note(note)
    bench.settle()
    assert all(s.gone_seen and s.fin_seen and s.released for s in bench.sessions.values())


def test_notes_add_up() -> None:
    """Excess length is split over notifications; opened first, fin and ended last."""
    dut = make(512, 4, 1 << 18, chip=True)
    bench = RxBench(dut, 1 << 18, random.Random(12))
    other = bench.open(1)
    bench.settle()
    dut.stall("m_notify", 1.0)
    bench.segment(1, 0, 5)  # on offer
    session = bench.open(0)
    for _ in range(10):
        bench.segment(0, session.upto, 14_000)
    session.fin_sent = True
    bench.command(0, notify=1, fin=1, in_order_end=(session.iss + session.upto) % (1 << 32))
    bench.end(0, forget=True)
    dut.run(4000)
    bench.collect()
    assert not any(dut.waiting(port) for port in PORTS) and not session.released
    dut.stall("m_notify", 0.0)
    dut.run(60)
    notes = [bench.note.unpack(frame.value) for frame in dut.recv("m_notify")]
    assert [note["length"] for note in notes] == [5, 65535, 65535, 140_000 - 2 * 65535]
    for note in notes:
        bench._note(note)
    assert session.gone_seen and session.fin_seen and other.told == 5
    bench.settle()
    assert session.released


def test_memory_errors() -> None:
    """The session is aborted, no byte after the error is notified, others continue."""
    ring = 4096
    dut = make(64, 4, ring)
    bench = RxBench(dut, ring, random.Random(8))
    for sid in (0, 1):
        bench.open(sid, 0)
    bench.segment(0, 0, 100)
    bench.segment(1, 0, 100)
    bench.settle()
    dut.memory("m_axi").fault(200, 8)
    bench.segment(0, 100, 300)
    bench.segment(1, 100, 300)
    bench.segment(0, 400, 100)
    dut.run(400)
    fault = dut.recv("m_fault", 1)[0].value
    assert fault == 0 << 1 | 1
    notes = [bench.note.unpack(f.value) for f in dut.recv("m_notify")]
    assert [(n["sid"], n["length"]) for n in notes] == [(1, 300)]
    bench.sessions[1].told += 300
    bench.read(0, 65535)
    dut.run(100)
    assert bench.rsp.unpack(dut.recv("m_read", 1)[0].value)["length"] == 100
    bench.reads.pop()
    assert dut.recv("m_axis", 1)[0].data == bytes(bench.sessions[0].data[:100])
    # An error while reading: the frame keeps its length and is bad.
    dut.memory("m_axi").fault(ring + 40, 8)
    bench.read(1, 90)
    dut.run(100)
    frame = dut.recv("m_axis", 1)[0]
    assert frame.bad and len(frame.data) == 90
    assert dut.recv("m_fault", 1)[0].value == 1 << 1 | 1
    counts = dut.counts("ev")
    assert counts["write_error"] == 1 and counts["read_error"] == 1
    # The sessions end as any other.
    dut.recv("m_read")
    for sid in (0, 1):
        bench.command(sid, notify=1, ended=1, discard=1, in_order_end=500, reason=6)
    dut.run(100)
    done = [bench.done.unpack(f.value) for f in dut.recv("m_done")]
    assert sorted(d["sid"] for d in done if d["released"]) == [0, 1]


def test_released_once_in_every_order() -> None:
    """ended, discard and reads in every order; late or double ends are ignored."""
    dut = make(64, 4, 4096, chip=True)
    bench = RxBench(dut, 4096, random.Random(9))
    for unread in (0, 10):
        for order in ("g", "gf", "fg", "rg", "gr", "grf", "gfr", "frg", "rgf", "B"):
            session = bench.open(3)
            bench.segment(3, 0, 300)
            bench.settle()
            for step in order:
                if step == "g":
                    bench.end(3)
                elif step == "f":
                    bench.forget(3)
                elif step == "B":
                    bench.end(3, forget=True)
                else:
                    bench.read(3, 300 - unread)
                dut.run(bench.rng.randrange(4))
            bench.settle()
            if not session.released:
                bench.read(3, 65535)
                bench.settle()
            assert session.released and session.gone_seen, (unread, order)
            bench.command(3, notify=1, discard=1)
            bench.read(3, 5)
            bench.settle()
    assert bench.released == 20


def test_short_frame_is_counted() -> None:
    """A frame that ends before its command's bytes do: nothing hangs, the next one is in place."""
    dut = make(64, 4, 4096, chip=True)
    bench = RxBench(dut, 4096, random.Random(10))
    session = bench.open(0, 0)
    session.data += bytes(200)
    bench.command(0, b"x" * 20, skip=30, len=100, seq=0)
    bench.command(0, b"y" * 50, skip=0, len=100, seq=0)
    bench.command(0, bytes(200), len=200, seq=0, notify=1, in_order_end=200)
    session.upto = 200
    bench.settle()
    bench.read(0, 200)
    bench.settle()
    assert session.read == 200 and dut.counts("ev")["short_frame"] == 2
