# SPDX-License-Identifier: Apache-2.0
"""An NBD server in front of the simulated storage node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .. import _storage
from .node_sim import SimulatedNode


class NodeService:
    """An array in the simulated node, its volume and its NBD server."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        unix: Path | None,
        port: int | None,
        degraded: bool = False,
    ) -> None:
        self.sim = SimulatedNode(paths)
        self.node = self.sim.open(degraded=degraded)
        self.volume = _storage.Volume(self.node.array(), 16 << 20, 0.0)
        self.nbd = _storage.NbdServer(
            self.volume, str(unix) if unix else "", -1 if port is None else port
        )

    def uri(self, unix: Path | None) -> str:
        """What clients are given."""
        if unix:
            return f"nbd+unix:///?socket={unix}"
        return f"nbd://127.0.0.1:{self.nbd.tcp_port}"

    def close(self) -> None:
        """Answer nobody any more; everything is safe on the disks."""
        self.nbd.stop()
        self.volume.flush()
        self.sim.settle()
