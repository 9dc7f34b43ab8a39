# SPDX-License-Identifier: Apache-2.0
"""Receive flow steering of the network card: the table, its registers, which frames it places.

Packets are scapy's.
"""

from __future__ import annotations

import ipaddress
import random
import re
from dataclasses import replace

import pytest
from kumihimo.cluster.steering import BASE, COMMAND, PORTS, RESULT, SOURCE, Flow, Steering
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.testing import Dut
from kumihimo.testing.virtio import Driver
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet, Raw
from test_nic_rss import ALL, CONTROL, MINE, PAIRS, config, nic, ready, toeplitz

__all__ = ["nic"]  # the card under test
KEY = bytes(range(100, 140))
STEERED, UNUSED = 11, 12  # counters
CAPACITY = 128


def random_flow(rng: random.Random, six: bool | None = None) -> Flow:
    """Any flow."""
    if six is None:
        six = rng.random() < 0.5
    ends = [str(ipaddress.ip_address(rng.randbytes(16 if six else 4))) for _ in range(2)]
    ports = rng.getrandbits(16), rng.getrandbits(16)
    return Flow(rng.choice(["tcp", "udp"]), ends[0], ports[0], ends[1], ports[1])


def packet(flow: Flow, length: int = 40) -> Packet:
    """A packet of a flow."""
    layer = {"tcp": TCP, "udp": UDP}[flow.protocol]
    ip = IPv6 if ":" in flow.source else IP
    head = Ether(src="02:00:00:00:00:01", dst=MINE) / ip(src=flow.source, dst=flow.destination)
    ports = layer(sport=flow.source_port, dport=flow.destination_port)
    return head / ports / Raw(bytes(i & 0xFF for i in range(length)))


class Card:
    """A card whose RSS sends every flow to queue 0, and the table of flows."""

    def __init__(self, dut: Dut, spread: bool = False) -> None:
        self.dut = dut
        self.driver: Driver = ready(dut)
        if not spread:
            assert self.command(config(ALL, KEY, [0])) == 0
        self.steering = Steering(self.driver)

    def command(self, data: bytes) -> int:
        """The answer to a command."""
        return self.driver.command(self.driver.queues[CONTROL], data)

    def places(self, packets: list[Packet]) -> list[int]:
        """How many of the packets each queue gets."""
        before = [len(self.driver.queues[2 * n].done) for n in range(PAIRS)]
        self.dut.send("s_axis_eth0", [bytes(p) for p in packets])
        self.dut.run(2500 + 40 * len(packets))
        return [self.driver.take(self.driver.queues[2 * n]) - before[n] for n in range(PAIRS)]

    def counters(self) -> tuple[int, int]:
        """Frames that an entry placed, and those whose queue was not in use."""
        return self.driver.read(0x800 + 4 * STEERED), self.driver.read(0x800 + 4 * UNUSED)


def near(flow: Flow) -> list[Flow]:
    """Flows that differ in one field, by a bit of its begin or of its end."""
    six = ":" in flow.source
    out = [replace(flow, protocol="udp" if flow.protocol == "tcp" else "tcp")]
    for name in ("source_port", "destination_port"):
        for bit in (0, 7, 15):
            out.append(replace(flow, **{name: getattr(flow, name) ^ 1 << bit}))
    for name in ("source", "destination"):
        for at in (0, -1):
            parts = getattr(flow, name).split(":" if six else ".")
            parts[at] = f"{int(parts[at], 16) ^ 1:x}" if six else str(int(parts[at]) ^ 128)
            out.append(replace(flow, **{name: (":" if six else ".").join(parts)}))
    return out


@pytest.mark.parametrize("six", [False, True])
def test_an_entry_comes_before_the_table_of_rss(nic: Dut, six: bool) -> None:
    rng = random.Random(six)
    card = Card(nic)
    flows = [random_flow(rng, six) for _ in range(6)]
    others = [other for flow in flows[:3] for other in near(flow)]
    assert card.places([packet(f) for f in flows]) == [6, 0, 0, 0]
    for number, flow in enumerate(flows):
        card.steering.insert(flow, 1 + number % 3)
    assert len(card.steering) == 6
    assert dict(card.steering) == {f: 1 + n % 3 for n, f in enumerate(flows)}
    # Frames of a beat, and longer ones.
    assert card.places([packet(f, n) for f in flows for n in (0, 150)]) == [0, 4, 4, 4]
    assert card.counters() == (12, 0)
    assert card.places([packet(f) for f in others]) == [len(others), 0, 0, 0]
    # Whatever is hashed.
    assert card.command(config(0, KEY, [0], others=0)) == 0
    assert card.places([packet(f) for f in flows]) == [0, 2, 2, 2]
    for flow in flows[1::3]:
        card.steering.delete(flow)
    assert card.places([packet(f) for f in flows]) == [2, 2, 0, 2]
    assert [card.steering.find(f) for f in flows] == [1, None, 3, 1, None, 3]
    card.steering.clear()
    assert len(card.steering) == 0 and not list(card.steering)
    assert card.places([packet(f) for f in flows]) == [6, 0, 0, 0]


def test_other_frames_of_a_flow_are_not_placed(nic: Dut) -> None:
    """Tags, options, fragments, other protocols, frames for somebody else."""
    card = Card(nic)
    flow = Flow("udp", "10.1.2.3", 4000, "10.1.2.4", 5000)
    six = replace(flow, source="2001:db8::1", destination="2001:db8::2")
    card.steering.insert(flow, 2)
    card.steering.insert(six, 3)
    whole, whole6 = packet(flow), packet(six)
    tagged = Ether(src=whole.src, dst=MINE) / Dot1Q(vlan=5) / whole[IP]
    options = packet(flow)
    options[IP].options = b"\x01\x01\x01\x00"
    fragments = [packet(flow) for _ in range(3)]
    fragments[0][IP].flags = "MF"
    fragments[1][IP].frag = 1
    fragments[2][IP].frag = 0x1000
    other, other6 = packet(flow), packet(six)
    other[IP].proto, other6[IPv6].nh = 132, 0
    assert card.command(b"\x02\x00\x05\x00") == 0
    some = [tagged, options, *fragments, other, other6]
    assert card.places([*some, whole, whole6]) == [len(some), 0, 1, 1]
    foreign = packet(flow)
    foreign.dst = "02:aa:aa:aa:aa:aa"
    assert card.places([foreign]) == [0, 0, 0, 0]
    assert card.counters() == (2, 0)


def test_queues_that_are_not_in_use(nic: Dut) -> None:
    rng = random.Random(3)
    card = Card(nic, spread=True)
    driver = card.driver
    flows = [random_flow(rng) for _ in range(16)]
    for flow in flows:
        card.steering.insert(flow, 3)
    # The driver uses two pairs: an even spread over these.
    assert card.command(b"\x04\x00\x02\x00") == 0
    got = card.places([packet(f) for f in flows])
    assert got[2:] == [0, 0] and got[0] and got[1] and sum(got) == 16
    assert card.counters() == (0, 16)
    assert card.command(b"\x04\x00\x04\x00") == 0
    assert card.places([packet(f) for f in flows]) == [0, 0, 0, 16]
    # A queue that is reset, with a table of RSS.
    assert card.command(config(ALL, KEY, [1])) == 0
    assert card.places([packet(f) for f in flows]) == [0, 0, 0, 16]
    driver.write16(0x16, 6)
    driver.write16(0x3A, 1)
    nic.run(500)
    assert card.places([packet(f) for f in flows])[:3] == [0, 16, 0]
    assert card.counters() == (32, 32)
    # Another driver finds the table as it was.
    again = Driver(nic)
    for number in range(2 * PAIRS + 1):
        again.queue(number, 16)
    again.start()
    assert again.command(again.queues[CONTROL], b"\x04\x00\x04\x00") == 0
    for _ in range(16):
        again.add(again.queues[6], [(again.place(256), 256, True)])
    again.publish(again.queues[6])
    nic.run(2000)
    nic.send("s_axis_eth0", [bytes(packet(f)) for f in flows])
    nic.run(3000)
    assert again.take(again.queues[6]) == 16


def test_flows_without_an_entry_go_where_their_hash_says(nic: Dut) -> None:
    """Beside those with one."""
    rng = random.Random(9)
    card = Card(nic)
    table = [rng.randrange(PAIRS) for _ in range(64)]
    assert card.command(config(ALL, KEY, table)) == 0
    flows = [random_flow(rng) for _ in range(60)]
    right = [0] * PAIRS
    for number, flow in enumerate(flows):
        if number % 2:
            card.steering.insert(flow, number % PAIRS)
            right[number % PAIRS] += 1
        else:
            whole = bytes(packet(flow))
            data = whole[22:58] if ":" in flow.source else whole[26:38]
            right[table[toeplitz(KEY, data) % 64]] += 1
    assert card.places([packet(f) for f in flows]) == right


def test_flows_of_the_same_bucket(nic: Dut) -> None:
    """Each part of a flow is compared: flows that differ in one and have the entry's bucket."""
    rng = random.Random(7)
    card = Card(nic)
    package = (project_root() / "hw/nic/kumi_nic_pkg.sv").read_text()
    found = re.search(r"NIC_STEER_KEY =\s*320'h([0-9a-f]+)", package)
    assert found
    key = int(found[1], 16)
    flow = replace(random_flow(rng, six=True), protocol="tcp")
    card.steering.insert(flow, 1)
    words = flow.words()

    def bucket(bits: int) -> list[int]:
        return [(bits & key >> i).bit_count() & 1 for i in range(5)]

    others = []
    for low in range(0, 288, 10):
        masks = (m << low for m in range(1, 1 << min(10, 288 - low)))
        mask = next(m for m in masks if not any(bucket(m)))
        changed = dict(words)
        # From the low end: ports, destination, source.
        for i, addr in enumerate([PORTS, *reversed(range(SOURCE, SOURCE + 0x20, 4))]):
            changed[addr] ^= mask >> 32 * i & 0xFFFFFFFF
        others.append(Flow.of(changed))
    assert len(set(others)) == 29
    assert card.places([packet(f) for f in others]) == [29, 0, 0, 0]
    assert card.places([packet(flow)]) == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", ["random", "ports", "addresses"])
def test_the_table_fills(nic: Dut, kind: str) -> None:
    """All entries find a place, also those of neighbors; then there is none."""
    rng = random.Random(5)
    card = Card(nic)
    first = Flow("tcp", "10.0.0.1", 40000, "10.0.0.2", 80)
    flows = [random_flow(rng) for _ in range(CAPACITY)]
    if kind == "ports":
        flows = [replace(first, source_port=40000 + i) for i in range(CAPACITY)]
    elif kind == "addresses":
        flows = [replace(first, source=f"10.0.{i // 100}.{i % 100}") for i in range(CAPACITY)]
    for number, flow in enumerate(flows):
        card.steering.insert(flow, number % PAIRS)
    assert len(card.steering) == card.steering.capacity == CAPACITY
    more = replace(first, destination_port=81)
    with pytest.raises(KumiError, match="128 flows are there"):
        card.steering.insert(more, 1)
    assert card.steering.find(more) is None
    assert card.places([packet(f) for f in flows]) == [CAPACITY // PAIRS] * PAIRS
    # Half of them make room for as many others.
    for flow in flows[::2]:
        card.steering.delete(flow)
    for number, flow in enumerate(flows[::2]):
        card.steering.insert(replace(flow, destination_port=443), number % PAIRS)
    assert len(card.steering) == CAPACITY
    assert card.steering.find(flows[0]) is None and card.steering.find(flows[1]) == 1


def test_wrong_commands_change_nothing(nic: Dut) -> None:
    card = Card(nic)
    driver, steering = card.driver, card.steering
    flow = Flow("tcp", "10.1.2.3", 4000, "10.1.2.4", 5000)
    steering.insert(flow, 2)
    names = ["command", "result", "used", "kind", "queue", "ports", "slot"]
    at = {name: BASE + 4 + 4 * i for i, name in enumerate(names)}

    def words() -> list[int]:
        return [driver.read(addr) for addr in range(BASE + 0xC, BASE + 0x40, 4)]

    def refused(command: int, result: int, **changes: int) -> None:
        """A command with other registers than those of the flow."""
        driver.write(at["queue"], 1)
        for addr, word in replace(flow, source_port=9).words().items():
            driver.write(addr, word)
        driver.write(at["slot"], 3)
        for name, value in changes.items():
            driver.write(int(name[1:], 16) if name[0] == "x" else at[name], value)
        before = words()
        driver.write(COMMAND, command)
        assert driver.read(RESULT) == result, (command, changes)
        assert words() == before

    for command in (0, 6, 8, 1 << 31, 0x101):
        refused(command, 1)
    for kind in (0x406 | 1 << 12, 0x506, 0x401, 0x600, 0x411 | 1 << 31, 0, 0x6FF):
        for command in (1, 2, 4):
            refused(command, 2, kind=kind)
    for word in (0x20, 0x24, 0x28, 0x30, 0x34, 0x38):
        refused(1, 2, **{f"x{BASE + word:x}": 1})
    for queue in (PAIRS, 255, 256, 1 << 16, 0xFFFFFFFF):
        refused(1, 2, queue=queue)
    refused(2, 5)
    refused(4, 5)
    for slot in (2 * CAPACITY, 1 << 16, 0xFFFFFFFF):
        refused(5, 5, slot=slot)
    # There already, with whatever queue.
    with pytest.raises(KumiError, match="already"):
        steering.insert(flow, 1)
    with pytest.raises(KumiError, match="no queue 4"):
        steering.insert(replace(flow, source_port=1), PAIRS)
    with pytest.raises(KumiError, match="not in the table"):
        steering.delete(replace(flow, source_port=1))
    # Less than a word, or another address.
    driver.write(at["queue"], 0, 1)
    assert driver.read(at["queue"]) == PAIRS
    driver.write(COMMAND + 0x100, 3)
    driver.write(COMMAND, 3, 1)
    assert driver.read(COMMAND + 0x104) == 0
    assert list(steering) == [(flow, 2)]
    assert card.places([packet(flow)]) == [0, 0, 1, 0]


def test_changes_do_not_disturb_traffic(nic: Dut) -> None:
    """Frames that come without a pause, while entries of other flows come and go."""
    rng = random.Random(11)
    card = Card(nic)
    steady = [random_flow(rng) for _ in range(6)]
    for number, flow in enumerate(steady):
        card.steering.insert(flow, 1 + number % 3)
    nic.send("s_axis_eth0", [bytes(packet(f, n % 4 * 45)) for n in range(50) for f in steady])
    got = [0] * PAIRS
    for _ in range(40):
        flow = random_flow(rng)
        card.steering.insert(flow, 0)
        if rng.random() < 0.7:
            card.steering.delete(flow)
        for n in range(PAIRS):
            q = card.driver.queues[2 * n]
            got[n] += card.driver.take(q)
            for _ in range(len(q.done)):
                card.driver.add(q, [(card.driver.place(256), 256, True)])
            q.done.clear()
            card.driver.publish(q)
    assert got[0] == 0 and sum(got) > 100
    assert card.counters()[1] == 0
    placed = card.driver.read(0x800) + sum(card.driver.read(0x800 + 4 * i) for i in range(1, 7))
    assert card.counters()[0] >= placed > 250


@pytest.mark.parametrize("address", ["10.0.0", "::g"])
def test_flows_that_are_none(address: str) -> None:
    good = Flow("tcp", "10.0.0.1", 1, "10.0.0.2", 2)
    for bad in (
        replace(good, source=address),
        replace(good, source="::1"),
        replace(good, protocol="sctp"),
        replace(good, source_port=1 << 16),
        replace(good, destination_port=-1),
    ):
        with pytest.raises(KumiError):
            bad.words()
