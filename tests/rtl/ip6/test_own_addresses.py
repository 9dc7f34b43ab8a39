# SPDX-License-Identifier: Apache-2.0
"""The node's own addresses (RFC 4862): probed, kept from use, taken from a router's prefix."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from ip6bench import (
    GIVEN,
    LINK,
    MAC,
    SECOND_CYCLES,
    Dut,
    Ether,
    Events,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6ND_RS,
    ICMPv6NDOptPrefixInfo,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
    Packet,
    answers,
    icmp6,
    ip6,
    owned,
    port,
    right,
    router,
    router_with,
    settings,
    solicit,
)
from scapy.layers.inet6 import ICMPv6NDOptMTU, ICMPv6NDOptRDNSS

PREFIX = "2001:db8:1::"
AUTO = "2001:db8:1::ff:fe00:a"
GROUPS = {
    LINK: ("33:33:ff:00:00:0a", "ff02::1:ff00:a"),
    GIVEN: ("33:33:ff:00:00:07", "ff02::1:ff00:7"),
}


def probing(probes: int, phase: int = 0, **more: int) -> Dut:
    """A port that has just been enabled, at some time of a second."""
    dut = port(64, start=False, enable=0)
    dut.run(phase)
    dut.set("cfg", settings(probes=probes, **more))
    return dut


@pytest.mark.parametrize("probes", [1, 2, 3])
@pytest.mark.parametrize("phase", [0, 60, 84, 125])
def test_probes(probes: int, phase: int) -> None:
    """A probe each second for either address, then a whole second; used only then."""
    dut = probing(probes, phase, autoconf=0)
    begin = dut.cycle
    used_at = dut.run_until(lambda: len(owned(dut)) == 2)
    assert owned(dut) == [LINK, GIVEN]
    found = dut.recv("m_eth")
    assert len(found) == 2 * probes
    for own, ends in GROUPS.items():
        asked = [f for f in found if Ether(f.data)[ICMPv6ND_NS].tgt == own]
        assert len(asked) == probes
        for frame in asked:
            packet = right(Ether(frame.data))
            assert (packet.dst, packet[IPv6].dst) == ends
            assert (packet.src, packet[IPv6].src, packet[IPv6].hlim) == (MAC, "::", 255)
            assert ICMPv6NDOptSrcLLAddr not in packet
        for before, after in pairwise([*(f.cycle for f in asked), used_at]):
            assert SECOND_CYCLES - 60 <= after - before <= SECOND_CYCLES + 60
    assert used_at - begin >= probes * SECOND_CYCLES
    assert Events(dut)() == {}
    dut.run(10 * SECOND_CYCLES)
    assert not dut.recv("m_eth")


def ping(dst: str) -> Packet:
    """An echo request."""
    return ip6(dst=dst) / ICMPv6EchoRequest(id=1, seq=2, data=b"x" * 32)


def test_silent_while_probing() -> None:
    """An address that is being probed answers nobody, and who only asks for it has no claim."""
    dut = probing(3)
    dut.run(SECOND_CYCLES + 40)
    dut.recv("m_eth")
    assert owned(dut) == []
    events = Events(dut)
    assert not answers(dut, solicit(LINK), ping(GIVEN), cycles=60)
    assert events() == {"rx_icmp": 1, "drop_address": 1}
    dut.run_until(lambda: owned(dut) == [LINK, GIVEN])
    dut.run(60)
    dut.recv("m_eth")
    assert ICMPv6EchoReply in answers(dut, ping(GIVEN), cycles=100)[0]


@pytest.mark.parametrize("how", ["advertisement", "probe"])
@pytest.mark.parametrize("after", [20, SECOND_CYCLES + 30, 3 * SECOND_CYCLES + 30])
def test_duplicate(how: str, after: int) -> None:
    """Another owner, or one who probes as we do: it is never used, until the settings change."""
    dut = probing(3, autoconf=0)
    dut.run(after)
    events = Events(dut)
    if how == "probe":
        claim = solicit(GIVEN, src="::", slla=False)
    else:
        ends = {"src": GIVEN, "dst": "ff02::1", "to": "33:33:00:00:00:01"}
        claim = ip6(hlim=255, **ends) / ICMPv6ND_NA(tgt=GIVEN, S=0)
    dut.send("s_eth", bytes(claim))
    dut.run(60)
    assert dut.get("duplicate") == 0b100
    found = events()
    assert (found["conflict"], found["rx_icmp"]) == (1, 1)
    dut.recv("m_eth")
    dut.run(20 * SECOND_CYCLES)
    asked = [Ether(f.data)[ICMPv6ND_NS].tgt for f in dut.recv("m_eth")]
    assert GIVEN not in asked
    assert owned(dut) == [LINK] and dut.get("duplicate") == 0b100
    assert not answers(dut, ping(GIVEN), solicit(GIVEN), cycles=200)
    # Off and on again, or another address: it begins anew.
    dut.set("cfg", settings(probes=3, autoconf=0, enable=0))
    dut.run(10)
    dut.set("cfg", settings(probes=3, autoconf=0))
    dut.run(6 * SECOND_CYCLES)
    assert owned(dut) == [LINK, GIVEN] and dut.get("duplicate") == 0


def test_routers_are_looked_for() -> None:
    """Three questions 4 s apart, and none once a router has answered (RFC 4861, 6.3.7)."""
    dut = port(64, start=False)
    dut.run(20 * SECOND_CYCLES)
    found = dut.recv("m_eth")
    assert len(found) == 3
    for frame in found:
        packet = right(Ether(frame.data))
        assert (packet.dst, packet.src) == ("33:33:00:00:00:02", MAC)
        assert (packet[IPv6].src, packet[IPv6].dst, packet[IPv6].hlim) == (LINK, "ff02::2", 255)
        assert packet[ICMPv6NDOptSrcLLAddr].lladdr == MAC
        assert ICMPv6ND_RS in packet
    assert [b.cycle - a.cycle for a, b in pairwise(found)] == [4 * SECOND_CYCLES] * 2
    dut = port(64, start=False)
    assert len(dut.recv("m_eth", 1)) == 1
    assert not answers(dut, router(PREFIX), cycles=20 * SECOND_CYCLES)
    assert owned(dut) == [LINK, AUTO, GIVEN]
    dut = port(64, start=False, autoconf=0)
    assert not answers(dut, router(PREFIX), cycles=20 * SECOND_CYCLES)
    assert owned(dut) == [LINK, GIVEN]


def info(prefix: str = PREFIX, seconds: int = 7200, **more: int) -> Packet:
    """The option with a prefix."""
    fields: dict[str, Any] = {"validlifetime": seconds, "preferredlifetime": seconds} | more
    return ICMPv6NDOptPrefixInfo(prefix=prefix, **fields)


def raw_router(options: bytes) -> Packet:
    """An advertisement with any bytes as options."""
    ends = {"src": "fe80::1", "dst": "ff02::1", "to": "33:33:00:00:00:01", "hlim": 255}
    return icmp6(b"\x86\0\0\0" + bytes(12) + options, **ends)


ADVERTISEMENTS: list[tuple[Packet, str | None]] = [
    (router_with(info()), AUTO),
    (router_with(ICMPv6NDOptSrcLLAddr(), ICMPv6NDOptMTU(), info()), AUTO),
    (router_with(ICMPv6NDOptRDNSS(dns=["2001:db8::1", "2001:db8::2"]), info()), AUTO),
    (router_with(info("2001:db8:2::"), info()), "2001:db8:2::ff:fe00:a"),
    (router_with(info("2001:db8:2::", A=0), info()), AUTO),
    (router_with(info(), to=MAC, dst=LINK), AUTO),
    (router_with(info(A=0)), None),
    (router_with(info(prefixlen=63)), None),
    (router_with(info(prefixlen=128)), None),
    (router_with(info(seconds=0)), None),
    (router_with(info("fe80::")), None),
    (router_with(info("ff0e::")), None),
    (router_with(info(preferredlifetime=7201)), None),
    (router_with(), None),
]
MALFORMED = [
    router_with(info(), hlim=254),
    router_with(info(), src="2001:db8::1"),
    raw_router(bytes(info()) + b"\x0e\0" + bytes(6)),  # an option of length 0
    raw_router(b"\x0e\0" + bytes(6) + bytes(info())),
    raw_router(bytes(info())[:24]),
    raw_router(bytes(info())[:31]),
    raw_router(bytes(info()) + b"\x0e"),
    icmp6(b"\x86\0\0\0" + bytes(10), src="fe80::1", hlim=255),
    icmp6(b"\x86\x01\0\0" + bytes(12) + bytes(info()), src="fe80::1", hlim=255),
]


def test_prefixes() -> None:
    """Of a whole, right advertisement, the first prefix to be used (RFC 4862, section 5.5.3)."""
    for packet, address in ADVERTISEMENTS:
        dut = port(64, start=False)
        events = Events(dut)
        answers(dut, packet, cycles=200)
        assert owned(dut) == [LINK, *([address] if address else []), GIVEN], packet.show(dump=True)
        assert events().get("rx_icmp") == 1
    for packet in MALFORMED:
        dut = port(64, start=False)
        events = Events(dut)
        answers(dut, packet, cycles=200)
        assert owned(dut) == [LINK, GIVEN], packet.show(dump=True)
        assert events().get("drop_icmp") == 1


def test_probes_of_a_prefix() -> None:
    """An address from a router is probed as well."""
    dut = port(64, probes=2)
    assert not answers(dut, router(PREFIX), cycles=40)
    dut.run(4 * SECOND_CYCLES)
    asked = [Ether(f.data)[ICMPv6ND_NS].tgt for f in dut.recv("m_eth")]
    assert asked == [AUTO] * 2
    assert owned(dut) == [LINK, AUTO, GIVEN]


def test_lifetimes() -> None:
    """A prefix ends in time, a router cannot end it at once, and another one waits for its end."""
    second = 2  # cycles
    dut = port(64, tick_cycles=second, second_ticks=1)

    def after(packet: Packet | None, seconds: int) -> bool:
        start = dut.cycle
        if packet is not None:
            dut.send("s_eth", bytes(packet))
        dut.run(seconds * second - (dut.cycle - start))
        return AUTO in owned(dut)

    margin = 60
    assert after(router(PREFIX, 200), 200 - margin)
    assert not after(None, 2 * margin)
    assert after(router(PREFIX, 200), 100)
    assert after(router(PREFIX, 10), 100 - margin)  # too short: does not count
    assert not after(None, 2 * margin)
    assert after(router(PREFIX, 200), 100)
    assert after(router(PREFIX, 300), 300 - margin)  # longer: counts
    assert not after(None, 2 * margin)
    assert after(router(PREFIX, 10_000), 100)
    assert after(router(PREFIX, 8000), 8000 - margin)  # beyond two hours: counts
    assert not after(None, 2 * margin)
    assert after(router(PREFIX), 100)
    assert after(router(PREFIX, 0), 7200 - margin)  # two hours remain, also of one without end
    assert not after(None, 2 * margin)
    assert after(router(PREFIX, 300), 200)
    assert after(router("2001:db8:2::", 5000), 100 - margin)  # another one: only afterwards
    assert not after(None, 2 * margin)
    after(router("2001:db8:2::", 500), 100)
    assert owned(dut) == [LINK, "2001:db8:2::ff:fe00:a", GIVEN]
    # Of several in a message the one in use counts.
    both = router_with(info(PREFIX, 900), info("2001:db8:2::", 900))
    after(both, 700)
    assert owned(dut) == [LINK, "2001:db8:2::ff:fe00:a", GIVEN]
    dut.set("cfg", settings(autoconf=0))
    dut.run(10)
    assert owned(dut) == [LINK, GIVEN]
