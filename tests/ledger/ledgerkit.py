# SPDX-License-Identifier: Apache-2.0
"""What the tests of the ledger share: a node under test, its counters, `kumi why` of them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from kumihimo.build import ParamValue
from kumihimo.cli.up import write_stats
from kumihimo.cli.why import run as why
from kumihimo.ledger.drops import reason
from kumihimo.regs import BLOCKS, RegisterMap
from kumihimo.testing import Dut
from kumihimo.testing.books import stats_of
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

HOST_MAC, HOST_IP = "02:00:00:00:00:99", "10.77.0.99"
NODE_MAC, NODE_IP = "02:00:00:00:00:0a", "10.77.0.10"
Data = dict[str, Any]


def number(text: str) -> int:
    """An IPv4 or MAC address as registers hold it."""
    if ":" in text:
        return int(text.replace(":", ""), 16)
    return int.from_bytes(bytes(int(part) for part in text.split(".")), "big")


class Rig:
    """A node with its registers and its Ethernet port."""

    def __init__(
        self,
        design: str,
        params: Mapping[str, ParamValue] | None = None,
        profile: str = "test",
        **more: Any,
    ) -> None:
        self.dut = Dut(design, params=params, profile=profile, **more)

    def restart(self) -> None:
        """Back to time zero, with addresses."""
        self.dut.restart()
        self.dut.stall_all()
        self.regs = RegisterMap(self)
        block = self.regs["ip" if "ip" in self.regs else "eth_port"]
        block.mac_hi.write(number(NODE_MAC) >> 32)
        block.mac_lo.write(number(NODE_MAC) & 0xFFFFFFFF)
        if "ip" in self.regs:
            block.ip.write(number(NODE_IP))
        self.dut.run(700)  # the ARP cache clears itself, then the node announces its address

    def read(self, addr: int) -> int:
        """A register, for the map."""
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        """A register, for the map."""
        self.dut.axil_write(addr, data)

    def send(self, *frames: bytes | Ether, bad: bool = False, pad: bool = True) -> None:
        """Frames toward the node."""
        room = 60 if pad else 0
        self.dut.send("s_axis_eth0", [bytes(f).ljust(room, b"\0") for f in frames], bad=bad)

    def l2(self, **fields: Any) -> Ether:
        """Ethernet header toward the node."""
        return Ether(**{"src": HOST_MAC, "dst": NODE_MAC, **fields})

    def l3(self, **fields: Any) -> Ether:
        """Ethernet and IPv4 header toward the node."""
        return self.l2() / IP(**{"src": HOST_IP, "dst": NODE_IP, **fields})

    def held(self, frames: list[Ether]) -> None:
        """Frames while nothing can leave the node."""
        self.dut.stall("m_axis_eth0", 1.0)
        self.send(*frames)
        self.dut.run(1000 + sum(len(f) // 4 + 20 for f in frames))
        self.dut.stall("m_axis_eth0", 0.0)
        self.dut.drain(400_000)


def told(stats: Data, folder: Path) -> tuple[Data, str]:
    """What `kumi why FILE` prints, as JSON and in words."""
    file = folder / "stats.json"
    write_stats(stats, file)
    shown = []
    for as_json in (True, False):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert why(str(file), as_json) == 0
        shown.append(out.getvalue())
    return json.loads(shown[0]), shown[1]


def named(document: Data) -> dict[str, tuple[int, str]]:
    """Every drop of a ledger: counter to count and reason; also those outside the sums."""
    found = {}
    for account in document["accounts"]:
        for item in (*account["dropped"], *account["later"]):
            if item["name"]:
                found[item["name"]] = (item["count"], item["text"])
    return found


def expect(
    stats: Data, folder: Path, counter: str, also: Collection[str] = (), prefix: str = ""
) -> None:
    """`kumi why` names the counter and its reason, no other drop but `also`; the balance closes."""
    document, text = told(stats, folder)
    found = named(document)
    block, _, name = counter.partition(".")
    why = reason(BLOCKS[block].reg(name.partition("[")[0]).description)
    assert found.get(prefix + counter, (0, ""))[1] == why, (counter, found)
    assert set(found) - {prefix + name for name in also} == {prefix + counter}, found
    assert f"{prefix + counter} ({why})" in text
    assert document["balanced"] and document["unexplained"] == 0, text
    for account in document["accounts"]:
        assert account["inside"] == 0, text


Cause = Callable[[Rig], Any]


def check(rig: Rig, cause: Cause, counter: str, folder: Path, also: Collection[str] = ()) -> None:
    """Restart the node, cause a drop, and ask why."""
    rig.restart()
    cause(rig)
    rig.dut.drain(400_000)
    expect(stats_of(rig.dut), folder, counter, also)
