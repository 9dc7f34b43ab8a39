# SPDX-License-Identifier: Apache-2.0
"""Every received IPv6 frame has one outcome, and none hurts the next good one."""

from __future__ import annotations

import random
from ipaddress import IPv6Address

import pytest
from ip6bench import (
    EVENTS,
    FAR,
    GIVEN,
    LINK,
    PEER,
    WIDTHS,
    Dut,
    Ether,
    Events,
    Frame,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    IPv6,
    Packet,
    Raw,
    answers,
    ip6,
    port,
    right,
    router,
    solicit,
    tcp6,
    udp6,
)
from kumihimo.testing.sizes import by_size

pytestmark = pytest.mark.long  # all data widths, more frames


def ping(size: int = 56, **ends: str) -> Packet:
    """An echo request."""
    return Ether(bytes(ip6(**ends) / ICMPv6EchoRequest(id=1, seq=2, data=bytes(size))))


def bases(rng: random.Random) -> list[bytes]:
    """Good frames of every kind."""
    size = rng.choice((0, 1, 5, 18, 40, 200))
    return [
        bytes(frame)
        for frame in (
            udp6(size, rng),
            udp6(size, rng, src=FAR, dst=LINK),
            tcp6(size, rng),
            ping(size),
            solicit(LINK),
            solicit(GIVEN, src="::", slla=False),
            router("2001:db8:1::", 7200),
            ip6(hlim=255) / ICMPv6ND_NA(tgt=PEER),
        )
    ]


ADDRESSES = ("::", "::1", "ff02::1", "::ffff:10.0.0.1", "::10.0.0.1", GIVEN, LINK, "fe80::9")


def mutate(rng: random.Random, frame: bytes) -> bytes:
    """Faults of the kinds a wire or a liar makes."""
    data = bytearray(frame)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        how = rng.randrange(9)
        if how == 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif how == 1 and len(data) > 15:
            del data[rng.randrange(15, len(data)) :]
        elif how == 2:
            data += rng.randbytes(rng.choice((1, 3, 64, 300)))
        elif how == 3 and len(data) > 20:
            length = rng.choice((0, 1, 7, 8, 9, 15, 23, 1500, 65515, 65516, 65535))
            data[18:20] = length.to_bytes(2, "big")
        elif how == 4 and len(data) > 20:
            data[20] = rng.choice((0, 43, 44, 50, 51, 58, 59, 60, 135, rng.randrange(256)))
        elif how == 5 and len(data) > 14:
            data[14] = rng.randrange(256)
        elif how == 6 and len(data) > 54:
            at = rng.choice((22, 38))
            data[at : at + 16] = IPv6Address(rng.choice(ADDRESSES)).packed
        elif how == 7:
            data[:12] = rng.choice((data[6:12] + data[:6], b"\x33\x33" + data[2:12], data[:12]))
        elif how == 8 and len(data) > 80:
            at = rng.randrange(54, len(data))
            data[at] = rng.randrange(256)
    return bytes(data)


def is_ip6(frame: bytes) -> bool:
    return frame[12:14] == b"\x86\xdd"


def alive(dut: Dut) -> None:
    """It works off what it has, and answers."""
    dut.run_until(lambda: not dut.get("busy"), what="busy low")
    dut.recv("m_eth")
    dut.recv("m_stack")
    dut.send("s_eth", bytes(udp6(30, random.Random(1))))
    right(Ether(dut.recv("m_stack", 1)[0].data))
    (reply,) = answers(dut, ping())
    assert bytes(right(reply)[IPv6].payload)[4:] == bytes(ping()[IPv6].payload)[4:]
    dut.run_until(lambda: not dut.get("busy"), what="busy low")


def accounted(dut: Dut, frames: list[Frame]) -> dict[str, int]:
    """One outcome each."""
    events = Events(dut)
    dut.send("s_eth", frames)
    dut.drain(200_000)
    dut.run_until(lambda: not dut.get("busy"), what="busy low")
    dut.run(100)
    found = events()
    assert sum(found.get(name, 0) for name in EVENTS) == sum(is_ip6(f.data) for f in frames), found
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_mutations(width: int) -> None:
    """Thousands of broken frames."""
    rng = random.Random(width)
    dut = port(width)
    seen: set[str] = set()
    for stalls in (0.0, 0.2):
        dut.stall_all(stalls, stalls, seed=5)
        for _ in range(by_size(1, 4)):
            frames = [
                Frame(mutate(rng, base), bad=rng.random() < 0.05)
                for _ in range(by_size(80, 125))
                for base in bases(rng)
            ]
            seen |= accounted(dut, frames).keys()
            alive(dut)
    wanted = {"rx_packet", "rx_icmp", *(e for e in EVENTS if e.startswith("drop_"))}
    assert seen >= wanted - {"drop_peers", "drop_icmp_full"}, seen


@pytest.mark.parametrize("width", WIDTHS)
def test_truncations(width: int) -> None:
    """A frame of each kind that ends behind every byte, and says so or not."""
    rng = random.Random(width)
    dut = port(width)
    for base in bases(rng):
        frames = []
        for end in range(14, min(len(base), 130)):
            data = bytearray(base[:end])
            frames.append(Frame(bytes(data)))
            if end > 54:
                data[18:20] = (end - 54).to_bytes(2, "big")
                frames.append(Frame(bytes(data)))
        accounted(dut, frames)
        alive(dut)


@pytest.mark.parametrize("width", WIDTHS)
def test_reasons(width: int) -> None:
    """Each reason by itself, and a ping directly behind it."""
    rng = random.Random(width)
    dut = port(width)
    good = bytes(ping(0))

    for frame, event in (
        (good[:54], "drop_short"),
        (bytes(udp6(9, rng, to="02:00:00:00:00:0b")), "drop_mac"),
        (bytes(udp6(9, rng, src="::1")), "drop_source"),
        (bytes(udp6(9, rng, src="::")), "drop_source"),
        (bytes(udp6(9, rng, src="ff02::1")), "drop_source"),
        (bytes(udp6(9, rng, src=LINK)), "drop_source"),
        (bytes(udp6(9, rng, src="::ffff:10.0.0.1")), "drop_source"),
        (bytes(udp6(9, rng, mac="03:00:00:00:00:01")), "drop_source"),
        (bytes(udp6(9, rng, mac="06:36:f0:00:00:01")), "drop_source"),
        (bytes(udp6(9, rng))[:14] + b"\x40" + bytes(udp6(9, rng))[15:], "drop_source"),
        (bytes(udp6(9, rng, dst="fd00::8")), "drop_address"),
        (bytes(udp6(9, rng, dst="ff02::1", to="33:33:00:00:00:01")), "drop_address"),
        (bytes(udp6(9, rng, dst="ff02::1")), "drop_address"),
        (bytes(udp6(9, rng, to="33:33:00:00:00:01")), "drop_address"),
        *((bytes(ip6(nh=n) / Raw(bytes(60))), "drop_next") for n in (0, 1, 43, 44, 50, 51, 59, 60)),
        (bytes(ip6(nh=58, plen=0) / Raw(bytes(6))), "drop_icmp"),
        (bytes(ping(9))[:70] + b"\x55" + bytes(ping(9))[71:], "drop_icmp"),
    ):
        events = Events(dut)
        dut.send("s_eth", [frame, good] * 3)
        assert len(dut.recv("m_eth", 3)) == 3, event
        dut.run(60)
        assert events() == {event: 3, "rx_icmp": 3, "tx_icmp": 3}
