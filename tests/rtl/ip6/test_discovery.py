# SPDX-License-Identifier: Apache-2.0
"""Neighbour discovery (RFC 4861): questions for our addresses, and what is none."""

from __future__ import annotations

from ipaddress import IPv6Address

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
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6ND_RS,
    ICMPv6NDOptDstLLAddr,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
    Packet,
    answers,
    icmp6,
    ip6,
    port,
    right,
    solicit,
)

pytestmark = pytest.mark.long  # all data widths


@pytest.mark.parametrize("width", WIDTHS)
def test_answered(width: int) -> None:
    """To the address and to its group, with the address of who asks and without; probes to all."""
    dut = port(width)
    for own in (LINK, GIVEN):
        for question in (
            solicit(own),
            solicit(own, slla=False),
            solicit(own, dst=own, to=MAC),
            solicit(own, dst="ff02::1", to="33:33:00:00:00:01"),
            solicit(own, src="fd00::1234"),
            solicit(own, slla=False) / ICMPv6NDOptSrcLLAddr(type=14),
        ):
            events = Events(dut)
            (answer,) = answers(dut, question)
            right(answer)
            assert (answer.dst, answer.src) == (PEER_MAC, MAC)
            assert (answer[IPv6].src, answer[IPv6].dst) == (own, question[IPv6].src)
            said = answer[ICMPv6ND_NA]
            assert (said.R, said.S, said.O, said.tgt) == (0, 1, 1, own)
            assert answer[ICMPv6NDOptDstLLAddr].lladdr == MAC
            assert answer[IPv6].hlim == 255
            assert events() == {"rx_icmp": 1, "tx_icmp": 1}
        (answer,) = answers(dut, solicit(own, src="::", slla=False))
        right(answer)
        assert (answer.dst, answer[IPv6].dst) == ("33:33:00:00:00:01", "ff02::1")
        assert (answer[ICMPv6ND_NA].S, answer[ICMPv6ND_NA].tgt) == (0, own)


def wrong_questions() -> list[Packet]:
    """What section 7.1 of RFC 4861 wants dropped, and what is no question to us."""
    target = IPv6Address(LINK).packed
    group = {"dst": "ff02::1:ff00:a", "to": "33:33:ff:00:00:0a"}
    question = b"\x87\0\0\0" + bytes(4) + target
    broken = solicit(LINK)
    broken[ICMPv6ND_NS].cksum = 0x1234
    coded = solicit(LINK)
    coded[ICMPv6ND_NS].code = 1
    return [
        solicit(LINK, hlim=254),
        broken,
        coded,
        solicit(LINK, src="::"),  # with an address of the sender
        solicit(LINK, src="::", slla=False, dst=LINK, to=MAC),
        solicit(LINK, src="::", slla=False, dst="ff02::1", to="33:33:00:00:00:01"),
        solicit("fe80::1:0:a"),  # the same group
        *(icmp6(question[:size], hlim=255, **group) for size in (4, 8, 9, 16, 23)),
        icmp6(question + b"\x0e\0", hlim=255, **group),
        icmp6(question + b"\x0e\0" + bytes(6), hlim=255, **group),  # an option of length 0
        icmp6(question + b"\x0e\x02" + bytes(6), hlim=255, **group),  # and one that is cut
        icmp6(question + b"\x0e\x02" + bytes(7), hlim=255, **group),
        icmp6(question + b"\x0e\x02" + bytes(13), hlim=255, **group),
        ip6(hlim=255) / ICMPv6ND_NA(tgt=PEER),
        ip6(hlim=255, **group) / ICMPv6ND_RS(),
        icmp6(b"\x89\0\0\0" + bytes(36), hlim=255),  # a redirect
        icmp6(b"\x81\0\0\0" + bytes(4)),  # an echo reply
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_not_answered(width: int) -> None:
    """One event for each, no answer; then a good question is answered."""
    dut = port(width)
    for question in wrong_questions():
        events = Events(dut)
        assert not answers(dut, question, cycles=150), question.summary()
        assert events() == {"drop_icmp": 1}, question.show(dump=True)
        assert len(answers(dut, solicit(LINK), cycles=150)) == 1
    # Those of a group of which we are not.
    events = Events(dut)
    assert not answers(dut, solicit("fe80::1:2"), cycles=150)
    assert events() == {"drop_address": 1}


def test_conflict() -> None:
    """Another station that claims an address in use is reported; the address stays."""
    dut = port(64)
    events = Events(dut)
    claim = ip6(src=LINK, dst="ff02::1", to="33:33:00:00:00:01", hlim=255)
    assert not answers(dut, claim / ICMPv6ND_NA(tgt=LINK, S=0))
    assert events() == {"conflict": 1, "rx_icmp": 1}
    # "Solicited" to a group is malformed.
    assert not answers(dut, claim / ICMPv6ND_NA(tgt=LINK, S=1))
    assert events() == {"drop_icmp": 1}
    assert len(answers(dut, solicit(LINK))) == 1
    assert dut.get("duplicate") == 0
    assert Ether(bytes(claim)).src == PEER_MAC
