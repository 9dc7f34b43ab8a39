# SPDX-License-Identifier: Apache-2.0
"""Two ends of an InfiniBand link joined by a cable, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kumihimo.testing import Dut, Frame

DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4
POLLING, LINK_UP = 2, 5
OPER_VLS = {1: 1, 2: 2, 4: 3, 8: 4, 15: 5}
# Lanes, width of the data path, data VLs.
CONFIGS = [(1, 32, 1), (4, 32, 4), (4, 64, 15)]


def config(
    vls: int = 4,
    mtu: int = 4,
    high: Iterable[tuple[int, int]] = (),
    low: Iterable[tuple[int, int]] = (),
    limit: int = 0,
    sl2vl: Mapping[int, int] | None = None,
) -> dict[str, Any]:
    """Settings of a port: SLs spread over the VLs, all VLs in the low table with equal weight."""
    mapping = {sl: sl % vls for sl in range(16)} | dict(sl2vl or {})

    def table(entries: Iterable[tuple[int, int]]) -> int:
        return sum((vl << 8 | weight) << 12 * i for i, (vl, weight) in enumerate(entries))

    low = list(low) or [(vl, 32) for vl in range(min(vls, 8))]
    return {
        "enable": 1,
        "mtu": mtu,
        "oper_vls": OPER_VLS[vls],
        "phy_errors": 8,
        "overrun_errors": 8,
        "high_limit": limit,
        "sl2vl": sum(vl << 4 * sl for sl, vl in mapping.items()),
        "arb_high": table(high or [(vl, 32) for vl in range(8, vls)]),
        "arb_low": table(low),
    }


class Pair:
    """Ends `a` and `b`."""

    def __init__(
        self,
        lanes: int = 4,
        width: int = 64,
        vls: int = 4,
        blocks: int = 64,
        mtu: int = 4,
        skew: Iterable[int] = (0, 0, 0, 0),
        seed: int = 1,
    ) -> None:
        self.vls, self.blocks = vls, blocks
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_pair.sv",
            {"LANES": lanes, "DATA_W": width, "DATA_VLS": vls, "BLOCKS": blocks, "MTU_CAP": mtu},
            {"*": {"DATA_W": width, "DEST_W": 4}},
        )
        self.cfg = config(vls, mtu)
        delays = [10 + d for d in skew]
        self.dut.set("delay_ab", sum(d << 6 * i for i, d in enumerate(delays)))
        self.dut.set("delay_ba", sum(d << 6 * i for i, d in enumerate(reversed(delays))))
        self.dut.set("seed", seed)
        self.dut.set("rx_ready_a", 0xFFFF)
        self.dut.set("rx_ready_b", 0xFFFF)
        self.apply()

    def apply(self) -> None:
        for end in "ab":
            self.dut.set(f"cfg_{end}", self.cfg)

    def command(self, end: str, state: int) -> None:
        self.dut.set(f"cfg_{end}", self.cfg | {"set_state": state})
        self.dut.run(1)
        self.dut.set(f"cfg_{end}", self.cfg)
        self.dut.run(4)

    @staticmethod
    def other(end: str) -> str:
        return "b" if end == "a" else "a"

    def status(self, end: str) -> dict[str, int]:
        return self.dut.get_struct(f"status_{end}")

    def state(self, end: str) -> int:
        return self.status(end)["port_state"]

    def counters(self, end: str) -> dict[str, int]:
        return self.dut.get_struct(f"counters_{end}")

    def errors(self, end: str) -> dict[str, int]:
        """Counters of errors that are not zero."""
        names = ("error", "discard", "drop", "downed", "recovery")
        return {k: v for k, v in self.counters(end).items() if v and any(n in k for n in names)}

    def wait_state(self, state: int) -> None:
        self.dut.run_until(
            lambda: self.state("a") == self.state("b") == state, 40_000, step=16,
            what=f"port state {state}",
        )  # fmt: skip

    def bring_up(self) -> None:
        """Both ends Active and with credit, as a subnet manager does it."""
        self.dut.run_until(
            lambda: min(self.state("a"), self.state("b")) >= INIT, 40_000, step=16, what="Init"
        )
        for state in (ARMED, ACTIVE):
            for end in "ab":
                if self.state(end) < state:
                    self.command(end, state)
            self.dut.run(200)
        self.wait_state(ACTIVE)
        self.dut.run(1200)  # link packets of every lane

    def vl_of(self, data: bytes) -> int:
        return 15 if data[0] >> 4 == 15 else int(self.cfg["sl2vl"]) >> 4 * (data[1] >> 4) & 15

    def exchange(
        self, sent: Mapping[str, list[bytes]], limit: int = 100_000
    ) -> dict[str, list[Frame]]:
        """Send packets at both ends; what came out of each."""
        for end, packets in sent.items():
            self.dut.send(f"s_axis_{end}", packets)
        return {
            end: self.dut.recv(f"m_axis_{end}", len(sent[self.other(end)]), limit) for end in sent
        }
