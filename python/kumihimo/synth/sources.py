# SPDX-License-Identifier: Apache-2.0
"""Which file holds a module, and what that module needs to compile."""

from __future__ import annotations

import contextlib
from pathlib import Path

from kumihimo.build.filelist import FileList, for_module, read_list
from kumihimo.errors import KumiError, did_you_mean


def module_files(root: Path) -> dict[str, Path]:
    """Module name to file, for everything below hw/ (a file holds the module of its name)."""
    return {p.stem: p for p in sorted((root / "hw").rglob("*.sv"))}


def find_module(name: str, root: Path) -> Path:
    """The file of a module: full name, name without kumi_ or kumi_node_, or a path to a file."""
    if name.endswith((".sv", ".v")) or "/" in name:
        path = Path(name)
        for candidate in (path, root / path):
            if candidate.is_file():
                return candidate.resolve()
        raise KumiError(f"no such file: {name}.")
    known = module_files(root)
    for guess in (name, f"kumi_node_{name}", f"kumi_{name}"):
        if guess in known:
            return known[guess]
    raise KumiError(f'no module "{name}" below hw/.', did_you_mean(name, known).strip())


def sources_of(path: Path, root: Path) -> FileList:
    """What a module's file needs.

    Its list beside it; else the shortest list of its folder that names it; else the stream
    interfaces and the file.
    """
    path = path.resolve()
    if path.with_suffix(".f").is_file():
        return for_module(path, root)
    naming = []
    for place in sorted(path.parent.glob("*.f")):
        with contextlib.suppress(KumiError):
            listed = read_list(place)
            if path in listed.files:
                naming.append((len(listed.files), place))
    return for_module(path, root, [min(naming)[1]] if naming else [])


def headers(sources: FileList) -> list[Path]:
    """Every header that an `include could reach."""
    found: list[Path] = []
    for folder in sources.incdirs:
        found += sorted(folder.glob("*.svh")) + sorted(folder.glob("*.vh"))
    return found
