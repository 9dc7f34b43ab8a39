# SPDX-License-Identifier: Apache-2.0
"""`kumi sweep` on real clusters: crashes, an interruption, a scheduler, the same numbers again."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from kumihimo.common.errors import KumiError
from kumihimo.sweep.runner import Dask, Definition, Local, Outcome, Sweep, run_folder
from kumihimo.testing.sizes import by_size

WALL = re.compile("wall|idle|khz")
KUMI = [sys.executable, "-m", "kumihimo.cli"]
LOSSY = """\
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24, regs: {echo.port: 7}}
taps: {host0: {}}
cables: [{between: [alice, host0]}]
"""
ALONE = """\
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24}
  bob: {design: udp_echo, ip: 10.77.0.11/24}
cables: [{between: [alice, bob]}]
"""
# Sends ten datagrams and says how many come back; with `crash` above 0 it ends with that status.
CLIENT = """\
import json, socket, sys, time
crash, seed = int(sys.argv[1]), int(sys.argv[2])
box = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
box.settimeout(0.2)
got = 0
for number in range(10):
    box.sendto(bytes([number]) * 30, ("10.77.0.10", 7))
    try:
        got += len(box.recv(100)) == 30
    except TimeoutError:
        pass
if crash and seed == 2:
    sys.exit(crash)
print(json.dumps({"answered": got}))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lossy.yaml").write_text(LOSSY)
    (tmp_path / "alone.yaml").write_text(ALONE)
    (tmp_path / "client.py").write_text(CLIENT)
    return tmp_path


def _sweep(folder: Path, *words: str, repeat: int = 2) -> subprocess.CompletedProcess[str]:
    line = [*KUMI, "sweep", "lossy.yaml", "--repeat", str(repeat), "--json", *words]
    client = [sys.executable, "client.py", "{arg.crash}", "{seed}"]
    return subprocess.run(
        [*line, "--", *client], cwd=folder, capture_output=True, text=True, timeout=570, check=False
    )


@pytest.mark.long
def test_crashes_are_named_and_run_again(folder: Path) -> None:
    """Two of the runs end badly: the table is whole, names them, and they alone run again."""
    repeat = by_size(2, 10)
    words = ["--set", "cable.loss=0,40 %", "--set", "arg.crash=0,3"]
    done = _sweep(folder, *words, repeat=repeat)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["runs"] == 4 * repeat
    bad = [row for row in found["rows"] if not row["ok"]]
    assert len(bad) == 2
    for row, name in zip(bad, found["failed"], strict=True):
        assert (row["arg.crash"], row["seed"]) == (3, 2)
        assert "ended with 3" in row["problem"]
        left = folder / "sweep-lossy" / "runs" / name
        assert (left / "recording.kumirec").is_file()
        assert f"run {name}" in done.stderr or name in str(left)
    good = [row for row in found["rows"] if row["ok"]]
    assert all(row["output.answered"] == 10 for row in good if row["cable.loss"] == 0)
    assert any(row["output.answered"] < 10 for row in good if row["cable.loss"] != 0)
    kept = list((folder / "sweep-lossy" / "runs").glob("*/recording.kumirec"))
    assert len(kept) == 2
    table = pd.read_parquet(folder / "sweep-lossy" / "results.parquet")
    assert len(table) == 4 * repeat and table["ok"].sum() == 4 * repeat - 2
    # Once more: nothing is run, unless --retry, which runs the two.
    before = _stamps(folder)
    assert json.loads(_sweep(folder, *words, repeat=repeat).stdout)["runs"] == 4 * repeat
    assert _stamps(folder) == before
    (folder / "client.py").write_text(CLIENT.replace("sys.exit(crash)", "pass"))
    done = _sweep(folder, *words, "--retry", repeat=repeat)
    assert done.returncode == 0, done.stderr
    after = _stamps(folder)
    assert {name for name in after if after[name] != before[name]} == set(found["failed"])


def _stamps(folder: Path) -> dict[str, float]:
    files = (folder / "sweep-lossy" / "runs").glob("*/result.json")
    return {file.parent.name: file.stat().st_mtime for file in files}


def _alone(folder: Path, out: str, **more: Any) -> Sweep:
    file = folder / "alone.yaml"
    order = Definition(str(file), ("cable.loss=0,50 %",), until="20 us", **more)
    return Sweep(order, folder / out)


def test_an_interrupted_sweep_goes_on(folder: Path) -> None:
    """SIGTERM ends it and its runs within seconds; the same command finishes the rest."""
    line = [*KUMI, "sweep", "lossy.yaml", "--set", "cable.loss=0,1 %", "--repeat", "2"]
    line += ["--jobs", "1", "--json", "--", sys.executable, "-c"]
    slow = "import time, pathlib; pathlib.Path('began').touch(); time.sleep(600)"
    began = folder / "began"
    first = subprocess.Popen([*line, slow], cwd=folder, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not began.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert began.exists()
    first.send_signal(signal.SIGTERM)
    first.wait(20)
    runs = folder / "sweep-lossy" / "runs"
    assert not list(runs.glob("*/result.json"))
    assert not _alive(str(folder))
    definition = json.loads((folder / "sweep-lossy" / "sweep.json").read_text())
    sweep = Sweep(
        Definition(**{k: tuple(v) if isinstance(v, list) else v for k, v in definition.items()}),
        folder / "other",
    )
    assert len(sweep.waiting(retry=False)) == 4


def _alive(folder: str) -> list[str]:
    """Workers of sweeps below a folder that still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "kumihimo.sweep.worker" in text and folder in text:
            found.append(text)
    return found


def test_a_time_limit_and_a_killed_run_are_results(folder: Path) -> None:
    sweep = Sweep(
        Definition(str(folder / "lossy.yaml"), ("arg.n=1",), command=("sleep", "600")), folder / "s"
    )
    sweep.build()
    (outcome,) = sweep.run(sweep.points, Local(1), limit_s=4)
    assert not outcome.ok and "more than 4 s" in outcome.problem
    order = json.loads((outcome.folder / "run.json").read_text())
    # The worker itself is killed, from inside the cluster's network.
    order["command"] = ["sh", "-c", "kill -KILL $(pgrep -f 'kumihimo.sweep.worker .*/s/runs/')"]
    (outcome.folder / "run.json").write_text(json.dumps(order))
    (outcome.folder / "result.json").unlink()
    run_folder(str(outcome.folder), 60)
    found = sweep.outcome(sweep.points[0])
    assert found is not None and not found.ok and "status -9" in found.problem


def test_the_same_numbers_from_a_dask_scheduler(folder: Path) -> None:
    """A simulated result does not depend on where it was computed."""
    from distributed import LocalCluster

    here, there = _alone(folder, "here"), _alone(folder, "there")
    here.build()
    local = {o.point: _simulated(o) for o in here.run(here.points, Local(2))}
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with LocalCluster(host="127.0.0.1", **options) as cluster:
        remote = list(there.run(there.points, Dask(cluster.scheduler_address)))
    assert all(outcome.ok for outcome in remote), [o.problem for o in remote]
    assert {o.point: _simulated(o) for o in remote} == local
    assert all("nodes.bob.ports.eth0.rx_frames" in values for values in local.values())


def _simulated(outcome: Outcome) -> dict[str, float]:
    """What does not depend on the machine."""
    return {name: n for name, n in outcome.values.items() if not WALL.search(name)}


def test_another_sweep_does_not_take_the_folder(folder: Path) -> None:
    _alone(folder, "s")
    with pytest.raises(KumiError, match="holds another sweep"):
        _alone(folder, "s", repeat=2)


def test_a_scheduler_that_dies_ends_the_sweep(folder: Path) -> None:
    """Within a minute, with a sentence; what has not ended is without a result."""
    file = folder / "address.json"
    options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", *options]
    scheduler = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not (file.is_file() and file.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        sweep = _alone(folder, "s")
        began = time.monotonic()
        kill = threading.Timer(3, scheduler.kill)
        kill.start()
        with pytest.raises(KumiError, match="has gone"):
            list(sweep.run(sweep.points, Dask(address)))  # no worker ever takes the runs
        assert time.monotonic() - began < 60
        assert len(sweep.waiting(retry=False)) == len(sweep.points)
    finally:
        scheduler.kill()
        scheduler.wait()
