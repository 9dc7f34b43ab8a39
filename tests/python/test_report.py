# SPDX-License-Identifier: Apache-2.0
"""What a report counts: answers are looked for where they pass."""

from __future__ import annotations

from kumihimo.pcapng import Packet
from kumihimo.report import exchanges
from scapy.all import ARP, Ether

A, B = "02:00:00:00:00:01", "02:00:00:00:00:02"


def arp(at: int, interface: str, **fields: str) -> Packet:
    target = "ff:ff:ff:ff:ff:ff" if fields["op"] == "who-has" else A
    return Packet(at, interface, bytes(Ether(src=A, dst=target) / ARP(**fields)), None)


def test_a_broadcast_is_not_lost_at_a_bystander() -> None:
    ask = {"op": "who-has", "psrc": "10.0.0.1", "pdst": "10.0.0.2"}
    packets = [
        arp(0, "host0", **ask),
        arp(5, "other.eth0", **ask),
        arp(9, "host0", op="is-at", psrc="10.0.0.2", pdst="10.0.0.1", hwsrc=B),
    ]
    assert [(e.interface, e.lost) for e in exchanges(packets)] == [("host0", 0)]
    # Without any answer it is lost, wherever it was seen.
    assert [e.lost for e in exchanges(packets[:2])] == [1, 1]
