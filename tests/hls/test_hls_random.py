# SPDX-License-Identifier: Apache-2.0
"""Random kernels: RTL equals emulation, with and without stalls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import random_kernels as generator
from kumihimo.hls.compile import compile_file
from kumihimo.testing.sizes import by_size
from random_models import KERNELS, MODELS, Model, quick_builds
from random_wide import WideKernel


@pytest.fixture(scope="module")
def quickly() -> Iterator[None]:
    with quick_builds():
        yield


@pytest.mark.long
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("seed", by_size([1, 116], list(range(1, MODELS + 1))))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    """A build of 10 kernels of each family; in the long run 2,000 kernels at several clocks.

    Model 116 differed: of words that are put together from bytes, only a few bits were used.
    """
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
