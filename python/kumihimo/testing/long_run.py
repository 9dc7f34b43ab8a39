# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: `--long` runs the tests marked `long` at full size, and publishes the outcome.

A test marked `long(only=True)` runs in no other run, which ends with the number of those left out.
The table goes to docs/figures/test-long.json and test-long.md: date, commit, and for each test its
result and seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kumihimo.common.paths import project_root
from kumihimo.testing.sizes import VARIABLE

FIGURE = Path("docs/figures/test-long.json")
LEFT_OUT = pytest.StashKey[int]()
HEAD = """\
# The long run

`make test-long` runs these tests at full size; `make test` runs them, or a smaller form, each time,
but for those that are [only here](../testing.md#only-in-the-long-run).
{date}, commit {commit}: {passed} of {count} passed in {minutes} min.

Cases of one test share a row; every seeded fault, and every case that failed, has its own.

| test | passed | s |
|---|--:|--:|
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options."""
    group = parser.getgroup("kumihimo")
    group.addoption("--long", action="store_true", help="only tests marked long, at full size")
    group.addoption("--publish-long", action="store_true", help="write docs/figures/test-long.*")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; tell test modules before they are imported."""
    config.addinivalue_line(
        "markers", "long(only=False): has a larger form, which `--long` runs; only: and no other"
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(LeftOut(), "kumi-left-out")
    if config.getoption("--long"):
        os.environ[VARIABLE] = "1"
        if not hasattr(config, "workerinput") and config.getoption("--publish-long"):
            config.pluginmanager.register(Publisher(project_root()), "kumi-long")


def only_long(item: pytest.Item) -> bool:
    """Whether a test has no form but the long one."""
    return any(mark.kwargs.get("only", False) for mark in item.iter_markers("long"))


@pytest.hookimpl(trylast=True)  # after -k and -m, so that what they leave is counted
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --long, only tests that are larger then; otherwise none that is long only."""
    if config.getoption("--long"):
        dropped = [item for item in items if item.get_closest_marker("long") is None]
    else:
        dropped = [item for item in items if only_long(item)]
        config.stash[LEFT_OUT] = len(dropped)
        if hasattr(config, "workeroutput"):
            config.workeroutput[LeftOut.WORD] = len(dropped)
    if dropped:
        gone = set(dropped)
        items[:] = [item for item in items if item not in gone]
        config.hook.pytest_deselected(items=dropped)


class LeftOut:
    """Says at the end of a run how many tests wait for the long one."""

    WORD = "kumi_left_out"

    def __init__(self) -> None:
        self.told = 0  # by workers, each of which collects all tests

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended."""
        self.told = max(self.told, getattr(node, "workeroutput", {}).get(self.WORD, 0))

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        """The line."""
        count = config.stash.get(LEFT_OUT, self.told)
        if count:
            what = "1 test runs" if count == 1 else f"{count} tests run"
            terminalreporter.write_line(f"{what} only in `make test-long`")


class Publisher:
    """Collects the outcomes and writes the table."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.began = time.monotonic()
        self.tests: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test."""
        row = self.tests.setdefault(report.nodeid, {"result": "passed", "seconds": 0.0})
        row["seconds"] = round(row["seconds"] + report.duration, 1)
        if not report.passed:
            row["result"] = report.outcome

    def pytest_sessionfinish(self) -> None:
        """Write both files."""
        if not self.tests:
            return
        short = ["git", "rev-parse", "--short", "HEAD"]
        done = subprocess.run(short, cwd=self.root, capture_output=True, text=True, check=False)
        made = {
            "date": time.strftime("%Y-%m-%d"),
            "commit": done.stdout.strip() or "unknown",
            "wall_s": round(time.monotonic() - self.began, 1),
            "tests": dict(sorted(self.tests.items())),
        }
        place = self.root / FIGURE
        place.write_text(json.dumps(made, indent=1) + "\n")
        place.with_suffix(".md").write_text(page(made))


def page(made: dict[str, Any]) -> str:
    """The table for readers."""
    tests = made["tests"]
    text = HEAD.format(
        date=made["date"],
        commit=made["commit"],
        passed=sum(row["result"] == "passed" for row in tests.values()),
        count=len(tests),
        minutes=round(made["wall_s"] / 60),
    )
    for name, cases in _by_test(tests).items():
        passed = sum(row["result"] == "passed" for row in cases)
        seconds = sum(row["seconds"] for row in cases)
        share = f"{passed} of {len(cases)}" if len(cases) > 1 else cases[0]["result"]
        text += f"| `{name.removeprefix('tests/')}` | {share} | {seconds:.1f} |\n"
    return text


def _by_test(tests: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, row in tests.items():
        alone = name.startswith("tests/faults/") or row["result"] != "passed"
        groups.setdefault(name if alone else name.split("[")[0], []).append(row)
    return groups
