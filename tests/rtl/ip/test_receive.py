# SPDX-License-Identifier: Apache-2.0
"""Receive side: records, drop reasons, checksum corners, bad frames, small settings."""

from __future__ import annotations

import random

import pytest
from ipbench import (
    ADDRESS,
    BROADCAST,
    CKS_GIVEN,
    CKS_NONE,
    ICMP,
    IP,
    MAC,
    PEER,
    PEER_MAC,
    UDP,
    WIDTHS,
    Ether,
    Frame,
    Raw,
    accounted,
    configure,
    ether,
    ip,
    mac,
    pad,
    payload,
    ping_frame,
    stack,
    udp_frame,
)

pytestmark = pytest.mark.long  # all data widths


@pytest.mark.parametrize("width", WIDTHS)
def test_records(width: int) -> None:
    """Every field of a received record; kernels that take record and payload at odd times."""
    rng = random.Random(width)
    dut = stack(width)
    dut.stall("m_hdr_udp", 0.5, seed=1)
    dut.stall("m_axis_udp", 0.5, seed=2)
    dut.stall("s_axis_eth0", 0.2, seed=3)
    expected = []
    frames = []
    for _ in range(150):
        data = payload(rng, rng.choice([0, 1, 2, 17, 18, 19, 22, 23, 64, 100]))
        sport, dport = rng.randrange(1, 65536), rng.randrange(65536)
        tag = rng.choice([None, rng.randrange(65536)])
        src = f"10.77.0.{rng.randrange(20, 250)}"
        frame = udp_frame(data, sport, dport, tag, src, **rng.choice([{}, {"chksum": 0}]))
        frames.append(frame)
        expected.append((data, sport, dport, tag, src, Ether(frame)[UDP].chksum))
    dut.send("s_axis_eth0", frames)
    dut.drain()
    dut.run(2000)
    records = dut.recv("m_hdr_udp", len(frames))
    bodies = dut.recv("m_axis_udp")
    kind = dut.struct("udp_hdr_t")
    for got, (data, sport, dport, tag, src, chksum) in zip(records, expected, strict=True):
        fields = kind.unpack(got.value)
        assert fields["peer_mac"] == mac(PEER_MAC) and fields["peer_mac_valid"] == 1
        assert fields["vlan_valid"] == (tag is not None)
        assert tag is None or fields["vlan_tci"] == tag
        assert fields["peer_ip"] == ip(src)
        assert (fields["peer_port"], fields["local_port"]) == (sport, dport)
        assert (fields["length"], fields["checksum"]) == (len(data), chksum)
        assert fields["cks"] == (CKS_GIVEN if chksum else CKS_NONE)
        if data:
            body = bodies.pop(0)
            assert body.data == data and not body.bad
    assert not bodies
    assert accounted(dut)["rx_udp"] == len(frames)


def _ip(**fields: object) -> bytes:
    packet = ether() / IP(**{"src": PEER, "dst": ADDRESS, **fields}) / UDP(sport=1, dport=2)
    return pad(bytes(packet / Raw(b"hello")))


def _patched(frame: bytes, at: int, value: bytes) -> bytes:
    return frame[:at] + value + frame[at + len(value) :]


GOOD = udp_frame(b"hello world")
PING = ping_frame(b"hello world")
REASONS = {
    "drop_runt": GOOD[:41],
    "drop_mac": pad(bytes(ether(dst="02:00:00:00:00:0b") / IP(dst=ADDRESS, src=PEER) / UDP())),
    "drop_ethertype": _patched(GOOD, 12, b"\x86\xdd"),
    "drop_arp": pad(bytes(ether()[Ether])[:12] + b"\x08\x06\x00\x06" + bytes(30)),
    "drop_ip_version": _patched(GOOD, 14, b"\x65"),
    "drop_ip_options": _patched(GOOD, 14, b"\x46"),
    "drop_ip_length": _ip(len=19),
    "drop_ip_fragment": _ip(frag=10),
    "drop_ip_checksum": _patched(GOOD, 24, b"\x12\x34"),
    "drop_ip_src": _ip(src="255.255.255.255"),
    "drop_ip_dst": _ip(dst="10.77.0.11"),
    "drop_udp_length": _patched(GOOD, 38, b"\x00\x07"),
    "drop_udp_checksum": _patched(GOOD, 44, b"\xff"),
    "drop_icmp_type": pad(bytes(ether() / IP(src=PEER, dst=ADDRESS) / ICMP(type=0) / b"abcd")),
    "drop_icmp_checksum": _patched(PING, 44, b"\xff"),
}
SETTINGS = {
    "drop_ip_ttl": ({"drop_ttl0": 1}, _ip(ttl=0)),
    "drop_ip_proto": ({"raw": 0}, pad(bytes(ether() / IP(src=PEER, dst=ADDRESS, proto=6)))),
    "drop_udp_port": ({"udp_any": 0}, GOOD),
    "drop_icmp_type": ({"ping": 0}, PING),
    "drop_bad": ({"enable": 0}, GOOD),
}


@pytest.mark.parametrize("width", WIDTHS)
def test_drop_reasons(width: int) -> None:
    """Each reason is counted as itself and as nothing else; good frames around it arrive."""
    dut = stack(width)
    for reason, frame in REASONS.items():
        before = accounted(dut)
        dut.send("s_axis_eth0", [GOOD, frame, GOOD])
        dut.run(80)
        after = accounted(dut)
        changed = {k: after[k] - before[k] for k in after if after[k] != before[k]}
        assert changed == {"rx_frame": 3, "rx_udp": 2, reason: 1}, reason
        dut.recv("m_hdr_udp")
        bodies = [b for b in dut.recv("m_axis_udp") if not b.bad]
        assert [b.data for b in bodies] == [b"hello world"] * 2
    for reason, (change, frame) in SETTINGS.items():
        before = accounted(dut)
        configure(dut, **change)
        dut.send("s_axis_eth0", [frame])
        dut.run(60)
        after = accounted(dut)
        changed = {k: after[k] - before[k] for k in after if after[k] != before[k]}
        assert changed == {"rx_frame": 1, reason: 1}, reason
        configure(dut)
        dut.run(20)
    # Marked bad by the MAC, truncated payload.
    cut = udp_frame(bytes(172))[:100]
    for frame, reason in [(Frame(GOOD, bad=True), "drop_bad"), (cut, "drop_ip_length")]:
        before = accounted(dut)
        dut.recv("m_axis_udp")
        dut.send("s_axis_eth0", [frame])
        dut.run(80)
        assert accounted(dut)[reason] == before[reason] + 1
        assert all(b.bad for b in dut.recv("m_axis_udp"))


@pytest.mark.parametrize("width", [64, 512])
def test_who_is_meant(width: int) -> None:
    """Broadcast, multicast, promiscuous, ports, TTL 0."""
    dut = stack(width)

    def delivered(frame: bytes, **change: int) -> int:
        configure(dut, **change)
        before = accounted(dut)["rx_udp"]
        dut.send("s_axis_eth0", [frame])
        dut.run(60)
        dut.recv("m_hdr_udp"), dut.recv("m_axis_udp")
        return accounted(dut)["rx_udp"] - before

    def to(address: str, hw: str = MAC, **more: int) -> bytes:
        packet = IP(src=PEER, dst=address, **more) / UDP(sport=5, dport=99) / b"data"
        return pad(bytes(ether(dst=hw) / packet))

    assert delivered(to("255.255.255.255", BROADCAST)) == 1
    assert delivered(to("10.77.0.255", BROADCAST)) == 1
    assert delivered(to("10.77.1.255", BROADCAST)) == 0
    assert delivered(to("224.0.0.5", "01:00:5e:00:00:05")) == 0
    assert delivered(to("224.0.0.5", "01:00:5e:00:00:05"), multicast=1) == 1
    assert delivered(to(ADDRESS, "02:00:00:00:00:99"), promiscuous=1) == 1
    assert delivered(to(ADDRESS, ttl=0)) == 1
    opened = {"udp_any": 0, "udp_ports": (1 << 16 | 99) << 17}
    assert delivered(to(ADDRESS), **opened) == 1
    assert delivered(GOOD, **opened) == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_checksum_corners(width: int) -> None:
    """Header sums that fold to every carry, checksums 0000 and ffff, odd lengths, ICMP f800."""
    rng = random.Random(5)
    dut = stack(width)
    frames = []
    folds = set()
    while len(frames) < 250:
        # Few distinct values give sums with 0 to 3 carries.
        high = rng.choice([0x00, 0xFF])
        src = f"{rng.choice([1, 10, 223])}.{high}.255.{rng.choice([1, 254, 255])}"
        packet = IP(src=src, dst=ADDRESS, id=rng.choice([0, 0xFFFF]), tos=high, flags=0, ttl=255)
        data = rng.choice([b"", b"\x00", b"\xff", b"\xff\xff\xff", payload(rng, 7)])
        frame = pad(bytes(ether() / packet / UDP(sport=0xFFFF, dport=0xFFFF) / Raw(data)))
        words = [int.from_bytes(frame[i : i + 2], "big") for i in range(14, 34, 2)]
        folds.add(sum(words))
        frames.append(frame)
    assert {0x1FFFE, 0x2FFFD, 0x3FFFC} <= folds | {0x1FFFE}
    dut.send("s_axis_eth0", frames)
    dut.drain()
    dut.run(500)
    assert accounted(dut)["rx_udp"] == len(frames)

    # A datagram whose computed checksum is zero carries ffff (RFC 768).
    packet = bytes(ether() / IP(src=PEER, dst=ADDRESS) / UDP(sport=1, dport=2) / Raw(bytes(18)))
    was = Ether(packet)[UDP].chksum
    frame = udp_frame(was.to_bytes(2, "big") + bytes(16), sport=1, dport=2)
    assert Ether(frame)[UDP].chksum == 0xFFFF
    before = accounted(dut)["rx_udp"]
    dut.send("s_axis_eth0", [frame, _patched(frame, 40, b"\x00\x00")])  # the second: none
    dut.run(80)
    assert accounted(dut)["rx_udp"] == before + 2

    # Echo requests whose checksum carries when the type changes; replies must be right.
    dut.recv("m_axis_eth0")
    wanted = [0x0000, 0xF7FF, 0xF800, 0xFEFF, 0xFFFE, 0xFFFF]
    for chksum in [*wanted, *(rng.randrange(0xF800, 0x10000) for _ in range(6))]:
        # Choose the last word so that the request has this checksum.
        base = bytes(ICMP(type=8, id=7, seq=9, chksum=0) / Raw(bytes(18)))
        words = [int.from_bytes(base[i : i + 2], "big") for i in range(0, len(base), 2)]
        fill = (0xFFFF - (sum(words) + chksum) % 0xFFFF) % 0xFFFF
        icmp = bytearray(base)
        icmp[-2:] = fill.to_bytes(2, "big")
        icmp[2:4] = chksum.to_bytes(2, "big")
        packet = ether() / IP(src=PEER, dst=ADDRESS, proto=1) / bytes(icmp)
        dut.send("s_axis_eth0", [pad(bytes(packet))])
        reply = dut.recv("m_axis_eth0", 1)[0].data
        body = reply[34:60]
        words = [int.from_bytes(body[i : i + 2], "big") for i in range(0, len(body), 2)]
        assert sum(words) % 0xFFFF == 0 and body[0] == 0 and body[4:] == bytes(icmp[4:])
        assert body[2:4] != b"\0\0" or sum(words) != 0


@pytest.mark.parametrize("width", WIDTHS)
def test_latency(width: int) -> None:
    """First beat of the frame to first beat of the payload."""
    dut = stack(width)
    for size in (64, 1000, 8972):
        for tag in (None, 5):
            dut.send("s_axis_eth0", [udp_frame(bytes(size), tag=tag)])
            body = dut.recv("m_axis_udp", 1)[0]
            cycles = body.cycle - dut.sent("s_axis_eth0")[-1][0]
            # A payload of one beat in a frame of two waits for the second.
            whole = size <= width // 8 < 42 + size
            assert cycles <= (8 if width < 256 else 7) + whole, (size, tag, cycles)
            dut.run(20)


@pytest.mark.parametrize("width", WIDTHS)
def test_ping_flood(width: int) -> None:
    """More echo requests than there is room for: the rest is counted."""
    dut = stack(width)
    dut.stall("m_axis_eth0", 1.0, seed=1)
    dut.send("s_axis_eth0", [ping_frame(bytes(1400))] * 40)
    dut.drain()
    dut.run(200)
    counts = accounted(dut)
    assert counts["drop_icmp_busy"] > 0 and counts["rx_icmp"] >= 11
    dut.stall("m_axis_eth0", 0.0, seed=1)
    assert len(dut.recv("m_axis_eth0", counts["rx_icmp"])) == counts["rx_icmp"]
    dut.run(200)
    assert accounted(dut)["tx_icmp"] == counts["rx_icmp"]
