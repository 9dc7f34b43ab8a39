# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the engine's tests: a node library without RTL, and frames."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _compiled(folder: Path, name: str) -> str:
    compiler = shutil.which("c++") or shutil.which("g++")
    assert compiler, "a C++ compiler is needed: apt-get install g++"
    out = folder / f"{name}.so"
    flags = ["-std=c++20", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    folders = [f"-I{ROOT}/sim/include", f"-I{ROOT}/sim/node"]
    source = str(ROOT / f"sim/tests/{name}.cpp")
    argv = [compiler, *flags, *folders, source, "-o", str(out)]
    subprocess.run(argv, check=True, timeout=120)
    return str(out)


@pytest.fixture(scope="session")
def fake_node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A hand-written node library: echoes, generates, has registers and pins."""
    return _compiled(tmp_path_factory.mktemp("fake"), "fake_node")


@pytest.fixture(scope="session")
def lane_node(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A hand-written node library with two lanes, whose blocks depend on all that it has seen."""
    return _compiled(tmp_path_factory.mktemp("fake"), "lane_node")


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
