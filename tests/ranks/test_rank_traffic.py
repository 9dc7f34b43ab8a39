# SPDX-License-Identifier: Apache-2.0
"""An all-reduce among nodes in different ranks, and Linux at one of them: ping and iperf."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kumihimo.cluster import Cluster
from kumihimo.common.process import find_program

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cluster"))
from test_tcp_coll import ALL_REDUCE, TEXT, Ring, around

WORDS = 300
PLACES = {1: (0, 0, 0), 3: (1, 2, 0)}
LINUX = """\
name: linux
nodes:
  near: {design: tcp_server, rank: 0}
  far: {design: tcp_server, rank: 1}
switches:
  sw0: {ports: 4, rank: 1}
cables:
  - {between: [near.eth0, sw0]}
  - {between: [far.eth0, sw0]}
  - {between: [host0, sw0]}
taps:
  host0: {}
"""


def all_reduce(folder: Path, ranks: int) -> dict[str, Any]:
    nodes = "".join(
        f"  n{i}: {{ip: 10.77.0.{10 + i}/24, rank: {rank}}}\n"
        for i, rank in enumerate(PLACES[ranks])
    )
    cables = "".join(f"  - {{between: [n{i}.eth0, sw0]}}\n" for i in range(3))
    file, pcap = folder / "coll.yaml", folder / f"{ranks}.pcapng"
    file.write_text(TEXT.format(nodes=nodes, cables=cables, impairments=""))
    data = [np.arange(i, i + WORDS, dtype=np.uint32) for i in range(3)]
    with Cluster(file, ranks=ranks, threads=1, pcap=pcap) as cluster:
        ring = Ring(cluster, 3)
        for rank, part in enumerate(data):
            ring.give(rank, part.tobytes())
        ring.all(ALL_REDUCE, length=4 * WORDS)
        assert all(ring.got(rank)[1] == around(0, data) for rank in range(3))
        ring.all_ended()
        found = {"digest": cluster.digest(), "now": cluster.now_ps}
    return found | {"pcap": pcap.read_bytes()}


@pytest.mark.long(only=True)
def test_all_reduce(tmp_path: Path) -> None:
    assert all_reduce(tmp_path, 3) == all_reduce(tmp_path, 1)


@pytest.mark.long(only=True)
def test_ping_and_iperf(tmp_path: Path) -> None:
    """To a node in Linux's rank, and to one in the other."""
    file, record = tmp_path / "c.yaml", tmp_path / "c.kumirec"
    file.write_text(LINUX)
    ping, iperf = find_program("ping"), find_program("iperf")
    assert ping and iperf, "apt-get install iputils-ping iperf"
    with Cluster(file, ranks=2, threads=1, record=record) as cluster:
        assert cluster.namespace is not None
        with cluster.serving():
            for name in ("near", "far"):
                ip = str(cluster[name].ip)
                done = cluster.namespace.run([ping, "-c", "3", "-i", "0.1", "-W", "10", ip], 60)
                assert "3 received" in done.stdout, done.stdout + done.stderr
                done = cluster.namespace.run([iperf, "-c", ip, "-n", "60000"], 120)
                assert done.returncode == 0 and "bits/sec" in done.stdout, done.stdout
        digest = cluster.digest()
    for ranks in (1, 2):
        again = Cluster(file, threads=1, ranks=ranks, offline=True)
        result = again.replay(record)
        again.close()
        assert result["equal"] and result["digest"] == digest
