# SPDX-License-Identifier: Apache-2.0
"""The IP stack under test, with scapy making and reading every header."""

from __future__ import annotations

import logging
import random
from functools import cache
from typing import Any

logging.getLogger("scapy").setLevel(logging.ERROR)

from kumihimo.testing import Dut, Frame  # noqa: E402
from kumihimo.testing.sizes import data_widths  # noqa: E402
from scapy.layers.inet import ICMP, IP, UDP  # noqa: E402
from scapy.layers.l2 import ARP, Dot1Q, Ether  # noqa: E402
from scapy.packet import Packet, Raw  # noqa: E402
from scapy.utils import checksum  # noqa: E402

FLAT = "kumi_ip_stack_flat"
ECHO = "tests/rtl/ip/kumi_t_ip_echo.sv"
WIDTHS = data_widths(64, 128, 256, 512)

MAC = "02:00:00:00:00:0a"
ADDRESS = "10.77.0.10"
GATEWAY = "10.77.0.1"
PEER_MAC = "02:aa:bb:cc:dd:ee"
PEER = "10.77.0.99"
BROADCAST = "ff:ff:ff:ff:ff:ff"
TICK = 32  # cycles

CKS_NONE, CKS_GENERATE, CKS_GIVEN = 0, 1, 2


def mac(text: str) -> int:
    """A MAC address as the number a record holds."""
    return int(text.replace(":", ""), 16)


def ip(text: str) -> int:
    """An IPv4 address as the number a record holds."""
    a, b, c, d = (int(x) for x in text.split("."))
    return a << 24 | b << 16 | c << 8 | d


def settings(**more: int) -> dict[str, int]:
    """Settings of the stack in a test."""
    cfg = {
        "mac": mac(MAC),
        "ip": ip(ADDRESS),
        "netmask": ip("255.255.255.0"),
        "gateway": ip(GATEWAY),
        "ttl": 64,
        "tick_cycles": TICK,
        "arp_retry_ticks": 50,
        "arp_retries": 3,
        "arp_age_ticks": 60000,
        "enable": 1,
        "ping": 1,
        "raw": 1,
        "udp_any": 1,
        "dont_fragment": 1,
    }
    cfg.update(more)
    return cfg


@cache
def _stack(top: str, params: tuple[tuple[str, int], ...]) -> Dut:
    return Dut(top, params=dict(params), pins={"cfg": settings()})


def stack(
    width: int, seed: int = 1, announce: bool = False, echo: bool = False, **params: int
) -> Dut:
    """A stack just out of reset (built once for each set of parameters).

    With `echo` its UDP and raw ports are joined: everything received is sent back.
    """
    key = tuple(sorted({"DATA_W": width, **params}.items()))
    dut = _stack(ECHO if echo else FLAT, key)
    dut.restart(seed)
    dut.set("cfg", settings())
    dut.watch("ev")
    if not announce:
        dut.run(700)  # the cache is clear and the announcement out
        dut.recv("m_axis_eth0")
        dut.watch("ev")
    return dut


def configure(dut: Dut, **more: int) -> None:
    """Changes settings while it runs."""
    dut.set("cfg", settings(**more))


def ether(tag: int | None = None, src: str = PEER_MAC, dst: str = MAC) -> Packet:
    """Ethernet header, with an 802.1Q tag when `tag` (the TCI) is given."""
    layer: Packet = Ether(src=src, dst=dst)
    if tag is not None:
        layer = layer / Dot1Q(prio=tag >> 13, dei=(tag >> 12) & 1, vlan=tag & 0xFFF)
    return layer


def pad(data: bytes, size: int = 60) -> bytes:
    """Ethernet padding."""
    return data + bytes(max(0, size - len(data)))


def udp_frame(
    payload: bytes,
    sport: int = 4000,
    dport: int = 7,
    tag: int | None = None,
    src: str = PEER,
    dst: str = ADDRESS,
    **udp: Any,
) -> bytes:
    """A datagram to the stack."""
    packet = ether(tag) / IP(src=src, dst=dst) / UDP(sport=sport, dport=dport, **udp)
    return pad(bytes(packet / Raw(payload)))


def ping_frame(payload: bytes, ident: int = 1, seq: int = 1, tag: int | None = None) -> bytes:
    """An echo request to the stack."""
    packet = ether(tag) / IP(src=PEER, dst=ADDRESS) / ICMP(type=8, id=ident, seq=seq)
    return pad(bytes(packet / Raw(payload)))


def arp_request(src: str = PEER, hw: str = PEER_MAC, target: str = ADDRESS) -> bytes:
    """Who has `target`?"""
    return pad(bytes(Ether(src=hw, dst=BROADCAST) / ARP(op=1, hwsrc=hw, psrc=src, pdst=target)))


def arp_reply(src: str = PEER, hw: str = PEER_MAC) -> bytes:
    """`src` is at `hw`, told to the stack."""
    arp = ARP(op=2, hwsrc=hw, psrc=src, hwdst=MAC, pdst=ADDRESS)
    return pad(bytes(Ether(src=hw, dst=MAC) / arp))


def record(dut: Dut, payload: bytes, **fields: int) -> int:
    """A udp_hdr_t to send `payload` to the usual peer."""
    values = {
        "peer_mac": mac(PEER_MAC),
        "peer_mac_valid": 1,
        "peer_ip": ip(PEER),
        "peer_port": 4000,
        "local_port": 7,
        "length": len(payload),
        "cks": CKS_GENERATE,
    }
    values.update(fields)
    return int(dut.struct("udp_hdr_t").pack(**values))


def sums_right(frame: bytes) -> bool:
    """Whether scapy computes the same checksums and lengths as the frame has."""
    packet = Ether(frame)
    again = packet.copy()
    for layer in (IP, UDP, ICMP):
        if layer in again:
            del again[layer].chksum
            if layer in (IP, UDP):
                del again[layer].len
    if UDP in packet and packet[UDP].chksum == 0:
        again[UDP].chksum = 0
    return bytes(again) == frame


def accounted(dut: Dut) -> dict[str, int]:
    """Checks that each received frame and each packet to send had one outcome; gives the counts."""
    ev = dut.counts("ev")
    outcomes = sum(v for k, v in ev.items() if k.startswith("drop_"))
    outcomes += ev["rx_udp"] + ev["rx_raw"] + ev["rx_icmp"] + ev["rx_arp"]
    assert ev["rx_frame"] == outcomes, ev
    return dict(ev)


def payload(rng: random.Random, size: int) -> bytes:
    """Random bytes."""
    return rng.randbytes(size)


__all__ = [
    "ADDRESS",
    "ARP",
    "BROADCAST",
    "CKS_GENERATE",
    "CKS_GIVEN",
    "CKS_NONE",
    "GATEWAY",
    "ICMP",
    "IP",
    "MAC",
    "PEER",
    "PEER_MAC",
    "TICK",
    "UDP",
    "WIDTHS",
    "Dot1Q",
    "Dut",
    "Ether",
    "Frame",
    "Raw",
    "accounted",
    "arp_reply",
    "arp_request",
    "checksum",
    "configure",
    "ether",
    "ip",
    "mac",
    "pad",
    "payload",
    "ping_frame",
    "record",
    "settings",
    "stack",
    "sums_right",
    "udp_frame",
]  # fmt: skip
