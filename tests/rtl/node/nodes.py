# SPDX-License-Identifier: Apache-2.0
"""A node under test, and a cable between two of them."""

from __future__ import annotations

from typing import Any

from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether

HOST_MAC, HOST_IP = "02:00:00:00:00:99", "10.77.0.99"


def number(ip: str) -> int:
    """Dotted quad as the registers hold it."""
    return int.from_bytes(bytes(int(part) for part in ip.split(".")), "big")


class Node:
    """A node with its addresses set."""

    def __init__(self, design: str, params: dict[str, Any], host: int = 10) -> None:
        self.dut = Dut(design, params=params)
        self.host = host
        self.mac = f"02:00:00:00:00:{host:02x}"
        self.ip = f"10.77.0.{host}"
        self.setup()

    def restart(self) -> None:
        """Back to time zero, with addresses."""
        self.dut.restart()
        self.setup()

    def setup(self) -> None:
        """Write the addresses."""
        self.regs = RegisterMap(self)
        mac = int(self.mac.replace(":", ""), 16)
        self.regs.ip.mac_hi.write(mac >> 32)
        self.regs.ip.mac_lo.write(mac & 0xFFFFFFFF)
        self.regs.ip.ip.write(number(self.ip))
        self.regs.ip.netmask.write(number("255.255.255.0"))
        # The ARP cache clears itself after reset, then the node announces its address.
        (announcement,) = self.sent(settle=700)
        assert Ether(announcement)[ARP].psrc == self.ip

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data)

    def send(self, *frames: bytes | Ether, bad: bool = False) -> None:
        """Frames toward the node, padded to 60 bytes as a MAC gives them."""
        self.dut.send("s_axis_eth0", [bytes(f).ljust(60, b"\0") for f in frames], bad=bad)

    def sent(self, settle: int = 8) -> list[bytes]:
        """Frames that left the node, after everything has settled."""
        self.dut.drain(settle=settle, timeout_cycles=400_000)
        self.dut.run_until(lambda: not self.dut.get("busy"), 400_000, step=16, what="not busy")
        frames = self.dut.recv("m_axis_eth0")
        assert not any(f.bad for f in frames)
        return [f.data for f in frames]

    def ask(self, *frames: bytes | Ether) -> list[Ether]:
        """Send, and parse what comes back; every header must be as scapy would have made it."""
        self.send(*frames)
        return [checked(data) for data in self.sent()]

    def l2(self) -> Ether:
        """Ethernet header toward the node."""
        return Ether(src=HOST_MAC, dst=self.mac)

    def l3(self, **fields: Any) -> Ether:
        """Ethernet and IPv4 header toward the node."""
        return self.l2() / IP(src=HOST_IP, dst=self.ip, **fields)


def checked(data: bytes) -> Ether:
    """Parse a frame; checksums and lengths must be those that scapy computes."""
    frame = Ether(data)
    again = Ether(data)
    for layer, names in (
        (IP, ("len", "chksum", "ihl")),
        (UDP, ("len", "chksum")),
        (ICMP, ("chksum",)),
    ):
        if layer in again:
            for name in names:
                if layer is UDP and name == "chksum" and again[UDP].chksum == 0:
                    continue
                delattr(again[layer], name)
    assert bytes(again) == data, f"{frame!r}"
    return frame


def exchange(nodes: list[Node], cycles: int, step: int = 64, lose: Any = None) -> int:
    """Run nodes on one segment: every frame of one goes to all others; returns frames moved."""
    moved = 0
    for _ in range(0, cycles, step):
        for node in nodes:
            node.dut.run(step)
        for node in nodes:
            for frame in node.dut.recv("m_axis_eth0"):
                moved += 1
                if lose is not None and lose(frame.data):
                    continue
                for other in nodes:
                    if other is not node:
                        other.dut.send("s_axis_eth0", [frame.data])
    return moved


__all__ = [
    "ARP",
    "HOST_IP",
    "HOST_MAC",
    "ICMP",
    "IP",
    "UDP",
    "Ether",
    "Node",
    "checked",
    "exchange",
    "number",
]
