# SPDX-License-Identifier: Apache-2.0
"""A disk at a node's Serial ATA port: the same object in a cluster and at a `Dut`."""

from __future__ import annotations

from typing import Any, Protocol

from ..clusterfile import units
from ..clusterfile.disk_options import SECTOR, fault_arguments
from ..common.errors import KumiError


class Backend(Protocol):
    """Implementation of the disk: the engine, or a single node."""

    def disk_read(self, lba: int, count: int, cached: bool) -> bytes:
        """Read whole sectors."""
        ...

    def disk_write(self, lba: int, data: bytes) -> None:
        """Write whole sectors."""
        ...

    def disk_fault(self, kind: int, a: int, b: int, x: float, at_ps: int | None) -> None:
        """Inject or clear a fault."""
        ...

    def disk_stats(self) -> dict[str, Any]:
        """Counters."""
        ...


class Disk:
    """Content, faults and counters of a disk, accessed without its host."""

    def __init__(self, backend: Backend, name: str, sectors: int) -> None:
        self._backend = backend
        self.name = name
        self.sectors = sectors

    @property
    def size(self) -> int:
        """Bytes."""
        return self.sectors * SECTOR

    def read(self, offset: int, size: int, cached: bool = True) -> bytes:
        """Read bytes as the host would see them.

        Without `cached`: the content of the medium, which is what survives a power failure.
        """
        self._check(offset, size)
        first, skip = divmod(offset, SECTOR)
        count = -(-(offset + size) // SECTOR) - first
        return self._backend.disk_read(first, count, cached)[skip : skip + size]

    def write(self, offset: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes to the medium, between two clock cycles."""
        self._check(offset, len(data))
        first, skip = divmod(offset, SECTOR)
        count = -(-(offset + len(data)) // SECTOR) - first
        if skip or len(data) % SECTOR:
            whole = bytearray(self._backend.disk_read(first, count, True))
            whole[skip : skip + len(data)] = data
            data = whole
        self._backend.disk_write(first, bytes(data))

    def _check(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            text = f"The disk {self.name} has {self.size} bytes; {offset}+{size} is beyond its end."
            raise KumiError(text, "", 2)

    def fault(self, kind: str, at: str | int | None = None, **arguments: Any) -> None:
        """Inject or clear a fault: a name of FAULTS and its arguments.

        `at`: simulated time ("3 ms", or picoseconds); default: now.
        """
        when = units.time_ps(at) if isinstance(at, str) else at
        self._backend.disk_fault(*fault_arguments(kind, **arguments), when)

    @property
    def stats(self) -> dict[str, Any]:
        """Commands, sectors, errors; `wire`: frames, CRC errors, R_ERR, HOLD."""
        return self._backend.disk_stats()

    def __repr__(self) -> str:
        return f"<Disk {self.name}: {self.sectors} sectors>"
