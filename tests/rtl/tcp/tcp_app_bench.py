# SPDX-License-Identifier: Apache-2.0
"""A kernel of the TCP engine under test, with its registers."""

from __future__ import annotations

from typing import Any

from kumihimo.regs import BLOCKS, Block
from kumihimo.testing import Dut
from tcp_app_model import Engine

HDRS = {
    "m_listen": 17,
    "s_listen_rsp": 20,
    "m_open": 48,
    "s_open_rsp": 68,
    "m_close": 17,
    "s_notify": 103,
    "m_read": 32,
    "s_read": 36,
    "m_write": 32,
    "s_write": 66,
}


class KernelBench:
    """The kernel alone in a Dut."""

    def __init__(
        self,
        module: str,
        block: str,
        width: int,
        params: dict[str, Any],
        more: dict[str, dict[str, int]] | None = None,
    ) -> None:
        self.width = width
        shape: dict[str, dict[str, int]] = {name: {"W": w} for name, w in HDRS.items()}
        shape["*"] = {"DATA_W": width, "ID_W": 16}
        shape.update(more or {})
        self.dut = Dut.of_module(module, params, shape, profile="soak")
        self.regs = Block(self, BLOCKS[block], 0)

    def read(self, addr: int) -> int:
        """For Block."""
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        """For Block."""
        self.dut.axil_write(addr, data)

    def listening(self, **more: int) -> Engine:
        """A model of the engine at its streams, after the kernel has opened its port."""
        engine = Engine(self.dut, **more)
        engine.until(lambda: engine.ports, 2000, "listening")
        return engine
