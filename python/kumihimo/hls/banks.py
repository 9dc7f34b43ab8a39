# SPDX-License-Identifier: Apache-2.0
"""Arrays in banks: what an iteration accesses at once gets a RAM of its own, where indices allow.

A RAM takes one write a cycle, and every load of a loop has a copy of its array. `bank_choice` says
how an array is divided; an access whose bank is not constant reads all of them and takes one word,
or writes one of them.
"""

from __future__ import annotations

from dataclasses import replace

from .bank_choice import Access, Division, Fields, Runs, access_of, best_division
from .dependence import Sum
from .ops import ONE, ZERO, Array, Design, Lit, Op, Operand, Segment
from .ranges import edges_into
from .tidy import rename


def divide_arrays(design: Design) -> None:
    """Divide the arrays of a kernel where that helps."""
    into = edges_into(design)
    for array in list(design.arrays):
        accesses = [op for segment in design.segments for op in segment.ops if op.array is array]
        found = [access_of(op, array, into) for op in accesses]
        division = best_division(array, found)
        if division is not None:
            _Dividing(design, array, division).run(found)


class _Dividing:
    """Puts the banks of an array in its place."""

    def __init__(self, design: Design, array: Array, division: Division) -> None:
        self._design = design
        self._array = array
        self._division = division
        self._banks = self._divided()
        self._renamed: dict[Op, Operand] = {}

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
                name=self._design.names.made(f"{array.name}_bank{bank}"),
                depth=depth,
                init=None if array.init is None else words[bank],
            )
            for bank, depth in enumerate(depths)
        ]

    def run(self, found: list[Access]) -> None:
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
        self, segment: Segment, access: Access, kind: str, bits: int, args: list[Operand],
        stem: str, **more: object,
    ) -> Op:  # fmt: skip
        source = access.op
        op = Op(kind, self._design.names.made(stem), bits, args, source.place, block=source.block)
        for key, value in more.items():
            setattr(op, key, value)
        op.segment = segment
        segment.ops.append(op)
        return op

    def _rewrite(self, segment: Segment, access: Access) -> None:
        op, division = access.op, self._division
        bank = division.bank(access)
        if bank is not None:
            op.args[0] = self._index(segment, access, bank)
            op.array = self._banks[bank]
            op.array.stored |= op.kind == "array_store"
            segment.ops.append(op)
            return
        assert isinstance(division, Fields)
        index = self._index(segment, access, 0)
        picks = ((0, division.low, division.bits),)
        which = self._add(
            segment, access, "pick", division.bits, [op.args[0]], f"{op.name}_bank", picks=picks
        )
        if op.kind == "array_store":
            self._store_one(segment, access, index, which)
        else:
            self._load_all(segment, access, index, which)

    def _load_all(self, segment: Segment, access: Access, index: Operand, which: Op) -> None:
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

    def _store_one(self, segment: Segment, access: Access, index: Operand, which: Op) -> None:
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

    def _index(self, segment: Segment, access: Access, bank: int) -> Operand:
        """The index within a bank."""
        at, division = access.op.args[0], self._division
        bits = max((self._banks[bank].depth - 1).bit_length(), 1)
        stem = f"{access.op.name}_at"
        if isinstance(at, Lit):
            return Lit(division.place(at.value)[1] % (1 << bits), bits)
        within = division.within(access.index, bank, at.bits)
        made = within and self._sum(segment, access, within, bits, stem)
        if made:
            return made
        if isinstance(division, Runs):
            start = Lit(division.starts[bank], at.bits)
            at = self._add(segment, access, "sub", at.bits, [at, start], stem)
            return at if at.bits == bits else self._cut(segment, access, at, bits, stem)
        above = division.low + division.bits
        pieces = ((0, 0, division.low), (0, above, at.bits - above))
        picks = tuple(piece for piece in pieces if piece[2])
        return self._add(segment, access, "pick", bits, [at], stem, picks=picks) if picks else ZERO

    def _cut(self, segment: Segment, access: Access, at: Operand, bits: int, stem: str) -> Op:
        return self._add(segment, access, "trunc", bits, [at], f"{stem}_low")

    def _sum(
        self, segment: Segment, access: Access, index: Sum, bits: int, stem: str
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
