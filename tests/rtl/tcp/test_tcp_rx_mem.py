# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_rx_mem: payload into rings, notes, reads, and the end of sessions."""

from __future__ import annotations

import random

import pytest
from tcp_rx_mem_bench import RxBench, make

WIDTHS = [64, 128, 256, 512]


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
                    bench.command(sid, note=1, fin=1, upto=upto)
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
    assert not any(dut.counts("ev")[name] for name in ("cut", "write_error", "read_error"))


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
    ring = 4096
    dut = make(width, 64, ring, chip=True, READ_BEATS=0 if width == 512 else 64)
    bench = RxBench(dut, ring, rng)
    play(bench, rng, list(range(64)), 250, 1460)
    dut.stall_all(0.3, 0.3, seed=width)
    play(bench, rng, [5, 63], 150, 3000)
    assert bench.bytes_read > 30_000
