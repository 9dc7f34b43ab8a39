# SPDX-License-Identifier: Apache-2.0
"""Shows failures: a sentence for errors the user can fix, a traceback for bugs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ..common.errors import KumiError
from ..common.paths import engine_is_old


def report(problem: Exception) -> int:
    """Print a failure on standard error. Returns the exit code."""
    if os.environ.get("KUMI_TRACEBACK"):
        raise problem
    if isinstance(problem, KumiError):
        print(f"kumi: {problem.text}", file=sys.stderr)
        if problem.hint:
            print(f"      {problem.hint}", file=sys.stderr)
        return problem.code
    if isinstance(problem, OSError) and problem.strerror:
        where = f"{problem.filename}: " if problem.filename is not None else ""
        print(f"kumi: {where}{problem.strerror}.", file=sys.stderr)
        return 1
    named = type(problem).__module__.split(".")[0] == "kumihimo"
    if named or isinstance(problem, OSError):
        print(f"kumi: {problem}", file=sys.stderr)
        return 1
    if isinstance(problem, ImportError):
        missing = problem.name or str(problem)
        print(f"kumi: the Python module {missing} is missing.", file=sys.stderr)
        command = "make setup" if "kumihimo" in missing else "make setup-test"
        if (Path(__file__).parents[1] / "share").is_dir():  # installed from a wheel
            command = f"pip install {missing.split('.')[0]}"
        print(f"      Run: {command} (`kumi doctor` shows the rest)", file=sys.stderr)
        return 3
    import traceback

    traceback.print_exception(problem)
    if engine_is_old():
        print(
            "kumi: the cluster engine is older than its sources. Run: make setup", file=sys.stderr
        )
        return 3
    print(
        "kumi: this is a bug in kumi; please report it with the lines above.",
        file=sys.stderr,
    )
    return 70
