# SPDX-License-Identifier: Apache-2.0
"""ARP: answers, questions, retries, age, pending packets, and liars."""

from __future__ import annotations

import random

import pytest
from ipbench import (
    ADDRESS,
    ARP,
    BROADCAST,
    GATEWAY,
    IP,
    MAC,
    PEER,
    PEER_MAC,
    TICK,
    UDP,
    Dot1Q,
    Dut,
    Ether,
    accounted,
    arp_reply,
    arp_request,
    configure,
    ip,
    pad,
    record,
    stack,
)

RETRY = 50 * TICK  # cycles
ARP_WIDTHS = (64, 512)


def say(dut: Dut, address: str, data: bytes, **more: int) -> None:
    """Gives the stack a datagram for an address whose MAC it has to find."""
    fields = {"peer_ip": ip(address), "peer_mac_valid": 0, "cks": 0, **more}
    dut.send("s_hdr_udp", [record(dut, data, **fields)])
    dut.send("s_axis_udp", [data])


def out(dut: Dut, cycles: int = 200) -> list[Ether]:
    """What left within some cycles."""
    dut.run(cycles)
    frames = dut.recv("m_axis_eth0")
    assert not any(f.bad for f in frames)
    return [Ether(f.data) for f in frames]


def data_of(frame: Ether) -> bytes:
    """The payload of a datagram without Ethernet padding."""
    return bytes(frame[UDP].payload)[: frame[UDP].len - 8]


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_announcement_and_reply(width: int) -> None:
    """A gratuitous request at start and when asked; requests are answered, tagged ones tagged."""
    dut = stack(width, announce=True)
    first = out(dut, 700)
    assert len(first) == 1
    arp = first[0][ARP]
    assert (arp.op, arp.psrc, arp.pdst, arp.hwsrc) == (1, ADDRESS, ADDRESS, MAC)
    assert first[0].dst == BROADCAST
    configure(dut, announce=1)
    assert [f[ARP].pdst for f in out(dut)] == [ADDRESS]

    dut.send("s_axis_eth0", [arp_request()])
    (reply,) = out(dut)
    wanted = Ether(src=MAC, dst=PEER_MAC)
    wanted = wanted / ARP(op=2, hwsrc=MAC, psrc=ADDRESS, hwdst=PEER_MAC, pdst=PEER)
    assert bytes(reply) == pad(bytes(wanted))

    tagged = Ether(src=PEER_MAC, dst=BROADCAST) / Dot1Q(prio=3, vlan=42)
    tagged = tagged / ARP(op=1, hwsrc=PEER_MAC, psrc="0.0.0.0", pdst=ADDRESS)
    dut.send("s_axis_eth0", [pad(bytes(tagged))])
    (reply,) = out(dut)
    assert (reply[Dot1Q].vlan, reply[Dot1Q].prio, reply[ARP].op) == (42, 3, 2)

    dut.send("s_axis_eth0", [arp_request(target="10.77.0.11")])
    assert out(dut) == []


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_resolve_and_gateway(width: int) -> None:
    """Ask, wait, send; the next one goes at once; off the link the gateway is asked for."""
    dut = stack(width)
    say(dut, PEER, b"first")
    (ask,) = out(dut)
    assert (ask[ARP].op, ask[ARP].pdst, ask.dst) == (1, PEER, BROADCAST)
    assert ask[ARP].hwdst == "00:00:00:00:00:00"
    dut.send("s_axis_eth0", [arp_reply()])
    (frame,) = out(dut)
    assert (frame.dst, frame[IP].dst, data_of(frame)) == (PEER_MAC, PEER, b"first")
    say(dut, PEER, b"second")
    (frame,) = out(dut)
    assert (frame.dst, data_of(frame)) == (PEER_MAC, b"second")

    say(dut, "192.168.1.1", b"far")
    (ask,) = out(dut)
    assert ask[ARP].pdst == GATEWAY
    dut.send("s_axis_eth0", [arp_reply(GATEWAY, "02:00:00:00:00:01")])
    (frame,) = out(dut)
    assert (frame.dst, frame[IP].dst) == ("02:00:00:00:00:01", "192.168.1.1")
    assert data_of(frame) == b"far"
    counts = accounted(dut)
    assert (counts["tx_udp"], counts["tx_pending"], counts["tx_resolved"]) == (1, 2, 2)


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_one_dead_other_flows(width: int) -> None:
    """While one address does not answer, another is not held up; the dead one times out."""
    dut = stack(width)
    dut.send("s_axis_eth0", [arp_request()])  # teaches PEER
    out(dut)
    asked = 0
    start = dut.cycle
    received = []
    for i in range(40):
        say(dut, "10.77.0.50", b"dead %d" % i)
        say(dut, PEER, b"live %d" % i)
        for frame in out(dut, 220):
            if ARP in frame:
                assert frame[ARP].pdst == "10.77.0.50"
                asked += 1
            else:
                received.append(data_of(frame))
    assert received == [b"live %d" % i for i in range(40)]
    counts = accounted(dut)
    periods = (dut.cycle - start) // RETRY
    assert periods >= 4 and 3 <= asked <= periods + 3
    assert counts["tx_drop_timeout"] >= 2 and counts["tx_drop_pending_full"] >= 20
    out(dut, 5 * RETRY)
    counts = accounted(dut)
    assert counts["tx_udp"] == 40
    assert counts["tx_pending"] == counts["tx_drop_timeout"] + counts["tx_resolved"]
    assert counts["tx_drop_timeout"] + counts["tx_drop_pending_full"] == 40
    assert dut.get("busy") == 0


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_order_and_late_answer(width: int) -> None:
    """Parked and later packets to one address stay in order, also with a busy output."""
    dut = stack(width)
    dut.stall("m_axis_eth0", 0.3, seed=1)
    rng = random.Random(width)
    sent: dict[str, list[bytes]] = {}
    addresses = ["10.77.0.61", "10.77.0.62", "10.77.0.63"]
    got: dict[str, list[bytes]] = {a: [] for a in addresses}
    for i in range(300):
        if i % 2 or i > 30:
            address = rng.choice(addresses)
            data = b"%d " % i + bytes(rng.randrange(60))
            sent.setdefault(address, []).append(data)
            say(dut, address, data)
        for frame in out(dut, rng.randrange(1, 60)):
            if ARP in frame:
                hw = "02:00:00:00:01:" + frame[ARP].pdst[-2:]
                dut.run(rng.randrange(300))
                dut.send("s_axis_eth0", [arp_reply(frame[ARP].pdst, hw)])
            else:
                assert frame.dst[-2:] == frame[IP].dst[-2:]
                got[frame[IP].dst].append(data_of(frame))
    for frame in out(dut, 4000):
        if UDP in frame:
            got[frame[IP].dst].append(data_of(frame))
    counts = accounted(dut)
    lost = 0
    for address in addresses:
        rest = iter(sent[address])
        assert all(any(x == y for y in rest) for x in got[address]), "out of order"
        lost += len(sent[address]) - len(got[address])
    assert lost == counts["tx_drop_pending_full"] + counts["tx_drop_timeout"]
    assert lost < 40


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_age_and_refresh(width: int) -> None:
    """An unused entry ends after its age; one in use is asked for again before it does."""
    dut = stack(width)
    configure(dut, arp_age_ticks=200, enable=0)
    dut.run(4)
    configure(dut, arp_age_ticks=200)
    out(dut)
    step = 200 * TICK
    dut.send("s_axis_eth0", [arp_request()])
    out(dut)
    out(dut, 3 * step)
    assert accounted(dut)["arp_expired"] == 1
    say(dut, PEER, b"who")
    assert [f[ARP].pdst for f in out(dut)] == [PEER]
    dut.send("s_axis_eth0", [arp_reply()])
    assert len(out(dut)) == 1
    asked = 0
    for _ in range(60):  # in use: never pending again
        say(dut, PEER, b"x")
        for frame in out(dut, step // 8):
            if ARP in frame:
                asked += 1
                dut.send("s_axis_eth0", [arp_reply()])
    counts = accounted(dut)
    assert counts["tx_pending"] == 1 and counts["tx_udp"] == 60
    assert 3 <= asked <= 20


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_liars(width: int) -> None:
    """What nobody asked for is not believed; nobody takes our address; nonsense is dropped."""
    dut = stack(width)

    def learned(frame: bytes) -> int:
        before = accounted(dut)["arp_learn"]
        dut.send("s_axis_eth0", [frame])
        out(dut)
        return accounted(dut)["arp_learn"] - before

    assert learned(arp_reply()) == 0
    assert accounted(dut)["arp_ignored"] == 1
    assert learned(arp_request(src="0.0.0.0")) == 0
    assert learned(arp_request(src="255.255.255.255")) == 0
    assert learned(arp_request(src="224.0.0.1")) == 0
    assert learned(arp_request(target="10.77.0.50")) == 0
    assert learned(arp_request(hw="01:00:5e:00:00:01")) == 0
    conflict = arp_request(src=ADDRESS, hw="02:00:00:00:00:66", target=ADDRESS)
    dut.send("s_axis_eth0", [conflict, conflict])
    defence = out(dut)
    assert len(defence) == 1 and defence[0][ARP].psrc == ADDRESS == defence[0][ARP].pdst
    assert accounted(dut)["arp_conflict"] == 2
    assert learned(arp_request()) == 1
    assert learned(arp_reply(hw="02:00:00:00:00:77")) == 1  # a known host moved
    configure(dut, arp_strict=1)
    assert learned(arp_reply(hw="02:00:00:00:00:88")) == 0
    say(dut, PEER, b"x")
    (frame,) = out(dut)
    assert frame.dst == "02:00:00:00:00:77"


def test_request_storm() -> None:
    """More requests than replies can leave: the rest is counted, then it works on."""
    dut = stack(512)
    dut.stall("m_axis_eth0", 1.0, seed=1)
    dut.send("s_axis_eth0", [arp_request()] * 100)
    dut.drain()
    dut.run(200)
    counts = accounted(dut)
    assert counts["rx_arp"] >= 14 and counts["rx_arp"] + counts["drop_arp_busy"] == 100
    dut.stall("m_axis_eth0", 0.0, seed=1)
    assert len(out(dut, 1000)) == counts["rx_arp"]


@pytest.mark.parametrize("width", ARP_WIDTHS)
def test_pending_jumbo_is_dropped(width: int) -> None:
    """A frame longer than a slot cannot wait; it is counted, the next one is asked for."""
    dut = stack(width)
    say(dut, PEER, bytes(3000))
    assert out(dut, 600) == []
    assert accounted(dut)["tx_drop_pending_full"] == 1
    say(dut, PEER, bytes(1472))
    assert len(out(dut, 600)) == 1
    dut.send("s_axis_eth0", [arp_reply()])
    (frame,) = out(dut, 600)
    assert data_of(frame) == bytes(1472)
