# SPDX-License-Identifier: Apache-2.0
"""Lint passes over procedures and expressions of a user's files, beside slang's own analysis.

Blocking and non-blocking assignments in the wrong kind of block, sensitivity lists, delays in
hardware, and comparisons that have the same outcome for every value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kumihimo.build.filelist import is_own
from kumihimo.build.findings import ERROR, WARNING, Finding, place
from kumihimo.build.scan import Elaboration

# Operator -> the same with the sides exchanged.
_COMPARISONS = {
    "Equality": "Equality",
    "Inequality": "Inequality",
    "LessThan": "GreaterThan",
    "LessThanEqual": "GreaterThanEqual",
    "GreaterThan": "LessThan",
    "GreaterThanEqual": "LessThanEqual",
}


def _outcome(operator: str, value: int, most: int) -> bool | None:
    """What `x OPERATOR value` gives for each x of 0 to `most`; None if it depends on x."""
    if operator == "LessThan":
        return False if value == 0 else True if value > most else None
    if operator == "GreaterThanEqual":
        return True if value == 0 else False if value > most else None
    if operator == "LessThanEqual":
        return True if value >= most else None
    if operator == "GreaterThan":
        return False if value >= most else None
    return operator == "Inequality" if value > most else None


class Procedures:
    """The findings of one elaborated design."""

    def __init__(self, elab: Elaboration) -> None:
        self._elab = elab
        self._ast = elab.ast
        self._own: dict[int, bool] = {}
        self.findings: list[Finding] = []
        elab.compilation.getRoot().visit(self._visit)

    def _add(self, location: Any, severity: str, rule: str, text: str) -> None:
        self.findings.append(Finding(severity, rule, *place(self._elab.manager, location), text))

    def _is_own(self, location: Any) -> bool:
        buffer = self._elab.manager.getFullyExpandedLoc(location).buffer
        key = hash(buffer)
        if key not in self._own:
            self._own[key] = is_own(str(self._elab.manager.getFullPath(buffer)))
        return self._own[key]

    def _visit(self, node: Any) -> bool:
        kinds = self._ast
        if isinstance(node, kinds.ProceduralBlockSymbol):
            if self._is_own(node.location):
                self._block(node)
        elif isinstance(node, kinds.ContinuousAssignSymbol):
            if node.delay is not None and self._is_own(node.location):
                self._delay(node.delay.sourceRange.start)
        elif isinstance(node, kinds.BinaryExpression):
            self._comparison(node)
        return True

    # ---- procedures ------------------------------------------------------------------------

    def _block(self, block: Any) -> None:
        kinds = self._ast.ProceduralBlockKind
        timing = self._timing(block)
        edges = [e.edge for e in timing]
        clocked = block.procedureKind == kinds.AlwaysFF
        combinational = block.procedureKind == kinds.AlwaysComb
        if block.procedureKind == kinds.Always and timing:
            if any(edge != self._ast.EdgeKind.None_ for edge in edges):
                clocked = True
            else:
                text = (
                    "always @ with a list of signals: a change of one that is not in it goes "
                    "unseen; write always_comb"
                )
                self._add(block.location, WARNING, "sensitivity", text)
                combinational = True
        elif block.procedureKind == kinds.Always and self._implicit(block):
            combinational = True
        elif clocked and any(edge == self._ast.EdgeKind.None_ for edge in edges):
            text = "always_ff without an edge: write @(posedge clk)"
            self._add(block.location, ERROR, "edge", text)
        if clocked or combinational:
            self._statements(block, clocked)

    def _timing(self, block: Any) -> list[Any]:
        """The events that a block waits for, [] for none or @*."""
        kinds = self._ast.TimingControlKind
        if block.body.kind != self._ast.StatementKind.Timed:
            return []
        timing = block.body.timing
        if timing.kind == kinds.SignalEvent:
            return [timing]
        if timing.kind == kinds.EventList:
            return [e for e in timing.events if e.kind == kinds.SignalEvent]
        return []

    def _implicit(self, block: Any) -> bool:
        return bool(
            block.body.kind == self._ast.StatementKind.Timed
            and block.body.timing.kind == self._ast.TimingControlKind.ImplicitEvent
        )

    def _statements(self, block: Any, clocked: bool) -> None:
        """Assignments of the wrong kind, and delays, in a clocked or a combinational block."""
        ast = self._ast
        inside = self._inside(block.body.sourceRange)
        old = block.procedureKind == ast.ProceduralBlockKind.Always

        def visit(node: Any) -> bool:
            if isinstance(node, ast.AssignmentExpression):
                if node.timingControl is not None:
                    self._delay(node.timingControl.sourceRange.start)
                symbol = node.left.getSymbolReference()
                if symbol is None or inside(symbol.location):
                    return True
                start = node.sourceRange.start
                if clocked and not node.isNonBlocking:
                    text = f"blocking assignment to '{symbol.name}' in always_ff: write <="
                    self._add(start, ERROR, "blocking", text)
                elif not clocked and node.isNonBlocking:
                    # Verilog that programs print is full of it in `always @*`, and simulates right.
                    kind, level = ("always @*", WARNING) if old else ("always_comb", ERROR)
                    text = f"non-blocking assignment to '{symbol.name}' in {kind}: write ="
                    self._add(start, level, "blocking", text)
            elif isinstance(node, ast.TimedStatement) and self._is_delay(node.timing):
                self._delay(node.timing.sourceRange.start)
            return True

        block.body.visit(visit)

    def _is_delay(self, timing: Any) -> bool:
        return bool(timing.kind == self._ast.TimingControlKind.Delay)

    @staticmethod
    def _inside(extent: Any) -> Callable[[Any], bool]:
        """Whether a location is in a range: a local of the block may be assigned either way."""

        def inside(location: Any) -> bool:
            same = location.buffer == extent.start.buffer
            return bool(same and extent.start.offset <= location.offset < extent.end.offset)

        return inside

    def _delay(self, location: Any) -> None:
        text = "a delay has no meaning in hardware; the simulation leaves it out"
        self._add(location, WARNING, "delay", text)

    # ---- expressions -----------------------------------------------------------------------

    def _comparison(self, node: Any) -> None:
        operator = node.op.name
        if operator not in _COMPARISONS:
            return
        left, right = self._bare(node.left), self._bare(node.right)
        if self._constant(left) is not None:
            left, right, operator = right, left, _COMPARISONS[operator]
        value = self._constant(right)
        if value is None or value < 0 or self._constant(left) is not None:
            return
        if not left.type.isIntegral or left.type.isSigned:
            return
        bits = int(left.type.bitWidth)
        outcome = _outcome(operator, value, (1 << bits) - 1)
        if outcome is None or not self._is_own(node.sourceRange.start):
            return
        always = str(outcome).lower()
        text = f"always {always}: the unsigned side has {bits} bit{'s' if bits > 1 else ''}"
        self._add(node.sourceRange.start, WARNING, "compare", f"this comparison is {text}")

    def _bare(self, node: Any) -> Any:
        """Without the conversions that the language adds."""
        while isinstance(node, self._ast.ConversionExpression) and node.isImplicit:
            node = node.operand
        return node

    def _constant(self, node: Any) -> int | None:
        constant = node.constant
        value = getattr(constant, "value", None)
        if value is None and isinstance(node, self._ast.IntegerLiteral):
            value = node.value
        try:
            return None if value is None else int(value)
        except (TypeError, ValueError):  # unknown bits, or no number
            return None
