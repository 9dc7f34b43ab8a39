# SPDX-License-Identifier: Apache-2.0
"""kumi_inflate beside zlib: bytes, verdict and class of error of each stream must be equal.

inflate_harness.cpp compares stream by stream; here are the streams.
"""

from __future__ import annotations

import json
import random
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from deflate_streams import (
    GZIP,
    RAW,
    STRATEGIES,
    ZLIB,
    Stream,
    deflated,
    good_streams,
    malformed,
    sample,
)
from kumihimo.testing.program import verilated_program
from kumihimo.testing.sizes import by_size

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Size:
    """Parameters of kumi_inflate, and what is expected of it."""

    params: dict[str, int]
    literals: float  # bytes a cycle of 8-bit literals, at least
    matches: float  # bytes a cycle of matches of 258 bytes, at least
    mutated: int  # streams


SIZES = {
    "64 bits, 32 a cycle": Size({"DATA_W": 64, "SPAN": 32, "SYMS": 4}, 3.5, 7.4, 2_000),
    "32 bits, 16 a cycle": Size({"DATA_W": 32, "SPAN": 16, "SYMS": 2}, 1.8, 3.8, 6_000),
    "128 bits, 32 a cycle": Size({"DATA_W": 128, "SPAN": 32, "SYMS": 4}, 3.5, 13.5, 2_000),
}


# The widest has the decoder of the first, behind wider ports.
ONLY_LONG = {"128 bits, 32 a cycle": [pytest.mark.long(only=True)]}


@pytest.fixture(
    scope="module",
    params=[pytest.param(s, id=n, marks=ONLY_LONG.get(n, [])) for n, s in SIZES.items()],
)
def size(request: pytest.FixtureRequest) -> Size:
    made: Size = request.param
    return made


@pytest.fixture(scope="module")
def program(size: Size) -> Path:
    top, main = HERE / "kumi_t_inflate.sv", HERE / "inflate_harness.cpp"
    return verilated_program(top, main, size.params, ["z"])


def compared(program: Path, streams: Iterable[Stream], **options: int) -> dict[str, Any]:
    """Run the harness, which fails at the first difference; its counts."""
    data = b"".join(bytes([form]) + struct.pack("<I", len(s)) + s for form, s in streams)
    words = [str(program), *(f"{name}={value}" for name, value in options.items())]
    done = subprocess.run(words, input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize("stalls", [(0, 0), (70, 0), (0, 70), (40, 40)])
def test_valid(program: Path, stalls: tuple[int, int]) -> None:
    """Levels, strategies, edge sizes, flushes, headers, members; with back-pressure."""
    streams = list(good_streams(random.Random(sum(stalls))))
    made = compared(program, streams, stall_in=stalls[0], stall_out=stalls[1])
    assert made["errors"][0] == len(streams)


def test_malformed(program: Path) -> None:
    """Each class of error at least once, each stream twice in a row, and cut at each byte."""
    streams = malformed()
    made = compared(program, [s for s in streams.values() for _ in range(2)])
    assert all(made["errors"]), made["errors"]
    cut = [(form, s[:n]) for form, s in streams.values() for n in range(len(s)) if len(s) < 200]
    compared(program, cut, stall_in=20)


@pytest.mark.long
def test_mutated(program: Path, size: Size) -> None:
    """Streams with bits, bytes and stretches changed: 8,000 of them, in the long run a million."""
    rng = random.Random(3)
    seeds: list[Stream] = []
    for _ in range(100):
        form = rng.randrange(3)
        strategy = rng.choice(list(STRATEGIES.values()))
        data = sample(rng, rng.choice((0, 1, 5, 40, 200, 600)))
        seeds.append((form, deflated(data, form, rng.randrange(10), strategy)))
    seeds += [s for s in malformed().values() if s[1]]
    count = by_size(size.mutated, 100 * size.mutated)
    made = compared(program, seeds, mutate=count, seed=by_size(1, 2), stall_in=5, stall_out=5)
    assert made["streams"] == count and all(made["errors"]), made["errors"]


def test_rate(program: Path, size: Size) -> None:
    """Literals of 8 bits, and long matches, at the rate that kumi_inflate states."""
    rng = random.Random(5)
    noise = bytes(rng.randrange(144) for _ in range(60_000))
    made = compared(program, [(RAW, deflated(noise, RAW, 6, STRATEGIES["fixed"]))])
    assert made["bytes_out"] / made["cycles"] > size.literals
    period = rng.randbytes(3000)
    made = compared(program, [(ZLIB, deflated(period * 200, ZLIB, 9)), (GZIP, b"")])
    assert made["bytes_out"] / made["cycles"] > size.matches
