# SPDX-License-Identifier: Apache-2.0
"""Frames through tshark with the project's dissector."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from kumihimo.proto import DISSECTOR
from scapy.utils import wrpcap


def tshark(file: Path, *options: str) -> list[str]:
    """Lines that tshark prints for a capture; a Lua error fails."""
    program = shutil.which("tshark")
    if program is None:
        pytest.fail("tshark is missing: make setup-test installs it")
    argv = [program, "-n", "-X", f"lua_script:{DISSECTOR}", "-r", str(file), *options]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "Lua Error" not in done.stdout and "lua" not in done.stderr.lower(), done.stderr
    return done.stdout.splitlines()


def fields(file: Path, *names: str) -> list[list[str]]:
    """The values of each frame; several of one field are joined by a comma."""
    asked = [part for name in names for part in ("-e", name)]
    return [line.split("|") for line in tshark(file, "-Tfields", "-Eseparator=|", *asked)]


def capture(file: Path, frames: Sequence[bytes]) -> Path:
    """A capture with these frames."""
    wrpcap(str(file), frames, linktype=1)
    return file
