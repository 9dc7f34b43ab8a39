# SPDX-License-Identifier: Apache-2.0
"""Floating-point units in kernels give what numpy's float32 gives, bit for bit.

A NaN equals any NaN: which one an operation returns, IEEE 754 leaves open.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hlskit import Run, Twin

HERE = Path(__file__).parent
# Zero, subnormal and normal borders, one and its neighbours, integers' borders, infinity, NaN.
EDGES = [
    0x00000000, 0x00000001, 0x00000002, 0x007FFFFF, 0x00800000, 0x00800001, 0x01000000, 0x33800000,
    0x3EFFFFFF, 0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FFFFFFF, 0x40000000, 0x4B7FFFFF,
    0x4B800000, 0x5F000000, 0x7E800000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
]  # fmt: skip
Words = npt.NDArray[np.uint32]


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "floats.cl", tmp_path_factory.mktemp("floats"))


def pairs(count: int, seed: int) -> list[tuple[int, int]]:
    """All pairs of edges with both signs, and random ones, also with exponents that are near."""
    rng = random.Random(seed)
    signed = [e | s for e in EDGES for s in (0, 1 << 31)]
    out = list(itertools.product(signed, signed))
    for _ in range(count):
        a = rng.getrandbits(32)
        near = (a >> 23 & 0xFF) + rng.randint(-26, 26)
        b = rng.getrandbits(32) & 0x807FFFFF | (min(max(near, 0), 254) << 23)
        out.append((a, rng.choice([b, rng.getrandbits(32), a ^ 1 << 31, a ^ rng.randint(1, 3)])))
        small = rng.getrandbits(32) & 0x81FFFFFF | rng.randint(0, 0x40) << 23
        out.append((small, 0x3F000000 | rng.getrandbits(24)))
    return out


def same(got: Words, want: npt.NDArray[np.float32]) -> None:
    """Equal bits, or both NaN."""
    bits = want.view(np.uint32)
    good = (got == bits) | (np.isnan(got.view(np.float32)) & np.isnan(want))
    if not good.all():
        i = int(np.argmin(good))
        raise AssertionError(f"number {i}: {got[i]:#010x}, numpy says {bits[i]:#010x}")


def words(
    twin: Twin,
    kernel: str,
    channel: str,
    values: list[int],
    outputs: dict[str, int],
    stall: float = 0.0,
) -> dict[str, list[bytes]]:
    """Start a kernel for values of a channel; the words of its outputs."""
    dut = twin.dut
    dut.restart()
    dut.stall_all(stall, stall, 3)
    dut.send(f"s_hdr_{channel}", values)
    dut.set(f"{kernel}_n", len(values))
    dut.set(f"{kernel}_start", 1)
    dut.run(1)
    dut.set(f"{kernel}_start", 0)
    limit = 20 * len(values) + 1000
    return {o: dut.recv_data(f"m_hdr_{o}", len(values), limit) for o in outputs}


@pytest.mark.parametrize("stall", [0.0, 0.3])
def test_arithmetic_is_numpys(twin: Twin, stall: float) -> None:
    cases = pairs(1500, 1)
    got = words(
        twin,
        "calc",
        "pair_in",
        [a | b << 32 for a, b in cases],
        {"calc_out": 16, "test_out": 4},
        stall,
    )
    array = np.frombuffer(b"".join(got["calc_out"]), np.uint32).reshape(-1, 4)
    a, b = np.array(cases, np.uint32).view(np.float32).T
    with np.errstate(all="ignore"):
        same(array[:, 0].copy(), a + b)
        same(array[:, 1].copy(), a * b)
        same(array[:, 2].copy(), a / b)
        same(array[:, 3].copy(), a - b)
        tests = [a < b, a <= b, a == b, a != b, a > b, a >= b, ~(a < b), np.abs(a) > -b]
    expected = sum(t.astype(np.uint32) << i for i, t in enumerate(tests))
    assert (np.frombuffer(b"".join(got["test_out"]), np.uint32) == expected).all()


def test_integers_become_floats(twin: Twin) -> None:
    rng = random.Random(2)
    values = [0, 1, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, (1 << 24) + 1, (1 << 25) + 2]
    values += [rng.getrandbits(rng.randint(1, 64)) for _ in range(600)]
    got = words(twin, "from_int", "int_in", values, {"floats_out": 16})
    array = np.frombuffer(b"".join(got["floats_out"]), np.uint32).reshape(-1, 4)
    whole = np.array(values, np.uint64)
    same(array[:, 0].copy(), whole.view(np.int64).astype(np.float32))
    same(array[:, 1].copy(), whole.astype(np.float32))
    same(array[:, 2].copy(), whole.astype(np.uint32).view(np.int32).astype(np.float32))
    same(array[:, 3].copy(), whole.astype(np.uint16).astype(np.float32))


def test_floats_become_integers(twin: Twin) -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate(
        [
            (rng.uniform(-1, 1, 500) * 2.0 ** rng.integers(-3, 63, 500)).astype(np.float32),
            np.array([0.0, -0.0, 0.5, -0.5, 0.99999994, 1.0, -1.0, 1e-40, 2.0**62], np.float32),
        ]
    )
    got = words(
        twin, "to_int", "float_in", [int(v) for v in values.view(np.uint32)], {"ints_out": 32}
    )
    array = np.frombuffer(b"".join(got["ints_out"]), np.int64).reshape(-1, 4)
    assert (array[:, 0] == values.astype(np.int64)).all()
    assert (array[:, 1] == (values / np.float32(2**32)).astype(np.int32)).all()
    assert (array[:, 2] == (np.abs(values) / np.float32(1e18)).astype(np.uint8)).all()
    assert (array[:, 3] == (values * np.float32(1e-16)).astype(np.int16)).all()


def test_selections(twin: Twin) -> None:
    """What OpenCL's specification says of select, any, all and the comparisons, in numpy."""
    rng = random.Random(5)
    few = [*EDGES[::3], 0xC0000000, 0xFFFFFFFF, 0x80000000, 5]
    values = [[rng.choice([*few, rng.getrandbits(32)]) for _ in range(4)] for _ in range(150)]
    values += [[0] * 4, [0xFFFFFFFF] * 4, [0x3F800000] * 4]
    packed = [sum(v << 32 * i for i, v in enumerate(four)) for four in values]
    out = words(twin, "decide", "decide_in", packed, {"decide_out": 64}, 0.2)["decide_out"]
    x = np.array(values, np.uint32).view(np.int32)
    f = x.view(np.float32)
    got = np.frombuffer(b"".join(out), np.int32).reshape(-1, 16)
    with np.errstate(invalid="ignore"):
        assert (got[:, :4] == np.where(f < f[:, [1, 0, 3, 2]], x[:, ::-1], x)).all()
        assert (got[:, 4:8] == np.where(f < 0.5, 3, np.where(np.isnan(f), 2, 1))).all()
        least = got[:, 8:12].view(np.float32)
        assert (least == np.fmin(f, np.float32(1.5))).all()
        assert (got[:, 12:15].view(np.float32) == np.copysign(np.float32(2), f[:, :3])).all()
        narrow = x.astype(np.int8)
        tests = [
            (x > 3).any(1), (x > -9).all(1), x[:, 0] < 0, (narrow < 0).all(1),
            f[:, 0] == f[:, 1], np.signbit(f[:, 2]), f[:, 3] >= f[:, 0],
            np.isnan(f[:, 0]) | np.isnan(f[:, 1]), x[:, 1] != 0, ~(f[:, 1] < f[:, 0]),
        ]  # fmt: skip
    bits = sum(t.astype(np.int32) << i for i, t in enumerate(tests))
    assert (got[:, 15] == (bits ^ np.where(x[:, 2] & 1, 32, 16) << 10)).all()


def test_sum_in_order(twin: Twin) -> None:
    """An accumulation keeps its order: the loop's II is the adder's latency and a register."""
    rng = np.random.default_rng(4)
    a, b = (rng.normal(size=100).astype(np.float32) for _ in range(2))
    out = bytearray(4)
    twin.compare(
        Run(
            {
                "dot": {
                    "a": bytearray(a.tobytes()),
                    "b": bytearray(b.tobytes()),
                    "out": out,
                    "n": 100,
                }
            }
        ),
        latency=20,
    )
    total = np.float32(0)
    for x in a * b:
        total = np.float32(total + x)
    assert bytes(out) == total.tobytes()
    loop = next(s for d in twin.printed.designs if d.name == "dot" for s in d.segments if s.loop)
    assert loop.ii == 6 and "sum" in loop.limit
