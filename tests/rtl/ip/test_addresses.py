# SPDX-License-Identifier: Apache-2.0
"""Addresses that are no host's, TCP to groups, fragmentation, and what ARP never asks for."""

from __future__ import annotations

from ipbench import (
    ADDRESS,
    ARP,
    BROADCAST,
    IP,
    MAC,
    PEER,
    Dut,
    Ether,
    accounted,
    configure,
    ether,
    ip,
    pad,
    record,
    stack,
    sums_right,
    udp_frame,
)
from scapy.layers.inet import TCP

WIDTH = 64
GROUP, GROUP_MAC = "224.0.0.5", "01:00:5e:00:00:05"


def outcome(dut: Dut, frame: bytes) -> str:
    """The one outcome of a frame."""
    before = accounted(dut)
    dut.send("s_axis_eth0", [frame])
    dut.run(80)
    after = accounted(dut)
    changed = {k for k in after if after[k] != before[k]} - {"rx_frame"}
    assert after["rx_frame"] == before["rx_frame"] + 1 and len(changed) == 1, changed
    for port in ("m_hdr_udp", "m_axis_udp", "m_hdr_ip", "m_axis_ip"):
        dut.recv(port)
    return changed.pop()


def segment(src: str = PEER, dst: str = ADDRESS, hw: str = MAC) -> bytes:
    """A SYN."""
    return pad(bytes(ether(dst=hw) / IP(src=src, dst=dst) / TCP(sport=5, dport=80, flags="S")))


def test_sources() -> None:
    """RFC 1122, 3.2.1.3, RFC 9293, MUST-63: packets from no host's address are dropped."""
    dut = stack(WIDTH)
    hosts = (
        "1.0.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "223.255.255.255",
        "10.77.0.1",
        "10.77.1.255",
    )
    nobody = ["0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "224.0.0.1", "239.1.2.3"]
    nobody += ["240.0.0.1", "255.255.255.255", "10.77.0.255", ADDRESS]
    for src in hosts:
        assert outcome(dut, segment(src)) == "rx_raw", src
        assert outcome(dut, udp_frame(b"data", src=src)) == "rx_udp", src
    for src in nobody:
        assert outcome(dut, segment(src)) == "drop_ip_src", src
        assert outcome(dut, udp_frame(b"data", src=src)) == "drop_ip_src", src
    # RFC 3021: a link of two addresses has no broadcast address.
    configure(dut, netmask=ip("255.255.255.254"))
    assert outcome(dut, segment("10.77.0.11")) == "rx_raw"
    configure(dut)


def test_tcp_to_groups() -> None:
    """RFC 9293, MUST-57: broadcast and multicast start nothing, and count as what they are."""
    dut = stack(WIDTH)
    configure(dut, multicast=1)
    for dst, hw in (
        ("255.255.255.255", BROADCAST),
        ("10.77.0.255", BROADCAST),
        ("10.77.0.255", MAC),
        (GROUP, GROUP_MAC),
    ):
        assert outcome(dut, segment(dst=dst, hw=hw)) == "drop_tcp_dst", dst
        datagram = IP(src=PEER, dst=dst, proto=99) / b"other protocols have groups"
        assert outcome(dut, pad(bytes(ether(dst=hw) / datagram))) == "rx_raw", dst
    configure(dut)
    assert outcome(dut, segment(dst=GROUP, hw=GROUP_MAC)) == "drop_mac"


def test_fragments_allowed() -> None:
    """Without dont_fragment each packet has its own identification; else DF and 0."""
    dut = stack(WIDTH)
    for allowed in (True, False):
        configure(dut, dont_fragment=int(not allowed))
        dut.run(20)
        for _ in range(300):
            dut.send("s_hdr_udp", [record(dut, b"data")])
            dut.send("s_axis_udp", [b"data"])
        frames = [frame.data for frame in dut.recv("m_axis_eth0", 300)]
        heads = [Ether(frame)[IP] for frame in frames]
        assert all(sums_right(frame) for frame in frames)
        if allowed:
            first = heads[0].id
            assert [head.id for head in heads] == [first + i for i in range(300)]
            assert not any(head.flags.DF for head in heads)
        else:
            assert all(head.id == 0 and head.flags.DF for head in heads)
    configure(dut)


def test_never_asks_for_zero() -> None:
    """Nothing is sent to 0.0.0.0, and ARP does not ask who has it; the next packet goes."""
    dut = stack(WIDTH)
    for gateway in (0, ip("10.77.0.1")):
        configure(dut, gateway=gateway)
        before = accounted(dut)
        for address in (0, ip("10.77.0.77")):
            hdr = record(dut, b"data", peer_ip=address, peer_mac_valid=0)
            dut.send("s_hdr_udp", [hdr])
            dut.send("s_axis_udp", [b"data"])
        dut.run(2000)
        asked = {Ether(f.data)[ARP].pdst for f in dut.recv("m_axis_eth0") if ARP in Ether(f.data)}
        assert "0.0.0.0" not in asked
        dropped = accounted(dut)["tx_drop_pending_full"] - before["tx_drop_pending_full"]
        assert dropped == (gateway == 0) and ("10.77.0.77" in asked)
        dut.run(8000)  # what waits is given up
        dut.recv("m_axis_eth0")
    configure(dut)
