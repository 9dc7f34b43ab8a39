# SPDX-License-Identifier: Apache-2.0
"""Random kernels: RTL equals emulation, with and without stalls."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import random_kernels as generator
from hlskit import Run, Twin, random_words
from kumihimo.testing.sizes import by_size


def check(folder: Path, count: int, seed: int, mhz: float = 125.0) -> None:
    """Build `count` kernels at once, run them all at once, and compare with their emulation."""
    file = folder / f"random_{seed}.cl"
    file.write_text(generator.program(count, seed), encoding="utf-8")
    twin = Twin(file, folder / f"rtl_{seed}", mhz)
    rng = random.Random(seed)
    ports = {p.channel.name for p in twin.printed.ports}
    kernels = [generator.Kernel(f"k{i}", seed * 1000 + i) for i in range(count)]
    for kernel in kernels:
        kernel.text()
    for stall, latency in ((0.0, 0), (0.35, 20)):
        runs, inputs = {}, {}
        for kernel in kernels:
            bits = {"a": generator.BITS[kernel.a_type], "b": generator.BITS[kernel.b_type]}
            runs[kernel.name] = {
                **{k: bytearray(rng.randbytes(generator.WORDS * n // 8)) for k, n in bits.items()},
                "n": rng.getrandbits(32),
                "m": rng.getrandbits(64),
            }
            if f"IN_{kernel.name}" in ports:
                words = random_words(generator.BITS[kernel.in_type], generator.INPUTS, seed)
                inputs[f"IN_{kernel.name}"] = words
        found = twin.differences(Run(runs, inputs), stall, seed, latency, latency // 2, 2_000_000)
        assert not found, "\n".join(found)


CLOCKS = (60.0, 125.0, 180.0, 250.0)  # MHz: other schedules of the same programs


@pytest.mark.long
@pytest.mark.parametrize("seed", by_size([1], list(range(1, 51))))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    """One build of 10 kernels; in the long run 2,000 kernels at several clocks."""
    check(tmp_path, by_size(10, 40), seed, CLOCKS[seed % len(CLOCKS)])
