# SPDX-License-Identifier: Apache-2.0
"""`kumi bench storage`: arrays of unequal disks, in virtual time.

The array's own code runs on modelled disks with exact rates, so figures are simulated; 128 disks
take seconds. The sum of the disks' own rates comes from the same speed test on each alone. Every
read is compared. The paper's figures stand beside: reads, one to seven SSDs and one hard disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kumihimo import _storage
from kumihimo.bench.core import BenchResult, Progress
from kumihimo.storage import bounds
from kumihimo.storage.fastpath import against_nbdkit, share

SSD, MIDDLE, HDD = 537.7, 350.0, 151.0
COMMAND_US = 2.0
# Table 3 and section 5 of the paper: achieved and sum, MB/s; equal split.
PAPER = {
    "1+1": (644.7, 642.3, 212.0),
    "3+1": (1712.3, 1722.5, 430.2),
    "7+1": (3859.0, 3913.3, 871.3),
}
SETS: dict[str, list[float]] = {
    "1+1": [SSD, HDD],
    "3+1": [SSD] * 3 + [HDD],
    "7+1": [SSD] * 7 + [HDD],
    "15+1": [SSD] * 15 + [HDD],
    "64 mixed": [540.0] * 32 + [MIDDLE] * 16 + [HDD] * 16,
    "127+1": [SSD] * 127 + [HDD],
}
PARITY: dict[str, list[float]] = {
    "7+1": [SSD] * 7 + [HDD],
    "16 mixed": [540.0] * 8 + [MIDDLE] * 4 + [200.0] * 4,
}


def _own(rates: Sequence[float], chunk: int) -> float:
    """Sum of what each disk does alone with commands of a chunk."""
    alone = {r: _storage.sim_speed(r, r, COMMAND_US, 256 * chunk, chunk)[0] for r in set(rates)}
    return sum(alone[r] for r in rates)


def _pairs(rates: Sequence[float]) -> list[tuple[float, float]]:
    return [(r, r) for r in rates]


def _static(name: str, rates: list[float], result: BenchResult) -> None:
    stripes = max(1600, 256 * len(rates)) if len(rates) > 1 else 1600
    options: dict[str, Any] = {
        "stripes": stripes,
        "window": max(256, 8 * len(rates)),
        "command_us": COMMAND_US,
    }
    run = _storage.simulate(_pairs(rates), **options)
    # A quarter of the chunks is enough for the equal split: it is far off from the start.
    equal = _storage.simulate(_pairs(rates), **{**options, "stripes": stripes // 4}, equal=True)
    total = _own(rates, 65536)
    mb = run["user_bytes"] / 1e6
    paper = PAPER.get(name)
    row: dict[str, Any] = {
        "set": name,
        "policy": "static",
        "chunks": stripes,
        "sum_mb_s": total,
        "write_mb_s": mb / run["write_s"],
        "read_mb_s": mb / run["read_s"],
        "write_share": mb / run["write_s"] / total,
        "read_share": mb / run["read_s"] / total,
        "equal_split_mb_s": equal["user_bytes"] / 1e6 / equal["read_s"],
    }
    if paper:
        row |= {
            "paper_mb_s": paper[0],
            "paper_share": paper[0] / paper[1],
            "paper_equal_mb_s": paper[2],
        }
    result.rows.append(row)
    key = "share_" + name.replace("+", "_").replace(" ", "_")
    result.summary[key] = min(row["write_share"], row["read_share"])
    result.goals[key] = (">=", 0.995)


def _slowdown(result: BenchResult) -> None:
    """A disk halves its speed in the middle of a write; with pulling, and fixed shares beside."""
    rates, stripes, slow = [SSD] * 7 + [HDD], 16384, 2
    total = _own(rates, 65536)
    alone = _own([rates[slow]], 65536)
    middle = stripes * 65536 / 1e6 / total / 2
    for dynamic in (True, False):
        run = _storage.simulate(
            _pairs(rates),
            command_us=COMMAND_US,
            stripes=stripes,
            dynamic=dynamic,
            slow_index=slow,
            slow_after_s=middle,
        )
        mb = run["user_bytes"] / 1e6
        could = total * middle + (total - alone / 2) * (run["write_s"] - middle)
        result.rows.append(
            {
                "set": "7+1, one SSD at half speed from the middle on",
                "policy": "dynamic" if dynamic else "static",
                "chunks": stripes,
                "write_mb_s": mb / run["write_s"],
                "write_share": mb / could,
            }
        )
        if dynamic:
            result.summary["share_dynamic_slowdown"] = mb / could
    result.goals["share_dynamic_slowdown"] = (">=", 0.99)


def _parity(result: BenchResult, quick: bool) -> None:
    worst = {1: 1.0, 2: 1.0}
    for name, rates in PARITY.items():
        for p in (1, 2):
            width = bounds.best_width(rates, p)
            own = [_own([r], 65536) for r in rates]
            run = _storage.simulate(
                _pairs(rates),
                command_us=COMMAND_US,
                stripes=1200 if quick else 3000,
                k=width - p,
                p=p,
            )
            rate = run["user_bytes"] / 1e6 / run["write_s"]
            bound = bounds.write_bound(own, p)
            worst[p] = min(worst[p], rate / bound)
            result.rows.append(
                {
                    "set": name,
                    "parity": p,
                    "width": width,
                    "write_mb_s": rate,
                    "bound_mb_s": bound,
                    "bound_share": rate / bound,
                    "read_mb_s": run["user_bytes"] / 1e6 / run["read_s"],
                    "md_lock_step_mb_s": bounds.lock_step_rate(own, p),
                }
            )
    for p in (1, 2):
        result.summary[f"parity_bound_share_p{p}"] = worst[p]
        result.goals[f"parity_bound_share_p{p}"] = (">=", 0.97)


def _rebuild(result: BenchResult) -> None:
    """A disk of each speed is lost; its chunks go to room on all others."""
    worst = 0.0
    sets = {"16 equal": [540.0] * 16, "16 mixed": PARITY["16 mixed"]}
    for name, rates in sets.items():
        for lost in (0,) if name == "16 equal" else (0, 8, 12):
            run = _storage.simulate(
                _pairs(rates), command_us=COMMAND_US, stripes=2000, k=7, p=1, fail_index=lost
            )
            own = [_own([r], 65536) for r in rates]
            bound = bounds.rebuild_bound(run["lost_bytes"] / 1e6, own, lost, 8)
            spare = run["lost_bytes"] / 1e6 / own[lost]
            worst = max(worst, run["rebuild_s"] / bound)
            result.rows.append(
                {
                    "set": name,
                    "lost_disk_mb_s": rates[lost],
                    "rebuild_ms": run["rebuild_s"] * 1e3,
                    "bound_ms": bound * 1e3,
                    "over_bound": run["rebuild_s"] / bound,
                    "one_spare_disk_ms": spare * 1e3,
                    "degraded_after": run["degraded_after"],
                }
            )
    result.summary["rebuild_over_bound"] = worst
    result.goals["rebuild_over_bound"] = ("<=", 1.1)


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """All rows of the array itself."""
    steps = len(SETS) + 4
    for i, (name, rates) in enumerate(SETS.items()):
        progress.step(f"static shares, {name}", i, steps)
        _static(name, rates, result)
    progress.step("a disk slows down", len(SETS), steps)
    _slowdown(result)
    progress.step("parity", len(SETS) + 1, steps)
    _parity(result, quick)
    progress.step("rebuild", len(SETS) + 2, steps)
    _rebuild(result)
    progress.step("beside nbdkit", len(SETS) + 3, steps)
    rows = against_nbdkit(quick)
    result.rows += rows
    result.summary["fastpath_vs_nbdkit"] = share(rows)
    if rows:
        result.goals["fastpath_vs_nbdkit"] = (">=", 0.8)
