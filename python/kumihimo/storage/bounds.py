# SPDX-License-Identifier: Apache-2.0
"""What an array of unequal devices can reach at best, and the stripe width that gets closest.

Rates are in MB/s. With p failures tolerated no layout writes user data faster than the sum of all
rates but the p fastest; stripes of fixed width w reach (w - p) T, T the greatest number with
sum min(r, T) >= w T.
"""

from __future__ import annotations

from collections.abc import Sequence


def write_bound(rates: Sequence[float], p: int) -> float:
    """The most user data a second that any layout can write."""
    return sum(sorted(rates)[: len(rates) - p])


def stripes_a_second(rates: Sequence[float], width: int) -> float:
    """Greatest T with sum min(r, T) >= width * T."""
    fast = sorted(rates, reverse=True)
    best = 0.0
    # The `full` fastest take part in every stripe; the others share the places that are left.
    for full in range(width):
        t = sum(fast[full:]) / (width - full)
        rest = fast[full] if full < len(fast) else 0.0
        if t >= rest and (full == 0 or fast[full - 1] >= t):
            best = max(best, t)
    return best


def fixed_width_rate(rates: Sequence[float], width: int, p: int) -> float:
    """User data a second with stripes of `width` chunks, p of them checks."""
    return (width - p) * stripes_a_second(rates, width)


def best_width(rates: Sequence[float], p: int, most: int = 16) -> int:
    """Width with the greatest rate; of nearly equal ones (1 %) the smallest: it rebuilds faster."""
    if p == 0:
        return 1
    widths = range(p + 1, min(len(rates), most) + 1)
    reached = {w: fixed_width_rate(rates, w, p) for w in widths}
    top = max(reached.values())
    return min(w for w, rate in reached.items() if rate >= 0.99 * top)


def lock_step_rate(rates: Sequence[float], p: int) -> float:
    """User data a second when every stripe needs every device, as in md's RAID 4, 5 and 6."""
    return (len(rates) - p) * min(rates)


def rebuild_bound(lost_mb: float, rates: Sequence[float], lost: int, width: int) -> float:
    """Least seconds to rebuild a device: w chunks are moved for each lost one."""
    return lost_mb * width / (sum(rates) - rates[lost])
