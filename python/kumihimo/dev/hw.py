# SPDX-License-Identifier: Apache-2.0
"""Checks of the RTL: what a file holds, elaboration, Verilator's warnings."""

from __future__ import annotations

import re
import tempfile
import threading
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kumihimo.build.cache import digest, file_digest
from kumihimo.build.compile import verilator_lint
from kumihimo.build.derive import library
from kumihimo.build.filelist import FileList
from kumihimo.common.errors import KumiError
from kumihimo.synth.elaborate import Module, describe
from kumihimo.synth.shell import shell_text
from kumihimo.synth.sources import headers, sources_of

LINT_VERSION = 3
TOP = "kumi_lint_top"
SETS = Path(__file__).with_name("sets.toml")
# Tried on every module that has a DATA_W; a module may refuse one in an elaboration check.
WIDTHS: tuple[dict[str, str], ...] = ({}, {"DATA_W": "64"}, {"DATA_W": "512"})
# Generated registers are not ours to mend; a package holds constants that one user does not need;
# a bundle may be connected by half; a field's name may be a C++ function's (it is no C++ name).
WAIVERS = """\
`verilator_config
lint_off -file "*/generated/*"
lint_off -rule UNUSEDPARAM -file "*_pkg.sv"
lint_off -rule UNUSEDLOOP -file "*_pkg.sv"
lint_off -rule SYMRSVDWORD -file "*_pkg.sv"
lint_off -rule UNDRIVEN -file "*/kumi_axi_if.sv"
lint_off -rule PINMISSING -file "*/kumi_lint_top.sv"
"""
UNIT = re.compile(r"^\s*(module|package|interface)\s+(?:automatic\s+)?(\w+)", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)

_slang = threading.Lock()  # one elaboration at a time: slang's Python side is not for threads


@dataclass(frozen=True)
class Target:
    """A module to check, and where its project is; `every`: at all sets, not the outer two."""

    name: str
    path: Path
    root: Path
    every: bool = True


def _units(text: str) -> list[tuple[str, str]]:
    return UNIT.findall(COMMENT.sub("", text))


def header_findings(path: Path, where: Path, text: str) -> list[str]:
    """A file holds one unit, named as the file, with a comment that says what it is."""
    units = _units(text)
    found = []
    if len(units) != 1:
        names = ", ".join(name for _, name in units) or "nothing"
        found.append(f"{where}: holds {names}; one module, package or interface a file")
    elif units[0][1] != path.stem:
        found.append(f"{where}: holds {units[0][1]}; file and {units[0][0]} have one name")
    if not path.stem.startswith("kumi_"):
        found.append(f"{where}: names begin with kumi_")
    if "generated" not in where.parts:
        lines = text.splitlines()
        comment = 0
        while comment < len(lines) and lines[comment].startswith("//"):
            comment += 1
        if comment < 3:
            found.append(f"{where}:1: no header comment that says what this is")
        for number, line in enumerate(lines, 1):
            if len(line) > 100:
                found.append(f"{where}:{number}: {len(line)} columns, 100 at most")
            if "lint_off" in line:
                found.append(f"{where}:{number}: a lint waiver in hand-written code")
    return found


def targets(root: Path, every: bool = True) -> list[Target]:
    """Every hand-written module of hw/."""
    found = []
    for name, path in library(root).items():
        if "generated" in path.parts:
            continue
        if ("module", name) in _units(path.read_text()):
            found.append(Target(name, path, root, every))
    return found


@lru_cache(maxsize=1)
def _sets() -> dict[str, list[dict[str, str]]]:
    data = tomllib.loads(SETS.read_text()) if SETS.is_file() else {}
    return {
        name: [{k: str(v) for k, v in one.items()} for one in many] for name, many in data.items()
    }


def parameter_sets(target: Target) -> list[dict[str, str]]:
    """The sets to check: those of sets.toml, else the default, DATA_W 64 and DATA_W 512.

    In the short form the first and the last.
    """
    found = _sets().get(target.name, list(WIDTHS))
    return found if target.every or len(found) < 3 else [found[0], found[-1]]


def target_digest(target: Target) -> str:
    """Hash of all that a check of this module depends on."""
    try:
        sources = sources_of(target.path, target.root)
    except KumiError as problem:
        return digest("broken", target.name, str(problem))
    parts = [str(LINT_VERSION), target.name, repr(parameter_sets(target))]
    for file in [*sources.files, *headers(sources)]:
        parts += [file.name, file_digest(file)]
    return digest(*parts)


@lru_cache(maxsize=4096)
def _described(
    target: Target, _content: str
) -> tuple[FileList | None, list[tuple[str, Module]], list[str]]:
    """The module at each set it takes, and what went wrong."""
    modules: list[tuple[str, Module]] = []
    findings: list[str] = []
    try:
        sources = sources_of(target.path, target.root)
    except KumiError as problem:
        return None, [], [f"{target.name}: {problem}"]
    for params in parameter_sets(target):
        label = " ".join(f"{k}={v}" for k, v in params.items())
        try:
            with _slang, tempfile.TemporaryDirectory() as scratch:
                modules.append((label, describe(sources, target.name, params, Path(scratch))))
        except KumiError as problem:
            text = problem.text
            optional = params in WIDTHS[1:] and target.name not in _sets()
            if optional and ("no parameter" in text or "$fatal" in text):
                continue
            text = str(problem).replace(f"{target.root}/", "")
            if not any(f.endswith(text) for f in findings):
                findings.append(f"{target.name} ({label or 'default'}): {text}")
    return sources, modules, findings


def slang_findings(target: Target) -> list[str]:
    """What slang says of the module at each parameter set."""
    return _described(target, target_digest(target))[2]


def _elaborated(target: Target, label: str, module: Module) -> str:
    """What tells one width from another: signals, and a DATA_W that is not the module's default.

    A width that is the default's is not linted twice. "" for sets that change anything else.
    """
    if label and not re.fullmatch(r"DATA_W=\d+", label):
        return ""
    ports = [[(s.name, s.width) for s in port.signals] for port in module.ports]
    text = target.path.read_text()
    default = r"\bparameter\s+(?:\w+\s+)*{}\s*=\s*{}\b"
    own = {k: v for k, v in module.params.items() if not re.search(default.format(k, v), text)}
    return repr((ports, sorted(own.items())))


@dataclass(frozen=True)
class _Shell:
    """A module at one parameter set, in a shell with flat ports."""

    name: str
    label: str
    text: str


def _shells(target: Target, name: str) -> tuple[FileList | None, list[_Shell]]:
    """The shells in which Verilator reads a module, called `name` and a number; one a set.

    In the short form the last set only: slang elaborates both.
    """
    sources, modules, _ = _described(target, target_digest(target))
    if not target.every:
        modules = modules[-1:]
    shells: list[_Shell] = []
    seen: set[str] = set()
    for label, module in modules:
        own = f"{name}_{len(shells)}"
        same = _elaborated(target, label, module) or shell_text(module, name)
        if same not in seen:
            seen.add(same)
            shells.append(_Shell(own, label or "default", shell_text(module, own)))
    return sources, shells


def _verilator(shells: list[_Shell], sources: FileList, root: Path) -> list[str]:
    """What Verilator -Wall says of some shells; paths from the project's folder."""
    with tempfile.TemporaryDirectory() as scratch:
        top, waivers = Path(scratch) / "kumi_lint_top.sv", Path(scratch) / "waivers.vlt"
        all_of_them = [f"  {shell.name} u_{shell.name} ();\n" for shell in shells]
        one_top = f"module {TOP};\n{''.join(all_of_them)}endmodule\n"
        top.write_text("".join(shell.text for shell in shells) + one_top)
        waivers.write_text(WAIVERS)
        listed = FileList([*sources.files, top], sources.incdirs, sources.defines)
        options = ["-Wall", "-Wno-DECLFILENAME", "--assert", str(waivers)]
        code, text = verilator_lint(TOP, listed, options, Path(scratch))
    lines = [x for x in text.splitlines() if re.match(r"%(Warning|Error)", x)]
    if code and not lines:
        lines = [text.strip() or f"verilator ended with {code}"]
    return [x.replace(f"{root}/", "") for x in lines if "Exiting due to" not in x]


def verilator_clean(targets: Sequence[Target]) -> bool:
    """Whether Verilator -Wall has nothing to say of any of the modules.

    All are read in one run, so that what they share is elaborated once.
    """
    together, shells = FileList(), []
    for number, target in enumerate(targets):
        sources, own = _shells(target, f"kumi_lint_shell_{number}")
        if sources is not None:
            together.merge(sources)
        shells += own
    return not shells or not _verilator(shells, together, targets[0].root)


def verilator_findings(target: Target) -> list[str]:
    """What Verilator -Wall says of the module inside its shell, at each parameter set."""
    found: dict[str, list[str]] = {}
    sources, shells = _shells(target, "kumi_lint_shell")
    for shell in shells:
        assert sources is not None
        for line in _verilator([shell], sources, target.root):
            found.setdefault(line, []).append(shell.label)
    return [f"{target.name} ({', '.join(labels)}): {text}" for text, labels in found.items()]
