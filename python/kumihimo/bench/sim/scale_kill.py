# SPDX-License-Identifier: Apache-2.0
"""`kill -9` of each rank in turn for `kumi bench scale`: how soon all others have ended."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.sim.scale_ranks import pairs_text

LIMIT_S = 20.0
START_S = 300.0
"""The first start may build designs."""


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _started(front: subprocess.Popen[str], ranks: int) -> list[psutil.Process]:
    """The processes of all ranks by rank, once the table of stations is out."""
    late = threading.Timer(START_S, front.kill)
    late.start()
    assert front.stderr is not None
    said = []
    for line in front.stderr:
        said.append(line)
        if f"b{ranks - 1}" in line:
            break
    late.cancel()
    others = psutil.Process(front.pid).children() if front.poll() is None else []
    if len(others) != ranks - 1:
        raise BenchError(f"{len(others) + 1} of {ranks} ranks have started: {''.join(said)}")
    return [psutil.Process(front.pid), *sorted(others, key=lambda process: process.pid)]


def measure(result: BenchResult, progress: Progress, ranks: int) -> None:
    """`kill_stop_s`: the longest time until every other process had ended."""
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ring.yaml"
        file.write_text(pairs_text(ranks, ranks), encoding="utf-8")
        argv = [sys.executable, "-m", "kumihimo.cli", "up", str(file), "--ranks", str(ranks)]
        for victim in range(ranks):
            progress.step(f"rank {victim} is killed", victim, ranks)
            with subprocess.Popen(
                [*argv, "--until", "1 s"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as front:
                every = _started(front, ranks)
                began = time.perf_counter()
                every[victim].send_signal(signal.SIGKILL)
                while any(_alive(process) for process in every):
                    if time.perf_counter() - began > LIMIT_S:
                        for process in filter(_alive, every):
                            process.kill()
                        raise BenchError(f"ranks stayed when rank {victim} was killed")
                    time.sleep(0.01)
                spent = time.perf_counter() - began
            row = {"figure": "kill_stop_s", "ranks": ranks, "rank": victim, "seconds": spent}
            result.rows.append(row)
            worst = max(worst, spent)
    result.summary["kill_stop_s"] = worst
