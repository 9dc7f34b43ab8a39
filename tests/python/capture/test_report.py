# SPDX-License-Identifier: Apache-2.0
"""What a report counts: answers are looked for where they pass."""

from __future__ import annotations

from kumihimo.capture.pairing import ONE_WAY, TCP_ONE_WAY
from kumihimo.capture.pcapng import Packet
from kumihimo.capture.report import exchanges
from scapy.all import ARP, IP, TCP, UDP, Ether

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


def test_a_service_is_paired_by_identifier_or_by_order() -> None:
    """Answers with other bytes than their questions; two are open at a time."""
    for names in ((b"id00", b"id01"), (b"ask0", b"ask1")):
        identified = names[0] == b"id00"
        answers = [name + b" is well" for name in names[::-1]] if identified else [b"A", b"B"]
        packets = [
            datagram(0, False, 4000, names[0] + b" how"),
            datagram(100, False, 4000, names[1] + b" how"),
            datagram(1000, True, 4000, answers[0]),
            datagram(3000, True, 4000, answers[1]),
        ]
        (row,) = exchanges(packets)
        assert (row.kind, row.requests, row.lost) == ("UDP port 7", 2, 0)
        assert row.latency_ns == ([900, 3000] if identified else [1000, 2900])


def test_percentiles() -> None:
    packets = []
    for i in range(100):
        packets.append(datagram(10_000 * i, False, 4000, bytes([i])))
        packets.append(datagram(10_000 * i + i, True, 4000, bytes([i])))
    (row,) = exchanges(packets)
    figures = row.figures()
    found = [figures[f"latency_{name}_ns"] for name in ("min", "median", "p90", "p99", "max")]
    assert found == [0, 50, 90, 99, 99]


def segment(
    at: int, back: bool, flags: str, seq: int, payload: bytes = b"", port: int = 5000
) -> Packet:
    one, two = ("10.0.0.2", "10.0.0.1") if back else ("10.0.0.1", "10.0.0.2")
    ports = {"sport": 80, "dport": port} if back else {"sport": port, "dport": 80}
    frame = Ether(src=A, dst=B) / IP(src=one, dst=two) / TCP(**ports, flags=flags, seq=seq)
    return Packet(at, "host0", bytes(frame / payload), None)


def test_requests_over_tcp() -> None:
    packets = [
        segment(0, False, "S", 99),
        segment(700, True, "SA", 499),
        segment(800, False, "A", 100),
        segment(1000, False, "PA", 100, b"GET "),
        segment(1500, False, "PA", 104, b"/ HTTP"),
        segment(4000, True, "A", 500, b"200 OK"),
        segment(4100, True, "A", 506, b"text"),
        segment(4200, True, "A", 500, b"200 OK"),  # again: counts once
        segment(9000, False, "PA", 110, b"GET 2"),
        segment(9300, False, "PA", 110, b"GET 2"),  # a retransmission
        segment(9900, True, "A", 510, b"404"),
    ]
    connect, calls = exchanges(packets)
    assert (connect.kind, connect.latency_ns, connect.lost) == ("TCP connect", [700], 0)
    assert (calls.kind, calls.client, calls.requests) == ("TCP port 80", "10.0.0.1", 2)
    # From the last segment of the request; a retransmission does not make it later.
    assert calls.latency_ns == [2500, 900]
    assert (calls.request_bytes, calls.reply_bytes) == (15, 13)


def test_a_connection_that_is_refused_and_one_without_answers() -> None:
    packets = [segment(0, False, "S", 9), segment(5, True, "RA", 0)]
    packets += [segment(10 * i, False, "A", 100 + 4 * i, b"data", 5001) for i in range(1, 6)]
    connect, bulk = exchanges(packets)
    assert (connect.kind, connect.lost) == ("TCP connect", 1)
    assert (bulk.kind, bulk.lost, bulk.request_bytes) == (TCP_ONE_WAY, None, 20)
