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
    """Build `count` kernels at once and compare each with its emulation."""
    file = folder / f"random_{seed}.cl"
    file.write_text(generator.program(count, seed), encoding="utf-8")
    twin = Twin(file, folder / f"rtl_{seed}", mhz)
    rng = random.Random(seed)
    ports = {p.channel.name for p in twin.printed.ports}
    for i in range(count):
        kernel = generator.Kernel(f"k{i}", seed * 1000 + i)
        kernel.text()
        for stall, latency in ((0.0, 0), (0.35, 20)):
            sizes = {
                "a": generator.WORDS * generator.BITS[kernel.a_type] // 8,
                "b": generator.WORDS * generator.BITS[kernel.b_type] // 8,
            }
            args = {name: bytearray(rng.randbytes(size)) for name, size in sizes.items()}
            run = Run(
                {f"k{i}": {**args, "n": rng.getrandbits(32), "m": rng.getrandbits(64)}},
                {
                    name: random_words(generator.BITS[kernel.in_type], generator.INPUTS, seed + i)
                    for name in [f"IN_k{i}"]
                    if name in ports
                },
            )
            twin.compare(run, stall, seed + i, latency, latency // 2)


CLOCKS = (60.0, 125.0, 180.0, 250.0)  # MHz: other schedules of the same programs


@pytest.mark.long
@pytest.mark.parametrize("seed", by_size([1], list(range(1, 51))))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    """One build of 10 kernels; in the long run 2,000 kernels at several clocks."""
    check(tmp_path, by_size(10, 40), seed, CLOCKS[seed % len(CLOCKS)])
