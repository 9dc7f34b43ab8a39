# SPDX-License-Identifier: Apache-2.0
"""A node with PYNQ's interface: an overlay with its blocks by name.

overlay = Overlay.of(cluster, "alice")
overlay.ip_dict                       # what there is
overlay.dma.sendchannel.transfer(overlay.allocate((1500,), "u1"))
overlay.traffic_gen.register_map.frames.write(10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..common.errors import KumiError, did_you_mean
from ..regs import WINDOW, Block, RegisterMap
from .allocate import Buffer, Pool
from .dma import DMA
from .fifo import MmioFifo
from .mmio import MMIO
from .platform import NodePlatform, Platform

if TYPE_CHECKING:
    from ..cluster import Cluster


class IP:
    """A block without a driver: registers by offset and by name."""

    def __init__(self, block: Block, mmio: MMIO) -> None:
        self.register_map = block
        self.mmio = mmio

    def read(self, offset: int = 0) -> int:
        """Register at an offset."""
        return self.mmio.read(offset)

    def write(self, offset: int, value: int) -> None:
        """Store a register."""
        self.mmio.write(offset, value)


class Overlay:
    """The design of a node, with its blocks as attributes."""

    def __init__(self, platform: Platform, base: int = 0x10_0000, size: int = 1 << 28) -> None:
        """Read the node's block table.

        Args:
            platform: the machine.
            base: first address of the shared memory for buffers and drivers.
            size: its size in bytes.
        """
        self.platform = platform
        self.pool = Pool(platform.memory, base, size)
        self.registers = RegisterMap(platform.mmio)
        self._ips: dict[str, Any] = {}
        self.ip_dict: dict[str, dict[str, Any]] = {}
        for name in self.registers:
            if name == "kernel":  # an alias of a listed block
                continue
            block = self.registers[name]
            mmio = MMIO(platform.mmio, block.base, WINDOW)
            driver: Any = IP(block, mmio)
            if block.spec.name == "dma":
                driver = DMA(platform, block, self.pool)
            elif block.spec.name == "mmio_fifo":
                driver = MmioFifo(platform, block)
            self._ips[name] = driver
            self.ip_dict[name] = {
                "type": block.spec.kind,
                "version": block.spec.version,
                "phys_addr": block.base,
                "addr_range": WINDOW,
                "registers": {reg.info.name: reg.info.offset for reg in block},
                "driver": type(driver),
            }

    @classmethod
    def of(cls, cluster: Cluster, node: str, memory: str = "host", **more: Any) -> Overlay:
        """The overlay of a node of a running cluster."""
        return cls(NodePlatform(cluster, cluster[node], memory), **more)

    @property
    def design(self) -> str:
        """Name of the design in the node."""
        return self.registers.design

    def allocate(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike = np.uint32) -> Buffer:
        """Allocate an array that the node can access."""
        return self.pool.allocate(shape, dtype)

    def __getattr__(self, name: str) -> Any:
        """Block by name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Block by name."""
        try:
            return self._ips[name]
        except KeyError:
            hint = did_you_mean(name, self._ips).strip()
            raise KumiError(f"The design {self.design} has no block {name}.", hint) from None

    def __contains__(self, name: str) -> bool:
        """Whether there is such a block."""
        return name in self._ips

    def __dir__(self) -> list[str]:
        """Blocks too."""
        return [*super().__dir__(), *self._ips]
