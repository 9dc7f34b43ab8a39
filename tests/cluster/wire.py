# SPDX-License-Identifier: Apache-2.0
"""What tshark, a program that knows the protocols better than we do, says about a capture."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_CHECKS = ("-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE")
_WRONG = (
    "_ws.malformed || ip.checksum.status == 0 || udp.checksum.status == 0 || "
    "icmp.checksum.status == 0 || ip.bogus_header_length || udp.length.bad"
)


def tshark(file: Path, display_filter: str, *fields: str) -> list[str]:
    """Lines for the packets that match a display filter."""
    program = shutil.which("tshark")
    if program is None:
        pytest.fail("tshark is missing: make setup-test installs it")
    argv = [program, "-r", str(file), "-n", *_CHECKS, "-Y", display_filter]
    if fields:
        argv += ["-T", "fields", *(part for field in fields for part in ("-e", field))]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def assert_well_formed(file: Path) -> None:
    """Nothing malformed and no bad checksum."""
    assert tshark(file, _WRONG) == []


def assert_tcp_sums(file: Path) -> None:
    """Checksums of every TCP segment are right: TAPs leave them to nobody, so not all tests ask."""
    fields = ("-T", "fields", "-e", "tcp.checksum.status", "-e", "ip.checksum.status")
    program = shutil.which("tshark")
    assert program is not None
    argv = [program, "-r", str(file), "-n", *_CHECKS, "-o", "tcp.check_checksum:TRUE", "-Y", "tcp"]
    done = subprocess.run([*argv, *fields], capture_output=True, text=True, timeout=240, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) > 100
    assert set(lines) == {"1\t1"}
