# SPDX-License-Identifier: Apache-2.0
"""Debian's opensm and infiniband-diags manage a fabric of RTL agents: a switch and two adapters."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.ib.programs import Programs
from kumihimo.testing import Dut, Frame

HOSTS = ["adapter A", "adapter B"]
SWITCH_GUID, A_GUID, B_GUID = 0x0002C90300000000, 0x0002C90300000010, 0x0002C90300000020
ACTIVE = 4
LIMIT_S = 20.0


class AgentFabric:
    """The bench as a fabric of the bridge."""

    def __init__(self) -> None:
        self.dut = Dut.of_module(
            "tests/rtl/ib/kumi_tb_ib_fabric.sv",
            interfaces={"*": {"DATA_W": 64, "DEST_W": 8}},
            files=[f"tests/rtl/ib/kumi_tb_ib_{name}.sv" for name in ("node", "tdest")],
        )
        self.sm = 0
        self.lose_in = 0  # that many packets on is one that is lost
        self.plug(0b11)
        self.dut.run_until(lambda: self.dut.get("ready"), 20_000, step=16, what="ready")

    def plug(self, mask: int) -> None:
        self.dut.set("plugged", mask)

    def send(self, host: str, packet: bytes) -> None:
        self.dut.send(f"s_host{HOSTS.index(host)}", Frame(packet))

    def receive(self) -> list[tuple[str, bytes]]:
        self.dut.run(64)
        got = [(h, d) for n, h in enumerate(HOSTS) for d in self.dut.recv_data(f"m_host{n}")]
        for n in range(len(got)):
            self.lose_in -= 1
            if self.lose_in == 0:
                del got[n]
                break
        return got

    def set_is_sm(self, host: str, on: bool) -> None:
        bit = 1 << HOSTS.index(host)
        self.sm = self.sm | bit if on else self.sm & ~bit
        self.dut.set("is_sm", self.sm)

    def states(self) -> list[int]:
        value = self.dut.get("states")
        return [value >> 3 * n & 7 for n in range(3)]


class Site(Programs):
    """Programs of this machine at the bench."""

    def __init__(self, place: Path) -> None:
        self.fabric = AgentFabric()
        super().__init__(self.fabric, HOSTS, place, timeout=3.0, limit=LIMIT_S)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    one = Site(tmp_path_factory.mktemp("opensm"))
    yield one
    one.close()


def test_opensm_brings_the_fabric_up(site: Site) -> None:
    log = str(site.place / "once.log")
    text = site.run("opensm", "-o", "-e", "-Q", "-V", "-f", log)
    assert "SUBNET UP" in text + site.log("once.log")
    assert site.fabric.states() == [ACTIVE] * 3
    assert site.bridge.timeouts == 0
    assert not re.search(r"ERR |MALFORMED", site.log("once.log"), re.I), site.log("once.log")


def test_the_tools_see_it(site: Site) -> None:
    manager = site.manager()
    found = site.run("ibnetdiscover")
    assert re.search(rf"^Switch\s+4 .S-{SWITCH_GUID:016x}.\s+# .switch.", found, re.M), found
    for guid, name in ((A_GUID, HOSTS[0]), (B_GUID, HOSTS[1])):
        assert re.search(rf"^Ca\s+1 .H-{guid:016x}.\s+# .{name}.", found, re.M), found
    links = re.findall(r"^\[(\d)\]\s+\"H-([0-9a-f]{16})\"\[1\]", found, re.M)
    assert links == [("1", f"{A_GUID:016x}"), ("2", f"{B_GUID:016x}")]
    iblinkinfo = site.run("iblinkinfo", host=HOSTS[1])
    assert len(re.findall(r"4X\s+2\.5 Gbps\s+Active/\s+LinkUp", iblinkinfo)) == 4, iblinkinfo
    assert len(re.findall(r"Down/\s+Polling", iblinkinfo)) == 2

    sm = site.run("sminfo", host=HOSTS[1])
    assert re.search(rf"sm lid 1 sm guid 0x{A_GUID + 1:x}.*state 3 SMINFO_MASTER", sm), sm
    lid_b = int(re.search(r"Base lid: (\d+)", site.run("ibstat", host=HOSTS[1]))[1])  # type: ignore[index]
    info = site.run("smpquery", "portinfo", str(lid_b), "1")
    assert re.search(r"LinkState:\.+Active", info) and re.search(rf"^Lid:\.+{lid_b}$", info, re.M)
    assert "adapter B" in site.run("smpquery", "nodedesc", str(lid_b))
    assert re.search(r"LinearFdbCap:\.+64", site.run("smpquery", "-D", "switchinfo", "0,1"))
    assert "switch" in site.run("smpquery", "-D", "nodedesc", "0,1", host=HOSTS[1])
    for lid, name in ((1, HOSTS[0]), (lid_b, HOSTS[1])):
        record = site.run("saquery", str(lid), host=HOSTS[1])
        assert re.search(rf"NodeDescription\.+{name}", record), record
    routes = site.run("ibroute", "-D", "0,1")
    assert re.search(rf"0x0001\s+001.*{HOSTS[0]}", routes), routes
    assert re.search(rf"0x{lid_b:04x}\s+002.*{HOSTS[1]}", routes), routes
    counted = site.run("perfquery", str(lid_b), "1")
    assert int(re.search(r"PortRcvPkts:\.+(\d+)", counted)[1]) > 10  # type: ignore[index]
    site.run("perfquery", "-R", str(lid_b), "1")
    again = site.run("perfquery", str(lid_b), "1")
    assert int(re.search(r"PortRcvPkts:\.+(\d+)", again)[1]) < 5  # type: ignore[index]
    site.end(manager)


def test_a_cable_is_pulled_and_plugged(site: Site) -> None:
    manager = site.manager("cable.log")
    site.fabric.plug(0b01)
    site.until(lambda: "adapter B" not in site.run("ibnetdiscover"), "B is still there")
    site.until(lambda: re.search(r"trap.*128|Received Generic Notice type:1 num:128",
                                 site.log("cable.log")), "no trap 128")  # fmt: skip
    site.fabric.plug(0b11)
    site.until(lambda: site.fabric.states() == [ACTIVE] * 3, "not every port is Active again")
    assert "adapter B" in site.run("ibnetdiscover")
    site.end(manager)


def test_opensm_is_killed_and_a_datagram_lost(site: Site) -> None:
    first = site.manager("killed.log")
    site.end(first, signal.SIGKILL)
    before = site.bridge.timeouts
    site.fabric.lose_in = 20
    second = site.manager("second.log")
    assert site.bridge.timeouts == before + 1
    assert site.fabric.states() == [ACTIVE] * 3
    assert "SMINFO_MASTER" in site.run("sminfo", host=HOSTS[1])
    site.end(second)
