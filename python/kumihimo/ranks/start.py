# SPDX-License-Identifier: Apache-2.0
"""An engine over ranks, for a cluster: starts the processes, or waits for them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from .engine import RankedEngine
from .meeting import Place, gather

if TYPE_CHECKING:
    from .._engine import Engine


def start(
    ranks: int,
    owners: Mapping[str, int],
    threads: int,
    seed: int,
    step_s: float,
    place: Place | None,
) -> Engine:
    """threads: of each rank, 0: its share of the cores; place: where the others are to come to."""
    beside = 1 if place else ranks
    made = RankedEngine(
        ranks,
        owners,
        threads=threads or max(1, (os.cpu_count() or 1) // beside),
        seed=seed,
        step_s=step_s,
        by=gather(place) if place else None,
    )
    return cast("Engine", made)  # it has the same interface
