# SPDX-License-Identifier: Apache-2.0
"""Frames that each cause one drop of IPv6, on the node of probes with IPv6."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

from ip_drops import data
from ledgerkit import HOST_MAC, Cause, Rig
from scapy.layers.inet import UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet

LINK = "fe80::ff:fe00:a"  # of the node's MAC address
PEER = "fe80::99"
PORT = 4662  # of the node's kernel


def packet(rig: Rig, **fields: Any) -> Packet:
    """Headers toward the node."""
    return rig.l2() / IPv6(**{"src": PEER, "dst": LINK, **fields})


def datagram(rig: Rig, dport: int = PORT, size: int = 30, **fields: Any) -> Packet:
    """A datagram to the node."""
    return packet(rig, **fields) / UDP(sport=1000, dport=dport) / data(size)


def _usable(cause: Cause) -> Cause:
    """The node's address is not probed first."""

    def both(rig: Rig) -> None:
        rig.regs.ip6.ctrl.set(probes=0)
        rig.dut.run(50)
        cause(rig)

    return both


def _crowd(rig: Rig) -> None:
    """Four peers that are known, and a fifth whose address has the same places."""
    peers = [str(IPv6Address(int(IPv6Address(PEER)) ^ (n << 6 | n))) for n in range(5)]
    rig.send(*[datagram(rig, src=src) for src in peers[:4] for _ in range(3)])
    rig.send(datagram(rig, src=peers[4]))


def _to_a_handle(rig: Rig, handle: int) -> None:
    """A probe of the generator."""
    gen = rig.regs.traffic_gen
    gen.peer_ip.write(handle)
    gen.frames.write(1)
    gen.ctrl.set(start=1)


def _too_long(rig: Rig) -> None:
    """A probe to the only peer, in the last of its four places; the link takes less."""
    rig.regs.ip6.mtu.set(bytes=40)
    rig.send(datagram(rig))
    rig.dut.drain(400_000)
    folded = 0
    for shift in range(0, 128, 6):
        folded ^= int(IPv6Address(PEER)) >> shift & 63
    _to_a_handle(rig, 0xF0000003 | folded << 2)


CAUSES: dict[str, Cause] = {
    name: _usable(cause)
    for name, cause in {
        "ip6.drop_short": lambda rig: rig.send(bytes(packet(rig)), pad=False),
        "ip6.drop_mac": lambda rig: rig.send(
            Ether(src=HOST_MAC, dst="02:00:00:00:00:77") / datagram(rig)[IPv6]
        ),
        "ip6.drop_source": lambda rig: rig.send(datagram(rig, src="::1")),
        "ip6.drop_address": lambda rig: rig.send(datagram(rig, dst="fe80::1")),
        "ip6.drop_next": lambda rig: rig.send(packet(rig, nh=132) / data(40)),
        "ip6.drop_peers": _crowd,
        "ip6.drop_icmp": lambda rig: rig.send(packet(rig) / ICMPv6EchoRequest(cksum=1) / data()),
        "ip6.drop_icmp_full": lambda rig: rig.held(
            [packet(rig) / ICMPv6EchoRequest() / data(1400)] * 60
        ),
        "ip6.tx_drop_peer": lambda rig: _to_a_handle(rig, 0xF0000001),
        "ip6.tx_drop_length": _too_long,
    }.items()
}

# A drop of the node's kernel, which the stack answers by port unreachable.
CLOSED = _usable(lambda rig: rig.send(datagram(rig, dport=9)))

EXCUSED = {
    "ip6.tx_drop_proto": "the stack sends nothing but UDP, TCP and port unreachable to these peers"
}
