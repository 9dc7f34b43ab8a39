# SPDX-License-Identifier: Apache-2.0
"""Wraps the prose of Markdown pages at 110 columns.

Only paragraphs and list items that have a line that is too long are wrapped again. Tables, code,
quotes, headings, HTML and lines that end in a hard break stay as they are. A code span or a link is
not broken.
"""

from __future__ import annotations

import re
from pathlib import Path

from kumihimo.dev.house import PROSE_COLUMNS

_ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
_KEEP = re.compile(r"`[^`]*`|!?\[[^\]]*\]\([^)]*\)")
_SPACE = "\x00"


def _blocks(lines: list[str]) -> list[tuple[bool, list[str]]]:
    """Runs of lines: (is prose, lines). A list item begins a run."""
    out: list[tuple[bool, list[str]]] = []
    fenced, prose_runs = False, False
    for line in lines:
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
            out.append((False, [line]))
            prose_runs = False
            continue
        item = _ITEM.match(line)
        code = line.startswith("    ") and not prose_runs and not item
        fixed = fenced or code or not bare or bare.startswith(("|", "<", "#", ">", "!["))
        if fixed or bare in ("---", "***") or set(bare) <= {"=", "-"}:
            out.append((False, [line]))
            prose_runs = False
        elif prose_runs and not item:
            out[-1][1].append(line)
        else:
            out.append((True, [line]))
            prose_runs = True
    return out


def _wrapped(lines: list[str]) -> list[str]:
    if max(map(len, lines)) <= PROSE_COLUMNS or any(x.endswith(("  ", "\\")) for x in lines):
        return lines
    item = _ITEM.match(lines[0])
    first = item.group(0) if item else re.match(r"\s*", lines[0])[0]  # type: ignore[index]
    rest = " " * len(first)
    text = " ".join([lines[0][len(first) :].strip(), *(x.strip() for x in lines[1:])])
    text = _KEEP.sub(lambda m: m[0].replace(" ", _SPACE), text)
    out, current = [], first
    for word in text.split():
        joined = current + word if current in (first, rest) else f"{current} {word}"
        # A line must not begin with what Markdown would take for a list or a heading.
        starts_block = bool(re.match(r"([-*+#>]|\d+[.)])$", word))
        if len(joined) > PROSE_COLUMNS and current.strip() and not starts_block:
            out.append(current)
            current = rest + word
        else:
            current = joined
    return [x.replace(_SPACE, " ") for x in [*out, current]]


def wrap(text: str) -> str:
    """A page with its prose wrapped."""
    lines = []
    for prose, run in _blocks(text.splitlines()):
        lines += _wrapped(run) if prose else run
    return "\n".join(lines) + "\n"


def wrap_file(path: Path) -> bool:
    """Wrap a page; whether anything changed."""
    old = path.read_text(encoding="utf-8")
    new = wrap(old)
    if new != old:
        path.write_text(new, encoding="utf-8")
    return new != old
