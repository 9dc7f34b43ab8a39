# SPDX-License-Identifier: Apache-2.0
"""The node of a .cl file, for cluster files and for `kumi kernel build`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..build import cache, flat
from ..common.errors import KumiError
from ..regs import generate
from . import clang
from .compile import DEFAULT_MHZ, designs
from .frontend import load
from .print_node import node_name, write_node
from .print_program import print_program


def build_node(file: Path, folder: Path, mhz: float = DEFAULT_MHZ, relaxed: bool = False) -> Path:
    """Write the node of a .cl file into a folder; returns its flat top."""
    program = load(file, relaxed=relaxed)
    printed = print_program(program, designs(program, mhz), waits=True)
    folder.mkdir(parents=True, exist_ok=True)
    return write_node(program, printed, folder)


def cached_node(file: Path) -> Path:
    """The flat top of a .cl file's node, made when file or compiler have changed."""
    if not file.is_file():
        raise KumiError(f"There is no file {file}.", "", 2)
    own = sorted(Path(__file__).parent.rglob("*.[phc]*"))
    own += [Path(module.__file__) for module in (flat, generate) if module.__file__]
    sources = [p.read_bytes() for p in own if p.suffix in (".py", ".h", ".c")]
    around = [p.read_bytes() for p in sorted(file.parent.glob("*.h"))]
    key = cache.digest("hls", clang.compiler(), str(file), file.read_bytes(), *around, *sources)
    folder = cache.cache_root() / "hls" / key[:32]
    done = folder / "top"
    if not done.is_file():
        with cache.lock(f"hls-{key[:32]}"):
            if not done.is_file():
                shutil.rmtree(folder, ignore_errors=True)
                top = build_node(file, folder)
                temporary = folder / "top.new"
                temporary.write_text(top.name, encoding="utf-8")
                os.replace(temporary, done)
    return folder / done.read_text(encoding="utf-8")


__all__ = ["build_node", "cached_node", "node_name"]
