# SPDX-License-Identifier: Apache-2.0
"""A run's result depends on nothing but the cluster and the seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from simkit import MS, US, ring

IMPAIRED = dict(loss=0.01, ber=1e-6, duplicate=0.01, reorder=0.02, jitter_ps=200_000)


def outcome(path: str, out: Path, threads: int, steps: list[int]) -> tuple[str, bytes, dict]:
    eng = ring(path, threads, **IMPAIRED)
    eng.capture(str(out), comment="determinism")
    eng.start()
    for s in steps:
        eng.run(s)
    digest = eng.digest()
    stats = eng.stats()
    eng.close()
    return digest, out.read_bytes(), {k: stats[k] for k in ("cables", "switches")}


def test_threads_and_windows(fake_node: str, tmp_path: Path) -> None:
    out = tmp_path / "a.pcapng"
    first = outcome(fake_node, out, 1, [10 * MS])
    assert sum(c["ab"]["frames_in"] for c in first[2]["cables"].values()) > 10_000
    for threads, steps in [(2, [10 * MS]), (8, [10 * MS]), (2, [3 * MS, 7 * MS])]:
        assert outcome(fake_node, out, threads, steps) == first, (threads, steps)


def test_pieces_of_a_window(fake_node: str, tmp_path: Path) -> None:
    """Windows may be cut anywhere."""
    out = tmp_path / "a.pcapng"
    whole = outcome(fake_node, out, 1, [300 * US])
    cut = outcome(fake_node, out, 1, [33_333] * 9000 + [300 * US - 9000 * 33_333])
    assert cut == whole


def test_seed_matters(fake_node: str) -> None:
    digests = set()
    for loss in (0.1, 0.2):
        eng = ring(fake_node, 2, nodes=2, loss=loss)
        eng.start()
        eng.run(MS)
        digests.add(eng.digest())
    assert len(digests) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_time_contract(fake_node: str, threads: int) -> None:
    """A node with two clocks makes exactly the edges of the time that passed."""
    eng = ring(fake_node, threads, nodes=2)
    eng.start()
    eng.run(64 * US)
    stats = eng.stats()["nodes"]["n0"]
    assert stats["cycles"] == 10_000
    assert eng.pin(1, "leds") == 6400
