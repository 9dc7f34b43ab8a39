# SPDX-License-Identifier: Apache-2.0
"""Integer reductions: what an iteration adds is added first, to the loop's variable last.

`s += x; s += y` in one iteration, or an unrolled sum, is a chain of operations that the next
iteration waits for. Addition (with subtraction), multiplication, and, or, xor of integers may be
done in any order; so all but the last operation become a balanced tree beside the loop's chain.
"""

from __future__ import annotations

from .ops import Design, Op, Operand, Segment
from .tidy import rename

_LIKE = {"add": "add", "sub": "add", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}


def balance(design: Design) -> None:
    """Rewrite the reductions of a kernel's loops."""
    users = _users(design)
    for segment in design.segments:
        for phi in segment.phis if segment.loop else []:
            chain = _chain(users, segment, phi)
            if len(chain) > 1:
                _rewrite(design, segment, phi, chain)
                users = _users(design)


def _chain(users: dict[Op, list[object]], segment: Segment, phi: Op) -> list[Op]:
    """The operations from a loop's variable to its next value, which nobody else looks at."""
    end = phi.next
    if not isinstance(end, Op) or end.segment is not segment or end.kind not in _LIKE:
        return []
    chain: list[Op] = []
    at: Operand = phi
    while at is not end:
        assert isinstance(at, Op)
        after = users[at]
        if len(after) != 1 or not isinstance(after[0], Op):
            return []
        op = after[0]
        same = op.segment is segment and (op.bits, op.lanes) == (end.bits, end.lanes)
        ways = [i for i, arg in enumerate(op.args) if arg is at]
        if not same or _LIKE.get(op.kind) != _LIKE[end.kind] or len(ways) != 1:
            return []
        if op.kind == "sub" and ways != [0]:
            return []
        chain.append(op)
        at = op
    return chain


def _users(design: Design) -> dict[Op, list[object]]:
    """Who uses each value: operations, and edges or the loop's own test as themselves."""
    out: dict[Op, list[object]] = {op: [] for s in design.segments for op in s.ops}

    def use(value: Operand | None, user: object) -> None:
        if isinstance(value, Op) and value in out:
            out[value].append(user)

    for segment in design.segments:
        use(segment.proceed, segment)
        for edge in segment.edges:
            use(edge.pred, edge)
            for _, value in edge.moves:
                use(value, edge)
        for op in segment.ops:
            for value in dict.fromkeys((*op.args, op.pred)):
                use(value, op)
            if op.kind == "phi":
                use(op.next, segment)
    return out


def _rewrite(design: Design, segment: Segment, phi: Op, chain: list[Op]) -> None:
    end = chain[-1]
    before: Operand = phi
    plus: list[Operand] = []
    minus: list[Operand] = []
    for op in chain:
        other = next(arg for arg in op.args if arg is not before)
        (minus if op.kind == "sub" else plus).append(other)
        before = op
    tree = _Tree(design, segment, end)
    kind = _LIKE[end.kind]
    total = tree.of(kind, plus or minus)
    if plus and minus:
        total = tree.op("sub", total, tree.of(kind, minus))
    last = tree.op("sub" if minus and not plus else kind, phi, total)
    segment.ops[segment.ops.index(end) : segment.ops.index(end)] = tree.made
    rename(design, {end: last})
    segment.ops = [op for op in segment.ops if op not in chain]


class _Tree:
    """Makes operations under names of the reduction."""

    def __init__(self, design: Design, segment: Segment, end: Op) -> None:
        self._names = design.names
        self._segment = segment
        self._end = end
        self.made: list[Op] = []

    def op(self, kind: str, a: Operand, b: Operand) -> Op:
        """An operation on two values."""
        end = self._end
        name = self._names.made(f"{end.name}_part{len(self.made) + 1}")
        op = Op(kind, name, end.bits, [a, b], end.place, end.lanes, block=end.block)
        op.segment = self._segment
        self.made.append(op)
        return op

    def of(self, kind: str, values: list[Operand]) -> Operand:
        """All values together, in pairs."""
        while len(values) > 1:
            pairs = zip(values[0::2], values[1::2], strict=False)
            rest = values[len(values) // 2 * 2 :]
            values = [*(self.op(kind, a, b) for a, b in pairs), *rest]
        return values[0]
