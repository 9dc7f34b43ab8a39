# SPDX-License-Identifier: Apache-2.0
"""What a report counts: answers are looked for where they pass."""

from __future__ import annotations

from kumihimo.capture.pcapng import Packet
from kumihimo.capture.report import ONE_WAY, exchanges
from scapy.all import ARP, IP, UDP, Ether

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


def datagram(at: int, back: bool, port: int, payload: bytes) -> Packet:
    one, two = ("10.0.0.2", "10.0.0.1") if back else ("10.0.0.1", "10.0.0.2")
    ports = {"sport": 7, "dport": port} if back else {"sport": port, "dport": 7}
    frame = Ether(src=A, dst=B) / IP(src=one, dst=two) / UDP(**ports) / payload
    return Packet(at, "host0", bytes(frame), None)


def test_datagrams_that_nobody_sends_back_are_no_echo() -> None:
    packets = [datagram(i, False, 4000 + i % 2, bytes([i])) for i in range(6)]
    packets += [datagram(10 + i, True, 4000, bytes([i])) for i in (0, 2)]  # of 4000 one is lost
    packets += [datagram(20, True, 4001, b"a report of what came")]
    rows = [(e.kind, e.client, e.requests, e.lost) for e in exchanges(packets)]
    assert rows == [
        ("UDP echo", "10.0.0.1", 3, 1),
        (ONE_WAY, "10.0.0.1", 3, None),
        (ONE_WAY, "10.0.0.2", 1, None),
    ]
