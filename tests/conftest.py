# SPDX-License-Identifier: Apache-2.0
"""For all tests: the profile of the run, its schedule, the long form; signals as a terminal's."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# Nodes of clusters: most tests use one for less time than the optimiser takes.
os.environ.setdefault("KUMI_BUILD", "quick")

# Workers build side by side: one that compiled in more pieces than it has processors would read the
# headers again for each, and be no sooner.
if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
    os.environ.setdefault("KUMI_JOBS", str(max(1, len(os.sched_getaffinity(0)) // workers)))

# Where bytecode must not be written (CI), it is kept apart: tests start hundreds of commands, and
# each would spend a third of its start on compiling the package.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    prefix = Path(__file__).resolve().parents[1] / "build/bytecode"
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(prefix))

pytest_plugins = (
    "kumihimo.testing.profile",
    "kumihimo.testing.schedule",
    "kumihimo.testing.long_run",
    "kumihimo.testing.ledger",
)

# A run begun in the background of a script (`pytest &`, `nohup pytest`) ignores these, and every
# child would inherit that; tests interrupt and hang up on commands.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
