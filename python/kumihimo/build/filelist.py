# SPDX-License-Identifier: Apache-2.0
"""Which files a module needs, in compile order: derived, or from a user's `.f` list.

A list holds one path a line, relative to the list's own folder; `-F other.f` or `-f other.f`
includes another list; `+incdir+DIR[+DIR]`, `-IDIR` and `+define+A[=B]` do what they do elsewhere;
`//` and `#` start comments. Files that several lists name are read once, at their first place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from kumihimo.build.derive import library, needed
from kumihimo.build.errors import BuildError
from kumihimo.common.errors import did_you_mean
from kumihimo.common.paths import project_root


@dataclass
class FileList:
    """Sources in compile order, include folders, macro definitions, and the lists themselves."""

    files: list[Path] = field(default_factory=list)
    incdirs: list[Path] = field(default_factory=list)
    defines: dict[str, str] = field(default_factory=dict)
    lists: list[Path] = field(default_factory=list)

    def add_file(self, path: Path) -> None:
        """Append a source unless it is there already."""
        if path not in self.files:
            self.files.append(path)

    def add_incdir(self, path: Path) -> None:
        """Append an include folder unless it is there already."""
        if path not in self.incdirs:
            self.incdirs.append(path)

    def merge(self, other: FileList) -> None:
        """Append all of another list."""
        for path in other.files:
            self.add_file(path)
        for path in other.incdirs:
            self.add_incdir(path)
        self.defines.update(other.defines)
        for path in other.lists:
            if path not in self.lists:
                self.lists.append(path)


def _strip(line: str) -> str:
    line = re.sub(r"(^|\s)//.*$", "", line)
    return re.sub(r"(^|\s)#.*$", "", line).strip()


def _expand(word: str, where: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match.group(1) or match.group(2)
        if name not in os.environ:
            raise BuildError(f"{where}: environment variable {name} is not set")
        return os.environ[name]

    return re.sub(r"\$\{(\w+)\}|\$(\w+)", value, word)


def read_list(path: Path, into: FileList | None = None) -> FileList:
    """Read a `.f` file and everything it includes."""
    out = into if into is not None else FileList()
    path = path.resolve()
    if path in out.lists:
        return out
    try:
        text = path.read_text()
    except OSError as err:
        raise BuildError(f"{path}: cannot read the file list ({err.strerror})") from err
    out.lists.append(path)
    for number, raw in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        line = _strip(raw)
        if not line:
            continue
        words = _expand(line, where).split()
        while words:
            word = words.pop(0)
            if word in ("-F", "-f"):
                if not words:
                    raise BuildError(f"{where}: {word} needs a file name")
                read_list(path.parent / words.pop(0), out)
            elif word.startswith("+incdir+"):
                for part in word.split("+")[2:]:
                    out.add_incdir((path.parent / part).resolve())
            elif word.startswith("-I"):
                out.add_incdir((path.parent / word[2:]).resolve())
            elif word.startswith("+define+"):
                for part in word.split("+")[2:]:
                    name, _, text_value = part.partition("=")
                    out.defines[name] = text_value
            elif word.startswith(("-", "+")):
                raise BuildError(f"{where}: unknown option {word}")
            else:
                source = (path.parent / word).resolve()
                if not source.is_file():
                    raise BuildError(f"{where}: no such file: {source}")
                out.add_file(source)
    return out


def for_module(top: Path, root: Path, extra: Iterable[Path] = ()) -> FileList:
    """The files that one module needs, derived from the sources (see `derive.needed`).

    `extra` names further files, or `.f` lists of them: they come first, and their units take
    precedence. A user's `.f` beside the top, of the top's name, is read in the same way.
    """
    top = top.resolve()
    own = FileList()
    for path in extra:
        if path.suffix == ".f":
            read_list(path, own)
        else:
            own.add_file(path.resolve())
    if top.with_suffix(".f").is_file():
        read_list(top.with_suffix(".f"), own)
    out = FileList(incdirs=own.incdirs, defines=own.defines, lists=own.lists)
    for path in needed([*own.files, top], root, [*own.files, top]):
        out.add_file(path)
    out.add_incdir(root / "hw/include")
    return out


def is_own(file: str | Path) -> bool:
    """Whether a file is the user's: not one of the library."""
    library_folder = (project_root() / "hw").resolve()
    return bool(str(file)) and library_folder not in Path(file).resolve().parents


def unit_file(name: str, root: Path) -> Path:
    """The file of a library unit, wherever in hw/ it is."""
    found = library(root).get(name)
    if found is None:
        raise BuildError(f"there is no unit {name} in hw/." + did_you_mean(name, library(root)))
    return found
