# SPDX-License-Identifier: Apache-2.0
"""Arrays in banks: what an iteration accesses at once gets a RAM of its own, where indices allow.

A RAM takes one write a cycle, and every load of a loop has a copy of its array. Two ways to divide
an array are tried, with what is known about indices (sums of loop variables times constants, and
the ranges of those that count between constants):

fields: some bits of the index are the bank: a[4 * i + k] (the lowest), m[k][i] (others, for rows of
        2^n words). An access whose bank is not constant reads all of them, or writes one of them.
runs:   accesses that never meet are apart: m[k][i] with rows of any length, every k a constant.

A division is taken if it lets a loop write more in a cycle, or if all banks are constants and the
copies need less memory; of several the one with the least conflicts, then memory, then banks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from .dependence import Sum, affine
from .ops import ONE, Array, Design, Lit, Op, Operand, Segment
from .ranges import Into, counter_range, edges_into, trailing_zeros, value_range
from .tidy import rename

MOST_BANKS = 32


@dataclass(frozen=True)
class _Access:
    """A load or store: its index as a sum, the ranges of what is added, that of the index."""

    op: Op
    index: Sum
    ranges: dict[Op, tuple[int, int]]
    low: int
    high: int


@dataclass(frozen=True)
class _Fields:
    """Bank: `bits` bits of the index from bit `low` on."""

    low: int
    bits: int

    @property
    def banks(self) -> int:
        """How many there are."""
        return 1 << self.bits

    def bank(self, access: _Access) -> int | None:
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

    def depth(self, _bank: int, depth: int) -> int:
        """Words of a bank."""
        whole, rest = divmod(depth, 1 << self.low + self.bits)
        return (whole << self.low) + min(rest, 1 << self.low)


@dataclass(frozen=True)
class _Runs:
    """Bank: which of the runs of words that begin at `starts`."""

    starts: tuple[int, ...]

    @property
    def banks(self) -> int:
        """How many there are."""
        return len(self.starts)

    def bank(self, access: _Access) -> int | None:
        """The bank of an access, which touches one."""
        return sum(start <= access.low for start in self.starts) - 1

    def place(self, word: int) -> tuple[int, int]:
        """Bank of a word, and its index there."""
        bank = max(sum(start <= word for start in self.starts) - 1, 0)
        return bank, word - self.starts[bank]

    def depth(self, bank: int, depth: int) -> int:
        """Words of a bank."""
        return (*self.starts, depth)[bank + 1] - self.starts[bank]


Division = _Fields | _Runs


def divide_arrays(design: Design) -> None:
    """Divide the arrays of a kernel where that helps."""
    into = edges_into(design)
    for array in list(design.arrays):
        found = [_access(op, array, into) for s in design.segments for op in s.ops
                 if op.array is array]  # fmt: skip
        division = _best(array, found)
        if division is not None:
            _Dividing(design, array, division).run(found)


# ---- what is known of an index ------------------------------------------------------------------


def _access(op: Op, array: Array, into: Into) -> _Access:
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
        return _Access(op, index, ranges, 0, last)
    return _Access(op, index, ranges, min(low - turns, last), min(high - turns, last))


def _signed(factor: int, span: int) -> int:
    """The number nearest to zero that is the same modulo a power of two."""
    return (factor + span // 2) % span - span // 2


# ---- the choice ---------------------------------------------------------------------------------


def _best(array: Array, found: list[_Access]) -> Division | None:
    whole = _Runs((0,))
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


def _candidates(array: Array, found: list[_Access]) -> Iterator[Division]:
    starts: list[int] = []
    reach = -1
    for access in sorted(found, key=lambda a: a.low):
        if access.low > reach:
            starts.append(access.low)
        reach = max(reach, access.high)
    if 1 < len(starts) <= MOST_BANKS:
        yield _Runs((0, *starts[1:]))
    width = (array.depth - 1).bit_length()
    for bits in range(1, min(width, MOST_BANKS.bit_length() - 1) + 1):
        for low in range(width - bits + 1):
            yield _Fields(low, bits)


def _cost(array: Array, found: list[_Access], division: Division) -> tuple[int, int]:
    """Writes that wait for others, in all loops; words of memory with the copies for loads."""
    copies = [1] * division.banks
    conflicts = 0
    by_segment: dict[Segment, list[_Access]] = {}
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


# ---- the rewriting ------------------------------------------------------------------------------


class _Dividing:
    """Puts the banks of an array in its place."""

    def __init__(self, design: Design, array: Array, division: Division) -> None:
        self._design = design
        self._array = array
        self._division = division
        used = {op.name for segment in design.segments for op in segment.ops}
        used |= {a.name for a in design.arrays}
        self._used = used
        self._banks = self._divided()
        self._renamed: dict[Op, Operand] = {}

    def _name(self, stem: str) -> str:
        names = (stem if number == 1 else f"{stem}_{number}" for number in count(1))
        name = next(name for name in names if name not in self._used)
        self._used.add(name)
        return name

    def _divided(self) -> list[Array]:
        array, division = self._array, self._division
        depths = [division.depth(bank, array.depth) for bank in range(division.banks)]
        words = [[0] * depth for depth in depths]
        for word, value in enumerate(array.init or ()):
            bank, at = division.place(word)
            words[bank][at] = value
        return [
            replace(
                array,
                name=self._name(f"{array.name}_bank{bank}"),
                depth=depth,
                init=None if array.init is None else words[bank],
            )
            for bank, depth in enumerate(depths)
        ]

    def run(self, found: list[_Access]) -> None:
        """Rewrite every access."""
        accesses = {access.op: access for access in found}
        for segment in self._design.segments:
            ops, segment.ops = segment.ops, []
            for op in ops:
                if op in accesses:
                    self._rewrite(segment, accesses[op])
                else:
                    segment.ops.append(op)
        rename(self._design, self._renamed)
        at = self._design.arrays.index(self._array)
        self._design.arrays[at : at + 1] = self._banks

    def _add(
        self, segment: Segment, access: _Access, kind: str, bits: int, args: list[Operand],
        stem: str, **more: object,
    ) -> Op:  # fmt: skip
        source = access.op
        op = Op(kind, self._name(stem), bits, args, source.place, block=source.block)
        for key, value in more.items():
            setattr(op, key, value)
        op.segment = segment
        segment.ops.append(op)
        return op

    def _rewrite(self, segment: Segment, access: _Access) -> None:
        op, division = access.op, self._division
        bank = division.bank(access)
        if bank is not None:
            op.args[0] = self._index(segment, access, bank)
            op.array = self._banks[bank]
            op.array.stored |= op.kind == "array_store"
            segment.ops.append(op)
            return
        assert isinstance(division, _Fields)
        index = self._index(segment, access, 0)
        picks = ((0, division.low, division.bits),)
        which = self._add(
            segment, access, "pick", division.bits, [op.args[0]], f"{op.name}_bank", picks=picks
        )
        if op.kind == "array_store":
            self._store_one(segment, access, index, which)
        else:
            self._load_all(segment, access, index, which)

    def _load_all(self, segment: Segment, access: _Access, index: Operand, which: Op) -> None:
        op, add = access.op, self._add
        words: list[Operand] = [
            add(segment, access, "array_load", op.bits, [index], f"{op.name}_{i}", array=bank)
            for i, bank in enumerate(self._banks)
        ]
        picks = tuple((i, 0, op.bits) for i in range(len(words)))
        bits = op.bits * len(words)
        whole = add(segment, access, "pick", bits, words, f"{op.name}_all", picks=picks)
        args: list[Operand] = [whole, which]
        self._renamed[op] = add(
            segment, access, "lane_get", op.bits, args, f"{op.name}_word", lanes=len(words)
        )

    def _store_one(self, segment: Segment, access: _Access, index: Operand, which: Op) -> None:
        op, add = access.op, self._add
        for number, bank in enumerate(self._banks):
            here = Lit(number, which.bits)
            pred: Operand = add(
                segment, access, "icmp", 1, [which, here], f"{op.name}_is{number}", word="eq"
            )
            if op.pred != ONE:
                pred = add(segment, access, "and", 1, [op.pred, pred], f"{op.name}_do{number}")
            name, args = f"{op.name}_{number}", [index, op.args[1]]
            add(segment, access, "array_store", 0, args, name, array=bank, pred=pred)
            bank.stored = True

    # ---- indices --------------------------------------------------------------------------------

    def _index(self, segment: Segment, access: _Access, bank: int) -> Operand:
        """The index within a bank."""
        at, division = access.op.args[0], self._division
        bits = max((self._banks[bank].depth - 1).bit_length(), 1)
        stem = f"{access.op.name}_at"
        if isinstance(at, Lit):
            return Lit(division.place(at.value)[1] % (1 << bits), bits)
        index = access.index
        if isinstance(division, _Runs):
            less = replace(index, constant=index.constant - division.starts[bank])
            made = self._sum(segment, access, less, bits, stem)
            if made is not None:
                return made
            start = Lit(division.starts[bank], at.bits)
            at = self._add(segment, access, "sub", at.bits, [at, start], stem)
            return at if at.bits == bits else self._cut(segment, access, at, bits, stem)
        step = 1 << division.bits
        if division.low == 0 and not any(f % step for f in index.factors.values()):
            rest = {op: factor >> division.bits for op, factor in index.factors.items()}
            less = Sum(rest, index.constant >> division.bits, index.bits - division.bits)
            made = self._sum(segment, access, less, bits, stem)
            if made is not None:
                return made
        if division.low + division.bits >= at.bits and division.low:
            if division.bank(access) is not None:
                made = self._sum(segment, access, index, bits, stem)
                if made is not None:
                    return made
            return self._cut(segment, access, at, bits, stem)
        above = division.low + division.bits
        pieces = ((0, 0, division.low), (0, above, at.bits - above))
        picks = tuple(piece for piece in pieces if piece[2])
        if not picks:
            return Lit(0, 1)
        return self._add(segment, access, "pick", bits, [at], stem, picks=picks)

    def _cut(self, segment: Segment, access: _Access, at: Operand, bits: int, stem: str) -> Op:
        return self._add(segment, access, "trunc", bits, [at], f"{stem}_low")

    def _sum(
        self, segment: Segment, access: _Access, index: Sum, bits: int, stem: str
    ) -> Operand | None:
        """A sum written anew, with constants as small as they have become; None if it is long."""
        constant = index.constant % (1 << bits)
        factors = {op: f % (1 << bits) for op, f in index.factors.items()}
        factors = {op: f for op, f in factors.items() if f}
        if index.bits < bits or len(factors) > 2 or any(f & (f - 1) for f in factors.values()):
            return None
        total: Operand | None = None
        for op, factor in factors.items():
            part: Operand = op if op.bits == bits else self._cut(segment, access, op, bits, stem)
            if factor > 1:
                amount = Lit(factor.bit_length() - 1, bits)
                part = self._add(segment, access, "shl", bits, [part, amount], f"{stem}_row")
            total = part if total is None else self._add(
                segment, access, "add", bits, [total, part], stem
            )  # fmt: skip
        if total is None:
            return Lit(constant, bits)
        if not constant:
            return total
        return self._add(segment, access, "add", bits, [total, Lit(constant, bits)], stem)
