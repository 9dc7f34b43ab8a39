# SPDX-License-Identifier: Apache-2.0
"""Programs of families that users write: RTL equals emulation, and both what Python computes."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hlskit import Run, Twin, random_words

HERE = Path(__file__).parent
N = 40


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(HERE / "families.cl", tmp_path_factory.mktemp("families"))


def data(count: int, seed: int) -> bytearray:
    return bytearray(random.Random(seed).randbytes(count))


def floats(count: int, seed: int, lanes: int = 1, special: bool = True) -> list[int]:
    """Words of floats: ordinary ones, whole ones, halves; zeros, infinities, NaN, small ones."""
    rng = random.Random(seed)
    rare = [0.0, -0.0, math.inf, -math.inf, math.nan, 0.5, -0.5, 2.5, 1e30, 1e-40, 8388609.0]
    kinds = [
        lambda: rng.uniform(-300, 300),
        lambda: float(rng.randint(-9, 9)),
        lambda: rng.randint(-99, 99) / 2,
        lambda: rng.choice(rare),
    ][: 4 if special else 3]
    out = []
    for _ in range(count):
        values = [rng.choice(kinds)() for _ in range(lanes)]
        out.append(int.from_bytes(struct.pack(f"<{lanes}f", *values), "little"))
    return out


RUNS = {
    "sort_items": lambda: Run({"sort_items": {"n": 30}}, {"ITEM_IN": random_words(56, 30, 1)}),
    "points": lambda: Run({"points": {"a": data(480, 2), "b": data(480, 3), "n": N}}),
    "copies": lambda: Run({"copies": {"a": data(96, 4), "b": data(96, 5), "n": N}}),
    "gray": lambda: Run({"gray": {"a": data(120, 6), "b": data(120, 7), "n": N}}),
    "packed": lambda: Run({"packed": {"a": data(200, 8), "n": N}}),
    "swap_bytes": lambda: Run({"swap_bytes": {"n": N}}, {"UNION_IN": random_words(32, N, 9)}),
    "shifts": lambda: Run({"shifts": {"n": N}}, {"SHIFT_IN": random_words(32, N, 10)}),
    "builtins": lambda: Run({"builtins": {"n": N}}, {"BUILTIN_IN": random_words(64, N, 11)}),
    "saturate": lambda: Run({"saturate": {"n": N}}, {"SAT_IN": random_words(64, N, 12)}),
    "swizzle": lambda: Run({"swizzle": {"n": N}}, {"SWIZZLE_IN": floats(N, 13, 4, special=False)}),
    "machine": lambda: Run(
        {"machine": {}}, {"TOKEN_IN": [*random.Random(15).randbytes(N), 1, 0, 1, 0]}
    ),
    "nests": lambda: Run({"nests": {"n": 40, "m": 12}}),
    "frames": lambda: Run({"frames": {}}, {"FRAME_IN": [3, 1, 2, 3, 1, 9, 5, 5, 4, 3, 2, 1, 0]}),
    "returns": lambda: Run({"returns": {"n": 9}}, {"EARLY_IN": [5, 0, 1 << 25, 2**31, 9, 77, 3]}),
    "walk": lambda: Run({"walk": {"a": data(160, 16), "b": data(160, 17), "n": N}}),
    "through": lambda: Run({"through": {"a": data(160, 18), "b": data(160, 19), "n": N}}),
    "either": lambda: Run({"either": {"a": data(160, 20), "b": data(160, 21), "n": N}}),
    "ping_pong": lambda: Run(
        {"ping_pong": {"a": data(80, 22), "b": data(80, 23), "n": 20, "rounds": 3}}
    ),
    "chosen_arrays": lambda: Run({"chosen_arrays": {"a": data(160, 56), "n": N}}),
    "swapped_buffers": lambda: Run({"swapped_buffers": {"a": data(80, 57), "rounds": 5}}),
    "views": lambda: Run({"views": {"a": data(160, 24), "b": data(160, 25), "n": N}}),
    "runs": lambda: Run({"runs": {"n": N}}, {"TEXT_IN": random_words(2, N, 26)}),
    "life": lambda: Run({"life": {"seed": 12345, "rounds": 2}}),
    "constants": lambda: Run({"constants": {"n": N}}),
    "names": lambda: Run({"names": {"n": N}}, {"NAMES_IN": random_words(32, N, 27)}),
    "tree": lambda: Run(
        {"tree": {"n": N}},
        {f"TREE_IN_{y}_{x}": random_words(32, N, 28 + 2 * y + x) for y in (0, 1) for x in (0, 1)},
    ),
    "add_items": lambda: Run(
        {"add_items": {"a": data(160, 33), "b": data(160, 34), "c": data(160, 35),
                       "global_size_x": N}}
    ),
    "transpose": lambda: Run(
        {"transpose": {"a": data(160, 36), "b": data(160, 37), "global_size_x": 5,
                       "global_size_y": 8}}
    ),
    "reverse_groups": lambda: Run({"reverse_groups": {"a": data(160, 38), "global_size_x": N}}),
    "reduce_groups": lambda: Run(
        {"reduce_groups": {"a": data(192, 39), "sums": data(12, 40), "scale": 3,
                           "global_size_x": 48}}
    ),
    "tiled_product": lambda: Run(
        {"tiled_product": {"a": data(256, 41), "b": data(256, 42), "c": data(256, 43), "n": 8,
                           "global_size_x": 8, "global_size_y": 8}}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_rtl_does_what_emulation_does(twin: Twin, name: str) -> None:
    twin.compare(RUNS[name]())
    twin.compare(RUNS[name](), stall=0.3, seed=7, latency=20, jitter=8)


def test_float_functions(twin: Twin) -> None:
    """Floor to sqrt are numpy's, bit for bit; NaN is NaN."""
    words = floats(150, 50)
    out = run(twin, "rounding", "ROUND", words)
    x = np.array(words, np.uint32).view(np.float32)
    got = np.array([[w >> 32 * i & 0xFFFFFFFF for i in range(8)] for w in out], np.uint32)
    away = np.copysign(np.floor(np.abs(x) + np.float64(0.5)).astype(np.float32), x)
    with np.errstate(invalid="ignore"):
        want = [np.floor(x), np.ceil(x), np.trunc(x), np.where(np.abs(x) < 2**23, away, x),
                np.rint(x), np.sqrt(x), np.fmax(x, np.float32(1)),
                np.where(x < -2, -2, np.where(x > 2, 2, x)).astype(np.float32)]  # fmt: skip
    for i, column in enumerate(want):
        numbers = got[:, i].view(np.float32)
        same = (got[:, i] == column.view(np.uint32)) | (np.isnan(numbers) & np.isnan(column))
        assert same.all(), (i, x[~same][:3], numbers[~same][:3], column[~same][:3])


def test_saturation_of_floats(twin: Twin) -> None:
    words = floats(100, 51)
    out = run(twin, "float_to_sat", "FSAT", words)
    x = np.array(words, np.uint32).view(np.float32)
    for i, (scale, low, high) in enumerate(
        [(1, 0, 255), (1, -(2**15), 2**15 - 1), (1, -(2**31), 2**31 - 1), (0.5, -128, 127)]
    ):
        for value, word in zip(x * np.float32(scale), out, strict=True):
            number = word >> 32 * i & 0xFFFFFFFF
            number -= number >> 31 << 32
            whole = 0 if math.isnan(value) else max(low, min(high, value))
            assert number == int(whole)


def run(twin: Twin, kernel: str, channel: str, words: list[int]) -> list[int]:
    """RTL against emulation; the words of both."""
    runs = Run({kernel: {"n": len(words)}}, {f"{channel}_IN": words})
    twin.compare(runs, stall=0.2, seed=3)
    return twin.emulation.run(runs.kernels, runs.inputs).outputs[f"{channel}_OUT"]


def test_relu(twin: Twin) -> None:
    words = floats(30, 52, lanes=16)
    expected = []
    for word in words:
        lanes = [word >> 32 * i & 0xFFFFFFFF for i in range(16)]
        below = [0x80000000 < lane <= 0xFF800000 for lane in lanes]  # neither -0 nor NaN
        kept = [0 if b else lane for lane, b in zip(lanes, below, strict=True)]
        expected.append(sum(lane << 32 * i for i, lane in enumerate(kept)))
    assert run(twin, "relu", "WIDE_VECTOR", words) == expected


def test_integer_functions(twin: Twin) -> None:
    """What OpenCL's specification says of each, in Python."""
    words = [*random_words(64, 60, 55), 0, 2**64 - 1, 1 << 63, 1 << 31]
    out = run(twin, "builtins", "BUILTIN", words)
    for word, low, high in zip(words, out[0::2], out[1::2], strict=True):
        a, b = signed(word, 32), signed(word >> 32, 32)
        ua, ub, c = a % 2**32, b % 2**32, word & 255
        n = ub % 32
        want = [
            (ua << n | ua >> (32 - n)) % 2**32, 32 - ua.bit_length(),
            (ub & -ub).bit_length() - 1 if ub else 32, a * b >> 32,
            word * 0x123456789ABCDEF >> 64, (a + b) >> 1, (a + b + 1) >> 1, abs(a),
            abs(signed(word, 8)), abs(a - b), c.bit_count(), signed((ub & 4095) * 9 + a, 32),
            (c << 3 | c >> 5) & 255, (a & ~0x0FF0) | (b & 0x0FF0),
            signed(word, 16) * signed(word >> 32, 16) >> 16, max(-50, min(50, b)),
        ]  # fmt: skip
        found = [half >> 64 * i & (2**64 - 1) for half in (low, high) for i in range(8)]
        assert found == [v % 2**64 for v in want]


def signed(value: int, bits: int) -> int:
    value %= 1 << bits
    return value - (value >> (bits - 1) << bits)


def test_saturation_of_integers(twin: Twin) -> None:
    words = random_words(64, 60, 53)
    out = run(twin, "saturate", "SAT", words)
    for word, got in zip(words, out, strict=True):
        x = word - (word >> 63 << 64)
        a = (x >> 20) + 2**31 & 0xFFFFFFFF
        a -= 2**31
        want = [clip(a, 8), max(0, min(255, x)), clip(x, 32), clip(word, 16), clip(a % 2**32, 32),
                max(0, min(65535, a))]  # fmt: skip
        assert [got >> 32 * i & 0xFFFFFFFF for i in range(6)] == [v & 0xFFFFFFFF for v in want]


def clip(value: int, bits: int) -> int:
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))


def test_work_groups(twin: Twin) -> None:
    """The product and the transposed matrix of numpy."""
    rng = np.random.default_rng(54)
    a, b = (rng.integers(-99, 99, (8, 8), dtype=np.int32) for _ in range(2))
    c = bytearray(256)
    args = {"a": bytearray(a.tobytes()), "b": bytearray(b.tobytes()), "c": c, "n": 8}
    twin.compare(Run({"tiled_product": {**args, "global_size_x": 8, "global_size_y": 8}}))
    assert (np.frombuffer(c, np.int32).reshape(8, 8) == a @ b).all()
    out = bytearray(256)
    twin.compare(Run({"transpose": {"a": bytearray(a.tobytes()), "b": out, "global_size_x": 8,
                                    "global_size_y": 8}}))  # fmt: skip
    assert (np.frombuffer(out, np.int32).reshape(8, 8) == a.T).all()
