# SPDX-License-Identifier: Apache-2.0
"""K of CUBIC: the cube root against whole numbers of any length."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from kumihimo.testing import Dut

TICK_S = Fraction(1024, 1_000_000)
C = Fraction(4, 10)
GREATEST = (1 << 18) - 1


def root(gap: int, mss: int) -> int:
    """The greatest K, in ticks, with C (K tick)^3 <= gap / mss."""
    exact = Fraction(gap, mss) / C / TICK_S**3
    low, high = 0, GREATEST + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= exact else (low, middle)
    return low


@pytest.fixture(scope="module")
def dut() -> Dut:
    return Dut.of_module(
        "tests/rtl/tcp/kumi_t_tcp_cubic_k.sv", {}, {"s_req": {"W": 92}, "m_rsp": {"W": 64}}
    )


def answers(dut: Dut, pairs: list[tuple[int, int]]) -> list[int]:
    """All requests, in order; each comes back with its session and epoch."""
    request, out = dut.struct("tcp_cubic_k_req_t"), dut.struct("tcp_cubic_k_rsp_t")
    for number, (gap, mss) in enumerate(pairs):
        dut.send(
            "s_req",
            [request.pack({"sid": number, "epoch_start": 7 * number, "gap": gap, "mss": mss})],
        )
    got = [out.unpack(f.value) for f in dut.recv("m_rsp", len(pairs), 400 * len(pairs))]
    assert [(r["sid"], r["epoch_start"]) for r in got] == [(i, 7 * i) for i in range(len(pairs))]
    return [r["k"] for r in got]


def test_roots(dut: Dut) -> None:
    """Small and large windows, every size of segment; off by one at most where C is rounded."""
    rng = random.Random(1)
    pairs = [(1, 88), (1, 65535), (0, 1460), (2**29, 88), (438 * 1460, 1460)]
    for _ in range(300):
        pairs.append((rng.randrange(1 << rng.randrange(1, 30)), rng.randrange(88, 9000)))
    dut.stall("m_rsp", 0.3, seed=2)
    for (gap, mss), k in zip(pairs, answers(dut, pairs), strict=True):
        assert abs(k - root(gap, mss)) <= 1, (gap, mss)
    assert answers(dut, [(30 * 1460, 1460)]) == [int((30 / 0.4) ** (1 / 3) / float(TICK_S))]


def test_too_large(dut: Dut) -> None:
    """An overflow yields the largest number, and nothing hangs."""
    assert answers(dut, [(2**30 - 1, 1), (5, 0), (1000, 1000)])[:2] == [GREATEST, GREATEST]


def test_latency(dut: Dut) -> None:
    dut.sent("s_req")
    dut.stall("m_rsp", 0)
    request = dut.struct("tcp_cubic_k_req_t")
    dut.send("s_req", [request.pack({"gap": 10000, "mss": 1460})])
    (frame,) = dut.recv("m_rsp", 1, 400)
    assert frame.cycle - dut.sent("s_req")[-1][1] == 131
