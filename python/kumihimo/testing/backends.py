# SPDX-License-Identifier: Apache-2.0
"""Memories and disks at the ports of a module under test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumihimo.cluster.memory import STAT_NAMES, Memory, settings

if TYPE_CHECKING:
    from kumihimo.testing.dut import Dut


class DutMemory(Memory):
    """The memory behind an AXI4 port of a module under test; initially zero, without latency."""

    def __init__(self, dut: Dut, prefix: str) -> None:
        super().__init__(self)
        self._dut = dut
        self._prefix = prefix

    def configure(self, latency_cycles: int | None = None, **more: Any) -> None:
        """Change options of the memory: see kumihimo.cluster.memory.settings.

        Options not given keep their values; `latency_cycles` is a latency in cycles of the port.
        """
        kept = self._dut._memories.setdefault(self._prefix, {})
        if latency_cycles is not None:
            more["latency_ps"] = latency_cycles * self._dut._period(self._prefix)
        kept.update(more)
        self._dut.node.memory(self._prefix, **settings(**kept))

    def mem_read(self, addr: int, size: int) -> bytes:
        """See `Memory`."""
        return bytes(self._dut.node.mem_read(self._prefix, addr, size))

    def mem_write(self, addr: int, data: bytes) -> None:
        """See `Memory`."""
        self._dut.node.mem_write(self._prefix, addr, data)

    def mem_fault(self, addr: int, size: int, on: bool) -> None:
        """See `Memory`."""
        self._dut.node.mem_fault(self._prefix, addr, size, on)

    def mem_stats(self) -> dict[str, int]:
        """See `Memory`."""
        found = self._dut.stats(self._prefix)
        return {name: found[key] for key, name in STAT_NAMES.items()}


class DutDisk:
    """Backend of `Disk`: the disk at a port of a module under test."""

    def __init__(self, dut: Dut, prefix: str) -> None:
        self._dut = dut
        self._prefix = prefix

    def disk_read(self, lba: int, count: int, cached: bool) -> bytes:
        """Read whole sectors."""
        return bytes(self._dut.node.disk_read(self._prefix, lba, count, cached))

    def disk_write(self, lba: int, data: bytes) -> None:
        """Write whole sectors."""
        self._dut.node.disk_write(self._prefix, lba, data)

    def disk_fault(self, kind: int, a: int, b: int, x: float, at_ps: int | None) -> None:
        """Inject or clear a fault."""
        self._dut.node.disk_fault(self._prefix, kind, a, b, x, at_ps)

    def disk_stats(self) -> dict[str, Any]:
        """Counters."""
        return dict(self._dut.node.disk_stats(self._prefix))
