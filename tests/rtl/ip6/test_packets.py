# SPDX-License-Identifier: Apache-2.0
"""Packets of TCP and UDP: what the IPv4 stack gets, what leaves, latency and rate."""

from __future__ import annotations

import random
from ipaddress import IPv6Address

import pytest
from ip6bench import (
    ADDRESS4,
    FAR,
    GIVEN,
    IP,
    LINK,
    MAC,
    PEER,
    PEER_MAC,
    TCP,
    UDP,
    WIDTHS,
    Dut,
    Ether,
    Events,
    Frame,
    ICMPv6EchoRequest,
    IPv6,
    Packet,
    Raw,
    answers,
    check_closed,
    closed4,
    ip6,
    pad,
    port,
    reply4,
    right,
    router,
    solicit,
    tcp6,
    udp6,
)
from kumihimo.testing.sizes import by_size

pytestmark = pytest.mark.long  # all data widths, all lengths

AUTO = "2001:db8:1::ff:fe00:a"
OWN = (LINK, GIVEN, AUTO)
LATENCY = {64: (33, 24), 128: (29, 22), 256: (27, 21), 512: (26, 20)}  # received, sent
CYCLES_IN, CYCLES_OUT = 19, 14  # of a packet


def sizes(width: int, head: int) -> list[int]:
    """Lengths of payload around the edges of beats; in the long run every one up to 200."""
    beat = width // 8
    edges = {n * beat - head + d for n in (2, 3, 4) for d in (-1, 0, 1)}
    edges |= {0, 1, 2, 17, 18, 19, by_size(1400, 8900)}
    return sorted(n for n in edges | set(by_size(range(0), range(201))) if n >= 0)


def ready(width: int) -> Dut:
    """A port with all three addresses."""
    dut = port(width)
    answers(dut, router("2001:db8:1::"))
    return dut


def as_ipv4(frame: Frame, sent: Packet) -> Packet:
    """What the IPv4 stack got of a packet, checked."""
    out = Ether(frame.data)
    handle = int(IPv6Address("::" + out[IP].src))
    assert handle >> 28 == 15
    assert (out.dst, out.src) == (MAC, "06:36:" + handle.to_bytes(4, "big").hex(":"))
    assert out[IP].dst == "10.77.0.10" and ADDRESS4 == 0x0A4D000A
    was = sent[IPv6]
    assert (out[IP].ttl, out[IP].tos) == (was.hlim, was.tc & 3)
    assert (out[IP].flags, out[IP].id, out[IP].ihl) == ("DF", 0, 5)
    assert len(frame.data) == 34 + was.plen
    layer = UDP if UDP in sent else TCP
    assert (out[layer].sport, out[layer].dport) == (sent[layer].sport, sent[layer].dport)
    assert bytes(out[layer].payload) == bytes(sent[layer].payload)
    if not frame.bad:
        right(out)
    return out


@pytest.mark.parametrize("width", WIDTHS)
def test_every_length(width: int) -> None:
    """Both ways, with and without stalls: content, headers and checksums, and nothing behind."""
    rng = random.Random(width)
    for stalls in (False, True):
        dut = ready(width)
        events = Events(dut)
        if stalls:
            dut.stall_all(0.3, 0.3, seed=1)
        sent = [
            make(
                size,
                rng,
                ecn=rng.randrange(4),
                hlim=rng.randrange(1, 256),
                dst=rng.choice(OWN),
                src=rng.choice((PEER, FAR)),
            )
            for make, head in ((udp6, 62), (tcp6, 74))
            for size in sizes(width, head)
        ]
        rng.shuffle(sent)
        dut.send("s_eth", [bytes(packet) for packet in sent])
        got = dut.recv("m_stack", len(sent), timeout_cycles=200_000)
        handles: dict[tuple[str, str], str] = {}
        for frame, packet in zip(got, sent, strict=True):
            assert not frame.bad
            ends = packet[IPv6].src, packet[IPv6].dst
            handle = as_ipv4(frame, packet)[IP].src
            assert handles.setdefault(ends, handle) == handle
        assert len(set(handles.values())) == len(handles)
        hops = [rng.randrange(1, 256) for _ in got]
        dut.send("s_stack", [reply4(f, ttl) for f, ttl in zip(got, hops, strict=True)])
        back = dut.recv("m_eth", len(sent), timeout_cycles=200_000)
        for frame, packet, ttl in zip(back, sent, hops, strict=True):
            assert not frame.bad
            out, was = right(Ether(frame.data)), packet[IPv6]
            assert (out.dst, out.src) == (PEER_MAC, MAC)
            assert (out[IPv6].src, out[IPv6].dst) == (was.dst, was.src)
            assert (out[IPv6].hlim, out[IPv6].tc, out[IPv6].fl) == (ttl, was.tc & 3, 0)
            layer = UDP if UDP in packet else TCP
            assert bytes(out[layer].payload) == bytes(packet[layer].payload)
            assert len(frame.data) == 54 + was.plen
        assert events() == {"rx_packet": len(sent), "tx_packet": len(sent)}
        dut.run(20)
        assert not dut.get("busy")


def handle_of(dut: Dut, rng: random.Random) -> Frame:
    """A datagram as the stack got it: its sender is known."""
    dut.send("s_eth", bytes(udp6(40, rng)))
    return dut.recv("m_stack", 1)[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_zero(width: int) -> None:
    """UDP without a checksum is bad (RFC 8200, 8.1); one that comes out as 0 is sent as ffff."""
    rng = random.Random(width)
    dut = port(width)
    for size in (1, 18, 300):
        dut.send("s_eth", bytes(udp6(size, rng, chksum=0)))
        assert dut.recv("m_stack", 1)[0].bad
    known = handle_of(dut, rng)
    was = Ether(known.data)
    layer = UDP(sport=7, dport=9)
    out = IPv6(src=GIVEN, dst=PEER) / layer / Raw(bytes(18))
    missing = IPv6(bytes(out))[UDP].chksum
    payload = missing.to_bytes(2, "big") + bytes(16)
    assert IPv6(bytes(out[IPv6].copy()))[UDP].chksum == missing
    four = Ether(src=was.dst, dst=was.src) / IP(src=was[IP].dst, dst=was[IP].src) / layer.copy()
    dut.send("s_stack", pad(bytes(four / Raw(payload))))
    sent = Ether(dut.recv("m_eth", 1)[0].data)
    assert sent[UDP].chksum == 0xFFFF and bytes(sent[UDP].payload) == payload
    # And as received: for the handle's pseudo-header it is 0.
    as_got = IP(src=was[IP].src, dst="10.77.0.10") / UDP(sport=9, dport=7) / Raw(bytes(18))
    missing = IP(bytes(as_got))[UDP].chksum
    six = ip6() / UDP(sport=9, dport=7) / Raw(missing.to_bytes(2, "big") + bytes(16))
    dut.send("s_eth", bytes(six))
    assert Ether(dut.recv("m_stack", 1)[0].data)[UDP].chksum == 0xFFFF


def test_not_sent() -> None:
    """One event for each packet of the stack that cannot leave, and the next one leaves."""
    rng = random.Random(3)
    dut = port(64, mtu=1280)
    known = handle_of(dut, rng)
    events = Events(dut)
    good = reply4(known)

    def changed(**more: int | str) -> bytes:
        packet = Ether(good)
        for name, value in more.items():
            setattr(packet[IP], name, value)
        packet[IP].chksum = None
        return bytes(packet)

    def longest(total: int) -> bytes:
        packet = Ether(good)[IP]
        four = IP(src=packet.src, dst=packet.dst) / UDP(sport=7, dport=9)
        return bytes(Ether(good[:14]) / four / Raw(bytes(total - 48)))

    for frame, event in (
        (changed(dst="240.0.0.77"), "tx_drop_peer"),
        (changed(proto=1), "tx_drop_proto"),
        (changed(proto=1, len=55), "tx_drop_proto"),
        (changed(proto=47, len=56), "tx_drop_proto"),
        (changed(len=20), "tx_drop_proto"),
        (longest(1281), "tx_drop_length"),
    ):
        dut.send("s_stack", [frame, longest(1280)])
        out = dut.recv("m_eth", 1)
        dut.run(200)
        assert not dut.recv("m_eth")
        assert len(out[0].data) == 14 + 1280
        assert events() == {event: 1, "tx_packet": 1}
    # A mark, and a frame shorter than its header says: they leave, bad.
    dut.send("s_stack", [Frame(good, bad=True), changed(len=1200)])
    assert [frame.bad for frame in dut.recv("m_eth", 2)] == [True, True]
    dut.send("s_eth", Frame(bytes(udp6(60, rng)), bad=True))
    assert dut.recv("m_stack", 1)[0].bad
    # Without the address to answer from there is no answer.
    dut.set("cfg", {})
    dut.run(20)
    events()
    dut.send("s_stack", good)
    dut.run(200)
    assert events() == {"tx_drop_peer": 1} and not dut.recv("m_eth")


@pytest.mark.parametrize("stalls", [0.0, 0.6])
@pytest.mark.parametrize("width", WIDTHS)
def test_port_unreachable(width: int, stalls: float) -> None:
    """Of datagrams to closed ports, one after the other; a bad one of the stack is nobody's."""
    rng = random.Random(width)
    dut = ready(width)
    events = Events(dut)
    sent = [
        udp6(size, rng, src=peer, dst=own, hlim=rng.randrange(1, 256))
        for size in (0, 1, 18, 1400)
        for peer in (PEER, FAR)
        for own in OWN
    ]
    dut.stall_all(stalls, stalls, seed=6)
    dut.send("s_eth", [bytes(packet) for packet in sent])
    known = dut.recv("m_stack", len(sent), timeout_cycles=200_000)
    closed = [closed4(frame) for frame in known]
    dut.send("s_stack", [Frame(closed[-1], bad=True), *closed])
    got = dut.recv("m_eth", len(sent), timeout_cycles=200_000)
    assert not any(frame.bad for frame in got)
    for frame, packet in zip(got, sent, strict=True):
        check_closed(Ether(frame.data), packet)
    dut.run(300)
    assert not dut.recv("m_eth") and not dut.get("busy")
    count = len(sent)
    assert events() == {"rx_packet": count, "tx_unreachable": count + 1, "tx_icmp": count}


@pytest.mark.parametrize(
    "asked", [solicit(GIVEN), ip6() / ICMPv6EchoRequest(data=bytes(32))], ids=["neighbour", "echo"]
)
def test_answers_do_not_hold_packets_up(asked: Packet) -> None:
    """An error that is due leaves between the answers to a flood, and with it what is behind it."""
    rng = random.Random(4)
    dut = port(64)
    known = handle_of(dut, rng)
    dut.send("s_eth", [bytes(asked)] * 400)
    dut.run(3000)
    before = len(dut.recv("m_eth"))
    dut.send("s_stack", [closed4(known), reply4(known)])
    got = [Ether(frame.data) for frame in dut.recv("m_eth", 20, timeout_cycles=20_000)]
    assert before > 10 and sum(UDP in packet for packet in got) == 1
    assert sum(packet[IPv6].plen == 56 for packet in got) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_latency_and_rate(width: int) -> None:
    """First beat in to first beat out; cycles a packet, short and long, back to back."""
    rng = random.Random(width)
    dut = port(width)
    packet = bytes(udp6(2, rng))
    for _ in range(3):
        dut.send("s_eth", packet)
        one = dut.recv("m_stack", 1)[0]
        received = one.cycle - dut.sent("s_eth")[-1][0]
        dut.send("s_stack", reply4(one))
        sent = dut.recv("m_eth", 1)[0].cycle - dut.sent("s_stack")[-1][0]
        dut.run(60)
    print(f"{width} bits: latency {received} received, {sent} sent")
    assert (received, sent) == LATENCY[width]
    for size in (2, 1400):
        count = 40
        beats = -(-(size + 62) // (width // 8))
        dut.send("s_eth", [bytes(udp6(size, rng))] * count)
        got = dut.recv("m_stack", count)
        assert got[-1].last_cycle - got[0].last_cycle == max(beats, CYCLES_IN) * (count - 1)
        dut.send("s_stack", [reply4(frame) for frame in got])
        out = dut.recv("m_eth", count)
        assert out[-1].last_cycle - out[0].last_cycle == max(beats, CYCLES_OUT) * (count - 1)
