# SPDX-License-Identifier: Apache-2.0
"""Platform of the drivers: registers, memory, and time.

There are implementations for a node of a cluster and for a module under test; one for a board needs
the same four members.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..common.errors import KumiError
from ..regs import Mmio

if TYPE_CHECKING:
    from ..cluster import Cluster, Node
    from ..testing import Dut


class HostTimeout(KumiError):
    """The hardware did not respond in time."""


class HostMemory(Protocol):
    """Memory shared by host and node."""

    def read(self, addr: int, size: int, /) -> bytes:
        """Read bytes."""
        ...

    def write(self, addr: int, data: bytes, /) -> None:
        """Write bytes."""
        ...


class Platform(Protocol):
    """The machine, from a driver's point of view."""

    @property
    def mmio(self) -> Mmio:
        """Registers by address."""
        ...

    @property
    def memory(self) -> HostMemory:
        """Memory shared with the node."""
        ...

    def pause(self) -> None:
        """Let some time pass for the hardware."""
        ...

    def now(self) -> float:
        """The hardware's time in seconds."""
        ...


def wait_for(
    platform: Platform, condition: Callable[[], Any], what: str, seconds: float = 1.0
) -> None:
    """Let time pass until the condition holds; the timeout is in the hardware's time."""
    end = platform.now() + seconds
    while not condition():
        if platform.now() >= end:
            raise HostTimeout(f"{what} did not happen within {seconds:g} s of the node's time.")
        platform.pause()


class NodePlatform:
    """A node of a running cluster."""

    def __init__(
        self, cluster: Cluster, node: Node, memory: str = "host", step_ps: int = 1_000_000
    ):
        self._cluster = cluster
        self._step_ps = step_ps
        self.mmio: Mmio = node.mmio
        self.memory: HostMemory = node.memory(memory)

    def pause(self) -> None:
        """Run the cluster, or sleep if another thread runs it."""
        if self._cluster.is_serving:
            time.sleep(0.0002)
        else:
            self._cluster.run(self._step_ps)

    def now(self) -> float:
        """Simulated seconds."""
        return self._cluster.now_ps * 1e-12


class DutPlatform:
    """A module under test."""

    def __init__(
        self, dut: Dut, axil: str = "s_axil", memory: str = "host", step_cycles: int = 32
    ) -> None:
        self._dut = dut
        self._axil = axil
        self._step = step_cycles
        self.mmio: Mmio = self
        self.memory: HostMemory = dut.memory(memory)

    def read(self, addr: int, /) -> int:
        """Register word."""
        return self._dut.axil_read(addr, self._axil)

    def write(self, addr: int, data: int, /) -> None:
        """Store a register word."""
        self._dut.axil_write(addr, data, self._axil)

    def pause(self) -> None:
        """Run some cycles."""
        self._dut.run(self._step)

    def now(self) -> float:
        """Simulated seconds, at the default clock."""
        return self._dut.cycle * 6.4e-9
