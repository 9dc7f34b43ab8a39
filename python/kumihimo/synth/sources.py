# SPDX-License-Identifier: Apache-2.0
"""Which file holds a module, and what that module needs to compile."""

from __future__ import annotations

from pathlib import Path

from kumihimo.build.derive import library
from kumihimo.build.filelist import FileList, for_module
from kumihimo.build.tokens import token_hash
from kumihimo.common.errors import KumiError, did_you_mean
from kumihimo.common.paths import project_root


def find_module(name: str, root: Path) -> Path:
    """The file of a module: full name, name without kumi_ or kumi_node_, or a path to a file."""
    if name.endswith((".sv", ".v")) or "/" in name:
        path = Path(name)
        for candidate in (path, root / path):
            if candidate.is_file():
                return candidate.resolve()
        raise KumiError(f"no such file: {name}.")
    known = library(root)
    for guess in (name, f"kumi_node_{name}", f"kumi_{name}"):
        if guess in known:
            return known[guess]
    raise KumiError(f'no module "{name}" below hw/.', did_you_mean(name, known).strip())


def sources_of(path: Path, root: Path) -> FileList:
    """What a module's file needs to compile, itself included."""
    return for_module(path.resolve(), root)


def source_hashes(name: str, root: Path | None = None) -> dict[str, str]:
    """File to hash of its tokens, of everything that a module is made of."""
    root = root or project_root()
    listed = sources_of(find_module(name, root), root)
    return {path.name: token_hash(path) for path in sorted([*listed.files, *headers(listed)])}


def headers(sources: FileList) -> list[Path]:
    """Every header that an `include could reach."""
    found: list[Path] = []
    for folder in sources.incdirs:
        found += sorted(folder.glob("*.svh")) + sorted(folder.glob("*.vh"))
    return found
