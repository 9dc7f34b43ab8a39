# SPDX-License-Identifier: Apache-2.0
"""`kumi ps`, `kumi stop`, `kumi logs`, `kumi up --detach`: clusters in the background."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from rich.table import Table

from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..manager.agent import RemoteBoard
from ..manager.board import AccessError, BoardError
from ..net.session import Session, find, folder, matching, running
from .console import err, out

STOP_S = 15.0


def log_file(name: str, pid: int) -> Path:
    """Log file of a detached cluster."""
    return folder() / f"{name}-{pid}.log"


def _status(found: Session) -> dict[str, Any]:
    row: dict[str, Any] = {"name": found.name, "pid": found.pid, "file": found.file}
    try:
        row |= RemoteBoard("", found, 5.0).ask({"do": "status"})
        row["state"] = "running"
    except (BoardError, AccessError) as problem:
        row["state"] = f"not answering ({problem})"
    return row


def ps(as_json: bool) -> int:
    """List running clusters."""
    rows = [_status(found) for found in running()]
    if as_json:
        print(json.dumps(rows))
        return 0
    if not rows:
        err.print("No cluster is running. Start one: kumi up FILE")
        return 0
    table = Table()
    for heading in ("name", "pid", "nodes", "simulated", "running for", "file"):
        table.add_column(heading)
    for row in rows:
        simulated = format_time(row["now_ps"]) if "now_ps" in row else row["state"]
        wall = f"{row['wall_s']:.0f} s" if "wall_s" in row else ""
        nodes = ", ".join(row.get("nodes", []))
        table.add_row(row["name"], str(row["pid"]), nodes, simulated, wall, row["file"])
    out.print(table)
    return 0


def _chosen(name: str | None, every: bool) -> list[Session]:
    """Clusters to stop; clusters of the same name are all meant."""
    if every:
        return running()
    return (matching(name) if name else []) or [find(name)]


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def stop(name: str | None, every: bool) -> int:
    """Stop clusters with SIGTERM, and wait for their end."""
    chosen = _chosen(name, every)
    for found in chosen:
        with contextlib.suppress(ProcessLookupError):
            os.kill(found.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_S
    left = list(chosen)
    while left and time.monotonic() < deadline:
        left = [found for found in left if _alive(found.pid)]
        time.sleep(0.05)
    for found in chosen:
        if found not in left:
            err.print(f"stopped {found.name}")
    if left:
        names = ", ".join(f"{found.name} (process {found.pid})" for found in left)
        raise KumiError(f"Still running after {STOP_S:.0f} s: {names}.", "kill -9 ends it at once.")
    return 0


def _logs(guest: str | None) -> dict[Path, tuple[str, int]]:
    """Log files, oldest first, with name and process of their cluster."""
    files = folder().glob(f"*-*/{guest}.log" if guest else "*.log")
    found = {}
    for file in sorted(files, key=lambda f: f.stat().st_mtime):
        name, _, pid = (file.parent.name if guest else file.stem).rpartition("-")
        found[file] = (name, int(pid.partition(".")[0]))
    return found


def logs(name: str | None, follow: bool, guest: str | None = None) -> int:
    """Print the log of a detached cluster, or of a guest; with `follow`, until it ends."""
    found = _logs(guest)
    files = [f for f, (n, pid) in found.items() if name in (None, n, f"{n}-{pid}")] or [
        f for f, (_, pid) in found.items() if str(pid) == name
    ]
    if not files:
        who = f" of {name}" if name else ""
        hint = "`kumi up --detach` writes one."
        if guest:
            who, hint = f"{who} for a guest {guest}", "`kumi up` writes one if it has a script."
        raise KumiError(f"There is no log{who}.", hint, 2)
    file = files[-1]
    pid = found[file][1]
    with file.open("rb") as handle:
        while True:
            alive = _alive(pid)
            data = handle.read()
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
            if not follow or not alive:
                return 0
            time.sleep(0.2)


def _until_ready(
    process: subprocess.Popen[bytes], name: str, log: Path, wait_s: float, as_json: bool
) -> int | None:
    """Exit status once the cluster is ready or has ended; None: neither within `wait_s`."""
    deadline = time.monotonic() + wait_s
    with err.status(f"{name} starts (its log: kumi logs {name})"):
        while time.monotonic() < deadline:
            if process.poll() is not None:
                sys.stderr.write(log.read_text(errors="replace"))
                log.unlink(missing_ok=True)
                return process.returncode or 1
            ready = [found for found in running() if found.pid == process.pid]
            if ready:
                row = _status(ready[0]) | {"log": str(log)}
                if as_json:
                    print(json.dumps(row))
                else:
                    err.print(f"{name} runs (process {process.pid}); kumi stop {name} ends it")
                return 0
            time.sleep(0.1)
    return None


def detach(arguments: Sequence[str], name: str, wait_s: float, as_json: bool) -> int:
    """Start `kumi up` in the background and return when the cluster is ready."""
    draft = folder() / f"{name}-{os.getpid()}.starting"
    with draft.open("wb") as handle:
        process = subprocess.Popen(
            [sys.executable, "-m", "kumihimo.cli", "up", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
        )
    log = log_file(name, process.pid)
    draft.replace(log)
    try:
        code = _until_ready(process, name, log, wait_s, as_json)
    except BaseException:
        process.terminate()  # interrupted: it is not wanted
        raise
    if code is not None:
        return code
    raise KumiError(
        f"{name} is not ready after {wait_s:.0f} s; it goes on starting.",
        f"`kumi logs {name}` shows how far it is, `kumi stop` ends it.",
    )
