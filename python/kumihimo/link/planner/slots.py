# SPDX-License-Identifier: Apache-2.0
"""Sets of positions as bit masks (bit x = position x), and choices among them."""

from __future__ import annotations

from collections.abc import Iterable

STARTS = 6  # starting positions tried for an even choice


def rotated(mask: int, by: int, period: int) -> int:
    """Bit x of the result is bit (x + by) mod period of the mask."""
    if by == 0:
        return mask
    return (mask >> by | mask << (period - by)) & ((1 << period) - 1)


def members(mask: int) -> list[int]:
    """The positions of a set, in order."""
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def mask_of(positions: Iterable[int]) -> int:
    """The set of the given positions."""
    mask = 0
    for position in positions:
        mask |= 1 << position
    return mask


def longest_gap(chosen: list[int], period: int) -> int:
    """Largest distance in cycles between consecutive positions."""
    if not chosen:
        return period
    following = [*chosen[1:], chosen[0] + period]
    return max(after - slot for slot, after in zip(chosen, following, strict=True))


def first_fit(free: int, count: int, period: int, gap: int) -> list[int] | None:
    """The lowest free positions; `spread` if these violate the bound on the gap."""
    chosen = members(free)
    if len(chosen) < count:
        return None
    chosen = chosen[:count]
    if longest_gap(chosen, period) <= gap:
        return chosen
    return spread(free, count, period, gap)


def spread(free: int, count: int, period: int, gap: int) -> list[int] | None:
    """Free positions as even as possible; None if no choice keeps every gap within the bound.

    Several starts are tried with the ideal distance; then, given a bound, the greedy walk to the
    farthest position within reach, which finds a choice if one exists.
    """
    have = members(free)
    if len(have) < count:
        return None
    if len(have) == count:
        return have if longest_gap(have, period) <= gap else None
    best: list[int] | None = None
    best_gap = gap + 1
    ideal = -(-period // count)
    for start in have[: min(ideal, STARTS)]:
        chosen = _even(have, start, count, period)
        found = longest_gap(chosen, period)
        if found < best_gap:
            best, best_gap = chosen, found
        if best_gap <= ideal:
            return best
    if best is None and gap < period:
        for start in have:
            walked = _walk(have, start, period, gap)
            if walked is not None and len(walked) <= count:
                rest = [s for s in have if s not in walked]
                return sorted(walked + rest[: count - len(walked)])
    return best


def _even(have: list[int], start: int, count: int, period: int) -> list[int]:
    """For each ideal position the nearest free one, upwards from `start`."""
    at = have.index(start)
    order = [*have[at:], *(s + period for s in have[:at])]
    chosen: list[int] = []
    index = 0
    for k in range(count):
        ideal = start + k * period / count
        last = len(order) - (count - k)
        while index < last and abs(order[index + 1] - ideal) <= abs(order[index] - ideal):
            index += 1
        chosen.append(order[index] % period)
        index += 1
    return sorted(chosen)


def _walk(have: list[int], start: int, period: int, gap: int) -> list[int] | None:
    """From `start` repeatedly the farthest position within the gap, around the frame."""
    at = have.index(start)
    order = [*have[at:], *(s + period for s in have[:at])]
    chosen, index = [start], 0
    while order[index] + gap < start + period:
        reach = index
        while reach + 1 < len(order) and order[reach + 1] <= order[index] + gap:
            reach += 1
        if reach == index:
            return None
        index = reach
        chosen.append(order[index] % period)
    return sorted(chosen)
