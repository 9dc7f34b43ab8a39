# SPDX-License-Identifier: Apache-2.0
"""Lint of a user's own RTL: the mistakes that build without a word and cost a day on the board.

slang's analysis finds drivers, latches, widths, incomplete cases and unused signals; an own pass
finds blocking assignments in always_ff; Verilator finds combinational loops. What is in the
project's library is not reported. Errors stop a build, warnings are printed. A line that holds the
comment `kumi: allow RULE` is exempt from that rule.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumihimo.build.compile import verilator_lint
from kumihimo.build.design import ParamValue
from kumihimo.build.filelist import FileList, is_own
from kumihimo.build.scan import Elaboration

ERROR, WARNING = "error", "warning"

# slang's code -> (rule, severity, what to do or what becomes of it)
_RULES: dict[str, tuple[str, str, str]] = {
    "MultipleContAssigns": ("multiple-drivers", ERROR, "keep one driver"),
    "MultipleAlwaysAssigns": ("multiple-drivers", ERROR, "keep one driver"),
    "MixedVarAssigns": ("multiple-drivers", ERROR, "keep one driver"),
    "MultipleUWireDrivers": ("multiple-drivers", ERROR, "keep one driver"),
    "MultipleUDNTDrivers": ("multiple-drivers", ERROR, "keep one driver"),
    "InferredLatch": ("latch", ERROR, "give it a value at the top of the block"),
    "WidthTruncate": ("width", WARNING, "upper bits are lost; select the bits that are meant"),
    "PortWidthTruncate": ("width", WARNING, "upper bits are lost"),
    "PortWidthExpand": ("width", WARNING, "the upper bits of the port are zero"),
    "CaseIncomplete": ("case", WARNING, "add the missing branches, or a default"),
    "CaseEnum": ("case", WARNING, "add a branch, or a default"),
    "UndrivenPort": ("undriven", WARNING, "it stays at its initial value"),
    "UnassignedVariable": ("undriven", WARNING, "it stays at its initial value"),
    "UndrivenNet": ("undriven", WARNING, "it floats"),
    "UnconnectedInputPort": ("undriven", WARNING, "connect it"),
    "UnusedPort": ("unused", WARNING, ""),
    "UnusedVariable": ("unused", WARNING, ""),
    "UnusedNet": ("unused", WARNING, ""),
    "UnusedButSetVariable": ("unused", WARNING, ""),
    "UnusedButSetNet": ("unused", WARNING, ""),
}
# Side-band of a standard port that a design need not look at.
_PORT = re.compile(r"'(?:[sm]_(?:axis|hdr|axil|axi|lane|sata|ib)_\w+|unused\w*)'")
_LOOP = re.compile(r"^%Warning-UNOPTFLAT: (.+?):(\d+):(\d+): .*?: '(.+)'")
_PATH = re.compile(r"^\s+(.+?):(\d+):(\d+):\s+Example path: (.+)")


@dataclass(frozen=True)
class Finding:
    """A mistake at a place; `note` has further places, as file:line: text."""

    severity: str
    rule: str
    file: str
    line: int
    column: int
    text: str
    notes: tuple[str, ...] = ()

    def show(self) -> str:
        """file:line:column, the sentence, the source line and a caret."""
        head = f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.text} [{self.rule}]"
        source = _line(self.file, self.line)
        caret = "".join(c if c == "\t" else " " for c in source[: self.column - 1]) + "^"
        return "\n".join([head, source, caret, *(f"  {note}" for note in self.notes)])


@dataclass(frozen=True)
class Loop:
    """A combinational loop: its signals (a -> b -> a), and the places it passes through."""

    signals: str
    places: tuple[tuple[str, int], ...]
    finding: Finding


def _line(file: str, number: int) -> str:
    try:
        return Path(file).read_text(errors="replace").splitlines()[number - 1]
    except (OSError, IndexError):
        return ""


def lint(
    top: str,
    sources: FileList,
    params: Mapping[str, ParamValue] | None = None,
    loops: bool = True,
    elab: Elaboration | None = None,
) -> list[Finding]:
    """Everything that is wrong with the user's files of a design, errors first.

    Args:
        top: the top module.
        sources: its files (see `for_module`).
        params: values of its parameters.
        loops: also look for combinational loops; a build finds them as it verilates.
        elab: the top with its parameters, if it is elaborated already.

    Raises:
        BuildError: the design does not elaborate at all.
    """
    if not any(is_own(file) for file in sources.files):
        return []
    elab = elab or Elaboration(top, sources, params or {}, interfaces=True)
    elab.check()
    found = [*_analysis(elab), *_blocking(elab)]
    if loops and not any(finding.rule == "multiple-drivers" for finding in found):
        found += own_loops(_loops(top, sources, params or {}))
    kept = [f for f in dict.fromkeys(found) if not _allowed(f.rule, f.file, f.line)]
    return sorted(kept, key=lambda f: (f.severity != ERROR, f.file, f.line, f.column))


def _allowed(rule: str, file: str, line: int) -> bool:
    return f"kumi: allow {rule}" in _line(file, line)


def own_loops(loops: Iterable[Loop]) -> list[Finding]:
    """The loops that pass through the user's files."""
    return [
        loop.finding
        for loop in loops
        if any(is_own(file) for file, _ in loop.places)
        and not any(_allowed("loop", *place) for place in loop.places)
    ]


def _analysis(elab: Elaboration) -> Iterator[Finding]:
    analysis = elab.pyslang.analysis
    options = analysis.AnalysisOptions()
    options.flags = analysis.AnalysisFlags.CheckUnused
    manager = analysis.AnalysisManager(options)
    found = list(elab.compilation.getAllDiagnostics())
    elab.compilation.freeze()
    manager.analyze(elab.compilation)
    found += list(manager.getDiagnostics())
    engine = elab.pyslang.DiagnosticEngine(elab.manager)
    for diagnostic in found:
        code = re.sub(r"^DiagCode\((.*)\)$", r"\1", str(diagnostic.code))
        if code not in _RULES:
            continue
        rule, severity, hint = _RULES[code]
        file, line, column = _place(elab, diagnostic.location)
        text = engine.formatMessage(diagnostic)
        if not is_own(file) or (rule in ("unused", "undriven") and _PORT.search(text)):
            continue
        sentence = f"{text}; {hint}" if hint else text
        yield Finding(severity, rule, file, line, column, sentence)


def _place(elab: Elaboration, location: Any) -> tuple[str, int, int]:
    manager = elab.manager
    where = manager.getFullyExpandedLoc(location)
    name = str(manager.getFullPath(where.buffer)) or manager.getFileName(where)
    return name, manager.getLineNumber(where), manager.getColumnNumber(where)


def _blocking(elab: Elaboration) -> list[Finding]:
    """Blocking assignments to module signals in always_ff; a local of the block is fine."""
    ast = elab.ast
    found: list[Finding] = []

    def assignments(block: Any) -> None:
        extent = block.body.sourceRange

        def inside(location: Any) -> bool:
            same = location.buffer == extent.start.buffer
            return bool(same and extent.start.offset <= location.offset < extent.end.offset)

        def visit(node: Any) -> bool:
            if isinstance(node, ast.AssignmentExpression) and not node.isNonBlocking:
                symbol = node.left.getSymbolReference()
                file, line, column = _place(elab, node.sourceRange.start)
                if symbol is not None and not inside(symbol.location) and is_own(file):
                    text = f"blocking assignment to '{symbol.name}' in always_ff: write <="
                    found.append(Finding(ERROR, "blocking", file, line, column, text))
            return True

        block.body.visit(visit)

    def blocks(symbol: Any) -> bool:
        if (
            symbol.kind == ast.SymbolKind.ProceduralBlock
            and symbol.procedureKind == ast.ProceduralBlockKind.AlwaysFF
        ):
            assignments(symbol)
        return True

    elab.compilation.getRoot().visit(blocks)
    return found


def _loops(top: str, sources: FileList, params: Mapping[str, ParamValue]) -> list[Loop]:
    with tempfile.TemporaryDirectory() as scratch:
        options = ["-Wno-lint", "-Wno-style", "-Wwarn-UNOPTFLAT", "-Wno-fatal", "--Mdir", scratch]
        _, text = verilator_lint(top, sources, options, Path(scratch), params)
    return loops_in(text)


def loops_in(text: str) -> list[Loop]:
    """The combinational loops that a run of Verilator reported, as its scheduler finds them."""
    found: list[Loop] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = _LOOP.match(line)
        if not match:
            continue
        path = []
        for later in lines[number + 1 :]:
            if later.startswith("%"):
                break
            if step := _PATH.match(later):
                path.append((step.group(1), int(step.group(2)), int(step.group(3)), step.group(4)))
        names = [p[3].rpartition(".")[2] for p in path if p[3][:1].islower()]
        ring = " -> ".join(dict.fromkeys(names)) or match.group(4)
        notes = tuple(
            f"{file}:{row}: {what}" for file, row, _, what in path if not what[:1].islower()
        )
        file, row, column = match.group(1), int(match.group(2)), int(match.group(3))
        signals = f"{ring} -> {ring.split(' -> ')[0]}"
        finding = Finding(ERROR, "loop", file, row, column, f"combinational loop: {signals}", notes)
        found.append(Loop(signals, ((file, row), *(p[:2] for p in path)), finding))
    return found
