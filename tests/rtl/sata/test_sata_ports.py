# SPDX-License-Identifier: Apache-2.0
"""Several ports together: every port has its own user, device and registers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from cmd_bench import Request, User
from kumihimo.testing import Dut
from port_bench import REGS, Port
from sata_bench import PARAMS
from sata_disk import SECTOR, Nature

PORTS = 3
WIDTH = {"tx_data": 32, "rx_data": 32, "tx_k": 4, "rx_k": 4}
RECORDS = {"s_cmd": 102, "m_rsp": 84, "m_fetch": 55, "m_segment": 41}


class View:
    """The pins and streams of one port of kumi_sata_ports, under the names of kumi_sata_port."""

    def __init__(self, dut: Dut, port: int, driven: dict[str, int]) -> None:
        self.dut, self.port = dut, port
        self.driven = driven  # what is on the input pins, of all ports

    def get(self, pin: str) -> int:
        width = WIDTH.get(pin, 1)
        return self.dut.get(pin) >> self.port * width & (1 << width) - 1

    def set(self, pin: str, value: int) -> None:
        width = WIDTH.get(pin, 1)
        mask = (1 << width) - 1 << self.port * width
        self.driven[pin] = self.driven.get(pin, 0) & ~mask | value << self.port * width
        self.dut.set(pin, self.driven[pin])

    def struct(self, name: str) -> Any:
        return self.dut.struct(name)

    def send(self, stream: str, *what: Any) -> None:
        self.dut.send(f"{stream}[{self.port}]", *what)

    def recv(self, stream: str) -> Any:
        return self.dut.recv(f"{stream}[{self.port}]")

    def run(self, cycles: int) -> None:
        """The bench runs all ports together."""


class PortUser(User):
    """The user of one port."""

    def __init__(self, view: View) -> None:
        super().__init__(view)  # type: ignore[arg-type]


class PortOf(Port):
    """One of the ports, with a user and a disk."""

    def __init__(self, view: View, nature: Nature, seed: int) -> None:
        self.view = view
        super().__init__(nature, seed=seed)

    def build(self, params: dict[str, int]) -> Any:
        return self.view


def test_each_port_has_its_own_device_user_and_registers() -> None:
    widths = {name: {"W": w} for name, w in RECORDS.items()}
    widths |= {"s_axis": {"DATA_W": 64}, "m_axis": {"DATA_W": 64}}
    values = {**PARAMS, "TICK_CYCLES": 32, "RESET_CYCLES": 64, "PORTS": PORTS}
    dut = Dut.of_module("kumi_sata_ports", values, widths)
    driven: dict[str, int] = {}
    used = (0, 2)  # nobody is at the port in the middle
    ports = {i: PortOf(View(dut, i, driven), Nature(sectors=5000 + i), seed=i + 1) for i in used}
    middle = View(dut, 1, driven)
    middle.set("phy_ready", 1)
    middle.set("rx_idle", 1)
    nobody = PortUser(middle)
    status_t = dut.struct("sata_status_t")
    bits = status_t.bits

    def reg(i: int, name: str) -> int:
        return dut.axil_read(REGS[name], f"s_axil[{i}]")

    def until(condition: Callable[[], bool]) -> None:
        for _ in range(12_000):
            if condition():
                return
            for port in ports.values():
                port.cycle()
            nobody.step()
            dut.run(1)
        raise AssertionError("it did not come")

    def status(i: int) -> dict[str, int]:
        return status_t.unpack(dut.get("status") >> i * bits & (1 << bits) - 1)

    dut.axil_write(REGS["absent"], 10, "s_axil[1]")  # ticks for the empty port
    until(lambda: all(status(i)["ready"] for i in used))
    assert [status(i)["sectors"] for i in used] == [5000, 5002]
    assert status(1)["present"] == 0

    rng = random.Random(7)
    data = {i: rng.randbytes((i + 3) * SECTOR) for i in used}
    for i, port in ports.items():
        port.user.give(Request("WRITE", 40, i + 3, data[i]))
        port.user.give(Request("READ", 90 + i, 2))
    nobody.give(Request("READ", 0, 1))
    until(lambda: not any(p.user.open for p in ports.values()) and not nobody.open)
    assert [r.reason for r in nobody.done] == ["NO_DEVICE"]
    for i, port in ports.items():
        assert [r.reason for r in port.user.done] == ["OK", "OK"]
        assert b"".join(port.disk.sector(40 + k) for k in range(i + 3)) == data[i]
        read = next(r for r in port.user.done if r.op == "READ")
        assert bytes(read.got) == port.disk.sector(90 + i) + port.disk.sector(91 + i)
        assert port.disk.errors == [] and port.device.errors == []

    assert [reg(i, "sectors_lo") for i in used] == [5000, 5002]
    assert [reg(i, "status") >> 2 & 1 for i in range(PORTS)] == [1, 0, 1]
    done = [reg(i, "counters") for i in range(PORTS)]
    assert done == [2, 0, 2]  # rsp_ok
