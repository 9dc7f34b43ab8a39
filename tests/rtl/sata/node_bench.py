# SPDX-License-Identifier: Apache-2.0
"""The node of two ports against the engine's disk models."""

from __future__ import annotations

from typing import Any

from cmd_bench import User
from kumihimo.cluster.disk import Disk
from kumihimo.testing import Dut
from port_bench import COUNTERS, REGS

CORE_PS, WORD_PS = 4_000, 6_667
QUICK = {
    "TICK_CYCLES": 1_500,  # 10 us
    "RESET_CYCLES": 64,
    "WAIT_CYCLES": 20_000,
    "RETRY_CYCLES": 20_000,
    "ALIGN_CYCLES": 5_000,
}


class Node:
    """kumi_node_sata with a user at each port."""

    def __init__(self, seed: int = 1, width: int = 64, core_ps: int = CORE_PS, **params: int):
        self.dut = Dut(
            "sata",
            {**QUICK, "DATA_W": width, **params},
            periods_ps={"clk": core_ps, "sata_clk": WORD_PS},
            seed=seed,
            profile="soak",
        )
        self.users = [User(self.dut, seed + i, str(i)) for i in range(2)]

    def disk(self, port: int, **like: Any) -> Disk:
        """Join a disk."""
        return self.dut.disk(f"p{port}", **like)

    def reg(self, port: int, name: str) -> int:
        """A register of a port."""
        return self.dut.axil_read(0x1000 * (port + 1) + REGS[name])

    def set_reg(self, port: int, name: str, value: int) -> None:
        """Set one."""
        self.dut.axil_write(0x1000 * (port + 1) + REGS[name], value)

    def counters(self, port: int) -> dict[str, int]:
        """All counters of a port."""
        at = 0x1000 * (port + 1) + REGS["counters"]
        return {name: self.dut.axil_read(at + 4 * i) for i, name in enumerate(COUNTERS)}

    def step(self, cycles: int = 64) -> None:
        """Some cycles, then the users."""
        self.dut.run(cycles)
        for user in self.users:
            user.step()

    def until(self, condition, limit: int = 2_000_000, what: str = "it", step: int = 64) -> None:  # type: ignore[no-untyped-def]
        """Run until it is so."""
        end = self.dut.cycle + limit
        while not condition():
            assert self.dut.cycle < end, f"{what} did not come; {self.counters(0)}"
            self.step(step)

    def ready(self, *ports: int) -> None:
        """Until the devices of these ports are ready."""
        for port in ports:
            self.until(lambda port=port: self.reg(port, "status") >> 2 & 1, what="readiness")

    def all_done(self, limit: int = 4_000_000) -> None:
        """Until all requests have been answered."""
        self.until(lambda: not any(u.open for u in self.users), limit, "a response")
