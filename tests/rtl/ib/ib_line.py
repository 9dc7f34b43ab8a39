# SPDX-License-Identifier: Apache-2.0
"""One end of an InfiniBand link; the other end is a script of symbols made by `ib_model`."""

from __future__ import annotations

from collections.abc import Iterable

from ib_model import FC_INIT, Found, Symbol, fc_symbols, idle, read_line, training_set
from ib_pair import ACTIVE, ARMED, INIT, LINK_UP, config
from kumihimo.testing import Dut, Frame

WINDOW = 2048


class Line:
    """The link layer under test and what was sent to and seen on its line."""

    def __init__(self, lanes: int = 4, width: int = 64, vls: int = 4, blocks: int = 64) -> None:
        self.lanes, self.vls, self.blocks, self.bytes = lanes, vls, blocks, width // 8
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_line.sv",
            {"LANES": lanes, "DATA_W": width, "DATA_VLS": vls, "BLOCKS": blocks},
            {
                "*": {"DATA_W": width, "DEST_W": 4},
                "s_axis_line": {"DATA_W": width, "USER_W": 2 * self.bytes},
                "m_axis_line": {"DATA_W": width, "USER_W": self.bytes},
            },
        )
        self.cfg = config(vls) | {"phy_errors": 15}
        self.dut.set("cfg", self.cfg)
        self.dut.set("rx_ready", 0xFFFF)
        self.symbols: list[Symbol] = []

    def feed(self, symbols: Iterable[Symbol], errors: Iterable[int] = ()) -> None:
        """Symbols into the line, filled up with idle data; `errors`: places of code violations."""
        line = list(symbols)
        line += [(0, False)] * (-len(line) % self.bytes)
        flags = [int(k) for _, k in line]
        bad = set(errors)
        users = []
        for at in range(0, len(line), self.bytes):
            k = sum(flag << i for i, flag in enumerate(flags[at : at + self.bytes]))
            err = sum(1 << i for i in range(self.bytes) if at + i in bad)
            users.append(k | err << self.bytes)
        self.dut.send("s_axis_line", Frame(bytes(b for b, _ in line), users=users))

    def run(self, cycles: int = 0) -> None:
        """Run until all that was fed has gone in, and on."""
        self.dut.run_until(lambda: self.dut.waiting("s_axis_line") == 0, 400_000, step=64)
        self.dut.run(cycles + 1)
        for frame in self.dut.recv("m_axis_line"):
            for beat, k in enumerate(frame.users):
                data = frame.data[beat * self.bytes : (beat + 1) * self.bytes]
                self.symbols += [(b, bool(k >> i & 1)) for i, b in enumerate(data)]

    def found(self) -> list[Found]:
        return list(read_line(self.symbols, self.lanes))

    def command(self, state: int) -> None:
        self.dut.set("cfg", self.cfg | {"set_state": state})
        self.dut.run(1)
        self.dut.set("cfg", self.cfg)

    def train(self) -> None:
        self.feed(training_set(1, self.lanes) * 60 + training_set(2, self.lanes) * 60 + idle(64))
        self.run(100)

    def bring_up(self, limit: int = WINDOW) -> None:
        """Train, and give every lane `limit` blocks of credit."""
        self.train()
        assert self.dut.get_struct("status") == {"phys_state": LINK_UP, "port_state": INIT}
        self.credit(limit, op=FC_INIT)
        self.run(10)
        self.command(ARMED)
        self.command(ACTIVE)
        self.run(10)

    def credit(self, limit: int, op: int = 0, fctbs: int = 0) -> None:
        for vl in range(self.vls):
            self.feed(fc_symbols(vl, fctbs, limit, op) + idle(2))

    def counters(self) -> dict[str, int]:
        return self.dut.get_struct("counters")
