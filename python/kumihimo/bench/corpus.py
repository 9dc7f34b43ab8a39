# SPDX-License-Identifier: Apache-2.0
"""Files that a bench measures, from a folder that whoever runs it names."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kumihimo.bench.core import BenchError
from kumihimo.common.paths import project_root

_folder: Path | None = None


def set_corpus(folder: Path) -> None:
    """Measure the files of this folder (`kumi bench gzip --corpus DIR`)."""
    global _folder
    if not folder.is_dir():
        raise BenchError(f"{folder} is not a folder")
    _folder = folder


def corpus() -> dict[str, bytes]:
    """Files of the folder by name; {} when none was named."""
    if _folder is None:
        return {}
    files = sorted(p for p in _folder.iterdir() if p.is_file())
    return {p.name: p.read_bytes() for p in files}


def own_files() -> dict[str, bytes]:
    """Text that every clone has: its RTL, its Python and its pages, each as one file."""
    root = project_root()
    out = {}
    for name, pattern in (("rtl", "hw/**/*.sv"), ("python", "python/**/*.py"), ("docs", "**/*.md")):
        folder = root / "docs" if name == "docs" else root
        out[name] = b"".join(p.read_bytes() for p in sorted(folder.glob(pattern)))
    return out


def system_files(limit: int = 2_000_000) -> dict[str, bytes]:
    """Files of this machine that no corpus has: programs and logs, `limit` bytes of each.

    They differ from machine to machine: no figure of the summary is of them.
    """
    paths = {
        "interpreter": Path(sys.executable).resolve(),
        "library": Path(json.__file__).parent.parent / "typing.py",
    }
    logs = (p for p in sorted(Path("/var/log").rglob("*.log")) if p.is_file())
    out = {}
    for name, path in [*paths.items(), *((f"log {p.name}", p) for p in logs)]:
        try:
            data = path.read_bytes()[:limit]
        except OSError:
            continue
        if len(data) >= 10_000:
            out[name] = data
    return out
