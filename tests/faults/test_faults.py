# SPDX-License-Identifier: Apache-2.0
"""Seeded faults: each, on a copy of the tree, must make the test that is named with it fail.

So a test that was shortened or moved to the long run can be seen to have left nothing unguarded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from kumihimo.dev.formal import discover
from kumihimo.testing.sizes import long_run

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("hw", "regs", "formal", "sim", "tests", "examples", "python", "boards")
FILES = ("pyproject.toml", "CMakeLists.txt")


@dataclass(frozen=True)
class Fault:
    """A change to a source that a test must notice."""

    name: str
    file: str
    old: str
    new: str
    test: str
    quick: bool = False
    stands_for: str = ""


LIST = tomllib.loads(Path(__file__).with_name("faults.toml").read_text())
PROOFS = {proof.name for proof in discover(ROOT) if not proof.long}
FAULTS = [Fault(**one) for one in LIST["fault"]]


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def _copy(target: Path) -> None:
    """The tree, by links; what is changed later must be replaced, not written to."""
    skip = shutil.ignore_patterns("__pycache__", "*.so", "build")
    for name in FOLDERS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=skip, copy_function=_link)
    for name in FILES:
        shutil.copy2(ROOT / name, target / name)


@pytest.mark.long
@pytest.mark.parametrize(
    "fault", [f for f in FAULTS if f.quick or long_run()], ids=lambda fault: fault.name
)
def test_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    _copy(tree)
    place = tree / fault.file
    text = place.read_text()
    place.unlink()
    place.write_text(text.replace(fault.old, fault.new))
    # The short form of the test: that is what guards every change.
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "KUMI_LONG"))}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*words, fault.test],
        cwd=tree,
        env={**env, "KUMI_HOME": str(tree)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    said = done.stdout[-4000:] + done.stderr[-1000:]
    assert done.returncode == 1, f"{fault.test} ended with {done.returncode}\n{said}"
    assert "BuildError" not in said, f"the fault does not build\n{said}"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_can_be_seeded(fault: Fault) -> None:
    """Its text is there once, and its test exists."""
    assert (ROOT / fault.file).read_text().count(fault.old) == 1
    file, _, test = fault.test.partition("::")
    assert (ROOT / file).is_file()
    name, _, case = test.partition("[")
    assert not name or f"def {name}(" in (ROOT / file).read_text()
    if name == "test_proof":
        assert case.removesuffix("]") in PROOFS
