# SPDX-License-Identifier: Apache-2.0
"""Eight RTL nodes, impaired cables, 10 ms: the same outputs for every number of threads."""

from __future__ import annotations

from pathlib import Path

from kumihimo import Cluster
from kumihimo.common.paths import project_root

FILE = project_root() / "examples" / "traffic8.yaml"


def _run(threads: int, pcap: Path) -> tuple[str, dict[str, int]]:
    with Cluster(FILE, threads=threads, pcap=pcap) as cluster:
        cluster.run("10 ms")
        digest = cluster.digest()
        totals = dict.fromkeys(("received", "lost", "duplicated", "reordered", "corrupt"), 0)
        for node in cluster.values():
            for name in totals:
                totals[name] += node.regs.traffic_check[name].read()
    return digest, totals


def test_same_outputs_for_1_2_and_8_threads(tmp_path: Path) -> None:
    """Digest, checker results and capture do not depend on threads, nor on the run."""
    runs = {}
    captures = set()
    for threads in (1, 2, 8):
        pcap = tmp_path / f"{threads}.pcapng"
        runs[threads] = _run(threads, pcap)
        captures.add(pcap.read_bytes())
        pcap.unlink()
    assert runs[1] == runs[2] == runs[8]
    assert len(captures) == 1
    _, totals = runs[1]
    # Something happened, the cables did what they should, and no bad byte got through.
    assert totals["received"] > 1000
    assert totals["lost"] > 10 and totals["duplicated"] > 0 and totals["reordered"] > 0
    assert totals["corrupt"] == 0
