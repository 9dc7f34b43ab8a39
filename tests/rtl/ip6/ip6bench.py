# SPDX-License-Identifier: Apache-2.0
"""IPv6 at a port, alone or with the IPv4 stack behind it as an echo; scapy makes every header."""

from __future__ import annotations

import logging
import random
from functools import cache
from ipaddress import IPv6Address
from typing import Any

logging.getLogger("scapy").setLevel(logging.ERROR)

from kumihimo.testing import Dut, Frame  # noqa: E402
from kumihimo.testing.sizes import data_widths  # noqa: E402
from scapy.layers.inet import ICMP, IP, TCP, UDP, UDPerror  # noqa: E402
from scapy.layers.inet6 import (  # noqa: E402
    ICMPv6DestUnreach,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6ND_RA,
    ICMPv6ND_RS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptPrefixInfo,
    ICMPv6NDOptSrcLLAddr,
    IPerror6,
    IPv6,
    in6_chksum,
)
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Packet, Raw  # noqa: E402
from scapy.utils6 import in6_getnsma, in6_getnsmac  # noqa: E402

TOP = "hw/ip/ip6/kumi_ip6.sv"
ECHO = "tests/rtl/ip6/kumi_t_ip6_echo.sv"
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
    "rx_packet",
    "rx_icmp",
    "drop_short",
    "drop_mac",
    "drop_source",
    "drop_address",
    "drop_next",
    "drop_peers",
    "drop_icmp",
    "drop_icmp_full",
)
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
def _port(width: int) -> Dut:
    return Dut.of_module(
        TOP, {"DATA_W": width}, {"*": {"DATA_W": width}}, pins={"cfg": settings(enable=0)}
    )


def port(width: int = 64, seed: int = 1, start: bool = True, **more: int) -> Dut:
    """The block alone, just out of reset; at `start` it is quiet: routers were asked in vain."""
    dut = _port(width)
    dut.restart(seed)
    dut.set("cfg", settings(**more))
    dut.watch("ev")
    dut.run(300)
    if start:
        dut.run(20 * SECOND_CYCLES)
        dut.recv("m_eth")
    return dut


@cache
def _echo(width: int) -> Dut:
    return Dut(ECHO, params={"DATA_W": width}, pins={"cfg": settings4(), "cfg6": settings()})


def echo(width: int = 64, seed: int = 1) -> Dut:
    """A node's port, quiet."""
    dut = _echo(width)
    dut.restart(seed)
    dut.set("cfg", settings4())
    dut.set("cfg6", settings())
    dut.watch("ev6")
    dut.watch("ev")
    dut.run(1200 + 20 * SECOND_CYCLES)
    dut.recv("m_axis_eth0")
    return dut


def ip6(
    src: str = PEER, dst: str = GIVEN, mac: str = PEER_MAC, to: str = MAC, **more: Any
) -> Packet:
    """Headers of a packet to the node."""
    return Ether(src=mac, dst=to) / IPv6(src=src, dst=dst, **more)


def pad(data: bytes, size: int = 60) -> bytes:
    """Ethernet padding."""
    return data + bytes(max(0, size - len(data)))


def udp6(size: int, rng: random.Random, ecn: int = 0, hlim: int = 64, **ends: Any) -> Packet:
    """A datagram to the node."""
    more = {"chksum": ends.pop("chksum")} if "chksum" in ends else {}
    packet = ip6(tc=ecn, hlim=hlim, **ends) / UDP(sport=rng.randrange(1, 65536), dport=7, **more)
    return Ether(bytes(packet / Raw(rng.randbytes(size))))


def tcp6(size: int, rng: random.Random, ecn: int = 0, hlim: int = 64, **ends: Any) -> Packet:
    """A segment to the node."""
    tcp = TCP(sport=rng.randrange(1, 65536), dport=80, seq=rng.randrange(1 << 32), flags="PA")
    return Ether(bytes(ip6(tc=ecn, hlim=hlim, **ends) / tcp / Raw(rng.randbytes(size))))


def reply4(received: Frame, ttl: int = 64, pad_to: int = 60) -> bytes:
    """What the IPv4 stack sends back: ends exchanged, padded as Ethernet demands."""
    was = Ether(received.data)
    layer = was[UDP] if UDP in was else was[TCP]
    back = layer.copy()
    back.sport, back.dport = layer.dport, layer.sport
    del back.chksum
    ip = IP(src=was[IP].dst, dst=was[IP].src, ttl=ttl, tos=was[IP].tos & 3, flags="DF", id=0)
    return pad(bytes(Ether(src=was.dst, dst=was.src) / ip / back), pad_to)


def closed4(received: Frame) -> bytes:
    """The IPv4 stack's word that no one listens to the port of what it received."""
    was = Ether(received.data)
    ip = IP(src=was[IP].dst, dst=was[IP].src, flags="DF", id=0)
    quoted = Raw(bytes(was[IP])[:28])
    return pad(bytes(Ether(src=was.dst, dst=was.src) / ip / ICMP(type=3, code=3) / quoted))


def check_closed(out: Packet, sent: Packet) -> None:
    """Linux finds its socket by the quoted headers: those of the datagram it sent."""
    assert (out.src, out.dst, out[IPv6].nh) == (sent.dst, sent.src, 58)
    assert (out[IPv6].src, out[IPv6].dst) == (sent[IPv6].dst, sent[IPv6].src)
    assert (out[IPv6].plen, out[IPv6].hlim, len(out)) == (56, 255, 14 + 40 + 56)
    error = out[ICMPv6DestUnreach]
    assert (error.type, error.code) == (1, 4)
    message = bytes(error)
    zeroed = message[:2] + bytes(2) + message[4:]
    assert error.cksum == in6_chksum(58, out[IPv6], zeroed)  # type: ignore[no-untyped-call]
    quoted, was = out[IPerror6], sent[IPv6]
    for name in ("src", "dst", "plen", "hlim", "nh"):
        assert getattr(quoted, name) == getattr(was, name), name
    assert bytes(out[UDPerror])[:8] == bytes(sent[UDP])[:8]


def router(prefix: str, seconds: int = 0xFFFFFFFF, **more: Any) -> Packet:
    """A router's advertisement of a prefix."""
    option = ICMPv6NDOptPrefixInfo(prefix=prefix, validlifetime=seconds, preferredlifetime=seconds)
    return router_with(option.copy(), **more)


def router_with(*options: Packet, **more: Any) -> Packet:
    """A router's advertisement with options."""
    ends: dict[str, Any] = {"src": "fe80::1", "dst": "ff02::1", "to": "33:33:00:00:00:01"}
    packet = ip6(**({"hlim": 255} | ends | more)) / ICMPv6ND_RA()
    for option in options:
        packet = packet / option
    return packet


def solicit(target: str, hlim: int = 255, slla: bool = True, **ends: Any) -> Packet:
    """A neighbour's question for a target, to its group unless `ends` says otherwise."""
    group = in6_getnsma(IPv6Address(target).packed)
    where = {"dst": str(IPv6Address(group)), "to": in6_getnsmac(group)} | ends
    packet = ip6(hlim=hlim, **where) / ICMPv6ND_NS(tgt=target)
    return packet / ICMPv6NDOptSrcLLAddr(lladdr=PEER_MAC) if slla else packet


def icmp6(message: bytes, **ends: Any) -> Packet:
    """An ICMPv6 message with a right checksum, whatever else is wrong with it."""
    packet = ip6(nh=58, **ends)
    if len(message) >= 4:
        whole = bytes(packet / Raw(message))
        zero = message[:2] + bytes(2) + message[4:]
        sum16: int = in6_chksum(58, Ether(whole)[IPv6], zero)  # type: ignore[no-untyped-call]
        message = message[:2] + sum16.to_bytes(2, "big") + message[4:]
    return Ether(bytes(packet / Raw(message)))


def owned(dut: Dut) -> list[str]:
    """The addresses that may be used."""
    bits = dut.get("own")
    own = [bits >> 129 * n & ((1 << 129) - 1) for n in range(3)]
    return [str(IPv6Address(each & ((1 << 128) - 1))) for each in own if each >> 128]


def answers(dut: Dut, *frames: bytes | Frame | Packet, cycles: int = 600) -> list[Packet]:
    """Send frames and read what comes back on the line, as scapy reads it."""
    for frame in frames:
        dut.send("s_eth", bytes(frame) if isinstance(frame, Packet) else frame)
    dut.run(cycles)
    found = dut.recv("m_eth")
    assert not any(frame.bad for frame in found)
    return [Ether(frame.data) for frame in found]


def right(packet: Packet) -> Packet:
    """Its checksums and lengths are those that scapy computes for it."""
    again = packet.copy()
    layer: Packet | None = again
    while layer:
        for name in ("chksum", "cksum", "plen") + (("len",) if isinstance(layer, IP | UDP) else ()):
            if name in layer.fields:
                delattr(layer, name)
        layer = layer.payload
    assert bytes(again) == bytes(packet), packet.show(dump=True)
    return packet


class Events:
    """Events since this was made, or since the last call, those that are not zero."""

    def __init__(self, dut: Dut, pin: str = "ev") -> None:
        self.dut, self.pin = dut, pin
        self.before = dut.counts(pin)

    def __call__(self) -> dict[str, int]:
        """Events since the last call."""
        now = self.dut.counts(self.pin)
        found = {name: now[name] - self.before[name] for name in now}
        self.before = now
        return {name: count for name, count in found.items() if count}


__all__ = [
    "ADDRESS4",
    "EVENTS",
    "FAR",
    "GIVEN",
    "IP",
    "LINK",
    "MAC",
    "PEER",
    "PEER_MAC",
    "SECOND_CYCLES",
    "TCP",
    "UDP",
    "WIDTHS",
    "Dut",
    "Ether",
    "Events",
    "Frame",
    "ICMPv6EchoReply",
    "ICMPv6EchoRequest",
    "ICMPv6NDOptDstLLAddr",
    "ICMPv6NDOptPrefixInfo",
    "ICMPv6NDOptSrcLLAddr",
    "ICMPv6ND_NA",
    "ICMPv6ND_NS",
    "ICMPv6ND_RS",
    "IPv6",
    "Packet",
    "Raw",
    "answers",
    "check_closed",
    "closed4",
    "echo",
    "icmp6",
    "ip6",
    "owned",
    "pad",
    "port",
    "reply4",
    "right",
    "router",
    "router_with",
    "settings",
    "solicit",
    "tcp6",
    "udp6",
]
