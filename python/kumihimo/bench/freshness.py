# SPDX-License-Identifier: Apache-2.0
"""Hashes of the sources that a figure depends on, and which kept figures are of an older tree.

A hash is of a file's tokens, without comments, docstrings and white space: a change of prose makes
no figure stale. A figure depends on

- the RTL of the measured designs (derived source list, generated registers included, but not the
  table of their kinds and versions, which decides no cycle),
- the C++ that simulated time depends on (`CPP`),
- the bench's own Python with what it imports from `kumihimo.bench`, and the packages it names.

The builder, the command line and the reading of cluster files are not among them: they decide no
cycle.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kumihimo.bench.registry import REGISTRY
from kumihimo.build.defaults import find_design
from kumihimo.build.filelist import for_module
from kumihimo.build.tokens import token_hash
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root

FIGURES = "docs/figures"

# C++ below sim/, by what it decides. A file belongs to a group when a folder's name or its own
# begins with one of the words; what is left of sim/src and sim/node is the engine.
_HOST = (
    *("capture", "record", "file_writer", "frame_tap", "tap", "poll", "peer", "pcap", "host"),
    *("replay", "serve", "stats"),
)
_DISK = ("ata", "sata", "disk")
_GZIP = ("gzip",)
_NODE = ("node", "lane", "beat_queue", "rng")
_NO_CYCLE = "kumi_regs_pkg.sv"  # what software reads to know the registers
CPP = ("engine", "node", "disk", "storage", "gzip", "ib_model")


def _begins(path: Path, words: tuple[str, ...]) -> bool:
    return any(part.startswith(words) for part in path.with_suffix("").parts)


def cpp_files(group: str, root: Path) -> list[Path]:
    """The C++ sources of a group of `CPP`."""
    sim = root / "sim"
    if group == "storage":
        found = [p for p in sim.glob("storage/**/*.?pp") if not p.name.startswith("nbd")]
        return sorted(p for p in found if "python" not in p.parts)
    if group == "ib_model":
        return sorted([*sim.glob("model/*.?pp"), *sim.glob("ib_model/*.?pp")])
    inner = {p: p.relative_to(sim / "src") for p in sim.glob("src/**/*.?pp")}
    disk = [p for p, short in inner.items() if _begins(short, _DISK)]
    if group == "disk":
        return sorted(disk)
    gzip = [p for p, short in inner.items() if _begins(short, _GZIP)]
    if group == "gzip":
        return sorted(gzip)
    adapter = list(sim.glob("node/**/*.?pp"))
    if group == "node":
        return sorted(
            [p for p, s in inner.items() if _begins(s, _NODE) and p not in disk] + adapter
        )
    host = {p for p, short in inner.items() if _begins(short, _HOST)}
    return sorted([p for p in inner if p not in host and p not in disk and p not in gzip] + adapter)


def _imports(path: Path, root: Path) -> set[str]:
    """Modules of this package that a Python file imports, however late."""
    found: set[str] = set()
    text = path.read_text(encoding="utf-8")
    # Programs of its own, started from beside it.
    own = path.relative_to(root / "python").parent.parts
    found |= {".".join((*own, stem)) for stem in re.findall(r'with_name\("(\w+)\.py"\)', text)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith("kumihimo.")}


def _python_file(name: str, root: Path) -> Path | None:
    place = root / "python" / Path(*name.split("."))
    if place.with_suffix(".py").is_file():
        return place.with_suffix(".py")
    return place / "__init__.py" if (place / "__init__.py").is_file() else None


# What benches are made of, but no bench measures with.
_FRAME = ("core", "freshness", "registry", "setup", "table", "headline", "house", "__init__")


def python_files(module: str, packages: Iterable[str], root: Path) -> list[Path]:
    """The bench's own modules; those of the packages it names, their OpenCL kernels and data."""
    below = root / "python" / "kumihimo"
    frame = {below / "bench" / f"{name}.py" for name in _FRAME}
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        path = _python_file(waiting.pop(), root)
        if path is None or path in found or path in frame:
            continue
        found.add(path)
        waiting += [name for name in _imports(path, root) if name.startswith("kumihimo.bench.")]
    for package in packages:
        place = below / Path(*package.split("."))
        files = {p for p in place.rglob("*") if p.suffix in (".py", ".cl", ".json")}
        found |= files if place.is_dir() else {place.with_suffix(".py")}
    return sorted(p for p in found if p.is_file() and p.stat().st_size)


def rtl_files(designs: Iterable[str], root: Path) -> list[Path]:
    """The SystemVerilog that designs need; a design that hw/ lacks is left out."""
    found: set[Path] = set()
    for design in designs:
        path = find_design(design, root)
        if path is not None:
            found |= set(for_module(path, root).files)
    return sorted(p for p in found if p.name != _NO_CYCLE)


def sources(bench: str, designs: Iterable[str], root: Path | None = None) -> dict[str, str]:
    """File to hash of its tokens, for all that the figures of a bench depend on."""
    root = root or project_root()
    known = REGISTRY.get(bench)
    out = {p.name: token_hash(p) for p in rtl_files(designs, root)}
    if known is not None:
        for group in known.cpp:
            out |= {str(p.relative_to(root)): token_hash(p) for p in cpp_files(group, root)}
        below = root / "python" / "kumihimo"
        for path in python_files(known.module, known.python, root):
            out[str(path.relative_to(below))] = token_hash(path)
    return dict(sorted(out.items()))


def changed(document: dict[str, Any], root: Path | None = None) -> list[str]:
    """Files that differ from those a kept document was measured with; all is well if none."""
    kept = document.get("sources")
    if not isinstance(kept, dict):
        return ["no hashes: kept before figures had any"]
    designs = {key.split()[0] for key in document.get("rtl", {})}
    now = sources(document["bench"], designs | set(document.get("designs", ())), root)
    names = {name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name)}
    return sorted(names - {_NO_CYCLE})


def kept(name: str, root: Path | None = None) -> dict[str, Any] | None:
    """The document of a bench in docs/figures, or None."""
    path = (root or project_root()) / FIGURES / f"{name}.json"
    if not path.is_file():
        return None
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise KumiError(f"{path} is not JSON: {problem}") from problem
    return document


def stale(root: Path | None = None) -> dict[str, list[str]]:
    """Benches whose kept figures are of an older tree, or missing, with what changed."""
    out: dict[str, list[str]] = {}
    for name, bench in REGISTRY.items():
        if not bench.figures:
            continue
        document = kept(name, root)
        names = ["no figures kept"] if document is None else changed(document, root)
        if names:
            out[name] = names
    return out
