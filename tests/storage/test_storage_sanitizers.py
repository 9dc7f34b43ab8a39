# SPDX-License-Identifier: Apache-2.0
"""The array, its volume and the NBD server under the sanitizers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_storage_stress(sanitizer: str, tmp_path: Path) -> None:
    # Kept between runs, so that only what changed is compiled again.
    build = ROOT / "build" / ("sanitize-storage-" + sanitizer.replace(",", "-"))
    env = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    configure = [
        "cmake",
        *("-S", str(ROOT), "-B", str(build), "-G", "Ninja"),
        "-DKUMI_PYTHON=OFF",
        "-DKUMI_TESTS=ON",
        f"-DKUMI_SANITIZE={sanitizer}",
        "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_CXX_FLAGS=-O1",
    ]
    make = ["cmake", "--build", str(build), "-j2", "--target", "storage_stress"]
    for command in (configure, make):
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    # A long request holds more than 64 locks of stripes at once, in their order; the thread
    # sanitizer's own search for dead-locks ends at 64. Races are what it is here for.
    env["TSAN_OPTIONS"] = "detect_deadlocks=0"
    done = subprocess.run(
        [str(build / "storage_stress"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env=env,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failures: 0" in done.stdout
