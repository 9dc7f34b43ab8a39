# SPDX-License-Identifier: Apache-2.0
"""Registers by name, over anything that reads and writes 32-bit words.

    regs = RegisterMap(mmio)          # asks the identity block what the node has
    regs.echo.port = 7                # writes; .write(7) is the same
    regs.echo.ctrl.enable = 0         # one field, the others stay
    regs.echo.port.read(), int(regs.echo.port)
    regs.ip.counters()                # {"rx_frames": 12, ...}

mmio is an object with read(addr) -> int and write(addr, data); a node of the simulator has one, and
a board has one. A name that does not exist, a value that does not fit and a write to a read-only
register raise; nothing is silently stored in the Python object instead.
"""

from __future__ import annotations

from .access import Block, Mmio, Reg, RegisterError
from .generated import BLOCKS
from .map import MAGIC, WINDOW, RegisterMap, design_name, register_block
from .model import BlockInfo, FieldInfo, RegInfo

__all__ = [
    "BLOCKS",
    "MAGIC",
    "WINDOW",
    "Block",
    "BlockInfo",
    "FieldInfo",
    "Mmio",
    "Reg",
    "RegInfo",
    "RegisterError",
    "RegisterMap",
    "design_name",
    "register_block",
]
