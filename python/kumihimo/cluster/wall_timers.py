# SPDX-License-Identifier: Apache-2.0
"""Timers of nodes that follow wall time: their settings are divided by the simulator's slowness.

A node simulates R seconds of wall time per second of its own, R in the hundreds. Its peers in Linux
have timers of wall time, so a time-out of the node is set to its nominal value divided by R. R is
measured while the cluster serves, and the settings are written again when it has changed by a
third. A timer that runs keeps the value that it was started with.

Scaled are times that concern a peer in Linux: retransmission limits, TIME-WAIT, FIN-WAIT-2, linger
and keep-alive of the TCP engine, and the tick of ARP. Times measured by the node (RTT) and the
delayed ACK stay in simulated time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..clusterfile import NodePlan
from ..regs import Reg
from .setup_regs import register_map, writes

if TYPE_CHECKING:
    from ..build import BuildResult
    from .node import Node
    from .running import RunningCluster

SCALED = {
    "tcp": (
        *("rto_init", "rto_min", "rto_max", "time_wait", "fin_wait", "linger"),
        *("tlp_delay", "tlp_guard", "keep_idle_ms", "keep_interval_ms"),
    ),
    "ip": ("tick",),
}
LEAST = {"tick": 2}
IDLE_SHARE = 0.5
"""Of the wall time while nothing moves, so that timers advance at about the pace of a busy node."""
EVERY_S = 0.25
CHANGE = 4 / 3


class _Timer(NamedTuple):
    node: int
    port: str
    reg: Reg
    nominal: int

    def scaled(self, ratio: float) -> int:
        """Its setting; 0 stays 0 (switched off)."""
        least = LEAST.get(self.reg.info.name, 1)
        return max(least, round(self.nominal / max(1.0, ratio))) if self.nominal else 0


def _reset(reg: Reg) -> int:
    word = 0
    for field in reg.info.fields:
        word = field.insert(word, field.reset or 0)
    return word


class WallTimers:
    """The timers of a started cluster's nodes. ratio: wall seconds per simulated second."""

    def __init__(
        self,
        cluster: RunningCluster,
        nodes: Mapping[str, Node],
        plans: Mapping[str, NodePlan],
        built: Mapping[str, BuildResult],
    ) -> None:
        """Find the timers and their nominal values: those of the set-up, or of the reset."""
        self.ratio = 0.0
        self._cluster = cluster
        self._written = 0.0
        self._timers: list[_Timer] = []
        self._last = (time.monotonic(), cluster.now_ps)
        for name, node in nodes.items():
            port = built[name].info.register_port
            regs = register_map(built[name].path, port)
            if regs is None:
                continue
            known = dict(writes(plans[name], built[name].path, port))
            for block in [regs[name] for name in regs if name in SCALED]:
                for reg in [reg for reg in block if reg.info.name in SCALED[block.spec.name]]:
                    nominal = known.get(reg.addr, _reset(reg))
                    self._timers.append(_Timer(node.index, port or "", reg, nominal))

    def update(self) -> None:
        """Measure the ratio, and write the settings if it has changed much."""
        wall, now = time.monotonic(), self._cluster.now_ps
        spent, simulated = wall - self._last[0], (now - self._last[1]) / 1e12
        if spent < EVERY_S or simulated <= 0:
            return
        self._last = (wall, now)
        measured = spent / simulated
        self.ratio = measured if not self.ratio else (self.ratio * measured) ** 0.5
        if self._written and 1 / CHANGE < self.ratio / self._written < CHANGE:
            return
        self._written = self.ratio
        for timer in self._timers:
            self._cluster.engine.axil_write(
                timer.node, timer.reg.addr, timer.scaled(self.ratio), timer.port, wait=False
            )
