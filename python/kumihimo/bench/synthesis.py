# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/figures/synth.json that a bench states beside its own: depth, estimate, clock.

Rows of an older tree are no figures: then there is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from kumihimo.common.paths import project_root
from kumihimo.synth.rows import is_older

Row = dict[str, Any]


def rows(wanted: Callable[[Row], bool]) -> list[Row]:
    """The published rows for which `wanted` is true; none if one of them is of an older tree."""
    kept = json.loads((project_root() / "docs/figures/synth.json").read_text(encoding="utf-8"))
    found = [row for row in kept["rows"] if wanted(row)]
    return [] if any(is_older(row) for row in found) else found


def depth(found: list[Row]) -> int | None:
    """Cells on the longest path of the deepest of them (UltraScale+ mapping); none: no such row."""
    return max((int(row["xcup"]["depth"]) for row in found if "xcup" in row), default=None)


def speed_ratio(found: list[Row]) -> float | None:
    """Least estimate, as a ratio to the peer of docs/synth.md; none: a row has none."""
    ratios = [row["xcup"].get("speed_ratio") for row in found if "xcup" in row]
    return None if not ratios or None in ratios else min(ratios)


def fmax_mhz(found: list[Row]) -> float | None:
    """Least clock rate after placing and routing on ECP5; none: no such row."""
    return min((float(row["ecp5"]["fmax_mhz"]) for row in found if "ecp5" in row), default=None)
