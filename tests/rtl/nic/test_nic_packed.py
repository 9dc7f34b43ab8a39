# SPDX-License-Identifier: Apache-2.0
"""Packed virtqueues (virtio 1.2, 2.8): laps, sizes, chains anywhere in the ring, events, places."""

from __future__ import annotations

import random
import struct

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from kumihimo.testing.virtio import EVENT_IDX, HEADER, IRQ, MEMORY, Driver
from kumihimo.testing.virtio_packed import EVENTS_OFF, EVENTS_ON, WRAP, PackedQueue
from nic_bench import CONTROL, MAC, PAIRS, frame

NEEDS_RESET = 0x40


def ready(dut: Dut, size: int = 16, features: int = ~0, base: int = 0, latency: int = 40) -> Driver:
    """A card with packed rings, all of a size."""
    dut.restart(seed=size)
    dut.set("mac", MAC)
    dut.memory(MEMORY).configure(latency_cycles=latency, jitter_ps=20_000, reorder=True)
    driver = Driver(dut, features, seed=size + base, packed=True)
    assert driver.packed
    for number in range(CONTROL + 1):
        driver.queue(number, size, base)
    driver.start()
    return driver


def packed_queue(driver: Driver, number: int) -> PackedQueue:
    """A queue of a driver whose rings are packed."""
    q = driver.queues[number]
    assert isinstance(q, PackedQueue)
    return q


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 16, 31, 100, 255, 256])
def test_laps_of_rings_of_any_size(nic: Dut, size: int) -> None:
    """Chains of 1 to 5 descriptors and tables, many laps, under back-pressure on all sides."""
    driver = ready(nic, size)
    nic.stall_all(rx=0.2, tx=0.2)
    q = packed_queue(driver, 1)
    rng = random.Random(size)
    sent, got = [], []
    laps = by_size(max(3, 40 // size), max(20, 2000 // size))
    while q.available < laps * size:
        for _ in range(rng.choice([1, 2, 30])):
            pieces = rng.randint(1, min(5, size))
            indirect = rng.random() < 0.3
            if len(q.free) < (1 if indirect else pieces):
                break
            sent.append(frame(rng.choice([60, 61, 300, 1514]), len(sent)))
            driver.send(q, sent[-1], pieces, indirect)
        driver.publish(q)
        nic.run(rng.choice([0, 40, 300]))
        driver.take(q)
        got += nic.recv_data("m_axis_eth0")
    driver.wait(q, len(q.done) + len(q.chains), 40_000)
    got += nic.recv_data("m_axis_eth0", len(sent) - len(got))
    assert got == sent
    assert q.used == q.available
    assert len(q.free) == size


@pytest.mark.parametrize("size", [3, 8, 19, 255])
@pytest.mark.parametrize("per", [1, 2, 3])
def test_frames_over_chains_of_a_receive_ring(nic: Dut, size: int, per: int) -> None:
    """A frame in many chains is shown all at once; places follow the chains' length."""
    driver = ready(nic, size)
    nic.stall_all(rx=0.1, tx=0.3)
    q = packed_queue(driver, 0)
    rng = random.Random(size + per)
    given: dict[int, list[tuple[int, int]]] = {}
    room = 120
    for number in range(by_size(12, 60)):
        while len(q.free) >= per:
            parts = [(driver.place(room), room) for _ in range(per)]
            given[driver.add(q, [(a, n, True) for a, n in parts])] = parts
        driver.publish(q)
        nic.run(600)
        most = len(given) * per * room - HEADER
        sent = frame(rng.choice([n for n in (60, 300, 700, 1514) if n <= most]), number)
        nic.send("s_axis_eth0", sent)
        for _ in range(4000):
            if driver.take(q):
                break
            nic.run(4)
        first = given[q.done[0][0]]
        count = int.from_bytes(driver.memory.read(first[0][0] + 10, 2), "little")
        # Nothing is awaited: what belongs to a frame is there with its first chain.
        assert len(q.done) == count == -(-(len(sent) + HEADER) // (per * room))
        data = b""
        for head, length in q.done:
            data += b"".join(driver.memory.read(a, n) for a, n in given.pop(head))[:length]
        q.done.clear()
        assert data[HEADER:] == sent


def test_a_receive_ring_that_is_nearly_full_of_buffers(nic: Dut) -> None:
    """However few buffers there is room for: a chain longer than that is not a wrong one."""
    driver = ready(nic, 256, latency=6)
    q = packed_queue(driver, 0)
    rng = random.Random(1)
    for number in range(by_size(15, 600)):
        while len(q.free) >= 4:
            per = rng.choice([1] * 16 + [2, 3, 4, 4])
            driver.add(q, [(driver.place(64), 64, True) for _ in range(per)])
            if rng.random() < 0.05:
                driver.publish(q)
                nic.run(rng.choice([0, 3, 30]))
        driver.publish(q)
        nic.run(rng.choice([20, 200]))
        sent = [frame(60, n) for n in range(rng.choice([1, 13, 14, 15, 16, 40]))]
        nic.send("s_axis_eth0", sent)
        nic.run(rng.choice([100, 600]))
        driver.take(q)
        q.done.clear()
        assert not driver.read(0x14) & NEEDS_RESET, number


@pytest.mark.parametrize("length", [1, 4, 5, 17, 33, 63, 64])
def test_long_chains_in_the_ring(nic: Dut, length: int) -> None:
    """Up to 64 descriptors, from every lane of a beat, around the end of the ring."""
    driver = ready(nic, 70)
    q = packed_queue(driver, 1)
    for number in range(6):
        sent = frame(900, number)
        driver.send(q, sent, length)
        driver.publish(q)
        assert nic.recv_data("m_axis_eth0", 1) == [sent]
        driver.wait(q, 1)
        driver.send(q, frame(60, number))
        driver.publish(q)
        assert nic.recv_data("m_axis_eth0", 1) == [frame(60, number)]
        driver.wait(q, 1)
    assert q.used == 6 * (length + 1)


def test_a_chain_of_65_descriptors_breaks_the_queue(nic: Dut) -> None:
    driver = ready(nic, 100)
    driver.send(driver.queues[1], frame(900), 65)
    driver.publish(driver.queues[1])
    nic.run(3000)
    assert driver.read(0x14) & NEEDS_RESET
    assert nic.recv_data("m_axis_eth0") == []


def test_a_chain_that_is_not_all_there_waits(nic: Dut) -> None:
    """Its head is available, another descriptor is not: no more than a read that came too early."""
    driver = ready(nic)
    q = packed_queue(driver, 1)
    driver.send(q, frame(60, 1))
    driver.send(q, frame(200, 2), 3)
    late = q.at(2) + 14
    flags = driver.memory.read(late, 2)
    driver.memory.write(late, b"\0\0")
    driver.publish(q)
    assert nic.recv_data("m_axis_eth0", 1) == [frame(60, 1)]
    driver.wait(q, 1)
    nic.run(3000)
    assert nic.recv_data("m_axis_eth0") == []
    assert not driver.read(0x14) & NEEDS_RESET
    assert driver.avail_event(q) == 1
    driver.memory.write(late, flags)
    driver.publish(q)
    assert nic.recv_data("m_axis_eth0", 1) == [frame(200, 2)]
    driver.wait(q, 1)


@pytest.mark.parametrize("base", [5, 15, 16, 21, 31])
def test_a_queue_begins_anywhere(nic: Dut, base: int) -> None:
    """Its place and wrap counter are those that the driver gives, and are read back."""
    driver = ready(nic, 16, base=base)
    q = packed_queue(driver, 1)
    for number in range(9):
        driver.send(q, frame(60, number), 1 + number % 3)
        driver.publish(q)
        assert nic.recv_data("m_axis_eth0", 1) == [frame(60, number)]
        driver.wait(q, 1)
        nic.run(600)  # the event is in memory
    driver.write16(0x16, 1)
    driver.write16(0x3A, 1)
    while driver.read(0x38) >> 16:
        nic.run(16)
    assert driver.read(0x300) == q.place(base + 18) * 0x10001


def test_a_place_outside_the_ring_breaks_the_queue(nic: Dut) -> None:
    for size, place in ((16, WRAP | 16), (16, 0x7FFF), (5, 6), (0, 0)):
        driver = ready(nic, 16)
        driver.write16(0x16, 1)
        driver.write16(0x3A, 1)
        while driver.read(0x38) >> 16:
            nic.run(16)
        driver.write16(0x18, size)
        driver.write(0x300, place * 0x10001)
        driver.write16(0x1C, 1)
        nic.run(1000)
        assert driver.read(0x14) & NEEDS_RESET, (size, place)


def interrupts(driver: Driver, q: PackedQueue, chains: int, per: int = 1) -> list[int]:
    """Interrupts for each of some chains that are used one after the other."""
    told = []
    for number in range(chains):
        driver.send(q, frame(60 + per, number), per)
        driver.publish(q)
        driver.wait(q, 1)
        driver.dut.run(400)
        told.append(len(driver.dut.recv(IRQ)))
    driver.dut.recv("m_axis_eth0")
    return told


@pytest.mark.parametrize("size", [3, 7, 16])
def test_an_interrupt_at_a_descriptor(nic: Dut, size: int) -> None:
    """EVENTS_DESC, at every place of three laps, whose chains have one or two descriptors."""
    driver = ready(nic, size)
    q = packed_queue(driver, 1)
    while q.available < 3 * size:
        for per in (1, 2):
            for ahead in range(2 * per):
                driver.event(q, q.used + ahead)
                told = interrupts(driver, q, 2, per)
                assert told == [ahead < per, ahead >= per], (q.used, per, ahead)


def test_flags_of_the_driver(nic: Dut) -> None:
    for features in (~0, ~EVENT_IDX):
        driver = ready(nic, 8, features)
        q = packed_queue(driver, 1)
        q.interrupts(driver.memory, False)
        assert interrupts(driver, q, 10) == [0] * 10
        q.interrupts(driver.memory, True)
        assert interrupts(driver, q, 10) == [1] * 10
    # Without EVENT_IDX a descriptor cannot be asked for: better one interrupt too many.
    driver.event(q, q.used + 3)
    assert interrupts(driver, q, 2) == [1, 1]


def test_flags_of_the_device(nic: Dut) -> None:
    """With EVENT_IDX the next descriptor is asked for; without, every notification is wanted."""
    for features in (~0, ~EVENT_IDX):
        driver = ready(nic, 5, features)
        q = packed_queue(driver, 1)
        for number in range(12):
            nic.run(1000)
            place, flags = struct.unpack("<HH", driver.memory.read(q.device, 4))
            if features == ~0:
                assert (place, flags) == (q.place(q.available), 2)
            else:
                assert flags == EVENTS_ON != EVENTS_OFF
            before = q.available
            driver.send(q, frame(60, number), 1 + number % 2)
            driver.publish(q, notify=False)
            assert q.asks(driver.memory, before)
            driver.write(0x2000 + 4, 1)
            driver.wait(q, 1)


def test_a_ring_across_pages(nic: Dut) -> None:
    """No burst crosses a multiple of 4 KiB: such a one would be answered with an error."""
    driver = ready(nic, 256)
    number = next(n for n in (1, 3) if driver.queues[n].desc % 4096)
    q = packed_queue(driver, number)
    sent: list[bytes] = []
    while len(sent) < 700:
        while len(q.free) >= 3:
            sent.append(frame(60, len(sent)))
            driver.send(q, sent[-1], 1 + len(sent) % 3)
        driver.publish(q)
        driver.wait(q, len(q.done) + len(q.chains), 40_000)
        q.done.clear()
    assert nic.recv_data("m_axis_eth0", len(sent)) == sent


def test_nothing_behind_the_ring_is_written(nic: Dut) -> None:
    """Used descriptors change neither their first half nor those between them."""
    driver = ready(nic, 6)
    q = packed_queue(driver, 1)
    rim = b"\x55" * 64
    driver.memory.write(q.desc + 16 * 6, rim)
    driver.memory.write(q.desc - 64, rim)
    for number in range(20):
        driver.send(q, frame(60, number), 1 + number % 4)
        at = q.at(q.available - 1)
        last = driver.memory.read(at, 16) if number % 4 else b""
        begin = driver.memory.read(q.at(q.used), 8)
        driver.publish(q)
        used = q.used
        driver.wait(q, 1)
        assert driver.memory.read(q.at(used), 8) == begin
        if last:
            assert driver.memory.read(at, 16) == last
    assert driver.memory.read(q.desc + 16 * 6, 64) == rim
    assert driver.memory.read(q.desc - 64, 64) == rim


def test_commands_in_packed_rings(nic: Dut) -> None:
    """The control queue's chains have readable and writable parts."""
    driver = ready(nic, 7)
    q = driver.queues[CONTROL]
    for number in range(12):
        assert driver.command(q, b"\x04\x00" + (1 + number % PAIRS).to_bytes(2, "little")) == 0
        assert driver.command(q, b"\x04\x00\x09\x00") == 1
