# SPDX-License-Identifier: Apache-2.0
"""Models of nodes in C++, in place of their RTL: node libraries of the same ports and registers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from kumihimo.build import cache, toolchain
from kumihimo.build.builder import BuildResult
from kumihimo.build.compile import Progress, run_tool
from kumihimo.build.design import ParamValue
from kumihimo.build.errors import BuildError
from kumihimo.build.scan import scan
from kumihimo.common.paths import project_root

MODELS = {"kumi_node_ib_switch": "ib_model"}
"""Folder of `sim` by the top that it models."""
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")
_FIELDS = (
    "PORTS", "LANES", "DATA_W", "DATA_VLS", "BLOCKS", "MTU_CAP", "LFT_CAP", "MFT_CAP", "TICK",
    "BUILD",
)  # fmt: skip


def _number(text: str) -> int:
    """A value as slang prints it: 8, 64'd0, 64'hff."""
    digits = text.rpartition("'")[2]
    return int(digits.lstrip("sdh"), 16 if digits.startswith("h") else 10)


def _parameters(top: str, values: Mapping[str, str], hash_: str) -> str:
    """The source that says what is built: kParams and kHash, in the order of ib_model::Params."""
    numbers = [_number(values[name]) for name in _FIELDS]
    listed = ", ".join(f"{number}u" for number in numbers[:-1])
    return (
        f"// Generated: the model of {top}.\n"
        '#include "symbols.hpp"\n'
        "namespace kumihimo::ib_model {\n"
        "extern const Params kParams;\n"
        "extern const char* const kHash;\n"
        f"const Params kParams{{{listed}, {numbers[-1]}ull}};\n"
        f'const char* const kHash = "{hash_}";\n'
        "}  // namespace kumihimo::ib_model\n"
    )


def build_model(
    design: Path, params: Mapping[str, ParamValue] | None = None, progress: Progress | None = None
) -> BuildResult:
    """Build the model of a design, or find it in the cache; ports and pins are those of the RTL.

    Raises:
        BuildError: there is no model of this design.
    """
    start = time.monotonic()
    info = scan(design, dict(params or {}))
    if info.top not in MODELS:
        raise BuildError(f"There is no model of {info.top}.", f"There are: {', '.join(MODELS)}.")
    sim = project_root() / "sim"
    folder, include = sim / MODELS[info.top], sim / "include"
    sources = sorted(folder.glob("*.[ch]pp"))
    hash_ = cache.digest(
        "model", toolchain.quick_stamp(toolchain.compiler()), repr(sorted(info.all_params.items())),
        (include / "kumi/abi.h").read_bytes(), *_FLAGS,
        *(part for file in sources for part in (file.name, file.read_bytes())),
    )[:40]  # fmt: skip
    library = cache.cache_root() / "lib" / hash_ / "node.so"
    cached = library.is_file()
    if not cached:
        with cache.lock(f"lib-{hash_}"), cache.work_folder() as work:
            if progress:
                progress("compile the model")
            ready = work / "ready"
            ready.mkdir()
            made = work / "parameters.cpp"
            made.write_text(_parameters(info.top, info.all_params, hash_))
            units = [str(made), *(str(f) for f in sources if f.suffix == ".cpp")]
            words = [toolchain.compiler(), *_FLAGS, f"-I{folder}", f"-I{include}", "-shared"]
            run_tool([*words, *units, "-o", str(ready / "node.so")], f"the model of {info.top}")
            cache.install_folder(ready, library.parent)
    spent = time.monotonic() - start
    return BuildResult(library, info, hash_, hash_, cached, spent, "model")
