# SPDX-License-Identifier: Apache-2.0
"""Cycles of a packet of 4096 bytes at 512 bits: one queue pair and 64, both ways.

A 100 Gb/s wire at 250 MHz takes (4096 + 82) / 50 = 83.5 cycles for such a packet on Ethernet.
"""

from __future__ import annotations

import random

import pytest
from rc_bench import READ, RECV, SEND, WRITE, Engine, Wire, engine

BASE, KEY, SIZE = 0x100_0000, 0x155, 1 << 24
WIRE = 4096 + 82  # RoCEv2: preamble, Ethernet, IP, UDP, BTH, ICRC, FCS, gap


def engines(qps: int) -> tuple[Engine, Engine]:
    """Two engines with as many connections; memory answers after 60 cycles."""
    a, b = engine(512, 1, qps=64, window=128), engine(512, 2, qps=64, window=128)
    for one, other in ((a, b), (b, a)):
        one.dut.set("tick", 0)
        one.memory.configure(latency_cycles=60)
        one.region(KEY, BASE, SIZE)
        for qp in range(qps):
            one.connect(qp, other, mtu=5, timeout=0, max_rd_atomic=16)
    return a, b


def cycles(a: Engine, b: Engine, op: int, qps: int) -> float:
    """Cycles per packet of the sender, from its 20th percent to its 80th."""
    wire = Wire(a, b, random.Random(1))
    count, length = (16, 65536) if qps == 1 else (1, 16384)
    for qp in range(qps):
        for n in range(count):
            for one, other in ((a, b), (b, a)):
                if op == SEND:
                    other.post(qp, RECV, id=n, local_addr=BASE + length * (n + qp), length=length)
                one.post(
                    qp, op, id=n, local_addr=BASE + length * qp, length=length,
                    remote_addr=BASE + SIZE // 2 + length * (n + qp), r_key=KEY,
                )  # fmt: skip
    total = qps * count
    wire.until(
        lambda: all(sum(wc["op"] == op for wc in one.done) == total for one in (a, b)),
        4000,
    )
    assert {wc["status"] for wc in a.done + b.done} == {0}
    ends = (b if op == READ else a).ends
    low, high = len(ends) // 5, len(ends) * 4 // 5
    return (ends[high] - ends[low]) / (high - low)


@pytest.mark.parametrize("qps", [1, 64])
@pytest.mark.parametrize("op", [WRITE, SEND, READ])
def test_rate(op: int, qps: int) -> None:
    """The payload fills a 100 Gb/s wire at 250 MHz in both directions at once."""
    a, b = engines(qps)
    spent = cycles(a, b, op, qps)
    share = min(1.0, WIRE / 50 / spent)
    print(f"op {op}, {qps} queue pairs: {spent:.1f} cycles, share {share:.3f}")
    assert share >= 0.97
