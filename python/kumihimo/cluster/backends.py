# SPDX-License-Identifier: Apache-2.0
"""Registers, memories and disks of the engine, as the classes for users access them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .memory import STAT_NAMES
from .running import RunningCluster

if TYPE_CHECKING:
    from .._engine import Engine


def _check_word(what: str, value: int) -> None:
    """Raise unless an address or a value can be on the bus."""
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"A register's {what} is an integer, not {value!r}.")
    if not 0 <= value < 1 << 32:
        raise ValueError(f"A register's {what} has 32 bits; {value:#x} does not fit.")
    if what == "address" and value % 4:
        raise ValueError(f"A register's address is a multiple of 4; {value:#x} is not.")


class Mmio:
    """Registers by byte address (32-bit words), as on a board."""

    def __init__(self, engine: Engine, index: int, port: str) -> None:
        self._engine = engine
        self._index = index
        self._port = port

    def read(self, addr: int, /) -> int:
        """Read the word at a byte address."""
        _check_word("address", addr)
        return int(self._engine.axil_read(self._index, addr, port=self._port))

    def write(self, addr: int, data: int, /) -> None:
        """Write the word at a byte address."""
        _check_word("address", addr)
        _check_word("value", data)
        self._engine.axil_write(self._index, addr, data, port=self._port)


class NodeMemory:
    """Backend of `Memory`: the memory behind one port of a node."""

    def __init__(self, cluster: RunningCluster, node: str, index: int, port: str) -> None:
        self._cluster = cluster
        self._node = node
        self._index = index
        self._port = port

    def mem_read(self, addr: int, size: int) -> bytes:
        """Read bytes."""
        return bytes(self._cluster.engine.mem_read(self._index, addr, size, self._port))

    def mem_write(self, addr: int, data: bytes) -> None:
        """Write bytes."""
        self._cluster.engine.mem_write(self._index, addr, data, self._port)

    def mem_fault(self, addr: int, size: int, on: bool) -> None:
        """Set or clear the fault flag of bytes."""
        self._cluster.engine.mem_fault(self._index, addr, size, on, self._port)

    def mem_stats(self) -> dict[str, int]:
        """Counters."""
        found = self._cluster.stats()["nodes"][self._node]["ports"][self._port]
        return {name: int(found[name]) for name in STAT_NAMES.values()}


class ClusterDisk:
    """Backend of `Disk`: a disk of the engine."""

    def __init__(self, cluster: RunningCluster, name: str, index: int) -> None:
        self._cluster = cluster
        self._name = name
        self._index = index

    def disk_read(self, lba: int, count: int, cached: bool) -> bytes:
        """Read whole sectors."""
        return bytes(self._cluster.engine.disk_read(self._index, lba, count, cached))

    def disk_write(self, lba: int, data: bytes) -> None:
        """Write whole sectors."""
        self._cluster.engine.disk_write(self._index, lba, data)

    def disk_fault(self, kind: int, a: int, b: int, x: float, at_ps: int | None) -> None:
        """Inject or clear a fault."""
        self._cluster.engine.disk_fault(self._index, kind, a, b, x, at_ps)

    def disk_stats(self) -> dict[str, Any]:
        """Counters."""
        return dict(self._cluster.stats()["disks"][self._name])
