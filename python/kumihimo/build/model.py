# SPDX-License-Identifier: Apache-2.0
"""Models of nodes in C++, in place of their RTL: node libraries of the same ports and registers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kumihimo.build import cache, toolchain
from kumihimo.build.builder import BuildResult
from kumihimo.build.compile import Progress, run_tool
from kumihimo.build.design import ParamValue
from kumihimo.build.errors import BuildError
from kumihimo.build.scan import scan
from kumihimo.common.paths import project_root


@dataclass(frozen=True)
class Model:
    """A folder of `sim` with the C++ of a model, and the parameters of the top that it knows."""

    folder: str
    fields: tuple[str, ...]
    """Those of its struct `Params`, in this order."""
    only: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Values of the parameters that it does not have in any size."""


_IB_SWITCH = (
    "PORTS", "LANES", "DATA_W", "DATA_VLS", "BLOCKS", "MTU_CAP", "LFT_CAP", "MFT_CAP", "TICK",
    "BUILD",
)  # fmt: skip
MODELS = {
    "kumi_node_ib_switch": Model("ib_model", _IB_SWITCH),
    "kumi_node_link": Model("link_model", ("CIRCUITS", "BUILD"), {"LANES": (1,)}),
}
"""By the top that is modelled."""
_SHARED = "model"
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")


def _number(text: str) -> int:
    """A value as slang prints it: 8, 64'd0, 64'hff."""
    digits = text.rpartition("'")[2]
    return int(digits.lstrip("sdh"), 16 if digits.startswith("h") else 10)


def refusal(top: str, params: Mapping[str, object]) -> tuple[str, str] | None:
    """The first of these parameters that the top's model does not support, and what to do."""
    for name, values in MODELS[top].only.items():
        value = params.get(name)
        if value is not None and _number(str(int(value) if value is True else value)) not in values:
            allowed = " or ".join(f"`{name}: {value}`" for value in values)
            text = f"the model of {top} has no `{name}: {value}`: take {allowed}, or `detail: rtl`"
            return name, text
    return None


def _parameters(top: str, values: Mapping[str, str], hash_: str) -> str:
    """The source that says what is built: kParams and kHash."""
    model = MODELS[top]
    listed = ", ".join(f"{_number(values[name])}ull" for name in model.fields)
    return (
        f"// Generated: the model of {top}.\n"
        '#include "params.hpp"\n'
        f"namespace kumihimo::{model.folder} {{\n"
        "extern const Params kParams;\n"
        "extern const char* const kHash;\n"
        f"const Params kParams{{{listed}}};\n"
        f'const char* const kHash = "{hash_}";\n'
        f"}}  // namespace kumihimo::{model.folder}\n"
    )


def build_model(
    design: Path, params: Mapping[str, ParamValue] | None = None, progress: Progress | None = None
) -> BuildResult:
    """Build the model of a design, or find it in the cache; ports and pins are those of the RTL.

    Raises:
        BuildError: there is no model of this design, or not with these parameters.
    """
    start = time.monotonic()
    info = scan(design, dict(params or {}))
    if info.top not in MODELS:
        raise BuildError(f"There is no model of {info.top}.", f"There are: {', '.join(MODELS)}.")
    refused = refusal(info.top, info.all_params)
    if refused is not None:
        raise BuildError(refused[1][0].upper() + refused[1][1:] + ".")
    sim = project_root() / "sim"
    include = [sim / MODELS[info.top].folder, sim, sim / "include", sim / "node"]
    sources = [f for d in (include[0], sim / _SHARED) for f in sorted(d.glob("*.[ch]pp"))]
    headers = [sim / "include/kumi/abi.h", *sorted((sim / "node/kumi/node").glob("*.hpp"))]
    texts = [part for file in (*sources, *headers) for part in (file.name, file.read_bytes())]
    stamp = toolchain.quick_stamp(toolchain.compiler())
    made_of = repr(sorted(info.all_params.items()))
    hash_ = cache.digest("model", stamp, made_of, *_FLAGS, *texts)[:40]
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
            words = [toolchain.compiler(), *_FLAGS, *(f"-I{d}" for d in include), "-shared"]
            run_tool([*words, *units, "-o", str(ready / "node.so")], f"the model of {info.top}")
            cache.install_folder(ready, library.parent)
    spent = time.monotonic() - start
    return BuildResult(library, info, hash_, hash_, cached, spent, "model")
