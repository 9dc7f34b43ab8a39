# SPDX-License-Identifier: Apache-2.0
"""Source lines out of LLVM's debug metadata."""

from __future__ import annotations

import re
from pathlib import Path

from .errors import Place


class DebugInfo:
    """Metadata of a module's text, looked up by number (`!12`)."""

    def __init__(self, text: str) -> None:
        self.nodes = dict(re.findall(r"^(!\d+) = (.*)$", text, re.M))
        self.loops: dict[str, int] = {}
        for number, body in self.nodes.items():
            found = re.match(r"distinct !\{(!\d+), (!\d+)", body)
            if found and found.group(1) == number:
                self.loops[number] = self.location(found.group(2)).line

    def _field(self, number: str, name: str) -> str:
        found = re.search(rf'\b{name}: ("[^"]*"|[^,)]+)', self.nodes.get(number, ""))
        return found.group(1).strip('"') if found else ""

    def _file(self, scope: str) -> str:
        for _ in range(64):
            file = self._field(scope, "file")
            if file:
                return self._field(file, "filename")
            scope = self._field(scope, "scope")
            if not scope:
                break
        return ""

    def location(self, number: str) -> Place:
        """Place of a DILocation."""
        if "DILocation" not in self.nodes.get(number, ""):
            return Place()
        line = int(self._field(number, "line") or 0)
        return Place(_short(self._file(self._field(number, "scope"))), line)

    def subprogram(self, number: str) -> Place:
        """Place of a DISubprogram."""
        return Place(_short(self._file(number)), int(self._field(number, "line") or 0))

    def variable(self, number: str) -> Place:
        """Place of a DIGlobalVariableExpression."""
        return self.subprogram(self._field(number, "var"))

    def kernel_attrs(self, head: str) -> dict[str, tuple[str, ...]]:
        """OpenCL's words on a kernel and its arguments, from the line of its definition."""
        out = {}
        sizes = re.search(r"!reqd_work_group_size (!\d+)", head)
        if sizes:
            node = self.nodes.get(sizes.group(1), "")
            out["reqd_work_group_size"] = tuple(re.findall(r"i32 (\d+)", node))
        for name, number in re.findall(r"!(kernel_arg_\w+) (!\d+)", head):
            out[name] = tuple(re.findall(r'!"([^"]*)"', self.nodes.get(number, "")))
        return out


def _short(file: str) -> str:
    """A file as the user would name it: below the current folder, relative to it."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return file
