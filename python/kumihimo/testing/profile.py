# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: where a test run spends its time, by folder, against a budget.

Prints a table at the end of a run and writes it to build/test-profile.json. Budgets are seconds of
processor time (tests/budgets.toml), which hardly depend on what else the machine does; the time of
proofs and other child processes counts once they have ended.

    python -m kumihimo.testing.profile publish

copies the last complete run to docs/figures/ and fills the table of docs/testing.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from kumihimo.build import builder
from kumihimo.common.doc_markers import fill_pages
from kumihimo.common.paths import project_root

FIGURE = Path("docs/figures/test-profile.json")
BUDGETS = Path("tests/budgets.toml")
LAST = Path("build/test-profile.json")


@dataclass
class Cost:
    """What the tests of a folder cost."""

    tests: int = 0
    seconds: float = 0.0
    processor_s: float = 0.0
    setup_s: float = 0.0
    build_s: float = 0.0
    builds: int = 0

    def add(self, other: Cost) -> None:
        """Sum, field by field."""
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class Budget:
    """Processor seconds a folder may take, and what kind of work it mainly is."""

    kind: str
    processor_s: float


def budgets(root: Path) -> dict[str, Budget]:
    """The budget of every folder."""
    table = tomllib.loads((root / BUDGETS).read_text())["folders"]
    return {name: Budget(one["kind"], float(one["budget"])) for name, one in table.items()}


def folder_of(nodeid: str, known: dict[str, Budget]) -> str:
    """The folder (or file) with a budget that a test belongs to, else its own folder."""
    file = nodeid.split("::")[0]
    best = max((n for n in known if file == n or file.startswith(n + "/")), key=len, default="")
    return best or str(Path(file).parent)


def processor_time() -> float:
    """Processor seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


class Recorder:
    """In each process that runs tests: the cost of each phase, sent along with its report."""

    def __init__(self) -> None:
        self.processor = processor_time()
        self.builds = len(builder.made)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Iterator[None]:
        """Attach the cost of the phase that has just ended."""
        outcome: Any = yield
        report = outcome.get_result()
        now, fresh = processor_time(), builder.made[self.builds :]
        seconds = sum(spent for _, spent in fresh)
        report.kumi_cost = {
            "processor_s": now - self.processor,
            "build_s": min(seconds, call.duration),
            "builds": len(fresh),
        }
        self.processor, self.builds = now, self.builds + len(fresh)


class Summary:
    """In the process that prints: sums by folder and file, and the table."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.budgets = budgets(root)
        self.folders: dict[str, Cost] = {}
        self.files: dict[str, Cost] = {}
        self.cases: dict[str, float] = {}
        self.began = time.monotonic()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of one test."""
        told = getattr(report, "kumi_cost", {})
        cost = Cost(
            tests=report.when == "call",
            seconds=report.duration,
            setup_s=report.duration if report.when == "setup" else 0.0,
            **told,
        )
        file = report.nodeid.split("::")[0]
        self.folders.setdefault(folder_of(report.nodeid, self.budgets), Cost()).add(cost)
        self.files.setdefault(file, Cost()).add(cost)
        self.cases[report.nodeid] = self.cases.get(report.nodeid, 0.0) + report.duration

    def table(self) -> dict[str, Any]:
        """The whole profile."""
        longest = sorted(self.cases.items(), key=lambda one: -one[1])[:20]
        return {
            "wall_s": round(time.monotonic() - self.began, 1),
            "folders": {name: _rounded(cost) for name, cost in sorted(self.folders.items())},
            "files": {name: _rounded(cost) for name, cost in sorted(self.files.items())},
            "longest": {name: round(seconds, 1) for name, seconds in longest},
        }

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print it when the run was more than a few files; always keep it."""
        if not self.cases:
            return
        made = self.table()
        place = self.root / LAST
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(made, indent=1) + "\n")
        if len(self.files) < 5:
            return
        terminalreporter.section("time by folder")
        for line in lines(made, self.budgets):
            terminalreporter.write_line(line)
        for text in over(made, self.budgets):
            terminalreporter.write_line(f"over budget: {text}", yellow=True)


def _rounded(cost: Cost) -> dict[str, float]:
    return {name: round(value, 1) for name, value in asdict(cost).items()}


def kinds(made: dict[str, Any], known: dict[str, Budget]) -> dict[str, float]:
    """Seconds of all workers by kind of work; building is a kind of its own."""
    total: dict[str, float] = {"builds": 0.0}
    for name, cost in made["folders"].items():
        kind = known[name].kind if name in known else "other"
        total["builds"] += cost["build_s"]
        total[kind] = total.get(kind, 0.0) + cost["seconds"] - cost["build_s"]
    return total


def rows(made: dict[str, Any], known: dict[str, Budget]) -> list[list[str]]:
    """Heading and rows of the table."""
    found = [["folder", "tests", "seconds", "processor", "set-up", "builds", "libraries", "budget"]]
    total = Cost()
    for name, cost in sorted(made["folders"].items(), key=lambda one: -one[1]["seconds"]):
        total.add(Cost(**cost))
        limit = f"{known[name].processor_s:.0f}" if name in known else "none"
        found.append([name, *_cells(Cost(**cost)), limit])
    found.append(["all", *_cells(total), f"{sum(b.processor_s for b in known.values()):.0f}"])
    return found


def _cells(cost: Cost) -> list[str]:
    times = (cost.seconds, cost.processor_s, cost.setup_s, cost.build_s)
    return [f"{cost.tests:.0f}", *(f"{value:.0f}" for value in times), f"{cost.builds:.0f}"]


def lines(made: dict[str, Any], known: dict[str, Budget]) -> list[str]:
    """The table as text, and the sums by kind."""
    table = rows(made, known)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    out = []
    for row in table:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        out.append("  ".join([row[0].ljust(len(first)), *others]))
    shares = (f"{kind} {spent:.0f} s" for kind, spent in kinds(made, known).items())
    return [*out, f"wall {made['wall_s']:.0f} s; of all workers: {', '.join(shares)}"]


def over(made: dict[str, Any], known: dict[str, Budget]) -> list[str]:
    """What to warn about."""
    found = []
    for name, cost in made["folders"].items():
        if name not in known:
            found.append(f"{name} has no budget in {BUDGETS}")
        elif cost["processor_s"] > known[name].processor_s:
            spent, limit = cost["processor_s"], known[name].processor_s
            found.append(f"{name}: {spent:.0f} s of processor time, budget {limit:.0f} s")
    return found


def markdown(made: dict[str, Any], known: dict[str, Budget]) -> str:
    """The table for the page."""
    head, *body = rows(made, known)
    text = f"Commit {made['commit']}, {made['date']}, {made['workers']} processors, wall time "
    minutes, seconds = divmod(round(made["wall_s"]), 60)
    text += f"{minutes} min {seconds} s after the set-up.\n\n"
    text += f"| {' | '.join(head)} |\n|---{'|--:' * (len(head) - 1)}|\n"
    for name, *cells in body:
        text += f"| {name} | {' | '.join(cells)} |\n"
    text += "\n| kind | s |\n|---|--:|\n"
    for kind, spent in kinds(made, known).items():
        text += f"| {kind} | {spent:.0f} |\n"
    return text


def publish(root: Path) -> list[Path]:
    """Make the last run the published one; returns the pages that changed."""
    made = json.loads((root / LAST).read_text())
    short = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(short, cwd=root, capture_output=True, text=True, check=False)
    made |= {
        "date": time.strftime("%Y-%m-%d"),
        "commit": done.stdout.strip() or "unknown",
        "workers": len(os.sched_getaffinity(0)),
    }
    (root / FIGURE).write_text(json.dumps(made, indent=1) + "\n")
    return show(root)


def show(root: Path) -> list[Path]:
    """Fill the pages from the published run."""
    made, known = json.loads((root / FIGURE).read_text()), budgets(root)
    return fill_pages(root, "test-profile", lambda _words: markdown(made, known))


def pytest_configure(config: pytest.Config) -> None:
    """Record where tests run, sum up where reports arrive."""
    root = project_root()
    if not (root / BUDGETS).is_file():
        return
    config.pluginmanager.register(Recorder(), "kumi-cost")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Summary(root), "kumi-profile")


if __name__ == "__main__":
    if sys.argv[1:] not in (["publish"], ["show"]):
        sys.exit("usage: python -m kumihimo.testing.profile publish|show")
    for page in (publish if sys.argv[1] == "publish" else show)(project_root()):
        print(page)
