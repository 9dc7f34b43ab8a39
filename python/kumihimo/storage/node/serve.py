# SPDX-License-Identifier: Apache-2.0
"""An NBD server in front of a storage node, with the control socket of any served array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from ... import _storage
from ...common.errors import KumiError
from ..control import ControlSocket, check_replacement
from .array import NodeArray
from .rebuild import Rebuild
from .replace import Bays, clear, replace
from .simulated import SimulatedNode


class Node(Bays, Protocol):
    """A node and its disks."""

    def open(self, *, degraded: bool) -> NodeArray:
        """The array on these disks."""
        ...

    def settle(self) -> None:
        """Flush the caches of all disks."""
        ...


class NodeService(ControlSocket):
    """An array in a node (simulated, unless one is given), its volume and its NBD server."""

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        unix: Path | None,
        port: int | None,
        degraded: bool = False,
        ports: int = 0,
        sim: Node | None = None,
    ) -> None:
        self.sim: Node = sim or SimulatedNode(paths, ports=ports)
        self.node = self.sim.open(degraded=degraded)
        self.rebuild: Rebuild | None = None
        self.volume = _storage.Volume(self.node.array(), 16 << 20, 0.0)
        self.nbd = _storage.NbdServer(
            self.volume, str(unix) if unix else "", -1 if port is None else port
        )
        self.uuid = str(self.node.describe()["array"]["uuid"])
        self.listen(self.uuid)

    def paths(self) -> list[Path]:
        """Disks of the served array."""
        return list(self.sim.at.values())

    def uri(self, unix: Path | None) -> str:
        """URI for clients."""
        if unix:
            return f"nbd+unix:///?socket={unix}"
        return f"nbd://127.0.0.1:{self.nbd.tcp_port}"

    def close(self) -> None:
        """Stop serving, with everything durable on the disks."""
        self.stop_listening()
        self.nbd.stop()
        if self.rebuild:
            self.rebuild.stop()
        self.volume.flush()
        with self.node.lock:
            self.sim.settle()

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        what = request["op"]
        if what == "fail":
            self.node.fail(int(request["device"]), bool(request.get("force")))
        elif what == "replace":
            device, path = int(request["device"]), Path(request["path"])
            clear(self.node, self.sim)
            # What is looked at is let go of: the node is to have it for itself.
            force = bool(request.get("force"))
            check_replacement(
                self.node.describe(), device, path, force=force, most_slots=self.node.slots
            )
            replace(self.node, self.sim, device, path)
            self._rebuild(request)
        elif what in ("rebuild", "scrub"):
            self._rebuild(request)
        elif what != "status":
            raise KumiError(f"There is no order '{what}'.")
        out = self.node.describe()
        out["rebuild"] = asdict(self.rebuild.status()) if self.rebuild else None
        out["nbd"] = self.nbd.counters()
        return out

    def _rebuild(self, request: dict[str, Any]) -> None:
        """Start a rebuild or scrub."""
        if self.rebuild:
            self.rebuild.stop()
        limit = float(request.get("limit", 0))
        self.rebuild = Rebuild(self.node, verify=request["op"] == "scrub", limit_mbs=limit)
        self.rebuild.start()
