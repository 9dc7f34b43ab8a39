# SPDX-License-Identifier: Apache-2.0
"""A run's result depends on nothing but the cluster and the seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo import _engine
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


def changing(path: str, out: Path, threads: int, pieces: int, record: Path | None = None) -> tuple:
    """Cables change and nodes start over, some in the middle of their frames."""
    eng = ring(path, threads)
    eng.capture(str(out), comment="changes")
    if record is not None:
        eng.record(str(record))
    eng.start()
    for i in range(8):
        eng.plug_cable(i, False, at_ps=(20 + 7 * i) * US)
        eng.plug_cable(i, True, at_ps=(24 + 9 * i) * US)
        eng.impair(i, ab=_engine.Impairments(**IMPAIRED), at_ps=(80 + i) * US + 77)
        eng.reset_node(1 + i, at_ps=(150 + 5 * i) * US + 123 * i)
    eng.reset_node(4, at_ps=260 * US + 1)
    for _ in range(pieces):
        eng.run(300 * US // pieces)
    eng.run(300 * US - 300 * US // pieces * pieces)
    assert eng.axil_read(4, 0x10) == 0  # what the node was told to send is forgotten
    eng.flush()
    stats = eng.stats()
    found = eng.digest(), {k: stats[k] for k in ("cables", "nodes", "switches")}
    eng.close()
    return found[0], {k: _counts(v) for k, v in found[1].items()}, out.read_bytes()


def _counts(group: dict) -> dict:
    """Without speeds, which are of the wall clock."""
    return {k: _counts(v) if isinstance(v, dict) else v for k, v in group.items() if k != "khz"}


def test_changes_and_resets(fake_node: str, tmp_path: Path) -> None:
    out, record = tmp_path / "a.pcapng", tmp_path / "a.kumirec"
    first = changing(fake_node, out, 1, 1, record)
    cables, nodes = first[1]["cables"].values(), first[1]["nodes"]
    assert sum(c["ab"]["unplugged"] for c in cables) > 20 and nodes["n3"]["resets"] == 2
    for cable in cables:
        for link in (cable["ab"], cable["ba"]):
            dropped = ("lost", "unplugged", "fcs_dropped", "backlog_dropped")
            left = link["frames_in"] + link["duplicated"] - sum(link[k] for k in dropped)
            # Some are held back; the loss of one is decided with its first byte.
            assert -1 <= left - link["frames_out"] <= 3, link
    for threads, pieces in ((3, 1), (1, 17), (2, 30)):
        assert changing(fake_node, out, threads, pieces) == first, (threads, pieces)
    again = ring(fake_node, 2)
    again.capture(str(out), comment="changes")
    result = again.replay(str(record))
    again.close()
    assert result["equal"] and out.read_bytes() == first[2]


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
