# SPDX-License-Identifier: Apache-2.0
"""IPv6 and the IPv4 stack behind it as an echo, with scapy making and reading every header."""

from __future__ import annotations

import logging
from functools import cache
from ipaddress import IPv6Address
from typing import Any

logging.getLogger("scapy").setLevel(logging.ERROR)

from kumihimo.testing import Dut, Frame  # noqa: E402
from kumihimo.testing.sizes import data_widths  # noqa: E402
from scapy.layers.inet import TCP, UDP  # noqa: E402
from scapy.layers.inet6 import (  # noqa: E402
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6ND_RA,
    ICMPv6ND_RS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptPrefixInfo,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
)
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Packet, Raw  # noqa: E402
from scapy.utils6 import in6_getnsma, in6_getnsmac  # noqa: E402

TOP = "tests/rtl/ip6/kumi_t_ip6_echo.sv"
WIDTHS = data_widths(64, 128, 256, 512)

MAC = "02:00:00:00:00:0a"
ADDRESS4 = 0x0A4D000A
LINK = "fe80::ff:fe00:a"  # of the MAC address
GIVEN = "fd00::7"
PEER_MAC = "02:aa:bb:cc:dd:ee"
PEER = "fe80::aa:bbff:fecc:ddee"
FAR = "2001:db8::99"
TICK, SECOND = 16, 8
SECOND_CYCLES = TICK * SECOND
EVENTS = (
    "rx_packet rx_icmp drop_short drop_mac drop_source drop_address drop_next drop_peers drop_icmp "
    "drop_icmp_full"
).split()
"""Of which every received IPv6 frame raises one."""


def number(mac: str) -> int:
    """A MAC address as the number a record holds."""
    return int(mac.replace(":", ""), 16)


def settings(**more: int) -> dict[str, int]:
    """Settings of IPv6 in a test."""
    cfg = {
        "enable": 1,
        "autoconf": 1,
        "ping": 1,
        "probes": 0,
        "second_ticks": SECOND,
        "mtu": 9000,
        "mac": number(MAC),
        "tick_cycles": TICK,
        "ip": ADDRESS4,
        "address": int(IPv6Address(GIVEN)),
    }
    return cfg | more


def settings4() -> dict[str, int]:
    """Settings of the IPv4 stack."""
    return {
        "mac": number(MAC),
        "ip": ADDRESS4,
        "netmask": 0xFFFFFF00,
        "ttl": 64,
        "tick_cycles": 32,
        "arp_retry_ticks": 50,
        "arp_retries": 3,
        "arp_age_ticks": 60000,
        "enable": 1,
        "ping": 1,
        "raw": 1,
        "udp_any": 1,
        "dont_fragment": 1,
        "handles": 1,
    }


@cache
def _dut(params: tuple[tuple[str, int], ...]) -> Dut:
    return Dut(TOP, params=dict(params), pins={"cfg": settings4(), "cfg6": settings()})


def port(width: int = 64, seed: int = 1, peers: int = 256, **more: int) -> Dut:
    """A node's port just out of reset, quiet: routers were asked, and nobody answered."""
    dut = _dut((("DATA_W", width), ("PEERS", peers)))
    dut.restart(seed)
    dut.set("cfg", settings4())
    dut.set("cfg6", settings(**more))
    dut.watch("ev6")
    dut.run(1200)
    dut.run(20 * SECOND_CYCLES)
    return dut


def quiet(dut: Dut) -> Dut:
    """What it sent by itself is taken away."""
    dut.recv("m_axis_eth0")
    dut.watch("ev6")
    return dut


def ip6(
    src: str = PEER, dst: str = GIVEN, mac: str = PEER_MAC, to: str = MAC, **more: Any
) -> Packet:
    """Headers of a packet to the node."""
    return Ether(src=mac, dst=to) / IPv6(src=src, dst=dst, **more)


def pad(data: bytes, size: int = 60) -> bytes:
    """Ethernet padding."""
    return data + bytes(max(0, size - len(data)))


def answers(dut: Dut, *frames: bytes | Frame, cycles: int = 600) -> list[Packet]:
    """Send frames and read what comes back, as scapy reads it."""
    for frame in frames:
        dut.send("s_axis_eth0", frame)
    dut.run(cycles)
    found = dut.recv("m_axis_eth0")
    assert not any(frame.bad for frame in found)
    return [Ether(frame.data) for frame in found]


def right(packet: Packet) -> Packet:
    """Its checksum is what scapy computes for it."""
    again = packet.copy()
    for layer in (UDP, TCP, ICMPv6EchoReply, ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6ND_RS):
        if layer in again:
            field = "chksum" if layer in (UDP, TCP) else "cksum"
            delattr(again[layer], field)
            assert getattr(Ether(bytes(again))[layer], field) == getattr(packet[layer], field)
            return packet
    raise AssertionError(f"nothing to check in {packet.summary()}")


def outcomes(dut: Dut) -> dict[str, int]:
    """Events since the last time, those that are not zero."""
    return {name: count for name, count in dut.counts("ev6").items() if count}
