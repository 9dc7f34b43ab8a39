# SPDX-License-Identifier: Apache-2.0
"""What a retroactive trace costs while the cluster runs: it is recorded, and a trigger is watched.

Two clusters of two nodes that play ping-pong without pause are served in turn, a short slice of
simulated time each, one of them recorded and watched; one thread that never waits. A pair of slices
meets the same machine, however busy, so that the median of their ratios of processor time is the
cost. The waveform is made afterwards, by a replay.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from ...cluster import Cluster
from ...clusterfile import plan_text
from ...clusterfile.units import time_ps

CLUSTER = """\
name: retrace
nodes:
  ping:
    design: pingpong
    regs: {pingpong.peer_ip: pong, pingpong.rounds: 0, pingpong.length: 1400}
  pong: {design: pingpong}
cables:
  - {between: [ping, pong]}
"""
TRIGGER = "ip.drop_*>0"
SLICE = "100 us"


def _playing(exits: ExitStack, record: Path | None) -> Cluster:
    """A cluster in the midst of its ping-pong; recorded, if there is a file."""
    cluster = Cluster(plan_text(CLUSTER, "retrace.yaml"), threads=1, record=record)
    exits.enter_context(cluster)
    cluster["ping"].regs.pingpong.ctrl.set(start=1)
    cluster.run("50 us")
    return cluster


def _slice_s(cluster: Cluster, span: int, watched: bool) -> float:
    """Processor time of serving a span of simulated time, in ps."""
    end = cluster.now_ps + span
    until = cluster.watch(TRIGGER) if watched else end
    began = time.process_time()
    cluster.serve(lambda: cluster.now_ps >= end, until=until)
    spent = time.process_time() - began
    return spent / (cluster.now_ps - end + span) * span


def retrace_cost(quick: bool = False) -> float:
    """Processor time with a retroactive trace over that without; 1.0 is no cost."""
    span = time_ps(SLICE)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as exits:
        traced = _playing(exits, Path(folder) / "run.kumirec")
        plain = _playing(exits, None)
        ratios = [
            _slice_s(traced, span, True) / _slice_s(plain, span, False)
            for _ in range(11 if quick else 81)
        ]
    return statistics.median(ratios)
