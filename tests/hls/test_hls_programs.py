# SPDX-License-Identifier: Apache-2.0
"""Programs as people write them: RTL equals emulation, a file at once in one model.

programs.cl has what is common in C, dataflow.cl the shapes of published FPGA designs.
"""

from __future__ import annotations

import math
import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hlskit import Run, Twin
from kumihimo.testing.sizes import by_size
from random_models import builds_of_tests

HERE = Path(__file__).parent
FILES = by_size(["programs.cl"], ["programs.cl", "dataflow.cl"])
ELEMENTS = 128
# Size of the work, share of stalled cycles, latency of the memory.
CONDITIONS = [(32, 0.0, 0), (1, 0.3, 5), (33, 0.3, 25), (40, 0.0, 100), (17, 0.5, 10)]
NO_WORK = (0, 0.0, 0)
NEED_WORK = ("two_dimensions",)  # divides by the size
REWRITTEN = ("products, sums", "float: polynomial")  # copysign and overflow are what clang makes
RARE = [0.0, -0.0, math.inf, -math.inf, math.nan, 0.5, -0.5, 2.5, 1e30, 1e-40, 8388609.0, 3.0]


@pytest.fixture(scope="module", params=FILES)
def twin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Twin]:
    """All programs; in the short run every sixth, and those of dataflow.cl that clang rewrites."""
    folder = tmp_path_factory.mktemp("programs")
    text = (HERE / request.param).read_text(encoding="utf-8")
    head, *programs = text.split("\n\n// ")
    more = (HERE / "dataflow.cl").read_text(encoding="utf-8").split("\n\n// ")
    short = programs[::6] + [part for part in more if part.startswith(REWRITTEN)]
    file = folder / request.param
    file.write_text("\n\n// ".join([head, *by_size(short, programs)]), encoding="utf-8")
    with builds_of_tests():
        yield Twin(file, folder / "rtl")


def elements(rng: random.Random, floats: bool) -> bytearray:
    """Small, medium and large numbers; of floats also the rare ones."""
    if floats:
        values = [
            rng.choice([rng.uniform(-300, 300), float(rng.randint(-9, 9)), rng.choice(RARE)])
            for _ in range(ELEMENTS)
        ]
        return bytearray(struct.pack(f"<{ELEMENTS}f", *values))
    made = [
        rng.choice([rng.randint(-20, 20), rng.randint(0, 255), rng.getrandbits(31) - (1 << 30)])
        for _ in range(ELEMENTS)
    ]
    return bytearray(struct.pack(f"<{ELEMENTS}i", *made))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "stall", "latency"), by_size(CONDITIONS[2:3], [*CONDITIONS, NO_WORK])
)
def test_programs(twin: Twin, n: int, stall: float, latency: int) -> None:
    text = twin.source.read_text(encoding="utf-8")
    rng = random.Random(n)
    runs: dict[str, dict[str, object]] = {}
    for kernel in twin.program.kernels:
        if kernel.autorun:
            continue
        head = re.search(rf"void {kernel.name}\(([^)]*)\)", text)
        assert head is not None
        numbers = {"n": n, "z": 0, "stop": n // 2 + 5}
        runs[kernel.name] = {
            arg.name: elements(rng, "float" in head.group(1))
            if arg.type.kind == "ptr"
            else numbers[arg.name]
            for arg in kernel.function.args
        }
    if n == 0:
        for name in NEED_WORK:
            runs.pop(name, None)
    assert len(runs) > len(twin.program.kernels) // 2
    twin.compare(Run(runs), stall, n + 1, latency, latency // 2, 300_000)
