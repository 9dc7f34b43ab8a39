# SPDX-License-Identifier: Apache-2.0
"""`kumi bench tcp-interop`: unmodified Linux programs against a TCP server over bad cables.

    python -m kumihimo.bench.tcp.interop FOLDER [--cable NAME] [--only SCENARIO] [--quick]

runs a part of it, and keeps each row in FOLDER when it is done. With $KUMI_TCP_ROWS=FOLDER the
bench takes rows of the same node from there and runs only what is missing.

What runs is in `scenarios`, over which cables and to whom in `places`. The tests in `tests/cluster`
run the same code with small sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.setup import Setup
from kumihimo.bench.tcp.places import (
    CABLES,
    FULL,
    QUICK,
    SHORT_TIMES,
    WIDE_TIMES,
    Place,
    Sizes,
    node,
)
from kumihimo.bench.tcp.scenarios import EVERYWHERE, PROGRAMS, REST, Scenario


def attempt(place: Place, sizes: Sizes, scenario: Scenario) -> dict[str, Any]:
    """One row; a failure is a row too."""
    begin = time.monotonic()
    row: dict[str, Any] = {"scenario": scenario.__name__, "peer": place.name, "cable": place.cable}
    try:
        row |= {"ok": True, **scenario(place, sizes)}
    except BenchError as problem:
        row |= {"ok": False, "problem": str(problem)}
    row["wall_s"] = round(time.monotonic() - begin, 3)
    return row


def plan(cable: str) -> tuple[Scenario, ...]:
    """What runs over a cable."""
    return EVERYWHERE + REST + (PROGRAMS if cable == "clean" else ())


def kept(folder: Path, cable: str, scenario: Scenario) -> Path:
    """Where a row is kept."""
    return folder / f"{cable.replace(' %', '')}-{scenario.__name__}.json".replace(" ", "_")


def _setting(quick: bool) -> tuple[dict[str, int], dict[str, int], str]:
    """Parameters and registers of the node, and the line's rate."""
    if quick:
        return {"SESSIONS": 64, "DATA_W": 64}, SHORT_TIMES, "10 Gb/s"
    return {"SESSIONS": 1024, "DATA_W": 512}, WIDE_TIMES, "100 Gb/s"


def fill(
    cable: str,
    scenarios: tuple[Scenario, ...],
    quick: bool,
    folder: Path | None,
    say: Callable[[str], None],
) -> tuple[list[dict[str, Any]], str]:
    """Rows of one cable, and the node's hash; those that the folder has of this node are taken."""
    rows = []
    sizes = QUICK if quick else FULL
    with node(cable, *_setting(quick)) as place:
        for scenario in scenarios:
            file = kept(folder, cable, scenario) if folder else None
            if file is not None and file.is_file():
                old = json.loads(file.read_text(encoding="utf-8"))
                if old["quick"] == quick and old["rtl"] == place.rtl and old["row"]["ok"]:
                    rows.append(old["row"])
                    continue
            say(f"{cable}: {scenario.__name__}")
            row = attempt(place, sizes, scenario)
            rows.append(row)
            if file is not None:
                kind = {"quick": quick, "rtl": place.rtl, "row": row}
                file.write_text(json.dumps(kind, indent=2) + "\n", encoding="utf-8")
        return rows, place.rtl


def simulated(quick: bool, folder: Path | None) -> dict[str, Any]:
    """Connections killed by bare frames, in simulated time: a row of its own."""
    from kumihimo.bench.tcp.aborts import kills as kill_frames
    from kumihimo.bench.tcp.fuzz import Server

    server, begin = Server(), time.monotonic()
    file = folder / "simulated-kills.json" if folder else None
    if file is not None and file.is_file():
        old: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if old["quick"] == quick and old["rtl"] == server.dut.built.design_hash:
            return dict(old["row"])
    row: dict[str, Any] = {
        "scenario": "kills",
        "peer": "node, 64 bits",
        "cable": "none: simulated frames",
    }
    row |= {"ok": True, **kill_frames(server, QUICK.kills if quick else FULL.kills, 64)}
    row["wall_s"] = round(time.monotonic() - begin, 3)
    if file is not None:
        kind = {"quick": quick, "rtl": server.dut.built.design_hash, "row": row}
        file.write_text(json.dumps(kind, indent=2) + "\n", encoding="utf-8")
    return row


def _step(progress: Progress, done: int, total: int, text: str) -> None:
    progress.step(text, done, total)


def run(progress: Progress, quick: bool = False) -> BenchResult:
    """Every scenario over every cable, with the node."""
    result = BenchResult("tcp-interop")
    done, total = 0, sum(len(plan(cable)) for cable in CABLES) + 1
    named = os.environ.get("KUMI_TCP_ROWS")
    folder = Path(named) if named else None
    walls: dict[str, int] = {}
    for cable in CABLES:
        rows, rtl = fill(
            cable,
            plan(cable),
            quick,
            folder,
            partial(_step, progress, done, total),
        )
        result.rows += rows
        done += len(rows)
        result.rtl["tcp_server"] = rtl
        name = re.sub(r"\W+", "_", cable).strip("_")
        walls[f"wall_s_{name}"] = round(sum(row["wall_s"] for row in rows))
    progress.step("connections killed by bare frames", done, total)
    result.rows.append(simulated(quick, folder))
    result.summary["scenarios"] = total
    result.summary["failed"] = sum(not row["ok"] for row in result.rows)
    result.goals["failed"] = ("==", 0)
    params, registers, rate = _setting(quick)
    result.setup = Setup("kumi_node_tcp_server", params, registers, f"line of {rate}")
    result.summary.update(walls)
    return result


def say(text: str) -> None:
    """A line about what is done, at once."""
    print(text, flush=True)


def main() -> int:
    """A part of the bench; its rows go to a folder."""
    parser = argparse.ArgumentParser(description="A part of `kumi bench tcp-interop`.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cable", action="append", choices=CABLES, help="all by default")
    parser.add_argument("--simulated", action="store_true", help="only kills by bare frames")
    names = [scenario.__name__ for scenario in EVERYWHERE + REST + PROGRAMS]
    parser.add_argument("--only", action="append", choices=names, help="all by default")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.simulated:
        print(json.dumps(simulated(options.quick, options.folder)))
        return 0
    failed = 0
    for cable in options.cable or CABLES:
        chosen = tuple(s for s in plan(cable) if s.__name__ in (options.only or names))
        rows, _ = fill(cable, chosen, options.quick, options.folder, say)
        for row in rows:
            print(json.dumps(row), flush=True)
        failed += sum(not row["ok"] for row in rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
