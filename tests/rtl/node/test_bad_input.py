# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand mutated frames into one node: all are accounted for, and it still answers.

The frames start as valid ones (made by scapy) and are truncated, stretched, flipped, given wrong
lengths and checksums, stacked with VLAN tags, or turned into ARP packets that lie.
"""

from __future__ import annotations

import random
import struct

import pytest
from nodes import ARP, HOST_IP, HOST_MAC, ICMP, IP, UDP, Ether, Node
from scapy.layers.l2 import Dot1Q
from scapy.packet import Raw

FRAMES = 100_000
BATCH = 10_000


def _seeds(node: Node) -> list[bytes]:
    frames = [
        node.l3() / UDP(sport=9, dport=7) / Raw(bytes(range(64))),
        node.l3() / UDP(sport=9, dport=7) / Raw(b"x"),
        node.l3() / ICMP(id=1, seq=1) / Raw(bytes(range(90))),
        Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc=HOST_IP, pdst=node.ip),
        Ether(src=HOST_MAC, dst=node.mac) / ARP(op=2, psrc=HOST_IP, pdst=node.ip),
        node.l2() / Dot1Q(vlan=5) / IP(src=HOST_IP, dst=node.ip) / UDP(dport=7) / Raw(bytes(9)),
        node.l2() / Dot1Q(vlan=5) / Dot1Q(vlan=6) / IP(src=HOST_IP, dst=node.ip) / UDP(),
        node.l3(flags="MF") / UDP() / Raw(bytes(30)),
        node.l3(options=[b"\x94\x04\0\0"]) / UDP() / Raw(bytes(30)),
    ]
    return [bytes(frame).ljust(60, b"\0") for frame in frames]


def _mutate(rng: random.Random, seed: bytes) -> bytes:
    data = bytearray(seed)
    kind = rng.randrange(10)
    if kind == 0:  # truncated, down to one byte
        del data[rng.randrange(1, len(data)) :]
    elif kind == 1:  # a length field that lies: IPv4 total length or UDP length
        struct.pack_into(">H", data, rng.choice((16, 38)), rng.getrandbits(16))
    elif kind == 2:  # a checksum that is wrong: IPv4, ICMP, UDP
        data[rng.choice((24, 25, 36, 37, 40, 41))] ^= 1 << rng.randrange(8)
    elif kind == 3 and rng.random() < 0.02:  # huge
        data += rng.randbytes(rng.choice((1500, 9000, 12000)))
    elif kind == 4:  # more VLAN tags
        for _ in range(rng.randrange(1, 4)):
            data[12:12] = struct.pack(">HH", 0x8100, rng.getrandbits(16))
    elif kind == 5:  # an ARP lie: our own address, groups, garbage hardware types
        data = bytearray(rng.randbytes(60))
        data[:6] = b"\xff" * 6
        data[12:22] = bytes.fromhex("0806000108000604") + struct.pack(">H", rng.choice((1, 2, 9)))
        data[28:32] = bytes((10, 77, 0, rng.choice((10, 99, 255))))
        data[38:42] = bytes((10, 77, 0, rng.choice((10, 11))))
    elif kind in (6, 7):  # bits flipped anywhere
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


@pytest.mark.parametrize("width", [64, 512])
def test_hundred_thousand_mutated_frames(width: int) -> None:
    """Frames in = frames answered + ARP packets taken + the sum of all drop counters."""
    node = Node("udp_echo", {"DATA_W": width})
    rng = random.Random(width)
    seeds = _seeds(node)
    node.dut.stall_all(rx=0.05, tx=0.05, seed=width)
    announced = node.regs.ip.counters()["tx_frame"]
    left = 0
    for _ in range(FRAMES // BATCH):
        batch = [_mutate(rng, rng.choice(seeds)) for _ in range(BATCH)]
        marked = [rng.random() < 0.01 for _ in batch]
        for bad in (False, True):
            chosen = [data for data, mark in zip(batch, marked, strict=True) if mark == bad]
            node.dut.send("s_axis_eth0", chosen, bad=bad)
        node.dut.drain(timeout_cycles=20_000_000, settle=2000)
        node.dut.run_until(lambda: not node.dut.get("busy"), 400_000, step=64, what="not busy")
        left += len(node.dut.recv("m_axis_eth0"))

    counters = node.regs.ip.counters()
    drops = sum(value for name, value in counters.items() if name.startswith("drop_"))
    echo = node.regs.echo.counters()
    # Each frame had exactly one outcome ...
    assert counters["rx_frame"] == FRAMES
    assert drops + counters["rx_udp"] + counters["rx_icmp"] + counters["rx_arp"] == FRAMES
    # ... each delivered datagram and echo request was answered, and nothing else was ...
    assert counters["tx_icmp"] == counters["rx_icmp"]
    assert counters["tx_udp"] + counters["tx_bad"] == echo["tx_datagrams"]
    sent = counters["tx_udp"] + counters["tx_icmp"] + counters["arp_reply"]
    assert left == sent + counters["arp_request"] - announced
    # ... every kind of damage was seen, and the node still lives.
    for name in ("runt", "ethertype", "ip_length", "ip_checksum", "udp_length", "udp_checksum"):
        assert counters[f"drop_{name}"] > 0, name
    node.dut.stall_all()
    (reply,) = [r for r in node.ask(node.l3() / ICMP(id=2, seq=3)) if ICMP in r]
    assert reply[ICMP].type == 0
