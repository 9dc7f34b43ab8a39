# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: `--long` runs the tests marked `long` at full size, and publishes the outcome.

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
HEAD = """\
# The long run

`make test-long` runs these tests at full size; `make test` runs them, or a smaller form, each time
([testing](../testing.md)). {date}, commit {commit}: {passed} of {count} passed in {minutes} min.

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
    config.addinivalue_line("markers", "long: has a larger form, which `--long` runs")
    if config.getoption("--long"):
        os.environ[VARIABLE] = "1"
        if not hasattr(config, "workerinput") and config.getoption("--publish-long"):
            config.pluginmanager.register(Publisher(project_root()), "kumi-long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --long, only tests that are larger then."""
    if config.getoption("--long"):
        dropped = [item for item in items if item.get_closest_marker("long") is None]
        items[:] = [item for item in items if item.get_closest_marker("long") is not None]
        config.hook.pytest_deselected(items=dropped)


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
