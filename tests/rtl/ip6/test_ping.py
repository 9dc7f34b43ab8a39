# SPDX-License-Identifier: Apache-2.0
"""Echo (RFC 4443, section 4)."""

from __future__ import annotations

import random

import pytest
from ip6bench import (
    GIVEN,
    LINK,
    MAC,
    PEER,
    PEER_MAC,
    WIDTHS,
    Ether,
    Events,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    IPv6,
    Packet,
    answers,
    icmp6,
    ip6,
    port,
    right,
    settings,
)
from kumihimo.testing.sizes import by_size

pytestmark = pytest.mark.long  # all data widths, all lengths


def ping(rng: random.Random, size: int, **ends: str) -> Packet:
    """An echo request."""
    echo = ICMPv6EchoRequest(id=rng.randrange(65536), seq=rng.randrange(65536))
    echo.data = rng.randbytes(size)
    return Ether(bytes(ip6(**ends) / echo))


def check(reply: Packet, request: Packet) -> None:
    """The same message with another type, ends exchanged."""
    right(reply)
    assert (reply.dst, reply.src) == (PEER_MAC, MAC)
    assert (reply[IPv6].src, reply[IPv6].dst) == (request[IPv6].dst, request[IPv6].src)
    assert ICMPv6EchoReply in reply
    assert bytes(reply[IPv6].payload)[4:] == bytes(request[IPv6].payload)[4:]
    assert len(bytes(reply)) == len(bytes(request))


@pytest.mark.parametrize("width", WIDTHS)
def test_every_length(width: int) -> None:
    """From both addresses, with and without stalls."""
    rng = random.Random(width)
    dut = port(width)
    lengths = [*by_size((0, 1, 2, 3, 7, 8, 9, 56, 63, 64, 65), range(201)), 1452, 8900, 16000]
    for stalls in (0.0, 0.3):
        dut.stall_all(stalls, stalls, seed=9)
        for size in lengths:
            request = ping(rng, size, dst=rng.choice((LINK, GIVEN)))
            dut.send("s_eth", bytes(request))
            check(Ether(dut.recv("m_eth", 1)[0].data), request)


@pytest.mark.parametrize("width", WIDTHS)
def test_burst(width: int) -> None:
    """Each is answered in order, or there was no room for it."""
    rng = random.Random(width)
    dut = port(width)
    events = Events(dut)
    dut.stall("m_eth", 0.9, seed=2)
    sent = [ping(rng, rng.choice((0, 100, 1400))) for _ in range(60)]
    dut.send("s_eth", [bytes(request) for request in sent])
    dut.drain()
    dut.stall("m_eth", 0)
    dut.run(6000)
    got = [Ether(frame.data) for frame in dut.recv("m_eth")]
    found = events()
    assert found["rx_icmp"] == found["tx_icmp"] == len(got)
    assert found["rx_icmp"] + found["drop_icmp_full"] == len(sent)
    asked = iter(sent)
    for reply in got:
        key = bytes(reply[IPv6].payload)[4:]
        check(reply, next(r for r in asked if bytes(r[IPv6].payload)[4:] == key))


def test_not_answered() -> None:
    """To a group, from nobody, without its eight bytes, larger than the room, switched off."""
    rng = random.Random(1)
    dut = port(64)
    good = ping(rng, 9)
    for request, event in (
        (ping(rng, 9, dst="ff02::1", to="33:33:00:00:00:01"), "drop_icmp"),
        (ping(rng, 9, dst="ff02::1:ff00:a", to="33:33:ff:00:00:0a"), "drop_icmp"),
        (ping(rng, 9, src="::"), "drop_icmp"),
        *((icmp6((b"\x80\0\0\0" + bytes(3))[:size]), "drop_icmp") for size in range(1, 8)),
        (icmp6(b"\x80\x01\0\0" + bytes(20)), "drop_icmp"),
        (ping(rng, 16384 - 7), "drop_icmp_full"),
        (ping(rng, 40000), "drop_icmp_full"),
    ):
        events = Events(dut)
        (reply,) = answers(dut, request, good, cycles=200 + len(request) // 8)
        check(reply, good)
        assert events() == {event: 1, "rx_icmp": 1, "tx_icmp": 1}
    largest = ping(rng, 16384 - 8)
    (reply,) = answers(dut, largest, cycles=6000)
    check(reply, largest)
    dut.set("cfg", settings(ping=0))
    events = Events(dut)
    assert not answers(dut, good)
    assert events() == {"drop_icmp": 1}
    assert good[IPv6].src == PEER
