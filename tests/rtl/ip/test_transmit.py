# SPDX-License-Identifier: Apache-2.0
"""Transmit side: every header against scapy, checksum modes, lengths that lie, sustained rate."""

from __future__ import annotations

import random

import pytest
from ipbench import (
    ADDRESS,
    BROADCAST,
    CKS_GENERATE,
    CKS_GIVEN,
    CKS_NONE,
    IP,
    MAC,
    PEER,
    PEER_MAC,
    UDP,
    WIDTHS,
    Dot1Q,
    Ether,
    Frame,
    accounted,
    ip,
    mac,
    payload,
    record,
    stack,
    sums_right,
)

pytestmark = pytest.mark.long  # all data widths


def expect(data: bytes, tag: int | None, sport: int, dport: int, chksum: int | None) -> bytes:
    """The frame that scapy makes of a datagram."""
    layer = Ether(src=MAC, dst=PEER_MAC)
    if tag is not None:
        layer = layer / Dot1Q(prio=tag >> 13, dei=(tag >> 12) & 1, vlan=tag & 0xFFF)
    packet = IP(src=ADDRESS, dst=PEER, ttl=64, id=0, flags="DF") / UDP(sport=sport, dport=dport)
    packet = layer / packet / data
    if chksum is not None:
        packet[UDP].chksum = chksum
    raw = bytes(packet)
    size = 60 if tag is None else 64
    return raw + bytes(max(0, size - len(raw)))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("stalls", [False, True])
def test_every_length(width: int, stalls: bool) -> None:
    """0 to 200 bytes and the longest, with each kind of checksum, tagged or not."""
    rng = random.Random(width)
    dut = stack(width)
    if stalls:
        dut.stall("s_axis_udp", 0.3, seed=1)
        dut.stall("s_hdr_udp", 0.3, seed=2)
        dut.stall("m_axis_eth0", 0.3, seed=3)
    expected, records, bodies = [], [], []
    for size in [*range(0, 201), 1471, 1472, 8971, 8972]:
        data = payload(rng, size)
        tag = rng.choice([None, rng.randrange(65536)])
        sport, dport = rng.randrange(1, 65536), rng.randrange(1, 65536)
        cks = rng.choice([CKS_NONE, CKS_GENERATE, CKS_GIVEN])
        given = rng.randrange(65536)
        chksum = {CKS_NONE: 0, CKS_GENERATE: None, CKS_GIVEN: given}[cks]
        expected.append(expect(data, tag, sport, dport, chksum))
        records.append(
            record(
                dut,
                data,
                cks=cks,
                checksum=given,
                local_port=sport,
                peer_port=dport,
                vlan_valid=int(tag is not None),
                vlan_tci=tag or 0,
            )
        )
        if data:
            bodies.append(data)
    dut.send("s_hdr_udp", records)
    dut.send("s_axis_udp", bodies)
    got = dut.recv("m_axis_eth0", len(expected), timeout_cycles=100_000)
    for frame, wanted in zip(got, expected, strict=True):
        assert not frame.bad
        assert frame.data == wanted
    assert accounted(dut)["tx_udp"] == len(expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_corners(width: int) -> None:
    """Payloads for which the sum folds often, or is zero."""
    rng = random.Random(3)
    dut = stack(width)
    expected = []
    for i in range(120):
        data = bytes([rng.choice([0, 255])]) * rng.randrange(1, 40)
        if i % 4 == 0:  # the computed checksum is 0, sent as ffff
            base = expect(bytes(20), None, 0xFFFF, 0xFFFF, None)
            data = Ether(base)[UDP].chksum.to_bytes(2, "big") + bytes(18)
        wanted = expect(data, None, 0xFFFF, 0xFFFF, None)
        expected.append(wanted)
        more = {"local_port": 0xFFFF, "peer_port": 0xFFFF}
        dut.send("s_hdr_udp", [record(dut, data, **more)])
        dut.send("s_axis_udp", [data])
    got = dut.recv("m_axis_eth0", len(expected))
    assert [f.data for f in got] == expected
    assert any(Ether(f.data)[UDP].chksum == 0xFFFF for f in got)


@pytest.mark.parametrize("width", WIDTHS)
def test_lengths_that_lie(width: int) -> None:
    """A kernel whose payload is not what its record says, or bad: marked or dropped, counted."""
    rng = random.Random(width)
    dut = stack(width)
    dut.stall("m_axis_eth0", 0.2, seed=1)
    good = bad = 0
    for i in range(200):
        pairs = [(10, 9), (9, 10), (100, 300), (300, 100), (50, 50), (64, 64), (8, 7)]
        size, said = rng.choice(pairs)
        cks = rng.choice([CKS_NONE, CKS_GENERATE])
        marked = rng.random() < 0.3
        data = payload(rng, size)
        dut.send("s_hdr_udp", [record(dut, data, length=said, cks=cks)])
        dut.send("s_axis_udp", [Frame(data, bad=marked)])
        good += said == size and not marked
        bad += said != size or marked
        if i % 20 == 0:  # too long for the MTU, a payload that never ends soon
            dut.send("s_hdr_udp", [record(dut, b"", length=9000), record(dut, b"", length=65530)])
            dut.send("s_axis_udp", [bytes(9000), bytes(40000)])
            bad += 2
    dut.run(110_000)
    dut.drain()
    dut.run(2000)
    counts = accounted(dut)
    assert counts["tx_udp"] == good
    assert counts["tx_bad"] + counts["tx_drop_length"] == bad
    got = dut.recv("m_axis_eth0")
    assert sum(f.bad for f in got) == counts["tx_bad"]
    for frame in got:
        assert frame.bad or sums_right(frame.data)


@pytest.mark.parametrize("width", WIDTHS)
def test_addresses(width: int) -> None:
    """Broadcast and multicast need no ARP; raw packets of another protocol go out as they are."""
    dut = stack(width)

    def send(address: str) -> bytes:
        more = {"peer_ip": ip(address), "peer_mac_valid": 0}
        dut.send("s_hdr_udp", [record(dut, b"hello", **more)])
        dut.send("s_axis_udp", [b"hello"])
        return dut.recv("m_axis_eth0", 1)[0].data

    assert Ether(send("255.255.255.255")).dst == BROADCAST
    assert Ether(send("10.77.0.255")).dst == BROADCAST
    assert Ether(send("239.129.2.3")).dst == "01:00:5e:01:02:03"
    rng = random.Random(1)
    kind = dut.struct("ip_hdr_t")
    for size in (1, 20, 26, 27, 100, 1480):
        data = payload(rng, size)
        fields = {"peer_mac": mac(PEER_MAC), "peer_mac_valid": 1, "peer_ip": ip(PEER)}
        dut.send("s_hdr_ip", [int(kind.pack(proto=6, length=size, **fields))])
        dut.send("s_axis_ip", [data])
        frame = dut.recv("m_axis_eth0", 1)[0].data
        head = IP(src=ADDRESS, dst=PEER, ttl=64, id=0, flags="DF", proto=6)
        wanted = bytes(Ether(src=MAC, dst=PEER_MAC) / head / data)
        assert frame == wanted + bytes(max(0, 60 - len(wanted)))


@pytest.mark.parametrize("width", WIDTHS)
def test_rate_and_latency(width: int) -> None:
    """Back to back frames without a dead cycle; 7 or 8 cycles from record to frame."""
    dut = stack(width)
    for size in (18, 64, 1472):
        for cks in (CKS_NONE, CKS_GENERATE):
            data = bytes(size)
            count = 60
            beats = -(-max(60, 42 + size) // (width // 8))
            dut.send("s_hdr_udp", [record(dut, data, cks=cks)] * count)
            dut.send("s_axis_udp", [data] * count)
            got = dut.recv("m_axis_eth0", count)
            span = got[-1].last_cycle - got[0].cycle + 1
            first = got[0].cycle - dut.sent("s_hdr_udp")[-count][0]
            assert span == count * beats
            if cks == CKS_NONE:
                assert first <= (7 if width == 64 else 8)
            dut.run(20)
