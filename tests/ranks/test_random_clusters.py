# SPDX-License-Identifier: Apache-2.0
"""Clusters of nodes in RTL: byte for byte the same, however they are distributed and delayed."""

from __future__ import annotations

import pytest
from kumihimo.testing.random_clusters import KINDS, most_ranks, outcome, random_cluster

CLUSTERS = range(1, 25)


def check(text: str, shapes: list[tuple[int, int]]) -> None:
    wanted = outcome(text)
    assert wanted.frames > 0
    for number, (ranks, threads) in enumerate(shapes):
        if ranks > most_ranks(text):
            continue
        delay = f"{100 * number}:{number}" if number % 2 else ""
        found = outcome(text, ranks, threads, partition_seed=number, delay=delay)
        assert found == wanted, (text, ranks, threads, number, delay)


def test_one() -> None:
    """With a TAP, whose frames are replayed in every rank; lanes are in test_rank_digests."""
    text = random_cluster(1, ("tap",))
    assert "taps:" in text
    check(text, [(2, 1), (3, 2)])


@pytest.mark.long(only=True)
@pytest.mark.parametrize("seed", CLUSTERS)
def test_every(seed: int) -> None:
    text = random_cluster(seed)
    check(text, [(ranks, threads) for ranks in (1, 2, 3, 4, 8) for threads in (1, 2)])


def test_every_kind_is_among_them() -> None:
    marks = {"lanes": "design: link", "ib": "ib_endpoint", "disk": "disks:", "tap": "taps:"}
    assert set(marks) == set(KINDS)
    texts = [random_cluster(seed) for seed in CLUSTERS]
    assert all(3 <= sum(mark in text for text in texts) < len(texts) for mark in marks.values())
    assert all(any(bad in text for text in texts) for bad in ("ber: 1e-6", "jitter", "duplicate"))
