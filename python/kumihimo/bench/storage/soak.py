# SPDX-License-Identifier: Apache-2.0
"""Many ports with random faults for a long run in virtual time: no stall, no loss.

The array's own code on modelled disks that die, hang, slow down, fail reads, lose sectors and flip
bits, with requests and rebuilds at the same time. A byte that is wrong or a request that never ends
is an error of the bench, not a figure.
"""

from __future__ import annotations

from kumihimo import _storage
from kumihimo.bench.core import BenchResult, Progress

TIMEOUT_S = 0.5


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """A row for each number of ports; rounds of three kinds of faults by turns."""
    for i, (ports, rounds, operations) in enumerate(((16, 60, 100), (128, 12, 100))):
        progress.step(f"faults on {ports} ports", i, 2)
        if quick:
            rounds, operations = 3, 30
        run = _storage.soak(
            ports=ports, rounds=rounds, operations=operations, timeout_s=TIMEOUT_S, seed=ports
        )
        result.rows.append(
            {"set": f"faults, {ports} ports, double parity", "disk_timeout_s": TIMEOUT_S, **run}
        )
