# SPDX-License-Identifier: Apache-2.0
"""Receive-side scaling of the network card: the command, the table, which packets are hashed.

About 10 s of processor. The hash in here is checked against the vectors of the RSS specification.
"""

from __future__ import annotations

import random
import socket
import struct

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.virtio import Driver
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

PAIRS = 4
CONTROL = 2 * PAIRS
MAC = 0x020000000042
MINE = "02:00:00:00:00:42"
IPV4, TCP4, UDP4, IPV6, TCP6, UDP6 = (1 << n for n in range(6))
ALL = 0x3F


@pytest.fixture(scope="module")
def nic() -> Dut:
    """A card with four pairs of queues."""
    return Dut("nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000})


def toeplitz(key: bytes, data: bytes) -> int:
    """The hash, bit by bit."""
    bits, window = int.from_bytes(data, "big"), int.from_bytes(key, "big")
    out = 0
    for n in range(8 * len(data)):
        if bits >> (8 * len(data) - 1 - n) & 1:
            out ^= window >> (8 * len(key) - 32 - n) & 0xFFFFFFFF
    return out


def test_the_hash_of_this_test() -> None:
    key = bytes.fromhex(
        "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa"
    )
    ends = socket.inet_aton("66.9.149.187") + socket.inet_aton("161.142.100.80")
    assert toeplitz(key, ends) == 0x323E8FC2
    assert toeplitz(key, ends + struct.pack("!HH", 2794, 1766)) == 0x51CCC178


def ready(dut: Dut) -> Driver:
    """A card that its driver has started, with buffers everywhere."""
    dut.restart()
    dut.set("mac", MAC)
    dut.memory("m_axi_host").configure(latency_cycles=30, reorder=True)
    driver = Driver(dut)
    for number in range(2 * PAIRS + 1):
        driver.queue(number, 128 if number % 2 == 0 and number < CONTROL else 16)
    driver.start()
    for pair in range(PAIRS):
        q = driver.queues[2 * pair]
        for _ in range(128):
            driver.add(q, [(driver.place(256), 256, True)])
        driver.publish(q)
    dut.run(2000)
    return driver


def config(types: int, key: bytes, table: list[int], others: int = 0, pairs: int = PAIRS) -> bytes:
    """VIRTIO_NET_CTRL_MQ_RSS_CONFIG."""
    head = struct.pack("<BBIHH", 4, 1, types, len(table) - 1, others)
    return head + struct.pack(f"<{len(table)}HHB", *table, pairs, len(key)) + key


def packets(rng: random.Random) -> list[tuple[Packet, bytes, int]]:
    """Packets with what is hashed of them for each type that covers them: most specific last."""
    out: list[tuple[Packet, bytes, int]] = []
    for n in range(60):
        source, to = rng.randbytes(16), rng.randbytes(16)
        ports = (rng.getrandbits(16), rng.getrandbits(16))
        kind = n % 6
        layer = (TCP, UDP, None)[kind % 3]
        ip: Packet
        if kind < 3:
            ip = IP(src=socket.inet_ntoa(source[:4]), dst=socket.inet_ntoa(to[:4]))
            data = source[:4] + to[:4]
        else:
            name = socket.inet_ntop
            ip = IPv6(src=name(socket.AF_INET6, source), dst=name(socket.AF_INET6, to))
            data = source + to
        rest = layer(sport=ports[0], dport=ports[1]) if layer else Raw(rng.randbytes(20))
        if layer:
            data += struct.pack("!HH", *ports)
        packet = Ether(src="02:00:00:00:00:01", dst=MINE) / ip / rest / Raw(bytes([n]) * 30)
        if not layer and kind < 3:
            packet[IP].proto = 47
        elif not layer:
            packet[IPv6].nh = 47
        out.append((packet, data, kind))
    return out


def expected(data: bytes, kind: int, types: int, key: bytes) -> int | None:
    """The hash of a packet, if one of the types covers it."""
    six = kind >= 3
    address, tcp, udp = (types >> (n + 3 * six) & 1 for n in range(3))
    if (kind % 3 == 0 and tcp) or (kind % 3 == 1 and udp):
        return toeplitz(key, data)
    return toeplitz(key, data[: 32 if six else 8]) if address else None


@pytest.mark.parametrize(("types", "entries"), [(ALL, 128), (IPV4 | TCP6, 16), (UDP4 | IPV6, 1)])
def test_packets_go_where_the_table_says(nic: Dut, types: int, entries: int) -> None:
    rng = random.Random(types)
    driver = ready(nic)
    key = rng.randbytes(40)
    table = [rng.randrange(PAIRS) for _ in range(entries)]
    command = config(types, key, table, others=3)
    assert entries != 128 or len(command) == 309
    assert driver.command(driver.queues[CONTROL], command) == 0
    some = packets(rng)
    nic.send("s_axis_eth0", [bytes(p) for p, _, _ in some])
    nic.run(6000)
    right = [0] * PAIRS
    for _, data, kind in some:
        value = expected(data, kind, types, key)
        right[3 if value is None else table[value % entries]] += 1
    assert [driver.take(driver.queues[2 * n]) for n in range(PAIRS)] == right
    # Back to an even spread over two pairs.
    assert driver.command(driver.queues[CONTROL], b"\x04\x00\x02\x00") == 0
    before = [len(driver.queues[2 * n].done) for n in range(PAIRS)]
    nic.send("s_axis_eth0", [bytes(p) for p, _, _ in some])
    nic.run(6000)
    more = [driver.take(driver.queues[2 * n]) - before[n] for n in range(PAIRS)]
    assert more[0] and more[1] and more[2:] == [0, 0] and sum(more) == len(some)


def test_wrong_commands_change_nothing(nic: Dut) -> None:
    driver = ready(nic)
    key, table = bytes(range(40)), [1] * 128
    control = driver.queues[CONTROL]
    assert driver.command(control, config(ALL, key, table, others=1)) == 0
    good = config(ALL, key, [2] * 128, others=2)
    wrong = [
        config(0x40, key, table),
        config(1 << 20, key, table),
        config(ALL, key, [0] * 127),
        config(ALL, key, [0] * 256),
        config(ALL, key, [*table[:-1], PAIRS]),
        config(ALL, key, [*table[:-1], 0xFFFF]),
        config(ALL, key, table, others=PAIRS),
        config(ALL, key, table, pairs=0),
        config(ALL, key, table, pairs=PAIRS + 1),
        config(ALL, key + b"x", table),
        config(ALL, key[:-1], table),
        config(ALL, b"", table),
        *(good[:n] for n in (2, 3, 4, 6, 8, 10, 12, 128, 266, 268, 269, 270, 307, 308)),
        good + b"x",
        good + b"xx",
        good + bytes(2000),
    ]
    for command in wrong:
        assert driver.command(control, command) == 1, (len(command), command[:12])
    some = packets(random.Random(5))
    nic.send("s_axis_eth0", [bytes(p) for p, _, _ in some])
    nic.run(6000)
    assert [driver.take(driver.queues[2 * n]) for n in range(PAIRS)] == [0, len(some), 0, 0]
