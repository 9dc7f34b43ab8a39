# SPDX-License-Identifier: Apache-2.0
"""How an array may be divided in banks, and which division is the best.

Two ways are tried, with what is known about indices (sums of loop variables times constants, and
the ranges of those that count between constants):

fields: some bits of the index are the bank: a[4 * i + k] (the lowest), m[k][i] (others, for rows of
        2^n words). An access whose bank is not constant touches all of them.
runs:   accesses that never meet are apart: m[k][i] with rows of any length, every k a constant.

A division is taken if it lets a loop write more in a cycle, or if all banks are constants and the
copies need less memory; of several the one with the least conflicts, then memory, then banks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .dependence import Sum, affine
from .ops import Array, Op, Segment
from .ranges import Into, counter_range, trailing_zeros, value_range

MOST_BANKS = 32


@dataclass(frozen=True)
class Access:
    """A load or store: its index as a sum, the ranges of what is added, that of the index."""

    op: Op
    index: Sum
    ranges: dict[Op, tuple[int, int]]
    low: int
    high: int


@dataclass(frozen=True)
class Fields:
    """Bank: `bits` bits of the index from bit `low` on."""

    low: int
    bits: int

    @property
    def banks(self) -> int:
        """How many there are."""
        return 1 << self.bits

    def bank(self, access: Access) -> int | None:
        """The only bank that an access touches; None if there may be several."""
        bank = self._same(access.low, access.high)
        index, span = access.index, 1 << self.low + self.bits
        if bank is not None or index.bits < self.low + self.bits:
            return bank
        least = most = index.constant % span
        for op, factor in index.factors.items():
            part = _signed(factor, span)
            if (part << trailing_zeros(op)) % span == 0:
                continue
            least += part * access.ranges[op][part < 0]
            most += part * access.ranges[op][part >= 0]
        return self._same(least, most)

    def _same(self, least: int, most: int) -> int | None:
        return (least >> self.low) % self.banks if least >> self.low == most >> self.low else None

    def place(self, word: int) -> tuple[int, int]:
        """Bank of a word, and its index there."""
        above = word >> self.low + self.bits << self.low
        return (word >> self.low) % self.banks, above | word & (1 << self.low) - 1

    def within(self, index: Sum, _bank: int, width: int) -> Sum | None:
        """The index within a bank of an index of that many bits, if it is a sum again."""
        if self.low + self.bits == width:
            return index  # of which the lowest bits count
        if self.low or any(factor % self.banks for factor in index.factors.values()):
            return None
        rest = {op: factor >> self.bits for op, factor in index.factors.items()}
        return Sum(rest, index.constant >> self.bits, index.bits - self.bits)

    def depth(self, _bank: int, depth: int) -> int:
        """Words of a bank."""
        whole, rest = divmod(depth, 1 << self.low + self.bits)
        return (whole << self.low) + min(rest, 1 << self.low)


@dataclass(frozen=True)
class Runs:
    """Bank: which of the runs of words that begin at `starts`."""

    starts: tuple[int, ...]

    @property
    def banks(self) -> int:
        """How many there are."""
        return len(self.starts)

    def bank(self, access: Access) -> int | None:
        """The bank of an access, which touches one."""
        return sum(start <= access.low for start in self.starts) - 1

    def place(self, word: int) -> tuple[int, int]:
        """Bank of a word, and its index there."""
        bank = max(sum(start <= word for start in self.starts) - 1, 0)
        return bank, word - self.starts[bank]

    def within(self, index: Sum, bank: int, _width: int) -> Sum:
        """The index within a bank."""
        return replace(index, constant=index.constant - self.starts[bank])

    def depth(self, bank: int, depth: int) -> int:
        """Words of a bank."""
        return (*self.starts, depth)[bank + 1] - self.starts[bank]


Division = Fields | Runs


# ---- what is known of an index ------------------------------------------------------------------


def access_of(op: Op, array: Array, into: Into) -> Access:
    """What is known of a load or store."""
    assert op.segment is not None
    at = op.args[0]
    index = affine(at, op.segment)
    ranges = {v: counter_range(v, into) or value_range(v, []) for v in index.factors}
    low = high = index.constant
    for value, factor in index.factors.items():
        part = _signed(factor, 1 << at.bits)
        low += part * ranges[value][part < 0]
        high += part * ranges[value][part >= 0]
    last = array.depth - 1
    turns = low >> at.bits << at.bits
    if index.bits < at.bits or high - turns >> at.bits:
        return Access(op, index, ranges, 0, last)
    return Access(op, index, ranges, min(low - turns, last), min(high - turns, last))


def _signed(factor: int, span: int) -> int:
    """The number nearest to zero that is the same modulo a power of two."""
    return (factor + span // 2) % span - span // 2


# ---- the choice ---------------------------------------------------------------------------------


def best_division(array: Array, found: list[Access]) -> Division | None:
    """The best division of an array for its accesses, None if it stays whole."""
    whole = Runs((0,))
    now = _cost(array, found, whole)
    if now == (0, array.depth):  # one RAM is enough
        return None
    best: Division | None = None
    least = (*now, 1)
    for division in _candidates(array, found):
        conflicts, words = _cost(array, found, division)
        constant = all(division.bank(access) is not None for access in found)
        if conflicts < now[0] or (conflicts == now[0] and constant and words < now[1]):
            cost = (conflicts, words, division.banks)
            if best is None or cost < least:
                least, best = cost, division
    return best


def _candidates(array: Array, found: list[Access]) -> Iterator[Division]:
    starts: list[int] = []
    reach = -1
    for access in sorted(found, key=lambda a: a.low):
        if access.low > reach:
            starts.append(access.low)
        reach = max(reach, access.high)
    if 1 < len(starts) <= MOST_BANKS:
        yield Runs((0, *starts[1:]))
    width = (array.depth - 1).bit_length()
    for bits in range(1, min(width, MOST_BANKS.bit_length() - 1) + 1):
        for low in range(width - bits + 1):
            yield Fields(low, bits)


def _cost(array: Array, found: list[Access], division: Division) -> tuple[int, int]:
    """Writes that wait for others, in all loops; words of memory with the copies for loads."""
    copies = [1] * division.banks
    conflicts = 0
    by_segment: dict[Segment, list[Access]] = {}
    for access in found:
        assert access.op.segment is not None
        by_segment.setdefault(access.op.segment, []).append(access)
    for segment, accesses in by_segment.items():
        stores: list[list[Op]] = [[] for _ in copies]
        loads = [0] * division.banks
        for access in accesses:
            bank = division.bank(access)
            for number in range(division.banks) if bank is None else (bank,):
                if access.op.kind == "array_store":
                    stores[number].append(access.op)
                else:
                    loads[number] += 1
        copies = [max(pair) for pair in zip(copies, loads, strict=True)]
        if segment.loop:
            conflicts += max(_at_once(segment, ops) for ops in stores)
    return conflicts, sum(n * division.depth(b, array.depth) for b, n in enumerate(copies))


def _at_once(segment: Segment, ops: list[Op]) -> int:
    """How many stores an iteration may do, beyond the one that a cycle has."""
    sets = [
        sum((a.block, b.block) not in segment.exclusive for b in ops[i:]) for i, a in enumerate(ops)
    ]
    return max(max(sets, default=0) - 1, 0)
