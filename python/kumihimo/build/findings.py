# SPDX-License-Identifier: Apache-2.0
"""A mistake at a place in a source file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True)
class Finding:
    """A mistake at a place; `notes` has further places, as file:line: text."""

    severity: str
    rule: str
    file: str
    line: int
    column: int
    text: str
    notes: tuple[str, ...] = ()

    def show(self) -> str:
        """file:line:column, the sentence, the source line and a caret."""
        head = f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.text} [{self.rule}]"
        source = source_line(self.file, self.line)
        caret = "".join(c if c == "\t" else " " for c in source[: self.column - 1]) + "^"
        return "\n".join([head, source, caret, *(f"  {note}" for note in self.notes)])


def source_line(file: str, number: int) -> str:
    """A line of a file, "" if there is none."""
    try:
        return Path(file).read_text(errors="replace").splitlines()[number - 1]
    except (OSError, IndexError):
        return ""


def place(manager: Any, location: Any) -> tuple[str, int, int]:
    """File, line and column of slang's location; in a macro, of the place where it is used."""
    where = manager.getFullyExpandedLoc(location)
    name = str(manager.getFullPath(where.buffer)) or manager.getFileName(where)
    return name, manager.getLineNumber(where), manager.getColumnNumber(where)
