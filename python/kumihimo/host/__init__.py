# SPDX-License-Identifier: Apache-2.0
"""The host side of a node: its blocks by name, shared memory, DMA, packets."""

from .allocate import Buffer, Pool, allocate
from .dma import DMA, Channel
from .fifo import MmioFifo
from .mmio import MMIO
from .overlay import IP, Overlay
from .packets import Packet, PacketCounts, PacketRing
from .platform import DutPlatform, HostMemory, HostTimeout, NodePlatform, Platform, wait_for
from .ring import Completion, DmaError, Flag, Ring
from .tun import BridgeCounts, TunBridge, serve

__all__ = [
    "DMA",
    "IP",
    "MMIO",
    "BridgeCounts",
    "Buffer",
    "Channel",
    "Completion",
    "DmaError",
    "DutPlatform",
    "Flag",
    "HostMemory",
    "HostTimeout",
    "MmioFifo",
    "NodePlatform",
    "Overlay",
    "Packet",
    "PacketCounts",
    "PacketRing",
    "Platform",
    "Pool",
    "Ring",
    "TunBridge",
    "allocate",
    "serve",
    "wait_for",
]
