# SPDX-License-Identifier: Apache-2.0
"""Front end: a .cl file through clang to LLVM IR text.

The source is scanned first for what clang does not carry on: `#pragma ii` and `#pragma ivdep`, and
string literals broken across lines. The result is the IR of the optimised file after LLVM's own
passes that give loops a preheader, one latch and dedicated exits.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..common import tools
from ..common.errors import KumiError
from ..common.process import find_program
from .errors import HlsError, Place

VERSIONS = ("clang-19",)  # what the tests ran with
PACKAGE = "clang-19"
INCLUDE = Path(__file__).parent / "include"
_COMMON = (
    "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-fexperimental-max-bitint-width=8192",
    "-Wno-unknown-pragmas", "-Wno-ignored-pragmas", "-fwrapv", "-ffp-contract=off",
)  # fmt: skip
_SYNTH = (
    "-target", "spir64", "-O2", "-S", "-emit-llvm", "-g", "-fno-vectorize", "-fno-slp-vectorize",
    "-fno-unroll-loops", "-fno-jump-tables", "-fno-discard-value-names",
    "-mllvm", "-replexitval=never", "-mllvm", "-disable-loop-idiom-all",
    "-mllvm", "-inline-threshold=1000000",
)  # fmt: skip


@dataclass
class Source:
    """A .cl file as clang gets it, and the pragmas by the line of the loop they precede."""

    path: Path
    text: str
    ivdep: set[int] = field(default_factory=set)
    ii: dict[int, int] = field(default_factory=dict)


def compiler() -> str:
    """The clang that reads OpenCL C."""
    for name in VERSIONS:
        found = find_program(name)
        if found:
            return found
    hint = f"Install it: apt-get install {PACKAGE} (kumi doctor --fix)."
    raise KumiError("clang, which reads OpenCL C, is not installed.", hint, 3)


def read_source(path: Path) -> Source:
    """Read a file and scan its pragmas."""
    if not path.is_file():
        raise KumiError(f"There is no file {path}.", "", 2)
    lines = path.read_text(encoding="utf-8").split("\n")
    _join_strings(lines)
    source = Source(path, "\n".join(lines))
    pending: list[tuple[str, int]] = []
    for number, line in enumerate(lines, 1):
        pragma = re.match(r"\s*#\s*pragma\s+(ivdep|ii)\b\s*(\d*)", line)
        if pragma:
            if pragma.group(1) == "ii" and not int(pragma.group(2) or 0):
                raise HlsError(Place(str(path), number), "ii needs a number.", "#pragma ii 2")
            pending.append((pragma.group(1), int(pragma.group(2) or 0)))
        elif re.search(r"\b(for|while|do)\b", line) and pending:
            for word, value in pending:
                if word == "ii":
                    source.ii[number] = value
                else:
                    source.ivdep.add(number)
            pending = []
    return source


def _join_strings(lines: list[str]) -> None:
    """A string literal that a line break cut in two becomes one; lines keep their numbers."""
    inside = False  # of a comment
    for i in range(len(lines) - 1):
        line = lines[i]
        code = re.sub(r"/\*.*?\*/|//.*", "", line)
        if inside:
            inside = "*/" not in line
            continue
        if "/*" in code:
            inside = True
            continue
        quotes = len(re.findall(r'(?<!\\)"', code))
        if quotes % 2 and not line.endswith("\\"):
            lines[i] = line.rstrip() + lines[i + 1].lstrip()
            lines[i + 1] = ""


def run(source: Source, header: str, options: Sequence[str], output: str = "-") -> str:
    """Run clang on a source with one of the headers; what it wrote to standard output."""
    command = [
        compiler(), *_COMMON, *options, "-include", str(INCLUDE / header),
        "-I", str(source.path.parent),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / source.path.name
        file.write_text(f'#line 1 "{source.path}"\n{source.text}\n', encoding="utf-8")
        done = tools.run([*command, str(file), "-o", output])
    if done.returncode != 0:
        raise _mistake(done.stderr, source.path)
    return done.stdout


def _mistake(said: str, path: Path) -> HlsError:
    found = re.search(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", said, re.M)
    if found is None:
        return HlsError(Place(str(path)), "clang failed.", said.strip()[-400:])
    place = Place(found.group(1), int(found.group(2)))
    return HlsError(place, found.group(3).rstrip(".") + ".", "")


def llvm_ir(source: Source, defines: Sequence[str] = ()) -> str:
    """LLVM IR of a source, optimised, with every value named."""
    import llvmlite.binding as llvm

    text = run(source, "kumi_cl.h", [*_SYNTH, *(f"-D{d}" for d in defines)])
    # The name of OpenCL's calling convention in debug metadata is not known to every LLVM.
    module = llvm.parse_assembly(text.replace("cc: DW_CC_LLVM_OpenCLKernel, ", ""))
    builder = _builder(llvm)
    passes = llvm.create_new_module_pass_manager()
    passes.add_lower_switch_pass()
    passes.add_simplify_cfg_pass()
    passes.add_lower_switch_pass()
    passes.add_loop_simplify_pass()
    passes.add_lcssa_pass()
    passes.add_instruction_namer_pass()
    passes.run(module, builder)
    return str(module)


def _builder(llvm: Any) -> Any:
    """A pass builder for any target: the passes used ask it nothing."""
    llvm.initialize_native_target()
    target = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options())
