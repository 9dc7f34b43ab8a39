# SPDX-License-Identifier: Apache-2.0
"""A Verilated module with a C++ main program of its own: for tests of millions of frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kumihimo.build import cache, derive, toolchain
from kumihimo.build.compile import run_tool
from kumihimo.common.paths import project_root

VERILATOR = ("-O3", "--x-assign", "fast", "--x-initial", "fast", "--assert", "--no-timing")
CXX = ("-O1", "-std=c++20")  # -O2 costs more than it saves in a minute of running


def verilated_program(
    top: Path, main: Path, params: Mapping[str, int], libraries: Sequence[str] = ()
) -> Path:
    """The program, compiled on first use and kept in the cache.

    Args:
        top: the module, named as its file; its class is V<name>.
        main: C++ source with `main`.
        params: parameters of the module.
        libraries: of the linker ("z").
    """
    root = project_root()
    files = derive.needed([top], root)
    values = [f"-G{name}={value}" for name, value in params.items()]
    key = cache.digest(
        "program", *VERILATOR, *CXX, *values, *libraries,
        toolchain.quick_stamp(toolchain.compiler()),
        toolchain.verilator_stamp(),
        main.read_bytes(), *(path.read_bytes() for path in files),
    )[:32]  # fmt: skip
    made = cache.cache_root() / "program" / key / main.stem
    if made.is_file():
        return made
    with cache.lock(f"program-{key}"), cache.work_folder() as folder:
        if not made.is_file():
            include = toolchain.verilator_root() / "include"
            model = [
                str(toolchain.verilator_binary()), "--cc", "--Mdir", str(folder),
                "--top-module", top.stem, *VERILATOR, *values, f"-I{root / 'hw/include'}",
                *(str(path) for path in files),
            ]  # fmt: skip
            run_tool(model, f"Verilator on {top.stem}")
            unit = folder / "unit.cpp"
            sources = [*sorted(folder.glob("V*.cpp")), main]
            unit.write_text("".join(f'#include "{path}"\n' for path in sources))
            headers = [f"-I{path}" for path in (folder, include, include / "vltstd")]
            runtime = [str(include / f"verilated{part}.cpp") for part in ("", "_threads")]
            command = [
                toolchain.compiler(), *CXX, *headers, str(unit), *runtime,
                "-o", str(folder / main.stem), "-lpthread", *(f"-l{name}" for name in libraries),
            ]  # fmt: skip
            run_tool(command, f"the compiler on {main.name}")
            made.parent.mkdir(parents=True, exist_ok=True)
            cache.install_file(folder / main.stem, made)
    return made
