# SPDX-License-Identifier: Apache-2.0
"""Checks of the RTL: what a file holds, elaboration, Verilator's warnings."""

from __future__ import annotations

import re
import tempfile
import threading
import tomllib
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

LINT_VERSION = 2
SETS = Path(__file__).with_name("sets.toml")
# Tried on every module that has a DATA_W; a module may refuse one in an elaboration check.
WIDTHS: tuple[dict[str, str], ...] = ({}, {"DATA_W": "64"}, {"DATA_W": "512"})
# Generated registers are not ours to mend; a package holds constants that one user does not need;
# a bundle may be connected by half; a field's name may be a C++ function's (it is no C++ name).
WAIVERS = """\
`verilator_config
lint_off -file "*/generated/*"
lint_off -rule UNUSEDPARAM -file "*_pkg.sv"
lint_off -rule SYMRSVDWORD -file "*_pkg.sv"
lint_off -rule UNDRIVEN -file "*/kumi_axi_if.sv"
"""
UNIT = re.compile(r"^\s*(module|package|interface)\s+(?:automatic\s+)?(\w+)", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)

_slang = threading.Lock()  # one elaboration at a time: slang's Python side is not for threads


@dataclass(frozen=True)
class Target:
    """A module to check, and where its project is."""

    name: str
    path: Path
    root: Path


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


def targets(root: Path) -> list[Target]:
    """Every hand-written module of hw/."""
    found = []
    for name, path in library(root).items():
        if "generated" in path.parts:
            continue
        if ("module", name) in _units(path.read_text()):
            found.append(Target(name, path, root))
    return found


@lru_cache(maxsize=1)
def _sets() -> dict[str, list[dict[str, str]]]:
    data = tomllib.loads(SETS.read_text()) if SETS.is_file() else {}
    return {
        name: [{k: str(v) for k, v in one.items()} for one in many] for name, many in data.items()
    }


def parameter_sets(target: Target) -> list[dict[str, str]]:
    """The sets to check: those of sets.toml, else the default, DATA_W 64 and DATA_W 512."""
    return _sets().get(target.name, list(WIDTHS))


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


def _described(
    target: Target, scratch: Path
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
            with _slang:
                modules.append((label, describe(sources, target.name, params, scratch)))
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
    with tempfile.TemporaryDirectory() as scratch:
        return _described(target, Path(scratch))[2]


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


def verilator_findings(target: Target) -> list[str]:
    """What Verilator -Wall says of the module inside its shell, at each parameter set."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        sources, modules, _ = _described(target, Path(scratch))
        if sources is None:
            return []
        seen: set[str] = set()
        for label, module in modules:
            shell = shell_text(module, "kumi_lint_shell")
            same = _elaborated(target, label, module) or shell
            if same in seen:
                continue
            seen.add(same)
            top = Path(scratch) / "kumi_lint_shell.sv"
            top.write_text(shell)
            waivers = Path(scratch) / "generated.vlt"
            waivers.write_text(WAIVERS)
            listed = FileList([*sources.files, top], sources.incdirs, sources.defines)
            options = ["-Wall", "--assert", str(waivers)]
            code, text = verilator_lint("kumi_lint_shell", listed, options, Path(scratch))
            lines = [x for x in text.splitlines() if re.match(r"%(Warning|Error)", x)]
            if code and not lines:
                lines = [text.strip() or f"verilator ended with {code}"]
            lines = [x for x in lines if not x.startswith("%Error: Exiting due to")]
            prefix = f"{target.root}/"
            for line in lines:
                found.setdefault(line.replace(prefix, ""), []).append(label or "default")
    return [f"{target.name} ({', '.join(labels)}): {text}" for text, labels in found.items()]
