# SPDX-License-Identifier: Apache-2.0
"""Counters of all ranks as those of one engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def _merge(into: dict[str, Any], other: Mapping[str, Any]) -> None:
    for name, value in other.items():
        if isinstance(value, Mapping):
            found = into.setdefault(name, {})
            _merge(found, value)
        else:
            into.setdefault(name, value)


def merge_stats(parts: Sequence[dict[str, Any]], wall: float, idle: float) -> dict[str, Any]:
    """One tree: each counter is of the rank that has it. wall, idle: seconds of the whole run."""
    merged: dict[str, Any] = {}
    for part in parts:
        _merge(merged, part)
    engines = [part["engine"] for part in parts]
    cycles = sum(float(engine["khz"]) * float(engine["wall_s"]) for engine in engines)
    merged["engine"] |= {
        "windows": max(int(engine["windows"]) for engine in engines),
        "threads": sum(int(engine["threads"]) for engine in engines),
        "wall_s": wall,
        "idle_s": idle,
        "khz": cycles / wall if wall > 0 else 0.0,
    }
    merged["captures"] = parts[0].get("captures", {})
    return merged
