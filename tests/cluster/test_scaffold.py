# SPDX-License-Identifier: Apache-2.0
"""What `kumi new` writes passes its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MADE = [["experiment", "loss"], ["kernel", "cipher", "--regs"], ["node", "mirror"]]
# A minute each to build.
LONG = [["kernel", "wholly", "--buffered"], ["kernel", "talk", "--tcp"], ["card", "guard"]]


@pytest.mark.parametrize(
    "words",
    [*MADE, *(pytest.param(w, marks=pytest.mark.long(only=True)) for w in LONG)],
)
def test_as_written(tmp_path: Path, words: list[str]) -> None:
    run = {"capture_output": True, "text": True, "cwd": tmp_path, "check": False}
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "new", *words], env=env, timeout=60, **run
    )
    assert done.returncode == 0, done.stderr
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", words[1]]
    done = subprocess.run(pytest_, env=env, timeout=300, **run)
    assert done.returncode == 0, done.stdout + done.stderr
