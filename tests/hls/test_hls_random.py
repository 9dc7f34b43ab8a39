# SPDX-License-Identifier: Apache-2.0
"""Random kernels: RTL equals emulation, with and without stalls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import random_kernels as generator
from kumihimo.hls.compile import compile_file
from random_models import KERNELS, MODELS, Model, builds_of_tests
from random_wide import WideKernel


@pytest.fixture(scope="module")
def quickly() -> Iterator[None]:
    with builds_of_tests():
        yield


@pytest.mark.usefixtures("quickly")
def test_random_kernels_of_both_families(tmp_path: Path) -> None:
    """A few of each in one model, with the project's load and store units.

    116_009 differed: of words that are put together from bytes, only a few bits were used.
    """
    kernels: list[generator.Kernel] = [generator.Kernel(f"k{i}", 1000 + i) for i in range(5)]
    kernels += [WideKernel(f"w{i}", 116_000 + i) for i in (1, 6, 9)]
    model = Model(1, tmp_path, kernels=kernels, own_units=True)
    assert len(model.kernels) == len(kernels), model.outcome.refused
    found = model.compare()
    assert not found.different, "\n".join(found.different)


@pytest.mark.long(only=True)
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("seed", range(1, MODELS + 1))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    """2,000 kernels at several clocks, in models of ten."""
    found = Model(seed, tmp_path).compare()
    assert not found.different, "\n".join(found.different)
    assert found.kernels == KERNELS, "\n".join(found.refused)


@pytest.mark.parametrize(
    ("family", "seed"),
    [
        (generator.Kernel, 106_012),  # of two arrays, clang loads from the one of a condition
        (WideKernel, 101_001),  # names of cut values, given twice
        (WideKernel, 101_032),  # a function that clang thinks is rarely called
        (WideKernel, 101_039),  # add_sat of a variable
        (WideKernel, 101_040),  # structs that are moved within an array
    ],
)
def test_kernels_that_were_refused(
    tmp_path: Path, family: type[generator.Kernel], seed: int
) -> None:
    """They are compiled, and no name is declared twice."""
    file = tmp_path / "random.cl"
    file.write_text(family("k", seed).text(), encoding="utf-8")
    found = [
        re.findall(r"^  logic (?:\[[^\]]*\] )*(\w+);", text, re.M)
        for text in compile_file(file).modules.values()
    ]
    assert max(map(len, found)) > 10
    for names in found:
        assert len(names) == len(set(names))
