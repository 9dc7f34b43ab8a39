# SPDX-License-Identifier: Apache-2.0
"""kumi_tcp_tx_mem: answers to writes, data into rings, reports, closes."""

from __future__ import annotations

import random

import pytest
from tcp_tx_mem_bench import BAD_LENGTH, HALF_CLOSED, NO_SESSION, NO_SPACE, OK, TxBench, make

WIDTHS = [64, 128, 256, 512]
LENGTHS = [0, 1, 2, 63, 64, 65, 100, 536, 1460, 2000, 4096, 5000]


def play(bench: TxBench, rng: random.Random, sids: list[int], steps: int) -> None:
    """Random writes, acknowledgements and ends."""
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
