# SPDX-License-Identifier: Apache-2.0
"""A rank that is killed, hangs or is asked to end takes all others with it, by name, within 5 s."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing import Pipe
from pathlib import Path

import psutil
import pytest
from kumihimo.ranks.engine import RankedEngine
from kumihimo.ranks.worker import GONE
from rankkit import Libraries

LIMIT_S = 20.0  # 5 on a machine with nothing else to do, which `kumi bench scale` measures
HERE = Path(__file__).parent
RUN = """
import json, sys
from pathlib import Path
import conftest
from kumihimo.ranks.engine import RankedEngine
from rankkit import Libraries, Scene

*paths, pcap = sys.argv[1:]
scene = Scene(3)
eng = RankedEngine(3, scene.owners(3, 1), seed=3)
try:
    scene.build(eng, Libraries(*paths))
    eng.capture(pcap)
    eng.start()
    eng.run(1_000_000)
    print(json.dumps(eng.pids), flush=True)
    print(eng.run(2**60), flush=True)
finally:
    eng.close()
"""


LAST = """
import sys, time
from multiprocessing.connection import Connection
from kumihimo.ranks.wire import BEAT_S, Line
from kumihimo.ranks.worker import Worker

Worker(Line(Connection(int(sys.argv[1])))).run()
time.sleep(3 * BEAT_S)
print("ended")
"""


@pytest.mark.parametrize("said", [True, False])
def test_a_rank_may_take_its_time_to_end(said: bool) -> None:
    """MPI's end waits for all ranks: nobody leaves before, unless rank 0 is gone without a word."""
    mine, theirs = Pipe()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", LAST, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            text=True,
        )
    assert mine.recv() == ("beat",)
    if said:
        mine.send(("end",))
    mine.close()
    out, _ = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, out) == ((0, "ended\n") if said else (GONE, ""))


def started(libraries: Libraries, pcap: Path) -> tuple[subprocess.Popen[str], dict[int, int]]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *libraries, str(pcap)],
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    pids = {int(rank): pid for rank, pid in json.loads(process.stdout.readline()).items()}
    time.sleep(0.1)  # it is in the run
    return process, pids | {0: process.pid}


def gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def all_gone(pids: dict[int, int], but: int) -> float:
    """Seconds until every process but one has ended."""
    began = time.monotonic()
    while not all(gone(pid) for rank, pid in pids.items() if rank != but):
        assert time.monotonic() - began < LIMIT_S, pids
        time.sleep(0.02)
    return time.monotonic() - began


@pytest.mark.parametrize("victim", [0, 1, 2])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_is_lost(
    libraries: Libraries, tmp_path: Path, victim: int, number: signal.Signals
) -> None:
    process, pids = started(libraries, tmp_path / "a.pcapng")
    try:
        os.kill(pids[victim], number)
        all_gone(pids, victim)
        if victim:
            _, said = process.communicate(timeout=LIMIT_S)
            what = "has ended (SIGKILL)" if number == signal.SIGKILL else "no sign of life"
            assert f"Rank {victim} (" in said and f"process {pids[victim]}" in said, said
            assert what in said and "the run has ended" in said, said
            assert process.returncode == 1
            assert gone(pids[victim])
            assert (tmp_path / "a.pcapng").stat().st_size > 0
    finally:
        for pid in pids.values():
            if not gone(pid):
                os.kill(pid, signal.SIGKILL)
        process.communicate()


def test_a_rank_may_be_slow_to_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than a rank that has begun may be silent."""
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep 1.5\nexec {sys.executable} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(slow))
    monkeypatch.setattr("kumihimo.ranks.crew.SILENCE", 2)
    with closing(RankedEngine(2, {"a": 1}, seed=1)) as engine:
        assert list(engine.pids) == [1]


def test_sigterm_of_any_rank_ends_the_run_well(libraries: Libraries, tmp_path: Path) -> None:
    process, pids = started(libraries, tmp_path / "a.pcapng")
    os.kill(pids[2], signal.SIGTERM)
    said, problem = process.communicate(timeout=LIMIT_S)
    assert said.strip() == "stopped" and not problem and process.returncode == 0
    assert all(gone(pid) for pid in pids.values())


def test_a_failing_node_ends_the_run(fake_node: str) -> None:
    from kumihimo.ranks.engine import RankedEngine
    from simkit import PERIODS, US

    with_failure = RankedEngine(2, {"b": 1}, seed=1)
    try:
        a, b = (with_failure.add_node(name, fake_node, PERIODS) for name in "ab")
        with_failure.connect((a, "eth0"), (b, "eth0"))
        with_failure.start()
        with_failure.run(US)
        with_failure.set_pin(b, "mode", 2)
        with pytest.raises(Exception, match="node 'b' failed"):
            with_failure.run(1000 * US)
        assert any(m[2] == "b" and m[0] == "error" for m in with_failure.messages())
        with pytest.raises(Exception, match="the run has ended"):
            with_failure.run(US)
    finally:
        with_failure.close()
    assert all(gone(pid) for pid in with_failure.pids.values())
