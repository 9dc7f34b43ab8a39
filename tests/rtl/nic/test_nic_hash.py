# SPDX-License-Identifier: Apache-2.0
"""Reported hashes (VIRTIO_NET_F_HASH_REPORT, virtio 1.2, 5.1.6.4.3.4): headers of 20 bytes."""

from __future__ import annotations

import random
import struct

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.virtio import HASH_REPORT, MEMORY, Driver
from nic_bench import CONTROL, MAC, PAIRS, frame
from scapy.packet import Packet
from test_nic_rss import ALL, IPV4, IPV6, TCP6, UDP4, config, expected, packets

NONE = 0
ROOM = 256


def ready(dut: Dut, packed: bool, hashes: bool = True) -> Driver:
    """A card that its driver has started, with buffers everywhere."""
    dut.restart()
    dut.set("mac", MAC)
    dut.memory(MEMORY).configure(latency_cycles=30, reorder=True)
    driver = Driver(dut, packed=packed, hashes=hashes)
    assert (driver.features & HASH_REPORT != 0) == hashes
    for number in range(CONTROL + 1):
        driver.queue(number, 128 if number % 2 == 0 and number < CONTROL else 16)
    driver.start()
    return driver


def give(driver: Driver) -> dict[int, dict[int, int]]:
    """Buffers for the receive queues: queue, head to address."""
    out = {}
    for pair in range(PAIRS):
        q = driver.queues[2 * pair]
        mine = {}
        for _ in range(128):
            at = driver.place(ROOM)
            mine[driver.add(q, [(at, ROOM, True)])] = at
        driver.publish(q)
        out[2 * pair] = mine
    driver.dut.run(2000)
    return out


def hash_config(types: int, key: bytes, rest: bytes = bytes(8)) -> bytes:
    """VIRTIO_NET_CTRL_MQ_HASH_CONFIG."""
    return struct.pack("<BBI", 4, 2, types) + rest + bytes([len(key)]) + key


def reported(
    driver: Driver, given: dict[int, dict[int, int]], sent: list[bytes]
) -> list[tuple[int, int]]:
    """For each frame what its header says: the hash and its kind."""
    driver.dut.send("s_axis_eth0", sent)
    driver.dut.run(6000)
    seen: dict[bytes, tuple[int, int]] = {}
    for number, mine in given.items():
        q = driver.queues[number]
        driver.take(q)
        for head, length in q.done:
            data = driver.memory.read(mine.pop(head), length)
            value, kind, padding = struct.unpack("<IHH", data[12:20])
            assert data[10:12] == b"\x01\x00"
            assert padding == 0
            seen[data[20:]] = (value, kind)
        q.done.clear()
    assert set(seen) == set(sent)
    return [seen[data] for data in sent]


def right(some: list[tuple[Packet, bytes, int]], types: int, key: bytes) -> list[tuple[int, int]]:
    """The hash of each packet, and its kind: 1 IPv4, 2 TCP, 3 UDP; 4 IPv6, 5 TCP, 6 UDP."""
    out = []
    for _, data, kind in some:
        value = expected(data, kind, types, key)
        if value is None:
            out.append((0, NONE))
            continue
        six, layer = divmod(kind, 3)
        covered = layer != 2 and types >> (1 + layer + 3 * six) & 1
        out.append((value, 3 * six + (2 + layer if covered else 1)))
    return out


@pytest.mark.parametrize("types", [ALL, IPV4 | TCP6, UDP4 | IPV6, 0])
def test_hashes_are_reported(nic: Dut, packed: bool, types: int) -> None:
    rng = random.Random(types)
    driver = ready(nic, packed)
    given = give(driver)
    control = driver.queues[CONTROL]
    some = packets(rng)
    sent = [bytes(p) for p, _, _ in some]
    # Nothing was asked for yet.
    assert reported(driver, given, sent[:6]) == [(0, NONE)] * 6
    key = rng.randbytes(40)
    # In the place of the table Linux has one.
    assert driver.command(control, hash_config(types, key, rng.randbytes(8))) == 0
    assert reported(driver, given, sent) == right(some, types, key)


def test_hashes_of_scaling_are_reported(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    given = give(driver)
    control = driver.queues[CONTROL]
    some = packets(random.Random(7))[:30]
    sent = [bytes(p) for p, _, _ in some]
    key = random.Random(8).randbytes(40)
    assert driver.command(control, config(ALL, key, [0, 1], pairs=PAIRS)) == 0
    assert reported(driver, given, sent) == right(some, ALL, key)
    # An even spread again, and still the same hashes.
    assert driver.command(control, b"\x04\x00\x02\x00") == 0
    assert reported(driver, given, sent) == right(some, ALL, key)
    # Other hashes, and no scaling with them.
    assert driver.command(control, hash_config(UDP4, key)) == 0
    assert reported(driver, given, sent) == right(some, UDP4, key)


def test_wrong_commands_change_nothing(nic: Dut) -> None:
    driver = ready(nic, False)
    given = give(driver)
    control = driver.queues[CONTROL]
    some = packets(random.Random(9))[:12]
    sent = [bytes(p) for p, _, _ in some]
    key = bytes(range(40))
    assert driver.command(control, hash_config(ALL, key)) == 0
    good = hash_config(IPV4, key[::-1])
    wrong = [
        hash_config(0x40, key),
        hash_config(1 << 31, key),
        hash_config(ALL, key[:-1]),
        hash_config(ALL, key + b"x"),
        hash_config(ALL, b""),
        *(good[:n] for n in range(2, len(good), 3)),
        good + b"x",
    ]
    for command in wrong:
        assert driver.command(control, command) == 1, command
    assert reported(driver, given, sent) == right(some, ALL, key)
    # Not without the feature.
    plain = ready(nic, False, hashes=False)
    assert plain.command(plain.queues[CONTROL], good) == 1


@pytest.mark.parametrize("indirect", [False, True])
def test_headers_that_are_sent_are_as_long(nic: Dut, packed: bool, indirect: bool) -> None:
    driver = ready(nic, packed)
    nic.stall_all(rx=0.2, tx=0.2)
    q = driver.queues[1]
    sent = []
    for number, length in enumerate([60, 61, 107, 108, 109, 1514, 9014, 64] * 3):
        if len(q.free) < 4:
            driver.wait(q, len(q.done) + len(q.chains))
        sent.append(frame(length, number))
        driver.send(q, sent[-1], 1 + number % 4, indirect)
        driver.publish(q)
    assert nic.recv_data("m_axis_eth0", len(sent)) == sent
    driver.wait(q, len(q.done) + len(q.chains))
    # Nothing behind the header: dropped, as without hashes.
    before = driver.read(0x800 + 4 * 8)
    for length in (12, 13, 19, 20):
        driver.add(q, [(driver.buffer(bytes(length)), length, False)])
    driver.publish(q)
    driver.wait(q, len(q.done) + 4)
    nic.run(400)
    assert driver.read(0x800 + 4 * 8) == before + 4
    assert nic.recv_data("m_axis_eth0") == []


@pytest.mark.parametrize(("room", "length"), [(64, 500), (256, 236), (256, 237), (2048, 1514)])
def test_frames_over_several_buffers(nic: Dut, packed: bool, room: int, length: int) -> None:
    driver = ready(nic, packed)
    nic.stall_all(rx=0.1, tx=0.3)
    q = driver.queues[0]
    given = {}
    for _ in range(64):
        at = driver.place(room)
        given[driver.add(q, [(at, room, True)])] = at
    driver.publish(q)
    nic.run(2000)
    for number in range(4):
        sent = frame(length, number)
        nic.send("s_axis_eth0", sent)
        count = -(-(length + 20) // room)
        chains = driver.wait(q, count)
        data = b"".join(driver.memory.read(given.pop(h), n) for h, n in chains)
        assert data[10:12] == count.to_bytes(2, "little")
        assert data[12:] == bytes(8) + sent
