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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..common import tools
from ..common.errors import KumiError
from ..common.process import find_program
from . import ndrange, streams
from .errors import HlsError, Place

VERSIONS = ("clang-19",)  # what the tests ran with
PACKAGE = "clang-19"
INCLUDE = Path(__file__).parent / "include"
LIBRARY = INCLUDE / "kumi_cl_lib.h"
_COMMON = (
    "-x", "cl", "-cl-std=CL3.0", "-Xclang", "-fexperimental-max-bitint-width=8192",
    "-Wno-unknown-pragmas", "-Wno-ignored-pragmas", "-fwrapv", "-ffp-contract=off",
)  # fmt: skip
_CPP = (
    "-x", "c++", "-std=c++17", "-Xclang", "-fexperimental-max-bitint-width=8192", "-ffreestanding",
    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Wno-unknown-pragmas", "-fwrapv",
    "-ffp-contract=off", "-Wno-bit-int-extension",
)  # fmt: skip
CPP_SUFFIXES = (".cpp", ".cc", ".cxx")
_SYNTH = (
    "-target", "spir64", "-O2", "-S", "-emit-llvm", "-g", "-fno-vectorize", "-fno-slp-vectorize",
    "-fno-unroll-loops", "-fno-jump-tables", "-fno-discard-value-names",
    "-mllvm", "-replexitval=never", "-mllvm", "-disable-loop-idiom-all",
    "-mllvm", "-inline-threshold=1000000", "-mllvm", "-inlinecold-threshold=1000000",
    "-mllvm", "-inline-cold-callsite-threshold=1000000",
)  # fmt: skip
_RELAXED = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math")


@dataclass
class Source:
    """A .cl file as clang gets it, and the pragmas by the line of the loop they precede."""

    path: Path
    text: str
    ivdep: set[int] = field(default_factory=set)
    ii: dict[int, int] = field(default_factory=dict)
    relaxed: bool = False  # sums of float may be done in another order

    @property
    def cpp(self) -> bool:
        """Whether it is C++ with streams, not OpenCL C."""
        return self.path.suffix in CPP_SUFFIXES


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
        pragma = re.match(r"\s*#\s*pragma\s+(ivdep|ii)\b\s*(\d*)\s*(\w*)", line)
        if pragma and pragma.group(3):
            continue  # of one array, or up to a distance: a loop that waits is right as well
        if pragma:
            if pragma.group(1) == "ii" and not int(pragma.group(2) or 0):
                raise HlsError(Place(str(path), number), "ii needs a number.", "#pragma ii 2")
            pending.append((pragma.group(1), int(pragma.group(2) or 0)))
        elif re.search(r"\b(for|while|do)\b", line.split("//")[0]) and pending:
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
    if source.cpp:
        own = [*_CPP, *options, "-I", str(INCLUDE / "cpp")]
    else:
        own = [*_COMMON, *options, "-include", str(INCLUDE / header)]
    command = [compiler(), *own, "-I", str(source.path.parent)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / source.path.name
        names = "" if source.cpp else _own_names(source.text)
        text = f'{names}#line 1 "{source.path}"\n{source.text}\n'
        file.write_text(text, encoding="utf-8")
        done = tools.run([*command, str(file), "-o", output])
    if done.returncode != 0:
        raise _mistake(done.stderr, source.path)
    return done.stdout


def _own_names(text: str) -> str:
    """A file that defines a function of the library's name means its own."""
    head = r"^[ \t]*(?:[A-Za-z_]\w*[ \t*]+)+(\w+)[ \t]*\([^;{}()]*\)\s*\{"
    defined = set(re.findall(head, text, re.M))
    library = re.findall(r"^#define ([a-z]\w*)\(", LIBRARY.read_text(encoding="utf-8"), re.M)
    return "".join(f"#undef {name}\n" for name in library if name in defined)


def _mistake(said: str, path: Path) -> HlsError:
    found = re.search(r"^(.*?):(\d+):\d+: (?:fatal )?error: (.*)$", said, re.M)
    if found is None:
        return HlsError(Place(str(path)), "clang failed.", said.strip()[-400:])
    place = Place(found.group(1), int(found.group(2)))
    return HlsError(place, found.group(3).rstrip(".") + ".", "")


def llvm_ir(source: Source, defines: Sequence[str] = ()) -> str:
    """LLVM IR of a source, optimised, with every value named."""
    import llvmlite.binding as llvm

    options = [*_SYNTH, *(_RELAXED if source.relaxed else ()), *(f"-D{d}" for d in defines)]
    if source.cpp:
        whole = replace(source, text=streams.with_kernels(source.text, str(source.path)))
        text = run(whole, "", options)
    elif ndrange.USES.search(source.text):
        plain = run(source, "kumi_cl.h", [*options, "-Xclang", "-disable-llvm-passes"])
        text = _optimised(ndrange.loops(plain))
    else:
        text = run(source, "kumi_cl.h", options)
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


def _optimised(text: str) -> str:
    """LLVM IR after clang's passes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.ll"
        file.write_text(text, encoding="utf-8")
        command = [compiler(), *_SYNTH, "-Wno-unused-command-line-argument", "-x", "ir"]
        done = tools.run([*command, str(file), "-o", "-"])
    if done.returncode != 0:
        raise KumiError("clang does not take its own LLVM IR.", done.stderr.strip()[-400:], 3)
    return done.stdout


def _builder(llvm: Any) -> Any:
    """A pass builder for any target: the passes used ask it nothing."""
    llvm.initialize_native_target()
    target = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options())
