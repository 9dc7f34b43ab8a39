# SPDX-License-Identifier: Apache-2.0
"""Arrays in banks and integer reductions: RTL equals emulation, and loops have the II they should.

About 25 s of processor.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hlskit import Run, Twin, random_words
from kumihimo.hls.ops import Design

FILE = Path(__file__).with_name("banks.cl")

# Words of the input, words that one `n` stands for, the smallest and the largest n.
KERNELS = {
    "cyclic": (128, 1, 1, 75),
    "gather": (128, 1, 1, 64),
    "scatter": (32, 1, 0, 150),
    "rows": (128, 0, 0, 300),
    "lines": (32, 50, 0, 6),
    "middle": (32, 0, 0, 512),
    "table": (32, 1, 0, 100),
    "shift": (32, 1, 0, 9),
    "odd": (32, 0, 0, 80),
    "fields": (32, 0, 0, 90),
    "ways": (32, 1, 0, 200),
    "reduce": (128, 1, 0, 100),
    "product": (128, 1, 0, 60),
    "lanes": (128, 1, 0, 60),
}
FIXED = {"rows": 64, "middle": 128, "odd": 11, "fields": 32}
# Of every loop in the order of the program, and RAMs with their words and read ports.
II = {
    "cyclic": ([1, 1], [(75, 1)] * 4),
    "gather": ([1, 1], [(64, 1)] * 4),
    "rows": ([1, 1], [(64, 1)] * 4),
    "lines": ([1], [(50, 1)] * 3),
    "middle": ([1, 1], [(128, 1)] * 4),
    "table": ([1], [(16, 1)] * 4),
    "reduce": ([1], []),
    "product": ([4], []),
}


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(FILE, tmp_path_factory.mktemp("banks"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_rtl_does_what_emulation_does(twin: Twin, kernel: str) -> None:
    bits, each, least, most = KERNELS[kernel]
    rng = random.Random(kernel)
    for n in {least, least + 1, rng.randint(least, most), most}:
        words = random_words(bits, FIXED.get(kernel, n * each), n)
        run = Run({kernel: {"n": n}}, {f"{kernel.upper()}_IN": words})
        twin.compare(run)
        twin.compare(run, stall=0.3, seed=n + 1)


def _design(twin: Twin, name: str) -> Design:
    return next(d for d in twin.printed.designs if d.name == name)


@pytest.mark.parametrize("kernel", II)
def test_one_iteration_a_cycle(twin: Twin, kernel: str) -> None:
    """As many accesses as the source has at once, and no copy of what a load does not need."""
    design = _design(twin, kernel)
    ii, rams = II[kernel]
    assert [s.ii for s in design.segments if s.loop] == ii
    assert [(a.depth, a.copies) for a in design.arrays] == rams


def test_only_where_it_helps(twin: Twin) -> None:
    """Neighbours meet in every bank, so the array stays whole."""
    (array,) = _design(twin, "shift").arrays
    assert array.depth == 40
