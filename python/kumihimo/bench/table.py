# SPDX-License-Identifier: Apache-2.0
"""Tables of bench figures in the project's pages, from docs/figures/*.json.

`python -m kumihimo.bench.table` fills every `bench` mark; its words are bench names.
"""

from __future__ import annotations

import json
from typing import Any

from kumihimo.common.doc_markers import fill_pages
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root

HEAD = "| figure | value | goal | |\n|---|--:|--:|---|\n"


def _number(value: float | int | None) -> str:
    if value is None:
        return "not measured"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def table(document: dict[str, Any]) -> str:
    """The summary of one bench as a Markdown table."""
    lines = []
    for name, value in document["summary"].items():
        goal = document["goals"].get(name, "")
        mark = "" if not goal else "missed" if name in document["missed"] else "met"
        lines.append(f"| `{name}` | {_number(value)} | {goal} | {mark} |\n")
    return f"`{document['command']}`:\n\n{HEAD}{''.join(lines)}\n"


def render(words: list[str]) -> str:
    """The tables of the named benches."""
    out = "\n"
    for name in words:
        path = project_root() / "docs" / "figures" / f"{name}.json"
        if not path.is_file():
            raise KumiError(f"There is no {path}.", f"Run: kumi bench {name} --write {path}")
        out += table(json.loads(path.read_text(encoding="utf-8")))
    return out


if __name__ == "__main__":
    for page in fill_pages(project_root(), "bench", render):
        print(page)
