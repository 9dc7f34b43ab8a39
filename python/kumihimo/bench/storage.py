# SPDX-License-Identifier: Apache-2.0
"""`kumi bench storage`: one device, the paper's Table 3, faults, and beyond."""

from __future__ import annotations

from kumihimo.bench import storage_node, storage_shares, storage_single, storage_soak
from kumihimo.bench.core import BenchResult, Progress


def run(progress: Progress, quick: bool) -> BenchResult:
    """Run the bench."""
    result = BenchResult("storage")
    storage_shares.measure(result, progress, quick)
    storage_soak.measure(result, progress, quick)
    storage_single.measure(result, progress, quick)
    storage_node.measure(result, progress, quick)
    return result
