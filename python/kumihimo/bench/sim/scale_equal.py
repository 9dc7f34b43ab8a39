# SPDX-License-Identifier: Apache-2.0
"""Random clusters for `kumi bench scale`: the same bytes, however they are distributed.

Equal must be digest, capture, recording, counters, and the answers of registers and disks
(`kumihimo.testing.random_clusters`). Nodes are distributed at random, and in every second run the
messages between ranks are late at random.
"""

from __future__ import annotations

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.testing.random_clusters import most_ranks, outcome, random_cluster

SHAPES = tuple((ranks, threads) for ranks in (1, 2, 3, 4, 8) for threads in (1, 2))
SPAN = "30 us"
LATE_US = 300


def measure(result: BenchResult, progress: Progress, quick: bool) -> None:
    """`digests_equal` and `clusters`; a row per cluster."""
    seeds = range(1, 2) if quick else range(1, 25)
    shapes = ((3, 2),) if quick else SHAPES
    equal = 0
    for seed in seeds:
        text = random_cluster(seed)
        wanted = outcome(text, span=SPAN)
        if wanted.frames == 0:
            raise BenchError(f"random cluster {seed} moved no frame")
        unlike: list[str] = []
        done = 0
        for number, (ranks, threads) in enumerate(shapes):
            progress.step(f"cluster {seed}: {ranks} ranks x {threads}", seed - 1, len(seeds))
            if ranks > most_ranks(text):
                continue
            delay = f"{LATE_US}:{number}" if number % 2 else ""
            found = outcome(text, ranks, threads, SPAN, partition_seed=number, delay=delay)
            done += 1
            if found != wanted:
                unlike.append(f"{ranks} x {threads}")
        equal += not unlike
        row = {"figure": "digest", "seed": seed, "digest": wanted.digest, "runs": done}
        row |= {"frames": wanted.frames, "blocks": wanted.blocks, "unlike": ", ".join(unlike)}
        result.rows.append(row)
    result.summary["digests_equal"] = int(equal == len(seeds))
    result.summary["clusters"] = len(seeds)
