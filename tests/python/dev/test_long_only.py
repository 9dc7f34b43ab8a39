# SPDX-License-Identifier: Apache-2.0
"""Which tests a run leaves to the long run, which it says; and which run in one worker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from kumihimo.testing.schedule import unit_of

FILE = """\
import pytest

@pytest.mark.long(only=True)
@pytest.mark.parametrize("n", range(3))
def test_slow(n): pass

@pytest.mark.long
def test_both(): pass

@pytest.mark.parametrize("n", [0, pytest.param(1, marks=pytest.mark.long(only=True))])
def test_cases(n): pass

def test_always(): pass
"""
LINE = "only in `make test-long`"


def run(folder: Path, *words: str) -> str:
    """Pytest on a file of its own with the plugin alone."""
    (folder / "test_sizes.py").write_text(FILE)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    plugins = ["-p", "kumihimo.testing.long_run", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *words, "test_sizes.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout + done.stderr


def test_left_out_and_counted(tmp_path: Path) -> None:
    """By workers, each of which collects all tests."""
    said = run(tmp_path, "-n", "2")
    assert "3 passed" in said and f"4 tests run {LINE}" in said, said


def test_one_by_its_name(tmp_path: Path) -> None:
    said = run(tmp_path, "-k", "test_cases and 1")
    assert "passed" not in said and "failed" not in said and f"1 test runs {LINE}" in said, said


def test_the_long_run_leaves_none_out(tmp_path: Path) -> None:
    said = run(tmp_path, "--long")
    assert "5 passed" in said and LINE not in said, said


def test_units_of_work() -> None:
    """A file is one, but for those whose tests share nothing; two linters share what they read."""
    lint, formal = "tests/test_lint.py::test_lint", "tests/formal/test_formal.py::test_proof"
    assert unit_of(f"{lint}[slang]") == unit_of(f"{lint}[verilator]") != unit_of(f"{lint}[ruff]")
    assert unit_of(f"{formal}[a]") != unit_of(f"{formal}[b]")
    assert unit_of("tests/tcp/test_x.py::test_a") == unit_of("tests/tcp/test_x.py::test_b[1]")
