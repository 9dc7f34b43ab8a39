# SPDX-License-Identifier: Apache-2.0
"""pytest plugin: a file at a time to each worker, the longest first; proofs one at a time.

pytest-xdist's own `--dist loadfile` begins with the files that hold most tests, so a file of two
long tests comes last and one worker sits alone with it. The seconds of each file are those of the
last published profile; a file that it does not know goes before, and those whose tests run alone
before all. Only active under pytest-xdist.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kumihimo.common.paths import project_root
from kumihimo.testing.profile import FIGURE

# Their tests share nothing, and are long: each is a unit of work of its own.
ALONE = ("tests/formal/test_formal.py", "tests/sim/test_sanitizers.py", "tests/test_lint.py")


# But for these two, which elaborate every module and share that.
TOGETHER = re.compile(r"^(tests/test_lint\.py::test_lint)\[(slang|verilator)\]")


def unit_of(nodeid: str) -> str:
    """The unit of work a test belongs to."""
    file = nodeid.split("::")[0]
    if shared := TOGETHER.match(nodeid):
        return f"{shared[1]}[slang,verilator]"
    return nodeid if file in ALONE else file


def known_seconds(root: Path) -> dict[str, float]:
    """Seconds of each file in the published profile."""
    try:
        made: dict[str, Any] = json.loads((root / FIGURE).read_text())
    except (OSError, ValueError):
        return {}
    return {name: float(cost["seconds"]) for name, cost in made.get("files", {}).items()}


class Order:
    """In each worker: the same collection, longest file first."""

    def __init__(self, root: Path) -> None:
        self.seconds = known_seconds(root)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Sort; tests of a file keep their order."""
        items.sort(key=lambda item: -self.expected(item.nodeid.split("::")[0]))

    def expected(self, file: str) -> float:
        """Seconds of a file, for the order."""
        return self.seconds.get(file, float("inf") if file in ALONE else 1e6)


class Distribution:
    """In the process that hands out work."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """The scheduler of `--dist loadfile`, with our units and without its order."""
        if config.getoption("dist", "no") != "loadfile":
            return None
        from xdist.scheduler import LoadScopeScheduling

        class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
            def _split_scope(self, nodeid: str) -> str:
                return unit_of(nodeid)

        config.option.loadscopereorder = False
        return Scheduling(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Order in the workers, distribute in the controller."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Order(project_root()), "kumi-order")
    else:
        config.pluginmanager.register(Distribution(), "kumi-distribution")
