# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the engine's tests: a node library without RTL, and frames."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def fake_node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A hand-written node library: echoes, generates, has registers and pins."""
    compiler = shutil.which("c++") or shutil.which("g++")
    assert compiler, "a C++ compiler is needed: apt-get install g++"
    out = tmp_path_factory.mktemp("fake") / "fake_node.so"
    source = ROOT / "sim/tests/fake_node.cpp"
    subprocess.run(
        [
            compiler,
            "-std=c++20",
            "-O2",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            f"-I{ROOT}/sim/include",
            str(source),
            "-o",
            str(out),
        ],
        check=True,
        timeout=120,
    )
    return str(out)


@pytest.fixture(scope="session")
def tshark() -> str:
    """The tshark program; `make test` installs it."""
    found = shutil.which("tshark")
    assert found, "tshark is needed for this test: apt-get install tshark"
    return found


@pytest.fixture(scope="session")
def tshark_fields(tshark: str) -> Callable[..., list[list[str]]]:
    def read(path: Path, *fields: str) -> list[list[str]]:
        args = [tshark, "-r", str(path), "-T", "fields", "-E", "separator=|"]
        for f in fields:
            args += ["-e", f]
        done = subprocess.run(args, check=True, capture_output=True, text=True, timeout=120)
        return [line.split("|") for line in done.stdout.splitlines()]

    return read
