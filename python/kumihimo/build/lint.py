# SPDX-License-Identifier: Apache-2.0
"""Lint of a user's own RTL: the mistakes that build without a word and cost a day on the board.

slang's analysis finds drivers, latches, widths, ranges, cases and unused signals; own passes
(`procedures`) look at assignments, sensitivity lists, delays and comparisons; Verilator finds
combinational loops. What is in the project's library is not reported. Errors stop a build, warnings
are printed. A line that holds the comment `kumi: allow RULE` is exempt from that rule.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kumihimo.build.compile import verilator_lint
from kumihimo.build.design import ParamValue
from kumihimo.build.filelist import FileList, is_own
from kumihimo.build.findings import ERROR, WARNING, Finding, place, source_line
from kumihimo.build.procedures import Procedures
from kumihimo.build.scan import Elaboration

__all__ = ["ERROR", "WARNING", "Finding", "Loop", "lint", "loops_in", "own_loops"]

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
    "CaseDup": ("case", WARNING, "remove one of the two"),
    "CaseOverlap": ("case", WARNING, "the first one that matches counts"),
    "CaseUnreachable": ("case", WARNING, "remove it, or correct the items above"),
    "CaseOutsideRange": ("case", WARNING, "correct the item, or widen the expression"),
    "CaseNotWildcard": ("case", WARNING, "write `case inside` for wildcards"),
    "UndrivenPort": ("undriven", WARNING, "it stays at its initial value"),
    "UnassignedVariable": ("undriven", WARNING, "it stays at its initial value"),
    "UndrivenNet": ("undriven", WARNING, "it floats"),
    "UnconnectedInputPort": ("undriven", WARNING, "connect it"),
    "EmptyInputPortConn": ("undriven", WARNING, "connect it"),
    "ImplicitNet": ("implicit-net", ERROR, "declare it; is the name misspelt?"),
    "IndexOOB": ("range", ERROR, "correct the index, or the size"),
    "RangeOOB": ("range", ERROR, "correct the bounds, or the size"),
    "RangeWidthOOB": ("range", ERROR, "correct the width, or the size"),
    "RangeSelectReversed": ("range", ERROR, "exchange the bounds"),
    "ConstantConversion": ("width", WARNING, "the constant does not fit"),
    "VectorLiteralOverflow": ("width", WARNING, "upper bits are lost"),
    "FloatIntConv": ("width", WARNING, "it is rounded"),
    "ShiftCountOverflow": ("shift", WARNING, "nothing of it remains"),
    "UnsignedArithShift": ("shift", WARNING, "declare it signed"),
    "ArithInShift": ("precedence", WARNING, "add parentheses"),
    "BitwiseRelPrecedence": ("precedence", WARNING, "add parentheses"),
    "LogicalNotParentheses": ("precedence", WARNING, "add parentheses"),
    "ConsecutiveComparison": ("precedence", WARNING, "compare twice, with &&"),
    "EmptyBody": ("structure", WARNING, "remove the semicolon"),
    "MisleadingIndentation": ("structure", WARNING, "add begin and end"),
    "DanglingElse": ("structure", WARNING, ""),
    "MultiBitEdge": ("edge", ERROR, "select the bit that is the clock"),
    "DivisionByZero": ("division", ERROR, "the result is unknown"),
    "MissingReturn": ("function", WARNING, "its result is unknown"),
    "IncompleteReturn": ("function", WARNING, "its result is unknown"),
    "UnusedResult": ("function", WARNING, ""),
    "LoopVarModify": ("loop-variable", WARNING, "change it in one place"),
    "LoopCondNotModified": ("loop-variable", ERROR, "the loop never ends"),
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
class Loop:
    """A combinational loop: its signals (a -> b -> a), and the places it passes through."""

    signals: str
    places: tuple[tuple[str, int], ...]
    finding: Finding


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
    found = [*_analysis(elab), *Procedures(elab).findings]
    if loops and not any(finding.rule == "multiple-drivers" for finding in found):
        found += own_loops(_loops(top, sources, params or {}))
    kept = [f for f in dict.fromkeys(found) if not _allowed(f.rule, f.file, f.line)]
    return sorted(kept, key=lambda f: (f.severity != ERROR, f.file, f.line, f.column))


def _allowed(rule: str, file: str, line: int) -> bool:
    return f"kumi: allow {rule}" in source_line(file, line)


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
        file, line, column = place(elab.manager, diagnostic.location)
        text = engine.formatMessage(diagnostic)
        if not is_own(file) or (rule in ("unused", "undriven") and _PORT.search(text)):
            continue
        sentence = f"{text}; {hint}" if hint else text
        yield Finding(severity, rule, file, line, column, sentence)


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
