# SPDX-License-Identifier: Apache-2.0
"""Packets of an InfiniBand line in a capture, and what tshark reads in them."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

ERF_INFINIBAND, ERF_LINK = 21, 25
LINKTYPE_ERF = 197


def write_erf(file: Path, packets: list[tuple[int, bytes]]) -> None:
    """A capture of (ERF type, bytes)."""
    with file.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_ERF))
        for n, (kind, data) in enumerate(packets):
            head = struct.pack("<Q", n << 32)
            head += struct.pack(">BBHHH", kind, 4, 16 + len(data), 0, len(data))
            out.write(struct.pack("<IIII", n, 0, 16 + len(data), 16 + len(data)) + head + data)


def read(file: Path, *fields: str) -> list[list[str]]:
    """Fields of each packet by tshark."""
    program = shutil.which("tshark")
    if program is None:
        pytest.fail("tshark is missing: make setup-test installs it")
    argv = [program, "-n", "-r", str(file), "-T", "fields", "-E", "separator=|"]
    argv += [p for f in fields for p in ("-e", f)]
    # Programs over InfiniBand that tshark would look for in random payload.
    for name in ("rpcordma", "iser", "nvme-rdma", "smb_direct", "rds", "ipoib", "edp"):
        argv += ["--disable-protocol", name]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]
