# SPDX-License-Identifier: Apache-2.0
"""Complete nodes at their Ethernet and register ports; scapy makes and judges every frame."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from kumihimo.testing.sizes import data_widths
from nodes import ARP, HOST_IP, HOST_MAC, ICMP, IP, UDP, Ether, Node, checked, exchange, number
from scapy.layers.l2 import Dot1Q
from scapy.packet import Raw

pytestmark = pytest.mark.long  # all data widths

OUTCOMES = ("rx_udp", "rx_raw", "rx_icmp", "rx_arp")


@pytest.fixture(scope="module", params=data_widths(64, 128, 256, 512))
def built(request: pytest.FixtureRequest) -> Node:
    return Node("udp_echo", {"DATA_W": request.param})


@pytest.fixture
def node(built: Node) -> Iterator[Node]:
    built.restart()
    yield built


def _accounts(node: Node) -> dict[str, int]:
    """Counters of the stack; every received frame has exactly one outcome."""
    counters = node.regs.ip.counters()
    drops = {name: value for name, value in counters.items() if name.startswith("drop_")}
    assert counters["rx_frame"] == sum(counters[n] for n in OUTCOMES) + sum(drops.values())
    return counters


def test_identity(node: Node) -> None:
    assert node.regs.design == "udp_echo"
    assert node.regs.id.shape.get("data_w") == node.dut.built.info.ports[0].rx.bits
    assert list(node.regs) == ["id", "ip", "echo", "kernel"]


def test_arp(node: Node) -> None:
    (reply,) = node.ask(
        Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff")
        / ARP(op=1, hwsrc=HOST_MAC, psrc=HOST_IP, pdst=node.ip)
    )
    assert (reply.dst, reply.src) == (HOST_MAC, node.mac)
    arp = reply[ARP]
    assert (arp.op, arp.hwsrc, arp.psrc) == (2, node.mac, node.ip)
    assert (arp.hwdst, arp.pdst) == (HOST_MAC, HOST_IP)
    other = Ether(src=HOST_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(
        op=1, hwsrc=HOST_MAC, psrc=HOST_IP, pdst="10.77.0.77"
    )
    assert node.ask(other) == []
    node.regs.ip.command.set(announce=1)
    (announced,) = (checked(data) for data in node.sent())
    assert announced.dst == "ff:ff:ff:ff:ff:ff"
    assert announced[ARP].psrc == announced[ARP].pdst == node.ip


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_ping(node: Node, stall: float) -> None:
    if stall:
        node.dut.stall_all(rx=stall, tx=stall, seed=2)
    sizes = [0, 1, 2, 17, 18, 56, 57, 63, 64, 65, 1471, 1472, 8972]
    asked = [
        node.l3(id=7) / ICMP(type=8, id=77, seq=n) / Raw(bytes((i * n) & 255 for i in range(size)))
        for n, size in enumerate(sizes)
    ]
    replies = node.ask(*asked)
    assert len(replies) == len(sizes)
    for ask, reply in zip(asked, replies, strict=True):
        assert (reply[IP].src, reply[IP].dst) == (node.ip, HOST_IP)
        assert (reply[ICMP].type, reply[ICMP].id, reply[ICMP].seq) == (0, 77, ask[ICMP].seq)
        got = bytes(reply[IP])[28 : reply[IP].len]
        assert got == bytes(ask[IP])[28:]
    assert _accounts(node)["rx_icmp"] == len(sizes)


@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_udp_echo(node: Node, stall: float) -> None:
    rng = random.Random(5)
    if stall:
        node.dut.stall_all(rx=stall, tx=stall, seed=4)
    asked = []
    for size in [0, 1, 2, 7, 8, 17, 18, 19, 63, 64, 65, 1471, 1472, 8971, 8972] + [
        rng.randrange(0, 400) for _ in range(60)
    ]:
        l2 = node.l2()
        if rng.random() < 0.3:
            l2 = l2 / Dot1Q(vlan=rng.randrange(1, 4095), prio=rng.randrange(8))
        udp = UDP(sport=rng.randrange(1, 65536), dport=rng.randrange(1, 65536))
        if rng.random() < 0.3:
            udp.chksum = 0
        asked.append(l2 / IP(src=HOST_IP, dst=node.ip) / udp / Raw(rng.randbytes(size)))
    replies = node.ask(*asked)
    assert len(replies) == len(asked)
    for ask, reply in zip(asked, replies, strict=True):
        ask = Ether(bytes(ask))
        assert (reply.src, reply.dst) == (node.mac, HOST_MAC)
        assert (Dot1Q in ask) == (Dot1Q in reply)
        if Dot1Q in ask:
            assert (reply[Dot1Q].vlan, reply[Dot1Q].prio) == (ask[Dot1Q].vlan, ask[Dot1Q].prio)
        assert (reply[IP].src, reply[IP].dst, reply[IP].ttl) == (node.ip, HOST_IP, 64)
        assert (reply[UDP].sport, reply[UDP].dport) == (ask[UDP].dport, ask[UDP].sport)
        assert reply[UDP].chksum == ask[UDP].chksum
        assert bytes(reply[UDP])[8 : reply[UDP].len] == bytes(ask[UDP])[8 : ask[UDP].len]
    counters = _accounts(node)
    assert counters["rx_udp"] == counters["tx_udp"] == len(asked)
    assert node.regs.echo.tx_datagrams.read() == len(asked)
    assert node.dut.stats("m_axis_eth0")["tx_gap"] == 0
    node.dut.run(50)
    assert node.dut.get("busy") == 0


def test_slow_line_makes_no_gap(node: Node) -> None:
    """A line slower than the data path: frames come with gaps and leave without."""
    width = node.regs.id.shape.get("data_w")
    node.dut.line("eth0", width / 6.4e-9 / 10)
    frames = [
        node.l3() / UDP(sport=5, dport=7) / Raw(bytes(size)) for size in (18, 100, 1000, 1472)
    ]
    assert len(node.ask(*frames)) == len(frames)
    assert node.dut.stats("m_axis_eth0")["tx_gap"] == 0


def test_every_drop_is_counted(node: Node) -> None:
    rng = random.Random(11)
    good = [
        node.l3() / UDP(sport=1000 + n, dport=7) / Raw(rng.randbytes(rng.randrange(0, 200)))
        for n in range(20)
    ]
    odd = {
        "drop_ethertype": Ether(src=HOST_MAC, dst=node.mac, type=0x86DD) / Raw(bytes(60)),
        "drop_mac": Ether(src=HOST_MAC, dst="02:00:00:00:00:77") / IP(dst=node.ip) / UDP(),
        "drop_ip_checksum": node.l3(chksum=0x1234) / UDP() / Raw(bytes(30)),
        "drop_ip_dst": node.l2() / IP(src=HOST_IP, dst="10.77.0.78") / UDP() / Raw(bytes(30)),
        "drop_ip_fragment": node.l3(flags="MF") / UDP() / Raw(bytes(30)),
        "drop_ip_proto": node.l3(proto=132) / Raw(bytes(40)),
        "drop_ip_version": node.l3(version=5) / UDP() / Raw(bytes(30)),
        "drop_udp_length": node.l3() / UDP(len=1000) / Raw(bytes(30)),
        "drop_icmp_type": node.l3() / ICMP(type=13) / Raw(bytes(30)),
    }
    mixed: list[Ether] = []
    for frame in good:
        mixed += [frame, rng.choice(list(odd.values()))]
    mixed += list(odd.values())
    replies = node.ask(*mixed)
    assert [r[UDP].dport for r in replies if UDP in r] == [1000 + n for n in range(20)]
    node.send(good[0], bad=True)
    assert node.sent() == []
    counters = _accounts(node)
    assert counters["rx_frame"] == len(mixed) + 1
    for name in odd:
        assert counters[name] >= 1, name
    assert counters["drop_bad"] == 1


def test_mutated_frames(node: Node) -> None:
    """Frames cut, stretched and flipped at random: all accounted for, and it still answers."""
    rng = random.Random(3)
    seeds = [
        bytes(node.l3() / UDP(sport=9, dport=7) / Raw(bytes(range(64)))),
        bytes(node.l3() / ICMP(id=1, seq=1) / Raw(bytes(range(90)))),
        bytes(Ether(src=HOST_MAC, dst=node.mac) / ARP(psrc=HOST_IP, pdst=node.ip)),
        bytes(node.l2() / Dot1Q(vlan=5) / IP(src=HOST_IP, dst=node.ip) / UDP() / Raw(bytes(9))),
    ]
    count = 1500
    frames = []
    for _ in range(count):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randrange(0, 4)):
            data[rng.randrange(len(data))] = rng.getrandbits(8)
        if rng.random() < 0.3:
            data = data[: rng.randrange(1, len(data) + 1)]
        if rng.random() < 0.1:
            data += rng.randbytes(rng.randrange(0, 2000))
        frames.append(bytes(data))
    node.dut.stall_all(rx=0.1, tx=0.1, seed=6)
    node.dut.send("s_axis_eth0", frames)
    node.dut.drain(timeout_cycles=3_000_000, settle=1000)
    node.dut.recv("m_axis_eth0")
    counters = _accounts(node)
    assert counters["rx_frame"] == count
    (reply,) = [r for r in node.ask(node.l3() / ICMP(id=2, seq=3)) if ICMP in r]
    assert reply[ICMP].type == 0


def test_disabled_until_it_has_an_address(node: Node) -> None:
    node.regs.ip.ip.write(0)
    assert node.ask(node.l3() / ICMP(id=2, seq=3)) == []
    assert _accounts(node)["drop_bad"] == 1
    node.regs.ip.ip.write(number(node.ip))
    assert [checked(data)[ARP].psrc for data in node.sent()] == [node.ip]
    assert len(node.ask(node.l3() / ICMP(id=2, seq=3))) == 1


def test_buffers() -> None:
    """Receive buffer that drops when full, verified receive, cut-through transmit."""
    node = Node("udp_echo", {"DATA_W": 64, "RX_BYTES": 2048, "RX_STORE": True, "TX_STORE": False})
    asked = node.l3() / UDP(sport=5, dport=7) / Raw(bytes(1000))
    assert len(node.ask(asked, asked, asked)) == 3
    node.send(node.l3() / UDP(sport=5, dport=7, chksum=1) / Raw(bytes(100)))
    assert node.sent() == []
    node.dut.stall("m_axis_eth0", 0.9, 3)
    node.send(*[asked] * 30)
    got = len(node.sent())
    counters = _accounts(node)
    assert counters["drop_udp_checksum"] == 1
    assert counters["rx_overflow"] > 0
    assert counters["rx_frame"] + counters["rx_overflow"] == 34
    assert 0 < got < 30 and counters["rx_udp"] == got + 3
    node.send(asked, bad=True)
    assert node.sent() == []
    assert node.regs.ip.rx_buffer_bad.read() == 1


# ---- two nodes -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [64, 512])
def test_traffic_between_nodes(width: int) -> None:
    left = Node("traffic", {"DATA_W": width}, 10)
    right = Node("traffic", {"DATA_W": width}, 11)
    for node, peer in ((left, right), (right, left)):
        # Let the node learn its peer, so that nothing has to wait for ARP.
        learn = ARP(op=1, hwsrc=peer.mac, psrc=peer.ip, pdst=node.ip)
        assert len(node.ask(Ether(src=peer.mac, dst="ff:ff:ff:ff:ff:ff") / learn)) == 1
        gen = node.regs.traffic_gen
        gen.peer_ip.write(number(peer.ip))
        gen.length.set(low=18, high=600)
        gen.frames.write(120)
        gen.option.set(checksum=int(node is left))
        gen.ctrl.set(start=1)
    lost = 0

    def lose(data: bytes) -> bool:
        nonlocal lost
        frame = checked(data)
        if UDP in frame and frame[IP].src == left.ip and frame[UDP].len % 10 == 0:
            lost += 1
            return True
        return False

    for _ in range(200):
        if exchange([left, right], 2048, step=512, lose=lose) == 0:
            break
    for node in (left, right):
        assert node.regs.traffic_gen.status.read() == 0
        assert node.regs.traffic_gen.sent.read() == 120
        _accounts(node)
    at_left, at_right = left.regs.traffic_check, right.regs.traffic_check
    assert lost > 5
    for node, check, away in ((left, at_right, lost), (right, at_left, 0)):
        assert node.regs.ip.tx_drop_pending_full.read() == node.regs.ip.tx_pending.read() == 0
        assert check.received.read() == 120 - away
        assert check.lost.read() == check.next_seq.read() - check.received.read()
        assert check.read64("bytes") <= node.regs.traffic_gen.read64("sent_bytes")
    for check in (at_left, at_right):
        assert check.corrupt.read() == check.duplicated.read() == check.reordered.read() == 0
        assert sum(check["bin"].read_all()) == check.received.read()
        assert 0 < check.lat_min.read() <= check.lat_max.read() < 100_000


@pytest.mark.parametrize("width", [128, 256])
def test_pingpong_between_nodes(width: int) -> None:
    left = Node("pingpong", {"DATA_W": width}, 10)
    right = Node("pingpong", {"DATA_W": width}, 11)
    for node, peer in ((left, right), (right, left)):
        ping = node.regs.pingpong
        ping.peer_ip.write(number(peer.ip))
        ping.rounds.write(12)
        ping.length.write(64)
        ping.timeout.write(8_000)
        ping.ctrl.set(start=1)
    dropped: set[bytes] = set()

    def lose(data: bytes) -> bool:
        frame = checked(data)
        if UDP in frame and frame[UDP].dport == 7 and frame[IP].src == left.ip:
            seq = bytes(frame[UDP].payload)[4:8]
            if seq[3] in (4, 9):
                dropped.add(seq)
                return True
        return False

    for _ in range(400):
        exchange([left, right], 1024, step=256, lose=lose)
        if not (left.dut.get("busy") or right.dut.get("busy")):
            break
    for node, losses in ((left, 2), (right, 0)):
        ping = node.regs.pingpong
        assert ping.status.read() == 0
        assert (ping.sent.read(), ping.received.read(), ping.lost.read()) == (
            12,
            12 - losses,
            losses,
        )
        assert not any(ping.counters().values())
        assert 0 < ping.rtt_min.read() <= ping.rtt_max.read()
        assert sum(ping["bin"].read_all()) == 12 - losses
        assert node.regs.echo.counters()["tx_datagrams"] == (12 if node is left else 10)
    assert len(dropped) == 2
