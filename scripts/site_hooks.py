# SPDX-License-Identifier: Apache-2.0
"""Hooks of the documentation site: a link that leaves docs/ shows the file's path instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?:\.\./)+[^)\s]*)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Replace a link to a file outside docs/ by its text and the file's path."""
    docs = Path(config["docs_dir"]).resolve()
    folder = (docs / page.file.src_path).parent

    def outside(match: re.Match[str]) -> str:
        text, target = match.groups()
        place = (folder / target.partition("#")[0]).resolve()
        if docs in place.parents:
            return match.group(0)
        path = place.relative_to(docs.parent).as_posix()
        named = path.endswith(text.strip("`")) or "`" in text
        return f"`{path}`" if named else f"{text} (`{path}`)"

    return _LINK.sub(outside, markdown)
