# SPDX-License-Identifier: Apache-2.0
"""Time-outs that follow wall time: settings divided by the simulator's slowness while it serves."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from kumihimo.bench.sim.retrace import retrace_cost
from kumihimo.cluster import Cluster

CLUSTER = """\
wall_timers: true
nodes:
  alice: {design: udp_echo, ip: 10.77.0.10/24}
cables:
  - {between: [alice, wire]}
peers:
  wire: {socket: wire.sock}
"""
TICK = 156_250  # cycles of a millisecond


def test_a_tick_lasts_a_millisecond_of_wall_time() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "c.yaml").write_text(CLUSTER)
        record = folder / "w.kumirec"
        with Cluster(folder / "c.yaml", record=record) as cluster:
            alice = cluster["alice"]
            assert alice.regs.ip.tick.read() == TICK
            began, start = time.monotonic(), cluster.now_ps
            cluster.serve(lambda: time.monotonic() > began + 2)
            simulated = (cluster.now_ps - start) / 1e12
            ratio = (time.monotonic() - began) / simulated
            # Idle, half of the wall time is simulated; a fixed share would be a twentieth.
            busy = cluster.stats()["engine"]
            assert busy["idle_s"] < 1.9 and ratio > 10
            tick = alice.regs.ip.tick.read()
            assert tick >= 2 and (tick == 2 or 1 / 4 < tick * ratio / TICK < 4)
            digest = cluster.digest()
        again = Cluster(folder / "c.yaml", offline=True)
        assert again.replay(record)["digest"] == digest
        again.close()


def test_the_cost_of_a_retroactive_trace() -> None:
    """The goal is 10 %; a short run varies by some per cent."""
    assert retrace_cost(quick=True) < 1.2
