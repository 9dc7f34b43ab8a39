# SPDX-License-Identifier: Apache-2.0
"""Fills marked sections of the project's pages with generated tables.

    <!-- KIND:begin WORDS -->
    ... replaced ...
    <!-- KIND:end -->

A marker must stand at the start of a line, so a page can mention markers in its text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

Render = Callable[[list[str]], str]


def fill(text: str, kind: str, render: Render) -> str:
    """Replace the text between the markers of a kind by render(words of the opening marker)."""
    begin, end = f"<!-- {kind}:begin", f"<!-- {kind}:end -->"

    def replace(match: re.Match[str]) -> str:
        words = [word for word in re.split(r"[,\s]+", match.group(1).strip()) if word]
        return f"{begin}{match.group(1)}-->\n{render(words)}{end}"

    return re.sub(rf"^{begin}(.*?)-->\n.*?^{end}", replace, text, flags=re.S | re.M)


def fill_pages(root: Path, kind: str, render: Render) -> list[Path]:
    """Fill the markers of a kind in README.md and docs/; returns the changed files."""
    changed = []
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        old = page.read_text(encoding="utf-8") if page.is_file() else ""
        new = fill(old, kind, render)
        if new != old:
            page.write_text(new, encoding="utf-8")
            changed.append(page)
    return changed
