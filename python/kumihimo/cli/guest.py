# SPDX-License-Identifier: Apache-2.0
"""`kumi guest`: boots a guest at a socket of a running cluster."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from ..common.errors import KumiError
from ..guest import CardGuest, Guest


def run(socket: Path, kind: str, script: str | None, memory: str, timeout: float) -> int:
    """0 if the commands succeeded; of a shell, the exit code of its guest."""
    if not socket.exists() or not stat.S_ISSOCK(socket.stat().st_mode):
        raise KumiError(
            f"there is no socket {socket}: start the cluster whose `hosts:` name it "
            "(`kumi up CLUSTER.yaml`), and give the path as seen from here"
        )
    make = CardGuest if kind == "qemu" else Guest
    with make(socket, script, memory) as guest:
        if script is None:
            return guest.wait()
        sys.stdout.write(guest.finish(timeout).lstrip("\n"))
    return 0
