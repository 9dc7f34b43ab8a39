# SPDX-License-Identifier: Apache-2.0
"""Names of one segment's nets in SystemVerilog, and the lines that its printers collect."""

from __future__ import annotations

from .expr import Text, number
from .ops import Edge, Lit, Op, Operand, Segment


class SegmentNets:
    """Lines of one segment. `kept_ops`: operations whose value is read after their token left."""

    def __init__(
        self, segment: Segment, incoming: list[Edge], entry: bool, kept_ops: set[Op]
    ) -> None:
        self.s = segment
        self.kept_ops = kept_ops
        self.n = segment.name
        self.incoming = incoming
        self.entry = entry
        self.nets: list[str] = []  # declarations
        self.comb: list[str] = []
        self.ff: list[str] = []  # without reset
        self.loads: list[str] = []  # of phis, by edges
        self.reset: list[str] = []  # with reset
        self.cleared: list[str] = []  # registers that reset clears
        self.instances: list[str] = []
        self.waits: dict[int, list[str]] = {}
        self.waiting: list[tuple[Op, str]] = []  # operations that may wait, and when they do
        self.piped: dict[Op, int] = {}  # last stage of each pipe of registers
        self._low: dict[tuple[int, Op], int] = {}  # place of a value in a gap's word
        self.in_stage: dict[int, list[Op]] = {}
        for op in segment.ops:
            if op.kind.startswith(("chan", "load", "store", "fence", "drain", "fsum")):
                self.in_stage.setdefault(op.at, []).append(op)

    # ---- names ----------------------------------------------------------------------------------

    def adv(self, stage: int) -> str:
        """The token of a stage, if any, moves."""
        return f"{self.n}_adv[{stage}]" if self.s.stages > 1 else f"{self.n}_adv"

    def valid(self, stage: int) -> str:
        """A token is in a stage."""
        return f"{self.n}_valid_q[{stage}]" if self.s.stages > 1 else f"{self.n}_valid_q"

    def step(self, stage: int) -> str:
        """A token is in a stage and moves."""
        return f"{self.n}_step[{stage}]" if self.s.stages > 1 else f"{self.n}_step"

    def free(self, stage: int) -> str:
        """The register behind a stage may be loaded."""
        return "" if stage == self.s.section_end(stage) else self.adv(stage + 1)

    def ref(self, value: Operand, stage: int) -> Text:
        """An operand of an operation that runs in a stage."""
        if isinstance(value, Lit):
            return number(value.value, value.bits)
        return Text(self._name(value, stage), value.bits)

    def _name(self, op: Op, stage: int) -> str:
        if op.segment is not self.s:
            return self._keep(op)
        if stage == op.avail:
            return op.name
        if not self.s.loop:
            return self._keep(op)
        self.piped[op] = max(self.piped.get(op, op.avail), stage)
        return f"{op.name}_s{stage}"

    def last(self, value: Operand, stage: int) -> Text:
        """An operand as the last token has it when it leaves the segment from a stage."""
        if isinstance(value, Lit):
            return number(value.value, value.bits)
        if value.segment is self.s and value.avail == stage:
            return Text(value.name, value.bits)
        return Text(self._keep(value), value.bits)

    def _keep(self, op: Op) -> str:
        self.kept_ops.add(op)
        return kept(op)

    def declare(self, name: str, bits: int) -> None:
        """Declare a net."""
        self.nets.append(f"  logic {dimension(bits)}{name};")


def edge_name(edge: Edge) -> str:
    """Net that is high when a token leaves a segment by an edge."""
    assert edge.source is not None
    target = edge.target.name if edge.target else "end"
    same = [e for e in edge.source.edges if e.target is edge.target]
    suffix = f"_{same.index(edge)}" if len(same) > 1 else ""
    return f"{edge.source.name}_to_{target}{suffix}"


def kept(op: Op) -> str:
    """Register that keeps a value after its token has moved on."""
    if op.holds:
        return op.name
    segment = op.segment
    if segment is not None and segment.loop:
        return f"{op.name}_s{op.avail + 1}"
    return f"{op.name}_q"


def number_or_part(text: Text, low: int, bits: int) -> str:
    """Part of an operand for a port."""
    if text.number is not None:
        return number(text.number >> low & ((1 << bits) - 1), bits).text
    return text.part(low, bits)


def dimension(bits: int) -> str:
    """Packed dimension of a net."""
    return f"[{bits - 1}:0] " if bits > 1 else ""
