# SPDX-License-Identifier: Apache-2.0
"""Frames that each cause one drop of the IP stack, or of the echo behind it."""

from __future__ import annotations

from typing import Any

from ledgerkit import HOST_IP, HOST_MAC, NODE_IP, Cause, Rig, number
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

BROADCAST = "ff:ff:ff:ff:ff:ff"


def data(size: int = 30) -> Raw:
    """Payload."""
    return Raw(bytes(i & 255 for i in range(size)))


def learn(rig: Rig) -> None:
    """Teach the node our MAC address."""
    rig.send(Ether(src=HOST_MAC, dst=BROADCAST) / ARP(psrc=HOST_IP, hwsrc=HOST_MAC, pdst=NODE_IP))
    rig.dut.drain(400_000)


def datagram(rig: Rig, size: int = 30, **fields: Any) -> Ether:
    """A datagram to the echo."""
    frame = rig.l3() / UDP(**{"sport": 1000, "dport": 7, **fields}) / data(size)
    assert isinstance(frame, Ether)
    return frame


def learned(cause: Cause) -> Cause:
    """The node knows our address first."""

    def both(rig: Rig) -> None:
        learn(rig)
        cause(rig)

    return both


def with_register(block: str, name: str, value: int, cause: Cause, **fields: int) -> Cause:
    """A register is written first: the whole of it, or fields."""

    def both(rig: Rig) -> None:
        reg = rig.regs[block][name]
        if fields:
            reg.set(**fields)
        else:
            reg.write(value)
        cause(rig)

    return both


def probes(rig: Rig, count: int) -> None:
    """Probes to a station whose MAC address the node does not know."""
    gen = rig.regs.traffic_gen
    gen.peer_ip.write(number(HOST_IP))
    gen.frames.write(count)
    gen.ctrl.set(start=1)


def _unanswered(rig: Rig) -> None:
    """Nobody answers ARP requests."""
    rig.regs.ip.tick.set(cycles=100)
    rig.regs.ip.arp.set(retry_ticks=2, retries=1)
    probes(rig, 1)
    ended = rig.regs.ip["tx_drop_timeout"].read
    rig.dut.run_until(ended, 200_000, 2000, "the end of patience")  # from the next tick on


def _many_wait(rig: Rig) -> None:
    """More probes than can wait for one address; then it is there."""
    probes(rig, 9)
    rig.dut.run(4000)
    learn(rig)


# What is dropped as well: the reply that had begun before the end of its datagram proved wrong.
ALSO = {
    "ip.drop_udp_checksum": ("ip.tx_buffer_bad",),
    "ip.tx_buffer_bad": ("ip.drop_udp_checksum",),
}

# On a node that forwards frames while they come in.
CAUSES: dict[str, Cause] = {
    "ip.drop_bad": lambda rig: rig.send(rig.l3() / ICMP() / data(), bad=True),
    "ip.drop_runt": lambda rig: rig.send(bytes(rig.l3())[:30], pad=False),
    "ip.drop_mac": lambda rig: rig.send(Ether(src=HOST_MAC, dst="02:00:00:00:00:77") / data()),
    "ip.drop_ethertype": lambda rig: rig.send(rig.l2(type=0x86DD) / data(60)),
    "ip.drop_arp": lambda rig: rig.send(rig.l2() / ARP(hwlen=5, psrc=HOST_IP, pdst=NODE_IP)),
    "ip.drop_arp_busy": lambda rig: rig.held(
        [Ether(src=HOST_MAC, dst=BROADCAST) / ARP(psrc=HOST_IP, hwsrc=HOST_MAC, pdst=NODE_IP)] * 400
    ),
    "ip.drop_ip_version": lambda rig: rig.send(rig.l3(version=5) / UDP() / data()),
    "ip.drop_ip_options": lambda rig: rig.send(rig.l3(options=b"\1\1\1\1") / UDP() / data()),
    "ip.drop_ip_length": lambda rig: rig.send(rig.l3(len=10) / UDP() / data()),
    "ip.drop_ip_fragment": lambda rig: rig.send(rig.l3(flags="MF") / UDP() / data()),
    "ip.drop_ip_ttl": with_register(
        "ip", "ctrl", 0, lambda rig: rig.send(rig.l3(ttl=0) / UDP() / data()), drop_ttl0=1
    ),
    "ip.drop_ip_checksum": lambda rig: rig.send(rig.l3(chksum=0x1234) / UDP() / data()),
    "ip.drop_ip_src": lambda rig: rig.send(rig.l3(src="127.0.0.1") / UDP() / data()),
    "ip.drop_ip_dst": lambda rig: rig.send(rig.l3(dst="10.77.0.78") / UDP() / data()),
    "ip.drop_ip_proto": lambda rig: rig.send(rig.l3(proto=132) / data(40)),
    "ip.drop_udp_length": lambda rig: rig.send(rig.l3() / UDP(dport=7, len=1000) / data()),
    "ip.drop_udp_checksum": learned(lambda rig: rig.send(datagram(rig, 100, chksum=1))),
    "ip.drop_icmp_type": lambda rig: rig.send(rig.l3() / ICMP(type=13) / data()),
    "ip.drop_icmp_checksum": lambda rig: rig.send(rig.l3() / ICMP(chksum=1) / data()),
    "ip.drop_icmp_busy": lambda rig: rig.held([rig.l3() / ICMP() / data(1400)] * 60),
    "ip.tx_drop_length": learned(lambda rig: rig.send(datagram(rig, 9100))),
    "ip.tx_buffer_bad": learned(lambda rig: rig.send(datagram(rig, 100, chksum=1))),
    "echo.drop_port": with_register("echo", "port", 7, lambda r: r.send(datagram(r, dport=9))),
    "echo.drop_disabled": with_register("echo", "ctrl", 0, lambda r: r.send(datagram(r))),
}

# On a node with buffers that hold frames until they have proved good.
BUFFERED: dict[str, Cause] = {
    "ip.rx_buffer_bad": lambda rig: rig.send(datagram(rig), bad=True),
    "ip.rx_overflow": learned(lambda rig: rig.held([datagram(rig, 1000)] * 60)),
}

# On a node that shows a datagram when its checksum is known: a buffer of 16 KiB.
STORED: dict[str, Cause] = {
    "ip.drop_store": learned(lambda rig: rig.send(datagram(rig, 17000))),
}

# On the node of probes.
TRAFFIC: dict[str, Cause] = {
    "traffic_check.other_port": lambda rig: rig.send(datagram(rig, dport=9)),
    "ip.tx_drop_pending_full": _many_wait,
    "ip.tx_drop_timeout": _unanswered,
}


def to_all(rig: Rig, dport: int, size: int) -> Ether:
    """A datagram to whoever hears it."""
    frame = rig.l2(dst=BROADCAST) / IP(src=HOST_IP, dst="255.255.255.255")
    return frame / UDP(sport=67, dport=dport) / data(size)


def _nameless(cause: Cause) -> Cause:
    """The node waits for an address."""
    return with_register("dhcp", "ctrl", 1, cause)


# On the node of probes with a DHCP client that nobody answers.
NAMELESS: dict[str, Cause] = {
    "ip.drop_udp_port": _nameless(lambda rig: rig.send(to_all(rig, 9, 30))),
    "dhcp.drop_full": _nameless(lambda rig: rig.send(*[to_all(rig, 68, 600)] * 8)),
    "dhcp.drop_no_address": _nameless(lambda rig: probes(rig, 3)),
}

EXCUSED = {
    "pingpong.drop_port": "its node brings it only the datagrams of its own port",
}
