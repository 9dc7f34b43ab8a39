# SPDX-License-Identifier: Apache-2.0
"""Builds of the engine and the storage array under a sanitizer, one folder a sanitizer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kumihimo.build import cache, toolchain

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = ("address,undefined", "thread")
# What the address and undefined-behaviour checks add costs the optimiser more than it gains.
FLAGS = {"address,undefined": "-O0", "thread": "-O1"}
# See `toolchain.GCC_FLAGS`.
MEMORY = "" if "clang" in toolchain.compiler() else " --param=ggc-min-heapsize=524288"


def build(sanitizer: str, *targets: str) -> Path:
    """Build targets; the folder is kept, so that only what changed is compiled again."""
    folder = ROOT / "build" / ("sanitize-" + sanitizer.replace(",", "-"))
    env = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    configure = [
        "cmake",
        *("-S", str(ROOT), "-B", str(folder), "-G", "Ninja"),
        "-DKUMI_PYTHON=OFF",
        "-DKUMI_TESTS=ON",
        "-DKUMI_UNITY=ON",
        f"-DKUMI_SANITIZE={sanitizer}",
        "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_CXX_FLAGS={FLAGS[sanitizer]}{MEMORY}",
    ]
    with cache.lock(folder.name):
        for command in (configure, ["cmake", "--build", str(folder), "-j2", "--target", *targets]):
            done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=600)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder


def run(program: Path, *words: str | Path, **env: str) -> str:
    """Run a stress test; what it printed."""
    done = subprocess.run(
        [str(program), *(str(word) for word in words)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
