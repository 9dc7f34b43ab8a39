# SPDX-License-Identifier: Apache-2.0
"""What an array holds at the default width, beside what stripes of any one width could hold.

Random sets of disks, 64 MiB to 16 TiB, three to 24 of them, with the default chunk. The optimum
knows no logs, no reserve and no chunks: of all widths, copies included, the most bytes that whole
stripes can fill. Beside it the bound of any layout at all: all but the p largest disks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from kumihimo.bench.core import BenchResult, Progress
from kumihimo.storage import arrays

SETS, LEAST, MOST, DISKS = 1000, 26, 44, 24  # sizes as powers of two
RATES = (100.0, 250.0, 550.0)
GOAL = 0.95


def _stripes_that_fit(sizes: Sequence[int], width: int) -> float:
    """Greatest T with sum min(size, T) >= width * T, by bisection."""
    low, high = 0.0, sum(sizes) / width
    for _ in range(44):  # to a byte of 16 TiB
        middle = (low + high) / 2
        if sum(min(size, middle) for size in sizes) >= width * middle:
            low = middle
        else:
            high = middle
    return low


def optimum(sizes: Sequence[int], p: int) -> float:
    """The most user bytes that stripes of one width can hold."""
    widths = range(p + 1, min(len(sizes), arrays.MOST_WIDTH) + 1)
    return max((w - p) * _stripes_that_fit(sizes, w) for w in widths)


def share(sizes: Sequence[int], rates: Sequence[float], p: int) -> tuple[float, float, int]:
    """Share of the optimum, share of the bound of any layout, data chunks of a stripe."""
    options = arrays.width_options(sizes, rates, p, arrays.default_chunk(sizes))
    best = arrays.best_option(options)
    bound = sum(sorted(sizes)[: len(sizes) - p])
    return best.size / optimum(sizes, p), best.size / bound, best.k


def random_set(r: random.Random) -> tuple[list[int], list[float], int]:
    """Sizes, rates, p."""
    p = r.choice((1, 2))
    count = r.randint(p + 2, DISKS)
    sizes = [int(2 ** r.uniform(LEAST, MOST)) // 4096 * 4096 for _ in range(count)]
    return sizes, [r.choice(RATES) for _ in sizes], p


def measure(result: BenchResult, progress: Progress) -> None:
    """One row of all sets."""
    progress.step("capacity at the default width", 0, 1)
    r = random.Random(1)
    found = [share(*random_set(r)) for _ in range(SETS)]
    shares = sorted(found)
    bounds = sorted(bound for _, bound, _ in found)
    result.rows.append(
        {
            "set": "random sizes, default width and chunk",
            "sets": SETS,
            "disk_mib_least": (1 << LEAST) >> 20,
            "disk_mib_most": (1 << MOST) >> 20,
            "of_optimum_min": shares[0][0],
            "of_optimum_median": shares[SETS // 2][0],
            "of_any_layout_min": bounds[0],
            "of_any_layout_median": bounds[SETS // 2],
            "copies": sum(k == 1 for _, _, k in found),
        }
    )
    result.summary["capacity_share_min"] = shares[0][0]
    result.goals["capacity_share_min"] = (">=", GOAL)
