# SPDX-License-Identifier: Apache-2.0
"""Debian's opensm and infiniband-diags manage a fabric of RTL agents: a switch and two adapters."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo.ib import Bridge
from kumihimo.testing import Dut, Frame

LIBRARIES = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
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


class Site:
    """Bridge, fabric, and programs of this machine."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.fabric = AgentFabric()
        self.name = f"kumi{os.getpid()}"
        self.bridge = Bridge(self.fabric, HOSTS, self.name, timeout=3.0)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, *argv: str, host: str = HOSTS[0]) -> subprocess.Popen[str]:
        program = shutil.which(argv[0], path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if program is None or not LIBRARIES:
            pytest.fail(f"{argv[0]} or libumad2sim is missing: make setup-test installs them")
        environment = {
            **os.environ, "LD_PRELOAD": str(LIBRARIES[0]), "SIM_HOST": host,
            "IBSIM_SOCKNAME": self.name, "OSM_TMP_DIR": f"{self.place}/",
            "OSM_CACHE_DIR": f"{self.place}/",
        }  # fmt: skip
        process = subprocess.Popen(
            [program, *argv[1:]], env=environment, cwd=self.place, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.running.append(process)
        return process

    def until(self, condition: object, what: str) -> None:
        end = time.monotonic() + LIMIT_S
        while not condition():  # type: ignore[operator]
            assert time.monotonic() < end, what
            self.bridge.serve(0.0 if self.bridge.waiting else 0.002)

    def run(self, *argv: str, host: str = HOSTS[0], code: int = 0) -> str:
        process = self.start(*argv, host=host)
        self.until(lambda: process.poll() is not None, f"{argv} did not end")
        text = process.stdout.read() if process.stdout else ""
        assert process.returncode == code, f"{argv}: {process.returncode}\n{text}"
        return text

    def log(self, name: str = "osm.log") -> str:
        file = self.place / name
        return file.read_text() if file.exists() else ""

    def manager(self, name: str = "osm.log", sweeps: int = 1) -> subprocess.Popen[str]:
        log = str(self.place / name)
        argv = ["opensm", "-e", "-d", "2", "-f", log, "--console", "off", "-s", "2"]
        process = self.start(*argv)
        self.until(lambda: self.log(name).count("SUBNET UP") >= sweeps, "no SUBNET UP")
        return process

    def end(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGTERM)
        self.until(lambda: process.poll() is not None, "it did not end on SIGTERM")

    def close(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.bridge.close()


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
    first.kill()
    site.until(lambda: first.poll() is not None, "not killed")
    before = site.bridge.timeouts
    site.fabric.lose_in = 20
    second = site.manager("second.log")
    assert site.bridge.timeouts == before + 1
    assert site.fabric.states() == [ACTIVE] * 3
    assert "SMINFO_MASTER" in site.run("sminfo", host=HOSTS[1])
    site.end(second)
