# SPDX-License-Identifier: Apache-2.0
"""Ranks that are started one by one find each other over TCP, as under mpirun or srun."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from kumihimo import _engine
from kumihimo.common.errors import KumiError
from kumihimo.ranks.engine import RankedEngine
from kumihimo.ranks.meeting import Place, attend, gather, place
from rankkit import Libraries, Scene

RANKS = 3


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def others(port: int, key: str) -> list[subprocess.Popen[str]]:
    """Ranks 1 and 2: one with options, one as a launcher would start it."""
    environment = os.environ | {"KUMI_RANK_KEY": key}
    argv = [sys.executable, "-m", "kumihimo.cli", "rank", "c.yaml", "--at", f"127.0.0.1:{port}"]
    launched = environment | {"PMI_RANK": "2", "PMI_SIZE": str(RANKS)}
    return [
        subprocess.Popen(words, env=env, text=True, stderr=subprocess.PIPE)
        for words, env in (
            ([*argv, "--rank", "1", "--ranks", str(RANKS)], environment),
            (argv, launched),
        )
    ]


def until_connected(sock: socket.socket, port: int) -> None:
    for _ in range(500):
        if sock.connect_ex(("127.0.0.1", port)) == 0:
            return
        time.sleep(0.01)


def test_a_silent_program_at_the_place_of_rank_0() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr("kumihimo.ranks.meeting.WAIT_S", 1.0)
        patch.setattr("kumihimo.ranks.meeting.GREETING_S", 1.0)
        with pytest.raises(KumiError, match=r"There is no rank .* does not answer"):
            attend(Place(1, RANKS, *server.getsockname(), b"secret"))


def test_ranks_over_tcp(libraries: Libraries, tmp_path: Path) -> None:
    scene, port = Scene(9), free_port()
    wanted = scene.play(_engine.Engine(1, 9), libraries, tmp_path / "a.pcapng")
    processes = others(port, "secret")
    with socket.socket() as stranger:
        met = None
        try:
            # It comes first, as soon as rank 0 listens, and says nothing.
            first = threading.Thread(target=until_connected, args=(stranger, port))
            first.start()
            met = gather(Place(0, RANKS, "127.0.0.1", port, b"secret"))
            first.join(5)
            eng = RankedEngine(RANKS, scene.owners(RANKS, 1), seed=9, by=met)
            found = scene.play(eng, libraries, tmp_path / "b.pcapng")
            assert {key for key in wanted if wanted[key] != found[key]} == set()
            assert [process.wait(5) for process in processes] == [0, 0]
        finally:
            for process in processes:
                process.kill()
                process.communicate()


def test_a_rank_elsewhere_is_lost(libraries: Libraries, tmp_path: Path) -> None:
    scene, port = Scene(9), free_port()
    processes = others(port, "secret")
    try:
        met = gather(Place(0, RANKS, "127.0.0.1", port, b"secret"))
        eng = RankedEngine(RANKS, scene.owners(RANKS, 1), seed=9, by=met)
        scene.build(eng, libraries)
        eng.start()
        processes[1].send_signal(signal.SIGKILL)
        began = time.monotonic()
        with pytest.raises(KumiError, match=r"Rank 2 \(.*on 127.0.0.1.*the run has ended"):
            eng.run(2**60)
        eng.close()
        processes[0].wait(5)
        assert time.monotonic() - began < 5
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_another_key_is_refused() -> None:
    port = free_port()
    processes = others(port, "wrong")
    try:
        # Rank 0 is there until both have come to it, however long they take to start.
        end = time.monotonic() + 60
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("kumihimo.ranks.meeting.WAIT_S", 1.0)
            while any(process.poll() is None for process in processes):
                assert time.monotonic() < end
                with pytest.raises(KumiError, match="Not all ranks came"):
                    gather(Place(0, RANKS, "127.0.0.1", port, b"secret"))
        for process in processes:
            _, said = process.communicate(timeout=5)
            assert "has another KUMI_RANK_KEY" in said and process.returncode == 2
    finally:
        for process in processes:
            process.kill()


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, (3, 4)),
        ({"PMI_RANK": "0", "PMI_SIZE": "2"}, (0, 2)),
        ({"SLURM_PROCID": "1", "SLURM_NTASKS": "8"}, (1, 8)),
    ],
)
def test_launchers(environment: dict[str, str], wanted: tuple[int, int]) -> None:
    found = place(None, None, "node17:7000", environment)
    assert (found.rank, found.ranks) == wanted
    assert (found.host, found.port) == ("node17", 7000)


@pytest.mark.parametrize(
    ("rank", "ranks", "at", "sentence"),
    [
        (None, None, "a:1", "Which rank"),
        (2, 2, "a:1", "no rank 2"),
        (0, 2, "7000", "HOST:PORT"),
        (0, 2, "a:99999", "HOST:PORT"),
    ],
)
def test_refused_places(rank: int | None, ranks: int | None, at: str, sentence: str) -> None:
    with pytest.raises(KumiError, match=sentence):
        place(rank, ranks, at, {})
