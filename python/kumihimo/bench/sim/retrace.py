# SPDX-License-Identifier: Apache-2.0
"""What a retroactive trace costs while the cluster runs: it is recorded, and a trigger is watched.

Two nodes that play ping-pong without pause are served for a span of simulated time, with and
without, by one thread that never waits. The ratio of the processor times is the cost: it does not
depend on what else the machine does. The waveform is made afterwards, by a replay.
"""

from __future__ import annotations

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
ROUNDS = 3


def _busy_s(span: str, record: Path | None) -> float:
    """Processor time of a span of simulated time."""
    with ExitStack() as exits:
        cluster = Cluster(plan_text(CLUSTER, "retrace.yaml"), threads=1, record=record)
        exits.enter_context(cluster)
        cluster["ping"].regs.pingpong.ctrl.set(start=1)
        cluster.run("50 us")
        end = cluster.now_ps + time_ps(span)
        until = cluster.watch(TRIGGER) if record else end
        began = time.process_time()
        cluster.serve(lambda: cluster.now_ps >= end, until=until)
        spent = time.process_time() - began
        return spent / (cluster.now_ps - end + time_ps(span)) * time_ps(span)


def retrace_cost(quick: bool = False) -> float:
    """Processor time with a retroactive trace over that without; 1.0 is no cost."""
    span = "500 us" if quick else "4 ms"
    _busy_s("100 us", None)  # builds what is missing
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.kumirec"
        pairs = [(_busy_s(span, record), _busy_s(span, None)) for _ in range(ROUNDS)]
    return min(p[0] for p in pairs) / min(p[1] for p in pairs)
