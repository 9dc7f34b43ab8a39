# SPDX-License-Identifier: Apache-2.0
"""The stack on a line of bare IPv4 packets: pings and datagrams of every length come back."""

from __future__ import annotations

import random

import pytest
from ipbench import ADDRESS, ICMP, IP, PEER, UDP, WIDTHS, Raw, checksum, settings
from kumihimo.testing import Dut, Frame

pytestmark = pytest.mark.long  # all data widths


@pytest.mark.parametrize("width", WIDTHS)
def test_echo(width: int) -> None:
    """Replies are right IPv4 packets without a header in front; ARP never reaches the line."""
    rng = random.Random(width)
    dut = Dut(
        "tests/rtl/ip/kumi_t_ip_eth_shim.sv", {"DATA_W": width}, pins={"cfg": settings(announce=1)}
    )
    dut.watch("ev_other")
    dut.run(700)
    dut.stall_all(0.2, 0.4, seed=width)
    sizes = [*range(70), 127, 128, 129, 1471, 1472, 8000]
    rng.shuffle(sizes)
    sent = []
    for size in sizes:
        load = Raw(rng.randbytes(size))
        if rng.random() < 0.5:
            layer = ICMP(id=size, seq=rng.randrange(65536)) / load
        else:
            layer = UDP(sport=rng.randrange(1, 65536), dport=7) / load
        sent.append(bytes(IP(src=PEER, dst=ADDRESS, ttl=9) / layer))
    for packet in sent:
        dut.send("s_axis_line", [packet])
        frame = dut.recv("m_axis_line", 1, 20_000)[0]
        assert not frame.bad
        out, was = IP(frame.data), IP(packet)
        assert (out.src, out.dst, out.ttl) == (ADDRESS, PEER, 64)
        assert checksum(bytes(out)[:20]) == 0
        back, there = frame.data[20 : out.len], packet[20:]
        assert out.len == was.len
        if UDP in was:
            assert (out[UDP].sport, out[UDP].dport) == (7, was[UDP].sport)
            assert back[6:] == there[6:]
        else:
            assert (back[0], back[4:]) == (0, there[4:])
    assert sum(dut.counts("ev_other").values()) >= 1  # the announcement


def test_bad_packets() -> None:
    """Garbage and marked packets are the stack's to count; the next ping is answered."""
    rng = random.Random(3)
    dut = Dut("tests/rtl/ip/kumi_t_ip_eth_shim.sv", {"DATA_W": 64}, pins={"cfg": settings()})
    dut.watch("ev")
    dut.run(700)
    ping = bytes(IP(src=PEER, dst=ADDRESS) / ICMP() / Raw(b"still there"))
    bad = [Frame(rng.randbytes(rng.randrange(1, 200))) for _ in range(200)] + [Frame(ping, True)]
    for frame in bad:
        dut.send("s_axis_line", [frame])
    dut.drain()
    dut.run(500)
    got = dut.recv("m_axis_line")
    assert not got
    counts = dut.counts("ev")
    assert counts["rx_frame"] == len(bad)
    dut.send("s_axis_line", [ping])
    assert b"still there" in dut.recv("m_axis_line", 1, 5000)[0].data
