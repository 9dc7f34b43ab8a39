# SPDX-License-Identifier: Apache-2.0
"""A whole port: user, layers, line, device and disk; both clocks alike."""

from __future__ import annotations

from typing import Any

from cmd_bench import User
from kumihimo.testing import Dut
from sata_bench import PARAMS, Line
from sata_disk import Disk, Faults, Nature

REGS = {"ctrl": 0x00, "limit": 0x04, "ready": 0x08, "absent": 0x0C, "command": 0x10}
REGS |= {"status": 0x14, "sectors_lo": 0x18, "counters": 0x100}
COUNTERS = [
    *[f"rsp_{r}" for r in ("ok", "err", "abrt", "idnf", "unc", "icrc", "df", "timeout")],
    *[f"rsp_{r}" for r in ("no_device", "range", "bad_data", "short")],
    *[
        "reissue",
        "ncq_log",
        "recovery",
        "cmd_timeout",
        "protocol_error",
        "unexpected",
        "data_in",
        "data_out",
        "identified",
    ],
    *["rx_good", "rx_bad", "rx_abort", "rx_overrun", "bad_word", "link_timeout", "dead"],
    *["fis_retry", "fis_drop", "init_retry", "lost"],
]


class Port(Line):
    """kumi_sata_port with a user and a disk."""

    def __init__(
        self,
        nature: Nature | None = None,
        faults: Faults | None = None,
        width: int = 64,
        seed: int = 1,
        **more: Any,
    ) -> None:
        self.width = width
        super().__init__(seed=seed, **more)
        self.disk = Disk(seed, nature, faults)
        self.user = User(self.dut, seed)
        self.was = "off"

    def build(self, params: dict[str, int]) -> Dut:
        records = {"s_cmd": {"W": 102}, "m_rsp": {"W": 84}, "m_fetch": {"W": 55}}
        streams = {"s_axis": {"DATA_W": self.width}, "m_axis": {"DATA_W": self.width}}
        values = {**PARAMS, "TICK_CYCLES": 32, "RESET_CYCLES": 64, **params}
        return Dut.of_module(
            "kumi_sata_port",
            values,
            {**records, **streams, "m_segment": {"W": 41}},
            profile="soak",
        )

    def user_side(self) -> None:
        if self.phase == "up" and self.was != "up":
            self.device.outbox.clear()
            self.disk.reset()
        self.was = self.phase
        while self.device.got:
            self.disk.take(self.device.got.pop(0))
        if not self.device.outbox and self.device.state in ("idle", "r_ok", "x_rdy"):
            self.disk.work()
            while self.disk.out:
                self.device.outbox.append(self.disk.out.popleft())
        self.user.step()

    def counters(self) -> dict[str, int]:
        """All counters of the port. The line rests meanwhile: do it only while it is idle."""
        values = [self.dut.axil_read(REGS["counters"] + 4 * i) for i in range(len(COUNTERS))]
        self.device.since_align = -300
        return dict(zip(COUNTERS, values, strict=True))

    def ready(self) -> None:
        """Wait for the device to be ready."""
        self.until(lambda: self.dut.get_struct("status")["ready"], 20_000, "readiness")

    def all_done(self, limit: int = 60_000) -> None:
        """Wait for all responses."""
        self.until(lambda: not self.user.open, limit, "a response")
