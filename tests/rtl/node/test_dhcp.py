# SPDX-License-Identifier: Apache-2.0
"""A node's DHCP client; scapy reads what it says and writes every answer."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest
from kumihimo.regs import RegisterMap
from kumihimo.testing import Dut
from nodes import ARP, HOST_MAC, ICMP, IP, UDP, Ether, Node, checked, number
from scapy.layers.dhcp import BOOTP, DHCP
from scapy.packet import Raw

BOTH = pytest.mark.parametrize("built", (64, 512), indirect=True)  # data widths
MAC = "02:00:00:00:00:0a"
CHADDR = bytes.fromhex("02000000000a")
SERVER, LEASED = "10.77.0.1", "10.77.0.200"
TICK = 3  # cycles of a millisecond
SECOND = 1000 * TICK
STATES = ("off", "init", "selecting", "requesting", "bound", "renewing", "rebinding", "releasing")


class Client(Node):
    """A node without an address of its own."""

    def __init__(self, width: int) -> None:
        super().__init__("udp_echo", {"DATA_W": width, "DHCP": 1})

    def setup(self) -> None:
        self.regs = RegisterMap(self)
        self.regs.ip.mac_hi.write(0x0200)
        self.regs.ip.mac_lo.write(0x0A)
        self.regs.ip.tick.write(TICK)
        self.regs.ip.arp.set(retry_ticks=50_000)  # a question is asked once
        self.ip = LEASED
        assert self.sent(settle=700) == []

    @property
    def state(self) -> str:
        return STATES[self.regs.dhcp.status.get("state")]

    def said(self, kind: str, cycles: int = 1200) -> Ether:
        """The one message that the client sends within some cycles."""
        self.dut.run(cycles)
        (data,) = [f.data for f in self.dut.recv("m_axis_eth0")]
        frame = checked(data)
        assert options(frame)["message-type"] == kinds()[kind], frame
        assert (frame.src, frame[UDP].sport, frame[UDP].dport) == (self.mac, 68, 67)
        assert (frame[BOOTP].op, frame[BOOTP].htype, frame[BOOTP].hlen) == (1, 1, 6)
        assert frame[BOOTP].chaddr[:6] == CHADDR
        assert len(frame[UDP].payload) == 300
        assert options(frame)["client_id"] == b"\x01" + CHADDR
        return frame

    def answer(self, asked: Ether, kind: str, **fields: Any) -> None:
        self.send(answer(asked, kind, **fields))

    def lease(self, **terms: Any) -> Ether:
        """From off to bound; returns the REQUEST that was acknowledged."""
        self.regs.dhcp.ctrl.set(enable=1)
        self.answer(self.said("discover"), "offer", **terms)
        request = self.said("request")
        self.answer(request, "ack", **terms)
        self.dut.run(900)
        (data,) = [f.data for f in self.dut.recv("m_axis_eth0")]
        announced = Ether(data)
        assert (announced[ARP].psrc, announced[ARP].pdst) == (LEASED, LEASED)
        assert self.state == "bound"
        return request


def kinds() -> dict[str, int]:
    names = ("discover", "offer", "request", "decline", "ack", "nak", "release")
    return {name: number for number, name in enumerate(names, 1)}


def options(frame: Ether) -> dict[str, Any]:
    said = [o for o in frame[DHCP].options if o != "pad"]
    pairs = [o for o in said if isinstance(o, tuple)]
    assert said == [*pairs, "end"]
    return {o[0]: o[1] if len(o) == 2 else o[1:] for o in pairs}


def answer(
    asked: Ether,
    kind: str,
    ip: str = LEASED,
    lease: int = 3600,
    more: tuple[Any, ...] = (("router", "10.77.0.254"), ("subnet_mask", "255.255.255.0")),
    xid: int | None = None,
    chaddr: bytes = CHADDR,
    unicast: bool = False,
) -> Ether:
    said: list[Any] = [("message-type", kind), ("server_id", SERVER)]
    if kind != "nak":
        said += [("lease_time", lease), *more]
    bootp = BOOTP(
        op=2,
        xid=asked[BOOTP].xid if xid is None else xid,
        yiaddr="0.0.0.0" if kind == "nak" else ip,
        siaddr=SERVER,
        chaddr=chaddr,
        flags=asked[BOOTP].flags,
    )
    to = (MAC, LEASED) if unicast else ("ff:ff:ff:ff:ff:ff", "255.255.255.255")
    frame = Ether(src=HOST_MAC, dst=to[0]) / IP(src=SERVER, dst=to[1]) / UDP(sport=67, dport=68)
    return frame / bootp / DHCP(options=[*said, "end"])


@pytest.fixture(scope="module")
def built(request: pytest.FixtureRequest) -> Client:
    return Client(getattr(request, "param", 64))


@pytest.fixture
def node(built: Client) -> Iterator[Client]:
    built.restart()
    yield built


def _count(node: Client, **expected: int) -> None:
    counters = node.regs.dhcp.counters()
    assert {name: counters[name] for name in expected} == expected, counters


def _ping(node: Client) -> list[Ether]:
    return node.ask(node.l3() / ICMP(type=8, id=1, seq=1) / Raw(b"abc"))


@BOTH
def test_off_it_changes_nothing(node: Client) -> None:
    assert _ping(node) == []
    node.regs.ip.ip.write(number("10.77.0.10"))
    (announced,) = node.sent(settle=700)
    assert Ether(announced)[ARP].psrc == "10.77.0.10"
    node.ip = "10.77.0.10"
    assert len(_ping(node)) == 1
    # Port 68 is a kernel's like any other.
    (echo,) = node.ask(node.l3() / UDP(sport=9, dport=68) / Raw(b"abcd"))
    assert bytes(echo[UDP].payload)[:4] == b"abcd"
    assert node.state == "off"


@BOTH
def test_a_lease_is_an_address(node: Client) -> None:
    node.regs.dhcp.ctrl.set(enable=1)
    discover = node.said("discover")
    assert (discover.dst, discover[IP].src, discover[IP].dst) == (
        "ff:ff:ff:ff:ff:ff",
        "0.0.0.0",
        "255.255.255.255",
    )
    assert discover[BOOTP].flags == "B"
    assert set(options(discover)["param_req_list"]) == {1, 3, 51, 58, 59}
    assert options(discover)["max_dhcp_size"] == 576
    # Nobody is answered without an address, not even by ARP for 0.0.0.0.
    assert _ping(node) == []
    hear = Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff")
    assert node.ask(hear / ARP(op=1, hwsrc=HOST_MAC, psrc=SERVER, pdst="0.0.0.0")) == []
    assert node.ask(hear / ARP(op=1, hwsrc=HOST_MAC, psrc="0.0.0.0", pdst="10.77.0.9")) == []
    node.answer(discover, "offer")
    request = node.said("request")
    assert (options(request)["requested_addr"], options(request)["server_id"]) == (LEASED, SERVER)
    assert (request[IP].src, request[BOOTP].ciaddr) == ("0.0.0.0", "0.0.0.0")
    assert request[BOOTP].xid == discover[BOOTP].xid
    node.answer(request, "ack")
    node.dut.run(900)
    (announced,) = [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]
    assert announced[ARP].psrc == announced[ARP].pdst == LEASED
    assert announced[ARP].hwsrc == MAC
    assert node.state == "bound"
    block = node.regs.dhcp
    read = [block[name].read() for name in ("ip", "netmask", "gateway", "server", "lease")]
    shown = [number(ip) for ip in (LEASED, "255.255.255.0", "10.77.0.254", SERVER)]
    assert read == [*shown, 3600]
    (reply,) = _ping(node)
    assert reply[IP].src == LEASED
    (echo,) = node.ask(node.l3() / UDP(sport=9, dport=7) / Raw(b"abcd"))
    assert bytes(echo[UDP].payload)[:4] == b"abcd"
    _count(node, discover=1, offer=1, request=1, ack=1, nak=0, rx_bad=0, rx_other=0, drop_full=0)


def test_what_a_server_leaves_out(node: Client) -> None:
    """T1 and T2 are half and seven eighths; without a netmask the class decides; no router."""
    node.lease(lease=80, more=())
    assert node.regs.dhcp.netmask.read() == number("255.0.0.0")
    assert node.regs.dhcp.gateway.read() == 0
    node.dut.run(38 * SECOND)
    assert node.state == "bound"
    node.dut.run(3 * SECOND)
    assert node.state == "renewing"
    node.dut.recv("m_axis_eth0")
    node.dut.run(26 * SECOND)
    assert node.state == "renewing"
    node.dut.run(4 * SECOND)
    assert node.state == "rebinding"


def _resolve(node: Client) -> None:
    """The server answers ARP."""
    arp = ARP(op=2, hwsrc=HOST_MAC, psrc=SERVER, hwdst=MAC, pdst=LEASED)
    node.send(Ether(src=HOST_MAC, dst=MAC) / arp)


def _heard(node: Client, seconds: int) -> list[tuple[float, Ether]]:
    """When, in seconds, which messages left the client; the server answers ARP."""
    out = []
    for step in range(seconds * 4):
        node.dut.run(SECOND // 4)
        for frame in [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]:
            if DHCP in frame:
                out.append((step / 4, frame))
            elif ARP in frame and frame[ARP].pdst == SERVER:
                _resolve(node)
    return out


def _kinds(heard: list[tuple[float, Ether]]) -> list[int]:
    return [options(frame)["message-type"] for _, frame in heard]


def test_without_an_answer_it_asks_again(node: Client) -> None:
    node.regs.dhcp.ctrl.set(enable=1)
    heard = _heard(node, 70)
    assert set(_kinds(heard)) == {kinds()["discover"]}
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(heard)]
    assert len(gaps) == 4
    for gap, nominal in zip(gaps, (4, 8, 16, 32), strict=True):
        assert abs(gap - nominal) <= 1.75, gaps  # one of chance, and the second that runs
    # A server that offers and then is gone: four REQUESTs, then from the start.
    node.restart()
    node.regs.dhcp.ctrl.set(enable=1)
    discover = node.said("discover")
    node.answer(discover, "offer")
    heard = _heard(node, 70)
    assert _kinds(heard)[:5] == [3, 3, 3, 3, 1]
    _count(node, request=4, offer=1, ack=0)


def test_renewing_rebinding_expiry(node: Client) -> None:
    terms = (("subnet_mask", "255.255.255.0"), ("renewal_time", 10), ("rebinding_time", 300))
    first = node.lease(lease=400, more=terms)
    node.dut.run(8 * SECOND)
    assert node.state == "bound"
    node.dut.run(2 * SECOND)
    # To the server itself, so its address is resolved first.
    (ask,) = [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]
    assert (ask[ARP].op, ask[ARP].pdst) == (1, SERVER)
    _resolve(node)
    renew = node.said("request")
    assert (renew.dst, renew[IP].src, renew[IP].dst) == (HOST_MAC, LEASED, SERVER)
    assert renew[BOOTP].ciaddr == LEASED and renew[BOOTP].xid != first[BOOTP].xid
    assert not {"server_id", "requested_addr"} & set(options(renew))
    node.answer(renew, "ack", lease=400, more=terms, unicast=True)
    node.dut.run(900)
    assert node.state == "bound" and node.regs.dhcp.age.read() <= 2
    # From here on the server is silent: renewals at half of what is left, then to everybody.
    sent = _heard(node, 305)
    assert node.state == "rebinding"
    assert [f[IP].dst for _, f in sent] == [*[SERVER] * 4, "255.255.255.255"]
    for (when, _), nominal in zip(sent, (10, 10 + 145, 155 + 72, 227 + 60, 300), strict=True):
        assert abs(when - nominal) <= 2
    assert {f[BOOTP].ciaddr for _, f in sent} == {LEASED}
    assert len(_ping(node)) == 1
    node.dut.run(100 * SECOND)
    assert node.state == "selecting"
    node.dut.recv("m_axis_eth0")
    _count(node, ack=2, expired=1)
    assert node.regs.dhcp.ip.read() == 0
    assert _ping(node) == []


def test_a_lease_for_ever(node: Client) -> None:
    node.lease(lease=0xFFFFFFFF)
    node.dut.run(20 * SECOND)
    assert node.state == "bound"
    assert node.dut.recv("m_axis_eth0") == []


def test_refused(node: Client) -> None:
    node.regs.dhcp.ctrl.set(enable=1)
    node.answer(node.said("discover"), "offer")
    node.answer(node.said("request"), "nak")
    node.dut.run(900)
    assert node.state == "init" and node.dut.recv("m_axis_eth0") == []
    node.dut.run(3 * SECOND)
    assert node.state == "selecting"
    node.said("discover", 0)
    # In the middle of a renewal the address is gone at once.
    node.restart()
    node.lease(more=(("renewal_time", 3), ("rebinding_time", 300)))
    node.dut.run(3 * SECOND)
    assert node.state == "renewing"
    node.dut.recv("m_axis_eth0")
    _resolve(node)
    node.answer(node.said("request"), "nak", unicast=True)
    node.dut.run(900)
    assert _ping(node) == []
    _count(node, nak=1)


def test_an_address_in_use_is_declined(node: Client) -> None:
    node.lease()
    claim = Ether(src=HOST_MAC, dst=MAC) / ARP(
        op=2, hwsrc="02:00:00:00:00:77", psrc=LEASED, hwdst=MAC, pdst=LEASED
    )
    node.send(claim)
    decline = None
    node.dut.run(900)
    for frame in [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]:
        if DHCP in frame:
            decline = frame
    assert decline is not None and options(decline)["message-type"] == kinds()["decline"]
    assert options(decline)["requested_addr"] == LEASED
    assert options(decline)["server_id"] == SERVER
    assert "param_req_list" not in options(decline)
    assert node.state == "init" and _ping(node) == []
    node.dut.run(8 * SECOND)
    assert node.state == "init" and node.dut.recv("m_axis_eth0") == []
    node.dut.run(3 * SECOND)
    assert node.state == "selecting"
    # Later a conflict is defended by ARP, as with a fixed address.
    node.restart()
    node.lease()
    node.dut.run(3 * SECOND)
    node.send(claim)
    node.dut.run(900)
    assert [Ether(f.data)[ARP].psrc for f in node.dut.recv("m_axis_eth0")] == [LEASED]
    assert node.state == "bound"


def test_given_back(node: Client) -> None:
    node.lease()
    node.regs.ip.tick.write(100 * TICK)  # ARP may take a while
    node.regs.dhcp.ctrl.set(enable=0)
    node.dut.run(900)
    (ask,) = [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]
    assert ask[ARP].pdst == SERVER
    _resolve(node)
    release = node.said("release")
    assert (release[IP].src, release[IP].dst) == (LEASED, SERVER)
    assert (release[BOOTP].ciaddr, options(release)["server_id"]) == (LEASED, SERVER)
    node.dut.run(10 * SECOND)
    assert node.state == "off" and _ping(node) == []
    node.lease()
    assert len(_ping(node)) == 1


@BOTH
def test_without_an_address_kernels_send_nothing(node: Client) -> None:
    """Datagrams that arrived with the last address are not answered without one."""
    node.lease(lease=4, more=(("subnet_mask", "255.255.255.0"),))
    node.dut.stall("m_axis_eth0", 1.0)
    node.send(*[node.l3() / UDP(sport=9, dport=7) / Raw(bytes(1400)) for _ in range(40)])
    node.dut.run(6 * SECOND)
    node.dut.stall("m_axis_eth0", 0.0)
    node.dut.run(8 * SECOND)
    frames = [Ether(f.data) for f in node.dut.recv("m_axis_eth0")]
    nameless = [f for f in frames if IP in f and f[IP].src == "0.0.0.0" and f[UDP].dport != 67]
    # Of one that was being written, and at most one that was decided upon behind it; their checksum
    # is that of the lost address, so nobody takes them.
    assert len(nameless) <= 2
    for frame in nameless:
        again = frame.copy()
        del again[IP].chksum
        assert Ether(bytes(again))[IP].chksum != frame[IP].chksum
    counters = node.regs.ip.counters()
    assert counters["tx_drop_pending_full"] + node.regs.dhcp.counters()["drop_no_address"] > 0
    assert node.state == "selecting"


@BOTH
def test_answers_that_are_none(node: Client) -> None:
    node.regs.ip.tick.write(250 * TICK)  # nothing is asked again meanwhile
    node.regs.dhcp.ctrl.set(enable=1)
    discover = node.said("discover")
    good = answer(discover, "offer")
    head = bytes(good[UDP].payload)

    def send(payload: bytes) -> None:
        node.send(
            Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff")
            / IP(src=SERVER, dst="255.255.255.255")
            / UDP(sport=67, dport=68)
            / Raw(payload)
        )
        node.dut.run(1000)

    bad = [
        b"",
        b"\x02",
        head[:239],
        head[:240],
        head[: head.index(b"\x35\x01\x02") + 2],  # option 53 cut off
        b"\x01" + head[1:],  # a request
        head[:236] + b"abcd" + head[240:],  # no cookie
        head.replace(b"\x35\x01\x02", b"\x35\x02\x02"),  # an option of the wrong length
        head.replace(b"\x35\x01\x02", b"\x35\x01\x09"),  # no such message
        head.replace(b"\x35\x01\x02", b"\x00\x00\x00"),  # BOOTP
        bytes(answer(discover, "offer", ip="0.0.0.0")[UDP].payload),
        bytes(answer(discover, "offer", ip="127.0.0.1")[UDP].payload),
        bytes(answer(discover, "offer", ip="224.0.0.1")[UDP].payload),
        bytes(answer(discover, "offer", lease=0)[UDP].payload),
    ]
    for payload in bad:
        send(payload)
    # An empty datagram has no beat, so it is no answer at all.
    _count(node, rx_bad=len(bad) - 1, rx_other=0, offer=0)
    others = [
        answer(discover, "offer", xid=discover[BOOTP].xid ^ 1),
        answer(discover, "offer", chaddr=CHADDR[:5] + b"\x0b"),
        answer(discover, "ack"),  # not waited for
        answer(discover, "nak"),
    ]
    for frame in others:
        send(bytes(frame[UDP].payload))
    _count(node, rx_bad=len(bad) - 1, rx_other=len(others), offer=0)
    assert node.state == "selecting" and node.dut.recv("m_axis_eth0") == []
    # An offer of another address in the ACK is not what was asked for.
    send(head)
    request = node.said("request")
    send(bytes(answer(request, "ack", ip="10.77.0.201")[UDP].payload))
    assert node.state == "requesting"
    send(bytes(answer(request, "ack", more=(("router", SERVER, "10.77.0.2"),))[UDP].payload))
    assert node.state == "bound"
    assert node.regs.dhcp.gateway.read() == number(SERVER)


@BOTH
def test_a_flood_of_answers_stops_nobody(node: Client) -> None:
    """Random answers back to back, with pings in between: every ping is answered."""
    node.lease()
    rng = random.Random(1)
    asked = answer(node.l3() / UDP() / BOOTP(xid=5), "ack")
    payload = bytes(asked[UDP].payload)
    pings = 0
    frames: list[Ether] = []
    for n in range(300):
        mutated = bytearray(payload)
        for _ in range(rng.randrange(4)):
            mutated[rng.randrange(len(mutated))] = rng.randrange(256)
        del mutated[rng.randrange(1, len(mutated) + 1) :]
        frames.append(
            Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff")
            / IP(src=SERVER, dst="255.255.255.255")
            / UDP(sport=67, dport=68)
            / Raw(bytes(mutated))
        )
        if n % 5 == 0:
            frames.append(node.l3() / ICMP(type=8, id=1, seq=n) / Raw(bytes(40)))
            pings += 1
    replies = [f for f in node.ask(*frames) if ICMP in f]
    assert len(replies) == pings
    counters = node.regs.dhcp.counters()
    ignored = counters["rx_bad"] + counters["rx_other"] + counters["drop_full"]
    assert ignored == 300 and counters["drop_full"] > 0
    assert node.state == "bound"


@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_gate(stalls: float) -> None:
    """A packet is passed whole or dropped whole, as the gate stood when its record came."""
    widths = {name: {"W": 164} for name in ("s_hdr", "m_hdr")}
    dut = Dut.of_module("hw/ip/dhcp/kumi_dhcp_gate.sv", interfaces=widths)
    rng = random.Random(3)
    dut.watch("ev_drop")
    dut.stall_all(rx=stalls, tx=stalls, seed=4)
    passed: list[tuple[int, bytes]] = []
    dropped = 0
    for n in range(200):
        shut, data = rng.randrange(2), rng.randbytes(rng.choice([0, 1, 8, 9, 64, 65]))
        dut.set("shut", shut)
        dut.set("length", len(data))
        dut.send("s_hdr", [n])
        if data:
            dut.send("s_axis", [data])
        dut.run_until(lambda: not dut.waiting("s_hdr"), 1000, what="the record to be taken")
        if rng.randrange(2):
            dut.set("shut", 1 - shut)  # changes nothing for this one
        dut.drain()
        if shut:
            dropped += 1
        else:
            passed.append((n, data))
    assert [f.value for f in dut.recv("m_hdr")] == [n for n, _ in passed]
    assert [f.data for f in dut.recv("m_axis")] == [data for _, data in passed if data]
    assert dut.counts("ev_drop") == {"0": dropped}


def test_a_client_that_is_absent() -> None:
    """As shipped there is none, nor its registers."""
    dut = Dut("udp_echo", params={"DATA_W": 64})

    class Bus:
        def read(self, addr: int, /) -> int:
            return dut.axil_read(addr)

        def write(self, addr: int, data: int, /) -> None:
            dut.axil_write(addr, data)

    assert "dhcp" not in RegisterMap(Bus())
