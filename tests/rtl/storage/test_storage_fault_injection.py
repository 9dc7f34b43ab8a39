# SPDX-License-Identifier: Apache-2.0
"""The array's controller on disks that break at random: no hang, no loss, every byte compared.

KUMI_FAULT_SEEDS sets the number of runs of each kind, KUMI_FAULT_ROUNDS that of the rounds of each;
with -s each run prints what happened.
"""

from __future__ import annotations

import os

import pytest
from fault_run import SHAPES, Kind, Run

SEEDS = range(int(os.environ.get("KUMI_FAULT_SEEDS", "1")))
ROUNDS = int(os.environ.get("KUMI_FAULT_ROUNDS", "2"))


def _play(kind: Kind) -> None:
    run = Run(kind)
    run.go()
    print(run.report())


LONG = pytest.mark.long(only=True)
ALWAYS = ("mirror", "double")  # whole copies, and two of parity with a part of a stripe written


@pytest.mark.parametrize(
    "shape", [pytest.param(s, marks=[] if s in ALWAYS else [LONG]) for s in SHAPES]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_16_disks(shape: str, seed: int) -> None:
    """With the movers that a node has."""
    _play(Kind(seed, shape, rounds=ROUNDS, commands=60 * (1 + seed % 4)))


@LONG
@pytest.mark.parametrize("seed", SEEDS)
def test_40_disks_at_128_ports(seed: int) -> None:
    """Beside test_storage_many.py, where disks at 128 ports are lost one by one."""
    _play(Kind(seed, "double", 128, 40, "small", rounds=ROUNDS // 2, commands=30))
