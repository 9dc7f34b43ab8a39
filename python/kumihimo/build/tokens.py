# SPDX-License-Identifier: Apache-2.0
"""Hashes of source files by their tokens: comments, docstrings and white space do not count.

A figure names the hashes of what it was measured with, so a change of prose does not make it stale.
"""

from __future__ import annotations

import ast
import hashlib
import re
from functools import lru_cache
from pathlib import Path

_C_LIKE = (".sv", ".svh", ".v", ".vh", ".cpp", ".hpp", ".h", ".rdl", ".cl")
_SPLIT = re.compile(
    r"""(?P<drop>//[^\n]*|/\*.*?\*/)|(?P<keep>"(?:[^"\\\n]|\\.)*"|[A-Za-z_$`][\w$]*|\d[\w.']*|\S)""",
    re.S,
)


class _Undocumented(ast.NodeTransformer):
    """Drops docstrings and other strings that stand alone."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return node


def tokens(text: str, suffix: str) -> str:
    """Source text without comments and white space; unchanged for other kinds of files."""
    if suffix == ".py":
        return ast.dump(_Undocumented().visit(ast.parse(text)))
    if suffix in _C_LIKE:
        return " ".join(m["keep"] for m in _SPLIT.finditer(text) if m["keep"])
    return text


@lru_cache(maxsize=4096)
def _hash(path: Path, _mtime_ns: int, _size: int) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    return hashlib.sha256(tokens(text, path.suffix).encode()).hexdigest()[:12]


def token_hash(path: Path) -> str:
    """Hash of a file's tokens."""
    stat = path.stat()
    return _hash(path, stat.st_mtime_ns, stat.st_size)
