# SPDX-License-Identifier: Apache-2.0
"""Offloads of the network card: checksums both ways and TCP segmentation, against scapy.

About 15 s of processor.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.virtio import CTRL_VLAN, ETH, HEADER, MRG_RXBUF, VERSION_1, Driver
from kumihimo.testing.virtio_split import Queue
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw
from scapy.utils import checksum

MAC = 0x020000000042
MINE = "02:00:00:00:00:42"
CSUM, GUEST_CSUM, HOST_TSO4, HOST_TSO6, HOST_ECN = (1 << n for n in (0, 1, 11, 12, 13))
NEEDS_CSUM, DATA_VALID = 1, 2
GSO_TCP4, GSO_UDP, GSO_TCP6, GSO_ECN = 1, 3, 4, 0x80
LATENCY = 40  # cycles of the host's memory
DROPPED = 0x800 + 4 * 8  # counter: dropped before the wire


@pytest.fixture(scope="module")
def nic() -> Dut:
    """A card with one pair of queues."""
    return Dut("nic", {"PAIRS": 1}, pins={"mac": MAC}, periods_ps={"clk": 4000})


def ready(dut: Dut, features: int = ~0, seed: int = 1) -> Driver:
    """A card that its driver has started."""
    dut.restart(seed=seed)
    dut.set("mac", MAC)
    dut.memory("m_axi_host").configure(latency_cycles=LATENCY, reorder=True)
    driver = Driver(dut, features, seed)
    for number in range(2):
        driver.queue(number)
    driver.start()
    return driver


def data(length: int, seed: int = 7) -> bytes:
    """Bytes of a payload."""
    return random.Random(seed).randbytes(length)


def ip_of(kind: str) -> Packet:
    """Headers below TCP and UDP."""
    ether = Ether(src=MINE, dst="02:00:00:00:00:01")
    if "vlan" in kind:
        ether /= Dot1Q(vlan=77)
    if "6" in kind:
        return ether / IPv6(src="fd00::1", dst="fd00::2")
    options = [b"\x01" * 4] if "options" in kind else []
    return ether / IP(src="10.1.2.3", dst="10.9.8.7", id=0xFFFE, options=options)


def pseudo(packet: Packet, proto: int, length: int) -> int:
    """Sum of the pseudo-header, folded: what a driver leaves in the checksum field."""
    ip = packet[IPv6] if IPv6 in packet else packet[IP]
    name = "!16s16sII" if IPv6 in packet else "!4s4sHH"
    import socket

    family = socket.AF_INET6 if IPv6 in packet else socket.AF_INET
    ends = [socket.inet_pton(family, a) for a in (ip.src, ip.dst)]
    if IPv6 in packet:
        words = struct.pack(name, *ends, length, proto)
    else:
        words = struct.pack(name, *ends, proto, length)
    return ~checksum(words) & 0xFFFF


@dataclass
class Asked:
    """A packet as a driver hands it over, and the frame that has to leave."""

    header: bytes
    frame: bytes
    whole: Packet
    start: int


def asked(packet: Packet, gso: int = 0, mss: int = 0) -> Asked:
    """The packet with its checksum left to the card."""
    right = packet.__class__(bytes(packet))
    layer = TCP if TCP in right else UDP
    proto, offset = (6, 16) if layer is TCP else (17, 6)
    frame = bytearray(bytes(right))
    start = len(frame) - len(bytes(right[layer]))
    field = start + offset
    frame[field : field + 2] = pseudo(right, proto, len(frame) - start).to_bytes(2, "big")
    header = struct.pack("<BBHHHHH", NEEDS_CSUM, gso, 0, mss, start, offset, 0)
    return Asked(header, bytes(frame), right, start)


def hand_over(driver: Driver, q: Queue, what: Asked, pieces: int = 2) -> None:
    """Make it available."""
    driver.add(q, driver.pieces(what.header + what.frame, pieces), indirect=pieces > 3)


def sent(dut: Dut, count: int) -> list[bytes]:
    """Frames on the wire."""
    return [f for f in dut.recv_data(ETH, count) if f]


CASES = [("v4", UDP(sport=7, dport=9) / Raw(data(n))) for n in (1, 17, 18, 22, 23, 1000, 1472)] + [
    (kind, TCP(sport=7, dport=9, flags="PA") / Raw(data(n)))
    for kind in ("v4", "v6", "vlan v4", "vlan v6", "options v4")
    for n in (1, 10, 11, 64, 1301)
]


def test_checksums_of_what_is_sent(nic: Dut) -> None:
    driver = ready(nic)
    assert driver.features & CSUM
    nic.stall_all(rx=0.2, tx=0.2)
    q = driver.queues[1]
    expected: list[bytes] = []
    for kind, rest in CASES:
        what = asked(ip_of(kind) / rest)
        hand_over(driver, q, what, 1 + len(expected) % 5)
        driver.publish(q)
        driver.wait(q, 1)
        expected.append(bytes(what.whole).ljust(60, b"\0"))
    assert sent(nic, len(expected)) == expected


def test_a_sum_of_zero_and_one_that_begins_at_an_odd_byte(nic: Dut) -> None:
    driver = ready(nic)
    q = driver.queues[1]
    zero = bytes(14) + b"\xff\xff" + bytes(62)  # from byte 14 on the sum is 0xffff
    odd = data(200)
    for frame, start, offset in ((zero, 14, 10), (odd, 21, 30), (odd, 62, 1), (odd, 20, 43)):
        header = struct.pack("<BBHHHHH", NEEDS_CSUM, 0, 0, 0, start, offset, 0)
        driver.add(q, driver.pieces(header + frame, 2))
        driver.publish(q)
        value = checksum(frame[start:]) or 0xFFFF
        right = bytearray(frame)
        right[start + offset : start + offset + 2] = value.to_bytes(2, "big")
        assert sent(nic, 1) == [bytes(right)]
    # Without the flag nothing is changed.
    driver.add(q, driver.pieces(bytes([0, 0]) + bytes(4) + b"\x14\0\x10\0\0\0" + odd, 2))
    driver.publish(q)
    assert sent(nic, 1) == [odd]


def segments(what: Asked, mss: int) -> Iterator[bytes]:
    """The frames that have to leave: what scapy makes of each piece of the payload."""
    packet = what.whole
    payload = bytes(packet[TCP].payload)
    ecn = packet[TCP].flags.C
    for n, at in enumerate(range(0, len(payload), mss)):
        part = Ether(what.frame)
        last = at + mss >= len(payload)
        tcp = part[TCP]
        tcp.remove_payload()
        tcp.add_payload(Raw(payload[at : at + mss]))
        tcp.seq = (packet[TCP].seq + at) & 0xFFFFFFFF
        tcp.chksum = None
        if not last:
            tcp.flags = str(tcp.flags).replace("F", "").replace("P", "")
        if n and ecn:
            tcp.flags = str(tcp.flags).replace("C", "")
        if IP in part:
            part[IP].id = (packet[IP].id + n) & 0xFFFF
            part[IP].len = part[IP].chksum = None
        else:
            part[IPv6].plen = None
        yield bytes(part).ljust(60, b"\0")


@pytest.mark.parametrize(
    ("kind", "options", "length", "mss"),
    [
        ("v4", 0, 2920, 1460),
        ("v4", 3, 14480, 1448),
        ("v4", 3, 64000, 1448),
        ("v4", 3, 17895, 8948),
        ("vlan v4", 0, 1000, 6),
        ("options v4", 10, 3000, 536),
        ("v6", 3, 4285, 1428),
        ("v6", 0, 129, 64),
        ("vlan v6", 9, 5001, 1400),
        ("v6", 3, 900, 1000),
    ],
)
def test_segmentation(nic: Dut, kind: str, options: int, length: int, mss: int) -> None:
    driver = ready(nic)
    nic.stall_all(rx=0.1, tx=0.1)
    q = driver.queues[1]
    flags = "FPACE" if length % 2 else "PA"
    tcp = TCP(sport=5201, dport=999, seq=0xFFFFF000, ack=5, flags=flags, window=501)
    tcp.options = [("NOP", None)] * (4 * options)
    ether = ip_of(kind) / tcp / Raw(data(length))
    gso = (GSO_TCP6 if "6" in kind else GSO_TCP4) | (GSO_ECN if "C" in flags else 0)
    what = asked(ether, gso, mss)
    expected = list(segments(what, mss))
    hand_over(driver, q, what, 4)
    after = asked(ip_of("v4") / UDP(sport=1, dport=2) / Raw(b"behind it"))
    hand_over(driver, q, after, 1)
    driver.publish(q)
    got = sent(nic, len(expected) + 1)
    assert len(got) == len(expected) + 1
    for n, (mine, right) in enumerate(zip(got, expected, strict=False)):
        assert mine == right, f"segment {n}"
    assert got[-1] == bytes(after.whole).ljust(60, b"\0")
    driver.wait(q, 2)


def test_headers_that_cannot_be_segmented(nic: Dut) -> None:
    driver = ready(nic)
    q = driver.queues[1]
    good = asked(ip_of("v4") / TCP(flags="A") / Raw(data(4000)), GSO_TCP4, 1400)
    flags, gso, _hint, mss, start, offset, many = struct.unpack("<BBHHHHH", good.header)

    def changed(**new: int) -> bytes:
        fields = {"flags": flags, "gso": gso, "mss": mss, "start": start} | new
        return struct.pack(
            "<BBHHHHH",
            fields["flags"],
            fields["gso"],
            0,
            fields["mss"],
            fields["start"],
            offset,
            many,
        )

    short_tcp = bytearray(good.frame)
    short_tcp[start + 12] = 0x40
    wrong = [
        (changed(mss=0), good.frame),
        (changed(mss=0xFFFF), good.frame),
        (changed(start=35), good.frame),
        (changed(start=36), good.frame),
        (changed(start=14), good.frame),
        (changed(start=130), good.frame),
        (changed(start=0xFFFE), good.frame),
        (changed(gso=GSO_TCP6), good.frame),
        (changed(gso=GSO_UDP), good.frame),
        (changed(gso=77), good.frame),
        (changed(flags=0), good.frame),
        (good.header, bytes(short_tcp)),
        (good.header, good.frame[:54]),  # no payload
        (good.header, good.frame[:64]),  # one beat
        (bytes(12), data(20000)),  # longer than any frame
    ]
    for header, frame in wrong:
        driver.add(q, driver.pieces(header + frame, 2))
        driver.publish(q)
        driver.wait(q, 1)
    hand_over(driver, q, good)
    driver.publish(q)
    assert sent(nic, 3) == list(segments(good, 1400))
    assert driver.read(DROPPED) == len(wrong)


def receive(dut: Dut, driver: Driver, frames: list[bytes]) -> list[tuple[int, bytes]]:
    """The flags and bytes with which frames arrive."""
    q = driver.queues[0]
    out = []
    for frame in frames:
        at = driver.place(2048)
        driver.add(q, [(at, 2048, True)])
        driver.publish(q)
        dut.send("s_axis_eth0", frame)
        (_head, length) = driver.wait(q, 1)[0]
        got = driver.memory.read(at, length)
        assert got[1:10] == bytes(9)
        out.append((got[0], got[HEADER:]))
    return out


def incoming(kind: str, rest: Packet) -> bytes:
    """A frame from the wire."""
    packet = ip_of(kind)
    packet[Ether].src, packet[Ether].dst = packet[Ether].dst, packet[Ether].src
    return bytes(packet / rest)


def test_checksums_of_what_arrives(nic: Dut) -> None:
    driver = ready(nic, ~CTRL_VLAN)
    nic.stall_all(rx=0.2, tx=0.2)
    tcp = TCP(sport=1, dport=2, flags="A")
    frames: list[tuple[bytes, int]] = []
    for kind in ("v4", "v6"):
        for n in (0, 1, 9, 10, 11, 46, 64, 1000, 1400):
            for layer in (tcp, UDP(sport=1, dport=2)):
                frame = incoming(kind, layer / Raw(data(n)))
                frames.append((frame.ljust(60, b"\0"), DATA_VALID))
                bad = bytearray(frame)
                bad[-1 - n // 2] ^= 1 + n % 7
                frames.append((bytes(bad).ljust(60, b"\xee"), 0))
    # Padding that is not zero is no part of the sum.
    frames.append((incoming("v4", tcp / Raw(b"x")).ljust(60, b"\xaa"), DATA_VALID))
    # No checksum, or one over something else.
    plain = incoming("v4", UDP(sport=1, dport=2, chksum=0) / Raw(data(100)))
    frames.append((plain, 0))
    frames.append((incoming("vlan v4", tcp / Raw(data(100))), 0))
    frames.append((incoming("options v4", tcp / Raw(data(100))), 0))
    piece = Ether(incoming("v4", tcp / Raw(data(100))))
    piece[IP].flags = "MF"
    frames.append((bytes(piece), 0))
    frames.append((incoming("v4", tcp / Raw(data(100)))[:-1], 0))  # cut short
    frames.append((incoming("v4", tcp / Raw(data(138)))[:128], 0))  # at a beat's end
    frames.append((incoming("v4", UDP(sport=1, dport=2, len=50) / Raw(data(100))), 0))
    frames.append((incoming("v4", Raw(data(100))), 0))
    got = receive(nic, driver, [f for f, _ in frames])
    assert [d for _, d in got] == [f for f, _ in frames]
    wrong = [
        i
        for i, ((flags, _), (_, right)) in enumerate(zip(got, frames, strict=True))
        if flags != right
    ]
    assert not wrong


def test_nothing_is_done_that_was_not_negotiated(nic: Dut) -> None:
    driver = ready(nic, VERSION_1 | MRG_RXBUF)
    frame = incoming("v4", TCP(flags="A") / Raw(data(80)))
    assert receive(nic, driver, [frame]) == [(0, frame)]
    q = driver.queues[1]
    what = asked(ip_of("v4") / TCP(flags="A") / Raw(data(400)), GSO_TCP4, 100)
    hand_over(driver, q, what)
    driver.publish(q)
    assert sent(nic, 1) == [what.frame]
