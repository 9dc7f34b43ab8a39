# SPDX-License-Identifier: Apache-2.0
"""With the IPv4 stack and an echo behind it: peers of IPv6 and of IPv4 side by side."""

from __future__ import annotations

import random

import pytest
from ip6bench import (
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
    Ether,
    Events,
    IPv6,
    Packet,
    Raw,
    echo,
    pad,
    right,
    tcp6,
    udp6,
)
from kumihimo.testing.sizes import by_size
from test_other_frames import forged

pytestmark = pytest.mark.long  # all data widths, all lengths


def udp4(size: int, rng: random.Random) -> Packet:
    """A datagram of IPv4 to the node."""
    layers = IP(src="10.77.0.99", dst="10.77.0.10", tos=rng.randrange(4)) / UDP(sport=9, dport=7)
    packet = Ether(src=PEER_MAC, dst=MAC) / layers / Raw(rng.randbytes(size))
    return Ether(bytes(packet))


def check(out: Packet, sent: Packet) -> None:
    """An answer has what was sent, with both ends exchanged."""
    right(out)
    assert (out.dst, out.src) == (PEER_MAC, MAC)
    layer = IPv6 if IPv6 in sent else IP
    assert (out[layer].src, out[layer].dst) == (sent[layer].dst, sent[layer].src)
    if UDP in sent:
        assert (out[UDP].sport, out[UDP].dport) == (sent[UDP].dport, sent[UDP].sport)
        assert bytes(out[UDP].payload) == bytes(sent[UDP].payload)
    else:
        assert bytes(out[TCP]) == bytes(sent[TCP])
    if layer is IPv6:
        # The stack keeps the two bits of RFC 3168 for other protocols than UDP.
        assert out[IPv6].tc == (0 if UDP in sent else sent[IPv6].tc & 3)
        assert (out[IPv6].hlim, out[IPv6].plen) == (64, sent[IPv6].plen)


@pytest.mark.parametrize("width", by_size(WIDTHS[:1], WIDTHS))
def test_mixed(width: int) -> None:
    """Packets of both versions, of every length, with and without stalls, all answered in order."""
    rng = random.Random(width)
    dut = echo(width)
    for stalls in (0.0, 0.3):
        dut.stall_all(stalls, stalls, seed=4)
        sent = [
            make(size, rng, **more)
            for size in [*by_size((0, 1, 17, 18, 19, 60), range(100)), 1400, 8000]
            for make, more in (
                (udp6, {"src": FAR, "dst": LINK, "ecn": 3}),
                (udp6, {"src": PEER, "dst": GIVEN}),
                (tcp6, {"src": PEER, "dst": LINK, "ecn": 2}),
                (udp4, {}),
            )
        ]
        rng.shuffle(sent)
        events = Events(dut, "ev6")
        dut.send("s_axis_eth0", [pad(bytes(packet)) for packet in sent])
        got = dut.recv("m_axis_eth0", len(sent), timeout_cycles=100_000)
        waiting: dict[bool, list[Packet]] = {
            udp: [packet for packet in sent if (UDP in packet) == udp] for udp in (True, False)
        }
        for frame in got:
            assert not frame.bad
            out = Ether(frame.data)
            # Packets of both versions pass each other, and so do UDP and others.
            queue = waiting[UDP in out]
            of_kind = [packet for packet in queue if (IPv6 in packet) == (IPv6 in out)]
            check(out if IPv6 in out else Ether(frame.data[: 14 + out[IP].len]), of_kind[0])
            queue.remove(of_kind[0])
        six = sum(IPv6 in packet for packet in sent)
        assert events() == {"rx_packet": six, "tx_packet": six}
    dut.run(60)
    assert not dut.get("busy")


def test_forged_and_broken() -> None:
    """Who claims to be a peer of IPv6, and packets with wrong checksums, reach no kernel."""
    rng = random.Random(1)
    dut = echo(64)
    good = udp6(40, rng)
    for frame in [*forged(), bytes(good)[:-1] + b"\x55", bytes(udp6(40, rng, chksum=0))]:
        events, stack = Events(dut, "ev6"), Events(dut)
        dut.send("s_axis_eth0", [frame, bytes(good)])
        dut.run(500)
        # A frame that turned out bad when its answer had begun: that one is bad as well.
        (answer,) = (f for f in dut.recv("m_axis_eth0") if not f.bad)
        check(Ether(answer.data), good)
        found, of_stack = events(), stack()
        assert found["rx_packet"] == 1 + (frame[12:14] == b"\x86\xdd")
        assert found.get("forged", 0) == (frame[12:14] != b"\x86\xdd")
        drops = sum(n for name, n in of_stack.items() if name.startswith("drop_"))
        assert (drops, of_stack["rx_udp"]) == (1, 1), of_stack
