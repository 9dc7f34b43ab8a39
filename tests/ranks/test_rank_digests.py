# SPDX-License-Identifier: Apache-2.0
"""Digest, captures, counters and answers do not depend on ranks, threads, or late messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo import _engine
from kumihimo.ranks.engine import RankedEngine
from rankkit import Late, Libraries, Result, Scene


def ranked(
    scene: Scene,
    libraries: Libraries,
    folder: Path,
    ranks: int,
    threads: int,
    late: Late | None = None,
    record: Path | None = None,
) -> Result:
    owners = scene.owners(ranks, ranks * 10 + threads)
    eng = RankedEngine(ranks, owners, threads=threads, seed=scene.seed, by=late)
    try:
        return scene.play(eng, libraries, folder / "ranked.pcapng", record)
    finally:
        eng.close()


def alone(scene: Scene, libraries: Libraries, folder: Path, threads: int = 1) -> Result:
    return scene.play(_engine.Engine(threads, scene.seed), libraries, folder / "alone.pcapng")


def same(found: Result, wanted: Result, what: object) -> None:
    for key, value in wanted.items():
        assert found[key] == value, (what, key)


@pytest.mark.long
def test_random_clusters(
    libraries: Libraries, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """24 clusters in the long form, each with 1 to 4 ranks of 1 and 2 threads; else 3 clusters.

    In the sixth a reset falls into a register access, and ends its window.
    """
    long = bool(request.config.getoption("--long"))
    frames = blocks = 0
    for seed in range(1, 25) if long else (1, 2, 6):
        scene = Scene(seed)
        wanted = alone(scene, libraries, tmp_path)
        frames += sum(c["ab"]["frames_out"] for c in wanted["stats"]["cables"].values())
        blocks += sum(c["ab"]["blocks"] for c in wanted["stats"]["lanes"].values())
        every = [(ranks, threads) for ranks in (1, 2, 3, 4) for threads in (1, 2)]
        for ranks, threads in every if long else [(2 + seed % 3, 1 + seed % 2)]:
            same(ranked(scene, libraries, tmp_path, ranks, threads), wanted, (seed, ranks, threads))
    assert frames > 300 and blocks > 10_000


def test_late_messages(libraries: Libraries, tmp_path: Path) -> None:
    """Messages between ranks come up to 2 ms late and in pieces."""
    scene = Scene(5)
    wanted = alone(scene, libraries, tmp_path)
    same(ranked(scene, libraries, tmp_path, 3, 1, Late(1, 0.002)), wanted, "late")


def test_a_recording_replays_in_one_process(libraries: Libraries, tmp_path: Path) -> None:
    scene, record = Scene(6), tmp_path / "run.kumirec"
    found = ranked(scene, libraries, tmp_path, 3, 1, record=record)
    eng = _engine.Engine(1, scene.seed)
    scene.build(eng, libraries)
    eng.capture(str(tmp_path / "again.pcapng"), comment="ranks")
    result = eng.replay(str(record))
    eng.close()
    assert result["equal"] and result["complete"], result
    assert result["digest"] == found["digest"]
    assert (tmp_path / "again.pcapng").read_bytes() == found["pcap"]
