# SPDX-License-Identifier: Apache-2.0
"""The storage node's driver: what a controller's firmware does, rarely and by hand.

The node itself places stripes, computes parity and checksums, writes logs, reads, reconstructs and
repairs. The driver creates arrays and recognises disks (through the C++ array), loads the map
(`array`, `config`, `memory_map`), keeps superblocks and moves full logs (`membership`), rebuilds
(`rebuild`), replaces disks (`replace`) and serves the volume over NBD (`serve`, `simulated`).
"""

from .array import NodeArray, create, devices
from .membership import Disk

__all__ = ["Disk", "NodeArray", "create", "devices"]
