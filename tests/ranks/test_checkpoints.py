# SPDX-License-Identifier: Apache-2.0
"""A resumed run is the unbroken one, byte for byte, over ranks too; torn ones do not count."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kumihimo.cluster import Cluster
from kumihimo.cluster.checkpoint import Checkpoints, newest
from kumihimo.clusterfile import plan_text
from kumihimo.common.errors import KumiError
from kumihimo.testing.random_clusters import random_cluster, records

FILE = (
    random_cluster(1, ())
    + """\
  - {at: 25 us, do: write, reg: a0.pingpong.length, value: 100}
  - {at: 45 us, do: write, reg: a0.pingpong.length, value: 70}
  - {when: a0.pingpong.sent > 3, do: impair, cable: a0.eth0, loss: 10 %}
"""
)
EVERY, STOP, END = 20_000_000, 50_000_000, 90_000_000


def cluster(folder: Path, name: str, ranks: int = 1, text: str = FILE, **more: Any) -> Cluster:
    kept = Checkpoints(folder / name, EVERY)
    pcap = folder / f"{name}.pcapng"
    plan = plan_text(text, str(folder / "c.yaml"))
    return Cluster(plan, threads=1, ranks=ranks, pcap=pcap, checkpoints=kept, offline=True, **more)


def ended(running: Cluster, folder: Path, name: str) -> dict[str, object]:
    with running:
        running.run(END - running.now_ps)
        found: dict[str, object] = {"digest": running.digest(), "cables": running.stats()["cables"]}
    recording = sorted((folder / name).glob("run-*.kumirec"))[-1]
    return found | {
        "pcap": (folder / f"{name}.pcapng").read_bytes(),
        "record": records(recording),
    }


@pytest.mark.parametrize("ranks", [1, 2])
def test_resumed(tmp_path: Path, ranks: int) -> None:
    wanted = ended(cluster(tmp_path, "whole").start(), tmp_path, "whole")
    with cluster(tmp_path, "part", ranks) as broken:
        broken.run(STOP)
    assert newest(tmp_path / "part").checkpoint.time_ps == 2 * EVERY
    again = cluster(tmp_path, "part", ranks).resume(tmp_path / "part")
    assert again.now_ps == 2 * EVERY
    assert ended(again, tmp_path, "part") == wanted


def test_what_is_torn_is_not_used(tmp_path: Path) -> None:
    with cluster(tmp_path, "part") as broken:
        broken.run(STOP)
    folder = tmp_path / "part"
    first, second = sorted(folder.glob("*.json"))
    whole = second.read_text()
    for text in ("", whole[:-9], whole.replace("40000000", "40000001", 1)):
        second.write_text(text)
        assert newest(folder).checkpoint.time_ps == EVERY, text
    second.write_text(whole)
    assert newest(folder).checkpoint.time_ps == 2 * EVERY
    recording = folder / "run-1.kumirec"
    data = bytearray(recording.read_bytes())
    size = int(json.loads(json.loads(whole)["checkpoint"])["bytes"])
    data[size - 7] ^= 1  # the check of the second
    recording.write_bytes(data)
    assert newest(folder).checkpoint.time_ps == EVERY
    recording.write_bytes(data[: size - 1])
    assert newest(folder).checkpoint.time_ps == EVERY
    recording.write_bytes(b"")
    with pytest.raises(KumiError, match="only 2 that are torn"):
        newest(folder)
    first.unlink()
    second.unlink()
    with pytest.raises(KumiError, match=r"no checkpoint in .*none"):
        cluster(tmp_path, "again").resume(folder)


def test_another_run_is_noticed(tmp_path: Path) -> None:
    with cluster(tmp_path, "part") as broken:
        broken.run(STOP)
    other = cluster(tmp_path, "other", text=FILE.replace("seed: 1", "seed: 2"))
    with pytest.raises(KumiError, match="not the one of the recording"):
        other.resume(tmp_path / "part")
    (tmp_path / "d.img").write_bytes(bytes(1 << 20))
    store = "nodes:\n  s: {design: sata, clocks: {sata_clk: 150 MHz}}\ndisks:\n  d0: {port: s.p0, "
    with pytest.raises(KumiError, match="d0 writes to"):
        cluster(tmp_path, "disk", text=store + "file: d.img}\n")


def until_one_is_written(folder: Path, process: subprocess.Popen[Any]) -> None:
    end = time.monotonic() + 60
    while not list(folder.glob("*.json")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)


def test_killed_and_resumed(tmp_path: Path) -> None:
    """`kumi up`, from the shell; the folder knows the cluster file."""
    file, folder = tmp_path / "c.yaml", tmp_path / "kept"
    file.write_text(FILE)
    argv = [sys.executable, "-m", "kumihimo.cli", "up"]
    kept = ["--ranks", "2", "--checkpoint", "20us", "--checkpoints", str(folder)]
    process = subprocess.Popen([*argv, str(file), *kept], stderr=subprocess.DEVNULL)
    until_one_is_written(folder, process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    found = newest(folder).checkpoint
    until = ["--until", f"{found.time_ps // 1_000_000 + 30} us", "--checkpoint", "20us"]
    done = subprocess.run(
        [*argv, "--resume", str(folder), *until], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "resumed at" in done.stderr, done.stderr
    assert newest(folder).checkpoint.time_ps > found.time_ps
    refused = subprocess.run(
        [*argv, str(file), "--checkpoint", "1 ms", "--record", "x"], capture_output=True, text=True
    )
    assert refused.returncode == 2 and "no --record" in refused.stderr


def test_a_rank_of_many_machines_is_killed(tmp_path: Path) -> None:
    """`kumi rank`: the same command in each process; rank 0 keeps the checkpoints."""
    file, folder = tmp_path / "c.yaml", tmp_path / "kept"
    file.write_text(FILE)

    def ranks(*words: str) -> list[subprocess.Popen[str]]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            at = f"127.0.0.1:{server.getsockname()[1]}"
        argv = [sys.executable, "-m", "kumihimo.cli", "rank", str(file), "--at", at, "--ranks", "2"]
        argv += ["--checkpoint", "20us", "--checkpoints", str(folder), *words]
        environment = os.environ | {"KUMI_RANK_KEY": "secret"}
        return [
            subprocess.Popen(
                [*argv, "--rank", n], text=True, stderr=subprocess.PIPE, env=environment
            )
            for n in "01"
        ]

    started = ranks()
    try:
        until_one_is_written(folder, started[0])
        started[1].kill()
        _, said = started[0].communicate(timeout=20)
        assert started[0].returncode != 0 and "Rank 1 (" in said, said
        found = newest(folder).checkpoint
        started += ranks(
            "--resume", str(folder), "--until", f"{found.time_ps // 1_000_000 + 30} us"
        )
        _, said = started[2].communicate(timeout=60)
        assert started[2].returncode == 0 and "resumed at" in said, said
        assert started[3].wait(5) == 0
        assert newest(folder).checkpoint.time_ps > found.time_ps
    finally:
        for process in started:
            process.kill()
            process.communicate()
