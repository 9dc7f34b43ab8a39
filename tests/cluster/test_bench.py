# SPDX-License-Identifier: Apache-2.0
"""Benches print one JSON object whose summary has the promised names; simulated goals are met."""

from __future__ import annotations

import json
import subprocess
import sys

from kumihimo import bench


def test_udp_bench_as_json() -> None:
    """The simulated figures of `kumi bench udp` do not depend on the machine: all goals hold."""
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "bench", "udp", "--quick", "--json"],
        capture_output=True,
        text=True,
        timeout=900,
    )
    document = json.loads(done.stdout)
    assert document["bench"] == "udp"
    wanted = {"lost_beats", "rx_cycles_512", "tx_cycles_512", "bytes_per_cycle_512_8972"}
    assert wanted <= set(document["summary"])
    assert document["missed"] == {} and done.returncode == 0, document["missed"]
    assert all(len(digest) == 40 for digest in document["rtl"].values())
    # Each row that has a peer is better than it.
    for row in document["rows"]:
        for name, theirs in row.get("peer", {}).items():
            if theirs is None:
                continue
            better = row[name] > theirs if "bytes" in name else row[name] < theirs
            assert better, row


def test_missed_goals_are_named() -> None:
    """A figure below its goal, or missing, is listed and stays in the summary."""
    result = bench.BenchResult("x", summary={"a": 1.0, "b": None, "c": 3})
    result.goals = {"a": (">=", 2), "b": ("<=", 1), "c": ("==", 3)}
    assert set(result.missed()) == {"a", "b"}
    assert result.as_dict()["summary"]["a"] == 1.0


def test_unknown_bench() -> None:
    """A wrong name ends with a sentence that lists the right ones."""
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.cli", "bench", "upd"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "udp" in done.stderr
