# SPDX-License-Identifier: Apache-2.0
"""`kumi bench house`: the structure of the source tree in numbers.

Dependencies that the layers of hw/ forbid, types that are defined twice, kept file lists, the
longest hand-written source file, prose over 110 columns, README's length, figures of an older
tree, and how many exported blocks elaborate in every target.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from kumihimo.bench.core import BenchResult, Origin, Progress
from kumihimo.bench.freshness import stale
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.dev import house
from kumihimo.dev.files import project_files
from kumihimo.export.block import load
from kumihimo.export.check import PUBLISHED, check_block
from kumihimo.synth.rows import stale_rows

SHOWN = 20  # findings that a row lists


def _exports(progress: Progress) -> tuple[int, dict[str, list[str]]]:
    """How many published blocks elaborate as exported, and what is wrong with the others."""
    wrong = {}
    for number, name in enumerate(PUBLISHED):
        progress.step(f"export of {name}", number, len(PUBLISHED))
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check_block(load(name), Path(folder))
            except KumiError as problem:
                found = [str(problem)]
        if found:
            wrong[name] = found
    return len(PUBLISHED) - len(wrong), wrong


def run(progress: Progress, quick: bool) -> BenchResult:
    """All measures; `quick` leaves the exports out."""
    root = project_root()
    result = BenchResult("house")
    progress.step("sources", 0, 2)
    files = project_files(root)
    arrows = house.forbidden_arrows(root)
    twice = house.types_twice(root)
    lists = house.file_lists(root)
    lengths = house.source_lengths(root, files)
    prose = house.long_prose(root, files)
    old = stale()
    rows = stale_rows(root)
    longest = next(iter(lengths))
    result.summary = {
        "forbidden_arrows": len(arrows),
        "types_twice": len(twice),
        "file_lists": len(lists),
        "longest_source_lines": lengths[longest],
        "long_prose_lines": len(prose),
        "readme_lines": house.readme_lines(root),
        "stale_figures": len(old) + len(rows),
        "exports_ok": None,
    }
    result.rows = [
        {"what": "forbidden arrows", "found": arrows[:SHOWN]},
        {"what": "types defined twice", "found": list(twice)[:SHOWN]},
        {"what": "file lists", "found": [str(p) for p in lists[:SHOWN]]},
        {"what": "longest sources", "found": [f"{p} {n}" for p, n in list(lengths.items())[:5]]},
        {"what": "long lines of prose", "found": prose[:SHOWN]},
        {"what": "figures of an older tree", "found": [*old, *(f"synth: {r}" for r in rows)]},
    ]
    result.goals = {
        "forbidden_arrows": ("==", 0),
        "types_twice": ("==", 0),
        "file_lists": ("==", 0),
        "longest_source_lines": ("<=", 600),
        "long_prose_lines": ("==", 0),
    }
    if not quick:
        good, wrong = _exports(progress)
        result.summary["exports_ok"] = good
        result.rows.append({"what": "exports that do not elaborate", "found": wrong})
        result.goals["exports_ok"] = ("==", len(PUBLISHED))
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
