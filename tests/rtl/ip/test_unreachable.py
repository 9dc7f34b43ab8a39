# SPDX-License-Identifier: Apache-2.0
"""ICMP port unreachable: scapy reads every message; who gets one, and how often."""

from __future__ import annotations

import random

import pytest
from ipbench import (
    ADDRESS,
    BROADCAST,
    ICMP,
    IP,
    MAC,
    PEER,
    PEER_MAC,
    TICK,
    UDP,
    WIDTHS,
    Dut,
    Ether,
    Frame,
    accounted,
    checksum,
    configure,
    ether,
    pad,
    payload,
    ping_frame,
    stack,
    udp_frame,
)
from scapy.layers.inet import IPerror, UDPerror

pytestmark = pytest.mark.long  # all data widths

OPEN = 99
LISTEN = (1 << 16 | OPEN) << 17
BURST, TOTAL = 6, 50


def start(width: int, **more: int) -> Dut:
    """A stack that answers for closed ports; one is open."""
    dut = stack(width)
    configure(dut, **{"unreachable": 1, "udp_ports": LISTEN, **more})
    return dut


def answers(dut: Dut) -> list[bytes]:
    """The ICMP errors that were sent since the last call; nothing else is."""
    dut.run(150)
    frames = [f.data for f in dut.recv("m_axis_eth0")]
    dut.recv("m_hdr_udp"), dut.recv("m_axis_udp")
    return frames


def check(frame: bytes, cause: bytes) -> None:
    """The message is right, and quotes the headers of the datagram as they came."""
    got, sent = Ether(frame), Ether(cause)
    assert (got.dst, got.src) == (sent.src, MAC)
    assert bytes(frame[12:16]) == cause[12:16] or got.type == 0x0800
    assert (got[IP].src, got[IP].dst, got[IP].len) == (ADDRESS, sent[IP].src, 56)
    message = bytes(got[IP].payload)[:36]
    assert checksum(bytes(got[IP])[:20]) == 0 and checksum(message) == 0
    assert (got[ICMP].type, got[ICMP].code, message[4:8]) == (3, 3, bytes(4))
    assert message[8:36] == bytes(sent[IP])[:28]
    assert got[IPerror].src == sent[IP].src and got[UDPerror].dport == sent[UDP].dport


@pytest.mark.parametrize("width", WIDTHS)
def test_message(width: int) -> None:
    """Any length, with and without checksum and tag, at any back-pressure, between pings."""
    rng = random.Random(width)
    dut = start(width, error_ticks=0)
    dut.stall("m_axis_eth0", 0.3, seed=1)
    dut.stall("s_axis_eth0", 0.2, seed=2)
    made = 0
    for size in [0, 1, 18, 19, 64, 700, *(rng.randrange(300) for _ in range(14))]:
        tag = rng.choice([None, 0x6005])
        fields = rng.choice([{}, {"chksum": 0}])
        port = rng.choice([0, 1, OPEN + 1, 0xFFFF])
        frame = udp_frame(payload(rng, size), rng.randrange(1, 65536), port, tag, **fields)
        pings = [
            ping_frame(payload(rng, rng.choice([1, 40, 200]))) for _ in range(rng.randrange(3))
        ]
        dut.send("s_axis_eth0", [*pings, frame, *pings])
        dut.run(400)
        frames = answers(dut)
        errors = [f for f in frames if Ether(f)[ICMP].type == 3]
        assert len(errors) == 1 and len(frames) == 1 + 2 * len(pings)
        check(errors[0], frame)
        made += 1
        dut.run(2 * TICK)  # the limit of all together refills
    counts = accounted(dut)
    assert counts["icmp_unreachable"] == made == counts["rx_udp"] and not counts["icmp_limited"]
    assert counts["tx_icmp"] == counts["rx_icmp"] + made


@pytest.mark.parametrize("width", WIDTHS)
def test_who_is_told(width: int) -> None:
    """RFC 1122, 3.2.2: nobody for groups, broadcasts, fragments, ICMP, bad packets and sources."""
    dut = start(width, multicast=1, promiscuous=1)
    closed = udp_frame(b"closed")
    packet = IP(src=PEER, dst=ADDRESS)
    udp = UDP(sport=5, dport=7) / b"data"
    silent: dict[str, bytes | Frame] = {
        "open port": udp_frame(b"open", dport=OPEN),
        "broadcast": pad(bytes(ether(dst=BROADCAST) / IP(src=PEER, dst="10.77.0.255") / udp)),
        "limited broadcast": pad(
            bytes(ether(dst=BROADCAST) / IP(src=PEER, dst="255.255.255.255") / udp)
        ),
        "group": pad(bytes(ether(dst="01:00:5e:00:00:05") / IP(src=PEER, dst="224.0.0.5") / udp)),
        "own address by link broadcast": pad(bytes(ether(dst=BROADCAST) / packet / udp)),
        "another station's MAC": pad(bytes(ether(dst="02:00:00:00:00:99") / packet / udp)),
        "another address": pad(bytes(ether() / IP(src=PEER, dst="10.77.0.77") / udp)),
        "first fragment": pad(bytes(ether() / IP(src=PEER, dst=ADDRESS, flags="MF") / udp)),
        "later fragment": pad(bytes(ether() / IP(src=PEER, dst=ADDRESS, frag=9) / udp)),
        "ICMP error": pad(bytes(ether() / packet / ICMP(type=3, code=3) / closed[14:42])),
        "TCP": pad(bytes(ether() / IP(src=PEER, dst=ADDRESS, proto=6) / bytes(40))),
        "wrong checksum": udp_frame(b"closed", chksum=0x1234),
        "wrong IP checksum": closed[:24] + b"\x12\x34" + closed[26:],
        "wrong length": udp_frame(b"closed", len=9),
        "truncated": udp_frame(bytes(172))[:100],
        "marked bad": Frame(closed, bad=True),
        "from a group MAC": pad(bytes(ether(src="03:00:00:00:00:01") / packet / udp)),
    }
    for source in ("0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255", "10.77.0.255", ADDRESS):
        silent[f"from {source}"] = pad(bytes(ether() / IP(src=source, dst=ADDRESS) / udp))
    for name, frame in silent.items():
        dut.send("s_axis_eth0", [frame])
        assert answers(dut) == [], name
    assert accounted(dut)["icmp_unreachable"] == 0
    dut.send("s_axis_eth0", [closed])
    (got,) = answers(dut)
    check(got, closed)
    configure(dut, unreachable=0)
    dut.send("s_axis_eth0", [closed])
    assert answers(dut) == []


@pytest.mark.parametrize("any_port", [0, 1])
def test_delivery_is_as_before(any_port: int) -> None:
    """Kernels get what they got; a datagram that the stack drops itself is answered as well."""
    dut = start(64, udp_any=any_port)
    dut.send("s_axis_eth0", [udp_frame(b"closed"), udp_frame(b"open", dport=OPEN)])
    dut.run(200)
    bodies = [f.data for f in dut.recv("m_axis_udp")]
    assert bodies == ([b"closed"] if any_port else []) + [b"open"]
    counts = accounted(dut)
    assert counts["drop_udp_port"] == 1 - any_port and counts["icmp_unreachable"] == 1


@pytest.mark.parametrize("width", [64, 512])
def test_limit(width: int) -> None:
    """Linux's: 6 at once and one per interval to an address; 50 at once and one per tick to all."""
    interval = 40
    dut = start(width, error_ticks=interval)
    burst = [udp_frame(b"x", sport=1000 + i) for i in range(40)]
    dut.send("s_axis_eth0", burst)
    dut.run(40 * 12)
    assert len(answers(dut)) == BURST
    dut.send("s_axis_eth0", [udp_frame(b"another", src="10.77.0.98")])
    assert len(answers(dut)) == 1
    for _ in range(3):  # one comes back in each interval
        dut.run(interval * TICK - 150)
        dut.send("s_axis_eth0", burst[:10])
        assert len(answers(dut)) == 1
    dut.run(30 * interval * TICK)  # no more than a burst is saved up
    dut.send("s_axis_eth0", burst)
    dut.run(40 * 12)
    assert len(answers(dut)) == BURST
    counts = accounted(dut)
    assert counts["icmp_unreachable"] + counts["icmp_limited"] == counts["rx_udp"]

    dut.run(60 * TICK)
    before = accounted(dut)["icmp_unreachable"]
    first = dut.cycle
    frames = [udp_frame(b"x", src=f"10.77.0.{10 + i % 200}") for i in range(400)]
    configure(dut, unreachable=1, udp_ports=LISTEN, error_ticks=0)
    dut.send("s_axis_eth0", frames)
    dut.drain()
    dut.run(200)
    made = accounted(dut)["icmp_unreachable"] - before
    assert made <= TOTAL + (dut.cycle - first) // TICK + 1
    assert len(answers(dut)) == made


def test_flood_takes_nothing_from_others() -> None:
    """While closed ports are flooded, each ping is answered and each open port served."""
    dut = start(64)
    frames, pings = [], 0
    for i in range(300):
        frames.append(udp_frame(bytes(18), src=f"10.77.0.{20 + i % 100}"))
        if i % 10 == 0:
            frames += [ping_frame(bytes([i % 256] * 30)), udp_frame(b"open", dport=OPEN)]
            pings += 1
    dut.send("s_axis_eth0", frames)
    dut.drain()
    replies = [f for f in answers(dut) if Ether(f)[ICMP].type == 0]
    assert len(replies) == pings == accounted(dut)["rx_icmp"]
    assert Ether(replies[0]).dst == PEER_MAC
