# SPDX-License-Identifier: Apache-2.0
"""`kumi bench storage`: one device, the paper's Table 3, capacity, faults, and beyond."""

from __future__ import annotations

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.storage import (
    capacity,
    node,
    port_cost,
    shares,
    single,
    soak,
    wide_node,
)


def run(progress: Progress, quick: bool) -> BenchResult:
    """Run the bench."""
    result = BenchResult("storage")
    shares.measure(result, progress, quick)
    capacity.measure(result, progress)
    soak.measure(result, progress, quick)
    single.measure(result, progress, quick)
    node.measure(result, progress, quick)
    wide_node.measure(result, progress, quick)
    port_cost.measure(result)
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT) | result.origins
    return result
