# SPDX-License-Identifier: Apache-2.0
"""Iterations of an outer loop overlap: the inner loop begins again while its last tokens drain.

A loop's last token leaves it from the last stage. Where the way back to the loop is blocks that
only compute (the outer loop has nothing else that waits or changes something), it leaves as soon as
nothing behind it can be disturbed: from the first stage that is not before

- the values that the blocks take, the loop's condition and variables;
- operations that read values which those blocks change;
- accesses of an array or memory that the loop both reads and writes; uses of a port that it has
  more than one of in an iteration; non-blocking accesses, and what waits for all writes.

What follows is in the order of the program, as from one iteration of the loop to the next. A block
that leaves the outer loop instead waits until no token is left (`settle`).
"""

from __future__ import annotations

from .ops import EFFECTS, Design, Op, Operand, Segment


def overlap(design: Design) -> None:
    """Find the earliest exits of a kernel's scheduled loops. Blocks are scheduled after this."""
    for segment in design.segments:
        if not segment.loop or segment.gaps:
            continue
        back = _ways_back(segment)
        exit_ = _earliest(design, segment, back) if back else segment.stages - 1
        if exit_ < segment.stages - 1:
            segment.back, segment.exit = back, exit_
            _settle(segment)


def _ways_back(loop: Segment) -> set[Segment]:
    """The blocks between a loop's end and its next beginning, and the loop; empty if none."""
    reached: set[Segment] = set()
    work = [edge.target for edge in loop.edges]
    while work:
        segment = work.pop()
        if segment is None or segment in reached or not (segment is loop or _computes(segment)):
            continue
        reached.add(segment)
        work += [edge.target for edge in segment.edges] if segment is not loop else []
    if loop not in reached:
        return set()
    back = {loop}
    grows = True
    while grows:
        more = {s for s in reached - back if any(e.target in back for e in s.edges)}
        back |= more
        grows = bool(more)
    return back


def _computes(segment: Segment) -> bool:
    """Whether a segment is a block without effects."""
    waits = (*EFFECTS, "array_load", "settle")
    return not segment.loop and not any(op.kind in waits for op in segment.ops)


def _earliest(design: Design, loop: Segment, back: set[Segment]) -> int:
    own = set(loop.ops)
    least = loop.ii - 1

    def have(value: Operand | None) -> None:
        nonlocal least
        if isinstance(value, Op) and value in own:
            least = max(least, value.avail)

    have(loop.proceed)
    for edge in loop.edges:
        have(edge.pred)
        for _, value in edge.moves:
            have(value)
    for segment in design.segments:
        if segment is loop:
            continue
        for op in segment.ops:
            for value in (*op.args, op.pred):
                have(value)
        for edge in segment.edges:
            have(edge.pred)
            for _, value in edge.moves:
                have(value)
    for op in loop.ops:
        if op.kind == "phi":
            have(op)
            have(op.next)
        changing = (*op.args, op.pred)
        if any(isinstance(v, Op) and v.segment in back - {loop} for v in changing):
            least = max(least, op.at)
        if _must_be_over(op, loop):
            least = max(least, op.at, op.avail)
    return least


def _must_be_over(op: Op, loop: Segment) -> bool:
    """Whether an effect must have happened before the loop begins again."""
    if op.kind in ("chan_write_nb", "chan_read_nb", "fence", "drain", "fsum_add", "fsum_take"):
        return True
    return any(_meet(op, other) for other in loop.ops if other is not op)


def _meet(op: Op, other: Op) -> bool:
    """Whether two effects share a port, or one may see what the other changes."""
    if op.channel is not None and op.channel is other.channel:
        return True
    if op.array is not None and op.array is other.array:
        return "array_store" in (op.kind, other.kind)
    if op.unit is None or other.unit is None:
        return False
    return op.unit is other.unit or (
        op.unit.memory == other.unit.memory and op.unit.store != other.unit.store
    )


def _settle(loop: Segment) -> None:
    """Blocks that leave the outer loop wait for the inner one's last token."""
    for segment in loop.back - {loop}:
        for number, edge in enumerate(segment.edges):
            if edge.target in loop.back:
                continue
            name = f"{segment.name}_{loop.name}_over{number or ''}"
            op = Op("settle", name, 0, [], pred=edge.pred, word=loop.name)
            op.segment = segment
            segment.ops.append(op)
