# SPDX-License-Identifier: Apache-2.0
"""Two nodes behind SW2 to InfiniBand routers, joined by a switch: everything in RTL.

The design is `tests/rtl/ib/kumi_tb_sw2_path.sv`; its InfiniBand ports are set by commands, as a
subnet manager does.
"""

from __future__ import annotations

import struct

from kumihimo.testing import Dut

BASE, LIMIT = 0x1000, 0x1000  # the region that each station lets the other write
CABLE = 3  # cycles of each InfiniBand cable
INIT, ARMED, ACTIVE = 2, 3, 4
PORTS, VLS = 4, 4
# Events in the order of `stamps`, then the switch's two.
EVENTS = ("store", "interface", "sw2_up", "encapsulated", "link", "sw2_side", "sw2_down", "memory",
          "switch_in", "switch_out")  # fmt: skip
COUNTED = ("router_ev_0", "router_ev_1", "rx_ev_0", "rx_ev_1", "sw2_ev_0")


def _settings() -> dict[str, int]:
    """Of every port: VL n for SL n, all VLs with equal weight."""
    return {
        "enable": 1,
        "mtu": 4,
        "oper_vls": 3,
        "phy_errors": 15,
        "overrun_errors": 8,
        "high_limit": 0,
        "sl2vl": sum((sl % VLS) << 4 * sl for sl in range(16)),
        "arb_high": 0,
        "arb_low": sum((vl << 8 | 32) << 12 * vl for vl in range(VLS)),
    }


class Path:
    """Both stations and the switch, every link Active."""

    def __init__(self, lanes: int = 4, width: int = 64, profile: str = "test") -> None:
        """1 lane with 32 bits, or 4 lanes."""
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_sw2_path.sv",
            {"LANES": lanes, "DATA_W": width, "CABLE": CABLE},
            {"*": {"DATA_W": 64}, "m_axi_0": {"ADDR_W": 32}, "m_axi_1": {"ADDR_W": 32}},
            files=["tests/rtl/ib/kumi_tb_sw2_station.sv", "tests/rtl/ib/kumi_tb_sw2_stores.sv"],
            profile=profile,
        )
        for pin in ("rate", "sw2_rate", "start", "arm", "set_state", "lft_we", "s2v_we"):
            self.dut.set(pin, 0)
        self.dut.set("cfg", _settings())
        self.dut.run_until(lambda: self.dut.get("tables_ready"))
        for port in (1, 2):
            self._write("lft", {"lid": 99 + port, "port": port})
            self.dut.run(2)
        row = sum((sl % VLS) << 60 - 4 * sl for sl in range(16))
        for source in range(PORTS + 1):
            for out in range(PORTS + 1):
                self._write("s2v", {"in": source, "out": out, "table": row})
        self.dut.set("start", 1)
        self._bring_up()
        self.memory = [self.dut.memory(f"m_axi_{n}") for n in (0, 1)]
        for pin in COUNTED:
            self.dut.watch(pin)

    def _write(self, table: str, values: dict[str, int]) -> None:
        for name, value in values.items():
            self.dut.set(f"{table}_{name}", value)
        self.dut.set(f"{table}_we", 1)
        self.dut.run(1)
        self.dut.set(f"{table}_we", 0)

    def _least(self) -> int:
        value = self.dut.get("states")
        return min(value >> 3 * i & 7 for i in range(4))

    def _bring_up(self) -> None:
        self.dut.run_until(lambda: self._least() >= INIT, 60_000, step=32, what="Init")
        for state in (ARMED, ACTIVE):
            self.dut.set("set_state", state)
            self.dut.run(1)
            self.dut.set("set_state", 0)
            self.dut.run(200)
        self.dut.run_until(lambda: self._least() >= ACTIVE, 10_000, step=32, what="Active")
        self.dut.run(1500)  # link packets of every lane

    def store(self, station: int, words: list[tuple[int, bytes]]) -> None:
        """8-byte stores to places in the other station's region."""
        frames = [struct.pack("<Q", at | 0xFF << 32) + data for at, data in words]
        self.dut.send(f"s_axis_{station}", frames)

    def wait(self, count: int) -> None:
        """Run until so many stores have arrived at each station, and the answers with them."""
        self.dut.run_until(
            lambda: all(self.counts(f"rx_ev_{n}").get("received", 0) >= count for n in (0, 1)),
            4_000_000, step=1000, what="all stores",
        )  # fmt: skip
        self.dut.run(1000)

    def counts(self, pin: str) -> dict[str, int]:
        """Counts of events that are not zero."""
        return {k: v for k, v in self.dut.counts(pin).items() if v}

    def latency(self) -> dict[str, int]:
        """Cycles of one store of station 0 without load, from its write data on, by event."""
        self.dut.set("arm", 1)
        self.dut.run(1)
        self.dut.set("arm", 0)
        self.store(0, [(0, b"8 bytes!")])
        self.dut.run(600)
        value = self.dut.get("stamps")
        times = {name: value >> 16 * i & 0xFFFF for i, name in enumerate(EVENTS)}
        return {name: times[name] - times["store"] for name in EVENTS}
