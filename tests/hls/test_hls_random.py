# SPDX-License-Identifier: Apache-2.0
"""Random kernels: RTL equals emulation, with and without stalls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import random_kernels as generator
from kumihimo.hls.compile import compile_file
from kumihimo.testing.sizes import by_size
from random_models import KERNELS, MODELS, Model, quick_builds


@pytest.fixture(scope="module")
def quickly() -> Iterator[None]:
    with quick_builds():
        yield


@pytest.mark.long
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("seed", by_size([1], list(range(1, MODELS + 1))))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    """One build of 10 kernels; in the long run 2,000 kernels at several clocks."""
    found = Model(seed, tmp_path).compare()
    assert not found.different, "\n".join(found.different)
    assert found.kernels == KERNELS, "\n".join(found.refused)


def test_a_choice_between_two_arrays_is_accepted(tmp_path: Path) -> None:
    """A kernel that was refused: of two arrays, clang loads from the one that a condition picks."""
    file = tmp_path / "random.cl"
    file.write_text(generator.Kernel("k", 106_012).text(), encoding="utf-8")
    compile_file(file)
