# SPDX-License-Identifier: Apache-2.0
"""Frames that are not of IPv6 pass; those that would pass for a peer of IPv6 are marked bad."""

from __future__ import annotations

import random

import pytest
from ip6bench import IP, MAC, PEER_MAC, UDP, WIDTHS, Ether, Events, Frame, Raw, pad, port
from kumihimo.testing.sizes import by_size
from scapy.layers.inet import ICMP
from scapy.layers.l2 import ARP, Dot1Q

pytestmark = pytest.mark.long  # all data widths

HOST = "10.77.0.99"
LATENCY_IN, LATENCY_OUT = 3, 2  # one more at 64 bits


def frames(rng: random.Random) -> list[Frame]:
    """Of every kind and of every length."""
    ether = Ether(src=PEER_MAC, dst=MAC)
    ip = IP(src=HOST, dst="10.77.0.10")
    whole = [
        Ether(src=PEER_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, psrc=HOST, pdst="10.77.0.10"),
        ether / ip / ICMP() / Raw(rng.randbytes(56)),
        ether / ip / UDP() / Raw(rng.randbytes(300)),
        ether / Dot1Q(vlan=5) / ip / UDP() / Raw(rng.randbytes(30)),
        # Tagged IPv6 is left to the stack, which does not know it.
        ether / Dot1Q(vlan=5, type=0x86DD) / Raw(rng.randbytes(80)),
        ether / Dot1Q(vlan=5) / Dot1Q(vlan=6) / ip / UDP(),
        # What a handle is elsewhere in a frame means nothing.
        ether / IP(src=HOST, dst="240.0.0.1") / UDP(),
        Ether(src="06:37:ff:ff:ff:ff", dst="06:36:f0:00:00:01") / ip / UDP(),
    ]
    lengths = [*by_size((*range(1, 36), 63, 64, 65, 100), range(1, 101)), 1500, 9000]
    runts = []
    for length in lengths:
        data = bytearray((bytes(ether) + rng.randbytes(length))[:length])
        if length > 13:
            data[12] = rng.choice((0x08, 0x88, 0x06))
        # The source of a handle is in no IPv4 frame here, also not of the frame before.
        for at in (26, 30):
            data[at : at + 1] = b"\x0a" * (length > at)
        runts.append(bytes(data))
    return [Frame(pad(bytes(f)), rng.random() < 0.1) for f in whole] + [
        Frame(f, rng.random() < 0.1) for f in runts
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_unchanged(width: int) -> None:
    """Bit for bit both ways, in order, mark included, with and without stalls."""
    rng = random.Random(width)
    dut = port(width)
    events = Events(dut)
    for stalls in (0.0, 0.3):
        dut.stall_all(stalls, stalls, seed=3)
        sent = frames(rng)
        rng.shuffle(sent)
        for way_in, way_out in (("s_eth", "m_stack"), ("s_stack", "m_eth")):
            if way_in == "s_stack":
                sent = [f for f in sent if f.data[:2] != b"\x06\x36"]
            dut.send(way_in, sent)
            got = dut.recv(way_out, len(sent), timeout_cycles=60_000)
            assert [(f.data, f.bad) for f in got] == [(f.data, f.bad) for f in sent]
    assert events() == {}


@pytest.mark.parametrize("width", WIDTHS)
def test_latency(width: int) -> None:
    """First beat in to first beat out, and not a cycle more for frames back to back."""
    dut = port(width)
    frame = pad(bytes(Ether(src=PEER_MAC, dst=MAC) / IP(src=HOST) / UDP() / Raw(bytes(200))))
    for way_in, way_out, latency in (
        ("s_eth", "m_stack", LATENCY_IN + (width == 64)),
        ("s_stack", "m_eth", LATENCY_OUT),
    ):
        dut.send(way_in, [frame] * 20)
        got = dut.recv(way_out, 20)
        first = dut.sent(way_in)[-20]
        assert got[0].cycle - first[0] == latency
        assert got[-1].last_cycle - got[0].cycle + 1 == 20 * got[0].beats


def forged() -> list[bytes]:
    """Frames that claim to be of a peer of IPv6."""
    handle = IP(src="240.0.0.1", dst="10.77.0.10") / UDP(sport=7, dport=7) / Raw(b"forged" * 9)
    usual = IP(src=HOST, dst="10.77.0.10") / UDP(sport=7, dport=7) / Raw(b"forged" * 9)
    ether = Ether(src=PEER_MAC, dst=MAC)
    false = Ether(src="06:36:f0:00:00:01", dst=MAC)
    return [
        bytes(ether / handle),
        bytes(ether / Dot1Q(vlan=5) / handle),
        bytes(ether / IP(src="255.255.255.255", dst="10.77.0.10") / UDP()),
        bytes(false / usual),
        bytes(false / handle),
        bytes(false / ARP(op=2, psrc=HOST, pdst="10.77.0.10")),
        bytes(false)[:12] + b"\x88\xb5" + bytes(46),
        bytes(false)[:8],
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_forged(width: int) -> None:
    """Marked and counted once each; the frames around them are not."""
    dut = port(width)
    events = Events(dut)
    good = pad(bytes(Ether(src=PEER_MAC, dst=MAC) / IP(src=HOST, dst="10.77.0.10") / UDP()))
    # Too short for an address, behind one that has a forged one.
    short = bytes(Ether(src=PEER_MAC, dst=MAC, type=0x0800)) + bytes(3)
    for stalls in (0.0, 0.3):
        dut.stall_all(stalls, stalls, seed=2)
        for frame in forged():
            dut.send("s_eth", [good, frame, short, good])
            got = dut.recv("m_stack", 4)
            assert [f.bad for f in got] == [False, True, False, False]
            assert [f.data for f in got] == [good, frame, short, good]
            dut.run(4)
            assert events() == {"forged": 1}
