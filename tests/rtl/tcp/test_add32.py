# SPDX-License-Identifier: Apache-2.0
"""kumi_int_fp32_add against numpy: random and corner pairs, floating point and integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kumihimo.testing import Dut, Frame

HERE = Path(__file__).parent
PAIRS = 2_000_000
CORNERS = np.array(
    [
        *(0x00000000, 0x00000001, 0x00000002, 0x003FFFFF, 0x00400000, 0x007FFFFF, 0x00800000),
        *(0x00800001, 0x00FFFFFF, 0x01000000, 0x33800000, 0x34000000, 0x3F7FFFFF, 0x3F800000),
        *(0x3F800001, 0x40000000, 0x4B000000, 0x4B7FFFFF, 0x4B800000, 0x4C000000, 0x7F000000),
        *(0x7F7FFFFE, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x73800000),
    ],
    dtype=np.uint32,
)


@pytest.fixture(scope="module")
def dut() -> Dut:
    shape = {"s_axis": {"DATA_W": 512}, "m_axis": {"DATA_W": 256}}
    return Dut.of_module(HERE / "kumi_t_add32.sv", {}, shape)


def sums(dut: Dut, a: np.ndarray, b: np.ndarray, is_float: bool) -> np.ndarray:
    """All pairs through the lanes, in one long frame of beats a time."""
    out = []
    lanes = np.concatenate([a.reshape(-1, 8), b.reshape(-1, 8)], axis=1)
    for part in np.array_split(lanes, max(1, len(lanes) // 20000)):
        users = [int(is_float)] * len(part)
        dut.send("s_axis", Frame(part.astype("<u4").tobytes(), users=users))
        got = dut.recv("m_axis", len(part), timeout_cycles=10 * len(part) + 100)
        out.append(np.frombuffer(b"".join(f.data for f in got), dtype="<u4"))
    return np.concatenate(out)


def compare(a: np.ndarray, b: np.ndarray, got: np.ndarray) -> None:
    with np.errstate(all="ignore"):
        want = (a.view(np.float32) + b.view(np.float32)).view(np.uint32)
    nan = np.isnan(want.view(np.float32))
    want = np.where(nan, np.uint32(0x7FC00000), want)
    wrong = np.nonzero(want != got)[0]
    assert not len(wrong), [
        f"{a[i]:08x} + {b[i]:08x} = {want[i]:08x}, not {got[i]:08x}" for i in wrong[:5]
    ]


def test_corner_pairs(dut: Dut) -> None:
    """Each of both signs with each."""
    values = np.concatenate([CORNERS, CORNERS | np.uint32(0x80000000)])
    a, b = (m.ravel().astype(np.uint32) for m in np.meshgrid(values, values))
    compare(a, b, sums(dut, a, b, True))


@pytest.mark.parametrize("how", ["any bits", "near exponents", "small", "cancel"])
def test_random_pairs(dut: Dut, how: str) -> None:
    rng = np.random.default_rng(len(how))
    a = rng.integers(0, 1 << 32, PAIRS // 4, dtype=np.uint32)
    b = rng.integers(0, 1 << 32, PAIRS // 4, dtype=np.uint32)
    if how == "near exponents":
        step = rng.integers(-28, 29, len(a))
        exponent = np.clip((a >> 23 & 255).astype(int) + step, 0, 255).astype(np.uint32)
        b = b & np.uint32(0x807FFFFF) | exponent << np.uint32(23)
    elif how == "small":
        a, b = a & np.uint32(0x81FFFFFF), b & np.uint32(0x81FFFFFF)
    elif how == "cancel":
        b = (a ^ np.uint32(0x80000000)) + rng.integers(0, 64, len(a), dtype=np.uint32)
    compare(a, b, sums(dut, a, b, True))


def test_integers(dut: Dut) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 1 << 32, 80_000, dtype=np.uint32)
    b = rng.integers(0, 1 << 32, 80_000, dtype=np.uint32)
    assert np.array_equal(sums(dut, a, b, False), a + b)


def test_stalls(dut: Dut) -> None:
    dut.restart()
    dut.stall_all(rx=0.3, tx=0.4, seed=5)
    rng = np.random.default_rng(2)
    a = rng.integers(0, 1 << 32, 16_000, dtype=np.uint32)
    b = rng.integers(0, 1 << 32, 16_000, dtype=np.uint32)
    compare(a, b, sums(dut, a, b, True))
