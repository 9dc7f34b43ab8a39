# SPDX-License-Identifier: Apache-2.0
"""Where the project lives, which file holds a module, and what that module needs to compile."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kumihimo.errors import KumiError, did_you_mean

DEFAULT_LIST = "hw/stream/kumi_stream.f"


def project_root() -> Path:
    """The folder that holds hw/ and python/: $KUMI_ROOT, this checkout, or a parent of here."""
    named = os.environ.get("KUMI_ROOT")
    if named:
        return Path(named).resolve()
    for start in (Path(__file__).resolve(), Path.cwd() / "x"):
        for folder in start.parents:
            if (folder / "hw" / "stream").is_dir() and (folder / "python").is_dir():
                return folder
    raise KumiError("no hw/ folder found.", "Run inside a checkout or set KUMI_ROOT.")


def cache_root() -> Path:
    """The cache that builds use too: $KUMI_CACHE, else ~/.cache/kumihimo."""
    named = os.environ.get("KUMI_CACHE")
    base = Path(named) if named else Path.home() / ".cache" / "kumihimo"
    return base.resolve()


@dataclass
class Sources:
    """Files to compile, in order, and the folders that `include searches."""

    files: list[Path] = field(default_factory=list)
    incdirs: list[Path] = field(default_factory=list)

    def add_file(self, path: Path) -> None:
        """Append a file unless it is there already."""
        if path not in self.files:
            self.files.append(path)

    def add_incdir(self, path: Path) -> None:
        """Append an include folder unless it is there already."""
        if path not in self.incdirs:
            self.incdirs.append(path)

    def includes(self) -> list[Path]:
        """Every header an `include could reach."""
        found: list[Path] = []
        for folder in self.incdirs:
            found += sorted(folder.glob("*.svh")) + sorted(folder.glob("*.vh"))
        return found


def read_list(path: Path, into: Sources, seen: set[Path] | None = None) -> None:
    """Read a file list; lists it names are read in place. Paths are relative to their own list."""
    seen = set() if seen is None else seen
    path = path.resolve()
    if path in seen:
        return
    seen.add(path)
    if not path.is_file():
        raise KumiError(f"file list not found: {path}")
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        line = raw.split("//")[0].split("#")[0].strip()
        if not line:
            continue
        if line.startswith("+incdir+"):
            for part in line.removeprefix("+incdir+").split("+"):
                into.add_incdir((path.parent / part).resolve())
        elif line.startswith(("-F", "-f")):
            read_list(path.parent / line[2:].strip(), into, seen)
        else:
            target = (path.parent / line).resolve()
            if not target.is_file():
                raise KumiError(f"{path}:{number}: no such file: {line}")
            into.add_file(target)


@lru_cache(maxsize=8)
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


def sources_of(path: Path, root: Path) -> Sources:
    """What a module's file needs: its list beside it, else the stream list and the file."""
    result = Sources()
    result.add_incdir(root / "hw" / "include")
    beside = path.with_suffix(".f")
    if beside.is_file():
        read_list(beside, result)
    else:
        common = root / DEFAULT_LIST
        if common.is_file():
            read_list(common, result)
        else:
            for interface in ("kumi_axis_if", "kumi_hdr_if"):
                result.add_file((root / "hw" / "stream" / f"{interface}.sv").resolve())
    result.add_file(path.resolve())
    return result
