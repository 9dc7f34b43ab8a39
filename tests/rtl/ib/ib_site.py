# SPDX-License-Identifier: Apache-2.0
"""The switch node between an endpoint node and a link or raw symbols, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from ib_mad import LFT, PORT_INFO, SET, Mad
from ib_model import Symbol, data_symbols
from ib_pair import ACTIVE, ARMED, INIT, config
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut, Frame
from kumihimo.testing.sizes import by_size

END_LID = 5  # of the endpoint at port 2


class Registers:
    """Registers of one of the nodes."""

    def __init__(self, dut: Dut, port: str) -> None:
        self.dut, self.port = dut, port

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr, self.port)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data, self.port)


class Site:
    """The bench, with ports 1 and 2 in Init: management passes."""

    def __init__(self) -> None:
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_switch_node.sv",
            {},
            {
                "s_axis": {"DATA_W": 64, "DEST_W": 8},
                "m_axis": {"DATA_W": 64, "DEST_W": 8},
                "s_axis_line": {"DATA_W": 64, "USER_W": 16},
            },
            profile=by_size("test", "soak"),
        )
        self.cfg = config(1) | {"phy_errors": 15}
        self.start()

    def start(self) -> None:
        """Ports up, and the endpoint's LID in the table of the switch."""
        self.dut.set("cfg", self.cfg)
        self.switch = RegisterMap(Registers(self.dut, "s_axil_switch"))["ib_switch"]
        self.end = RegisterMap(Registers(self.dut, "s_axil_end"))["ib_port"]
        self.dut.run_until(
            lambda: self.dut.get_struct("states_end")["port_state"] >= INIT, 60_000, step=64
        )
        self.dut.run_until(
            lambda: self.switch["state"].get("port", 1) >= INIT
            and self.switch["shape"].get("ready") == 1,
            60_000, step=256,
        )  # fmt: skip
        self.ask(Mad(LFT, SET, data=bytes([255] * END_LID + [2]).ljust(64, b"\xff")))

    def restart(self) -> None:
        self.dut.restart()
        self.start()

    def send(self, *packets: bytes) -> None:
        self.dut.send("s_axis", list(packets))

    def feed(self, data: bytes, crc: bytes | None = None) -> None:
        """A packet symbol by symbol, with a VCRC of choice."""
        self.dut.set("script", 1)
        self.symbols(data_symbols(data, crc=crc))
        self.dut.run(400)
        self.dut.set("script", 0)

    def symbols(self, line: Sequence[Symbol], bad: Sequence[int] = ()) -> None:
        """Symbols into port 1 while `script` is set; at `bad` are code violations."""
        users = [0] * -(-len(line) // 8)
        for at, (_, k) in enumerate(line):
            users[at >> 3] |= k << (at & 7)
        for at in bad:
            users[at >> 3] |= 256 << (at & 7)
        data = bytes(b for b, _ in line)
        self.dut.send("s_axis_line", Frame(data.ljust(8 * len(users), b"\0"), users=users))

    def ask(self, mad: Mad) -> Mad:
        """The answer to a datagram."""
        self.send(mad.packet())
        (frame,) = self.dut.recv("m_axis", 1, 4000)
        return Mad.of(frame.data)

    def settled(self) -> None:
        self.dut.run(6000)
        self.dut.recv("m_axis")

    def drops(self, block: str) -> dict[str, int]:
        regs = self.switch if block == "switch" else self.end
        return {k: n for k, n in regs.counters("drops").items() if k.startswith("mgmt_")}

    def activate(self) -> None:
        """Both links of the switch Active, at the command of a manager at port 1."""
        hop = {"hop_ptr": 1, "hop_cnt": 2, "path": bytes([0, 1, 2])}
        for state in (ARMED, ACTIVE):
            self.dut.set("cfg", self.cfg | {"set_state": state})
            self.dut.run(1)
            self.dut.set("cfg", self.cfg)
            ports: list[tuple[int, dict[str, object]]] = [(1, {}), (2, {}), (1, hop)]
            for port, way in ports:
                info = bytearray(self.ask(Mad(PORT_INFO, mod=port, **way)).data)
                info[0x20] = info[0x20] & 0xF0 | state
                info[0x21] &= 0x0F
                self.ask(Mad(PORT_INFO, SET, mod=port, data=bytes(info), **way))
        self.dut.run(2000)
        assert [self.switch["state"].get("port", i) for i in (0, 1)] == [ACTIVE] * 2
        assert self.end["state"].get("port") == ACTIVE
