# SPDX-License-Identifier: Apache-2.0
"""Sums of float in interleaved partial sums: numpy's in the same order, bit for bit; near double's.

The order is that of kumi_hls_fsum: number i goes to partial sum i modulo 8. The bound of the error
is (n - 1) * 2^-24 times the sum of the magnitudes (Higham, Accuracy and Stability, 4.2), whatever
the order.
"""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hlskit import Run, Twin
from kumihimo.hls.compile import designs
from kumihimo.hls.frontend import load
from kumihimo.hls.report import report

SUMS = Path(__file__).with_name("sums.cl")
STALLS = ((0.0, 0, 0), (0.4, 25, 10))  # share of stalled cycles, latency and jitter of the memory
F = np.float32


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(SUMS, tmp_path_factory.mktemp("sums"))


def numbers(count: int, seed: int) -> np.ndarray:
    """Numbers of very different size and sign, so that the order of additions shows."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=count) * 10.0 ** rng.integers(-4, 5, count)).astype(F)


def interleaved(values: Sequence[np.float32], first: float) -> np.float32:
    """The documented order."""
    parts = [F(-0.0)] * 8
    for i, value in enumerate(values):
        parts[i % 8] = F(parts[i % 8] + value)
    while len(parts) > 1:
        parts = [F(a + b) for a, b in zip(parts[0::2], parts[1::2], strict=True)]
    return F(F(first) + parts[0])


def near(got: np.float32, values: np.ndarray, first: float = 0.0) -> bool:
    """Within the bound of any order of additions."""
    exact = float(first) + float(np.sum(values.astype(np.float64)))
    magnitudes = abs(first) + float(np.sum(np.abs(values.astype(np.float64))))
    return abs(float(got) - exact) <= len(values) * 2.0**-24 * magnitudes


def bits(value: np.float32) -> int:
    return int.from_bytes(F(value).tobytes(), "little")


def memory(twin: Twin, kernel: str, args: dict[str, object], stall: tuple[float, int, int],
           seed: int) -> np.ndarray:  # fmt: skip
    """What the RTL leaves in the buffer y."""
    buffers = {(kernel, k): bytes(v) for k, v in args.items() if isinstance(v, bytearray)}
    run = Run({kernel: args})
    _, left = twin.rtl(run, buffers, {}, stall[0], seed, stall[1], stall[2], 200_000)
    return np.frombuffer(left[kernel, "y"], F)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 15, 16, 17, 64, 301])
def test_sum_of_a_channel(twin: Twin, n: int) -> None:
    values = numbers(n, n)
    words = [bits(v) for v in values]
    for stall in (0.0, 0.5):
        want = {"ANY_OUT": [bits(interleaved(list(values), 2.25))]}
        run = Run({"any_order": {"n": n, "first": bits(F(2.25))}}, {"ANY_IN": words})
        found, _ = twin.rtl(run, {}, want, stall, n + 1, 0, 0, 100_000)
        assert not found, found
    assert near(interleaved(list(values), 2.25), values, 2.25)


def test_special_numbers(twin: Twin) -> None:
    """Signed zeros, subnormal numbers, infinities and NaN."""
    for values in ([-0.0], [-0.0] * 9, [1e-45, -1e-45, 3e-45], [np.inf, 1.0], [np.inf, -np.inf],
                   [np.nan, 1.0], [3e38] * 16):  # fmt: skip
        for first in (0.0, -0.0):
            with np.errstate(all="ignore"):
                want = interleaved([F(v) for v in values], first)
            word = 0x7FC00000 if np.isnan(want) else bits(want)
            run = Run(
                {"any_order": {"n": len(values), "first": bits(F(first))}},
                {"ANY_IN": [bits(F(v)) for v in values]},
            )
            found, _ = twin.rtl(run, {}, {"ANY_OUT": [word]}, 0.0, 1, 0, 0, 10_000)
            assert not found, (values, first, found)


@pytest.mark.parametrize("stall", STALLS)
def test_products_of_rows(twin: Twin, stall: tuple[float, int, int]) -> None:
    """A sum for each row: the unit begins again, also behind empty rows."""
    for rows, n in ((5, 0), (6, 1), (5, 8), (4, 29)):
        a, x = numbers(rows * n, 3), numbers(n, 4)
        args = {"a": bytearray(a.tobytes()), "x": bytearray(x.tobytes()),
                "y": bytearray(4 * rows), "rows": rows, "n": n}  # fmt: skip
        got = memory(twin, "products", args, stall, rows)
        for r in range(rows):
            each = a[r * n : (r + 1) * n] * x
            assert bits(got[r]) == bits(interleaved(list(each), 0.0))
            assert near(got[r], each)


@pytest.mark.parametrize("stall", STALLS)
def test_sums_with_conditions(twin: Twin, stall: tuple[float, int, int]) -> None:
    """Each condition's numbers are counted alone."""
    a = numbers(77, 5)
    args = {"a": bytearray(a.tobytes()), "y": bytearray(8), "n": 77}
    up, down = memory(twin, "signs", args, stall, 6)
    assert bits(up) == bits(interleaved(list(a[a > 0]), 1.5))
    assert bits(down) == bits(interleaved(list(-a[~(a > 0)]), 0.0))


@pytest.mark.parametrize("stall", STALLS)
@pytest.mark.parametrize("n", [0, 1, 8, 53])
def test_sums_of_vectors(twin: Twin, n: int, stall: tuple[float, int, int]) -> None:
    """Each element is a sum of its own, in the documented order."""
    a = numbers(4 * n, 11).reshape(-1, 4)
    args = {"a": bytearray(a.tobytes() or bytes(16)), "y": bytearray(32), "n": n}
    got = memory(twin, "vectors", args, stall, 12).reshape(2, 4)
    some = a[a[:, 1] > 0][:, ::-1]
    for i, first in enumerate((1.5, 0.0, -2.0, 0.25)):
        assert bits(got[0, i]) == bits(interleaved(list(a[:, i]), first))
        assert bits(got[1, i]) == bits(interleaved(list(some[:, i]), 0.0))


def test_order_of_the_program_is_kept_where_it_shows(twin: Twin) -> None:
    """Sums that are seen or decide about the loop, and those without leave: as in emulation."""
    a = numbers(60, 7)
    args = {"a": bytearray(a.tobytes()), "y": bytearray(240), "n": 60}
    twin.compare(Run({"prefixes": args}), stall=0.2, latency=20)
    args = {"a": bytearray(a.tobytes()), "y": bytearray(8), "n": 60}
    struct.pack_into("<f", args["a"], 4 * 37, 7.0)  # type: ignore[arg-type]
    twin.compare(Run({"until": args}), stall=0.2, latency=20)
    args = {"a": bytearray(a.tobytes()), "y": bytearray(8), "n": 30}
    twin.compare(Run({"turning": args}), stall=0.2, latency=20)
    words = [bits(v) for v in numbers(90, 8)]
    twin.compare(Run({"in_order": {"n": 90}}, {"ORDER_IN": words}))


def ii(relaxed: bool) -> dict[str, list[int]]:
    program = load(SUMS, relaxed=relaxed)
    return {k.name: [loop.ii for loop in k.loops] for k in report(designs(program))}


def test_ii_is_one_where_the_order_is_free() -> None:
    """The pragma frees the kernels behind it; the build option all of them."""
    plain, relaxed = ii(False), ii(True)
    assert plain["in_order"] == [6] and relaxed["in_order"] == [1]
    for name in ("any_order", "products", "signs", "vectors"):
        assert plain[name] == relaxed[name] == [1]
    assert plain["prefixes"] == relaxed["prefixes"] == plain["turning"] == [6]


def test_a_number_a_cycle(twin: Twin) -> None:
    """300 numbers more take 300 cycles more."""
    cycles = []
    for n in (100, 400):
        words = [bits(v) for v in numbers(n, 9)]
        twin.rtl(Run({"any_order": {"n": n, "first": 0}}, {"ANY_IN": words}), {}, {}, 0.0, 1, 0, 0,
                 10_000)  # fmt: skip
        cycles.append(twin.cycles)
    assert abs(cycles[1] - cycles[0] - 300) <= 20  # busy is looked at every 20 cycles


def test_options_of_the_command() -> None:
    """OpenCL's spelling of the build options."""
    for option in ("-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations"):
        command = [sys.executable, "-m", "kumihimo.cli", "kernel", "report", str(SUMS), option]
        done = subprocess.run(
            [*command, "--json"], capture_output=True, text=True, check=True, timeout=60
        )
        kernel = next(k for k in json.loads(done.stdout) if k["kernel"] == "in_order")
        assert kernel["loops"][0]["ii"] == 1
        assert any("8 interleaved parts" in text for text in kernel["loops"][0]["accesses"])


def test_random_sums(twin: Twin) -> None:
    """Thirty sums with random stalls: bit for bit, and near double's."""
    rng = random.Random(10)
    for seed in range(30):
        n = rng.randint(0, 120)
        values = numbers(n, 100 + seed)
        run = Run({"any_order": {"n": n, "first": 0}}, {"ANY_IN": [bits(v) for v in values]})
        want = interleaved(list(values), 0.0)
        found, _ = twin.rtl(run, {}, {"ANY_OUT": [bits(want)]}, rng.random() * 0.8, seed, 0, 0,
                            100_000)  # fmt: skip
        assert not found, found
        assert near(want, values)
