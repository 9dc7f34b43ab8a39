# SPDX-License-Identifier: Apache-2.0
"""What the network card reaches in memory: its regions, and tables behind linked descriptors.

About 8 s of processor.
"""

from __future__ import annotations

import struct

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.virtio import HEADER, Driver
from kumihimo.testing.virtio_split import INDIRECT, NEXT, WRITE

PAIRS = 2
MAC = 0x020000000042
REGIONS, STRIDE = 0x400, 0x20
PAGE = 4096
END = 0x80_0000  # of the region in which the rings are
NEEDS_RESET = 0x40


@pytest.fixture(scope="module")
def nic() -> Dut:
    """A card with two pairs of queues."""
    return Dut("nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000})


def frame(length: int) -> bytes:
    """A frame for the card."""
    return (
        MAC.to_bytes(6, "big")
        + bytes(6)
        + b"\x88\xb5"
        + bytes(i & 0xFF for i in range(length - 14))
    )


def region(driver: Driver, index: int, base: int, length: int, valid: bool = True) -> None:
    """Set a region, its flags last."""
    at = REGIONS + STRIDE * index
    for n, word in enumerate((base, base >> 32, length, length >> 32, int(valid))):
        driver.write(at + 4 * n, word & 0xFFFFFFFF)


def ready(dut: Dut) -> Driver:
    """A card that its driver has started."""
    dut.restart()
    dut.set("mac", MAC)
    dut.memory("m_axi_host").configure(latency_cycles=40, reorder=True)
    driver = Driver(dut)
    for number in range(2 * PAIRS):
        driver.queue(number)
    driver.start()
    return driver


def send_from(driver: Driver, addr: int, data: bytes, queue: int = 1) -> None:
    """A packet whose frame lies at an address."""
    q = driver.queues[queue]
    driver.memory.write(addr, data)
    driver.add(q, [(driver.buffer(bytes(HEADER)), HEADER, False), (addr, len(data), False)])
    driver.publish(q)


def well(dut: Dut, driver: Driver) -> None:
    """The other pair works."""
    send_from(driver, driver.place(200), frame(150), 3)
    assert dut.recv_data("m_axis_eth0", 1) == [frame(150)]
    driver.wait(driver.queues[3], 1)


@pytest.mark.parametrize(
    "addr", [END, END + 64, END - 64, 0xF_F000, 0xF_FFC0, 1 << 32, (1 << 63) + 0x20_0000, 0]
)
def test_nothing_is_read_outside_the_regions(nic: Dut, addr: int) -> None:
    driver = ready(nic)
    region(driver, 3, 0x10_0000, END - 0x10_0000)
    region(driver, 15, 0x100_0000, PAGE)
    send_from(driver, 0x100_0000 + PAGE - 100, frame(100))
    assert nic.recv_data("m_axis_eth0", 1) == [frame(100)]
    outside = addr if addr < 1 << 32 else 0
    q = driver.queues[1]
    driver.memory.write(outside, b"\x55" * 200)
    driver.add(q, [(driver.buffer(bytes(HEADER)), HEADER, False), (addr, 200, False)])
    driver.publish(q)
    nic.run(3000)
    assert driver.read(0x14) & NEEDS_RESET
    assert nic.recv_data("m_axis_eth0") == []
    well(nic, driver)


@pytest.mark.parametrize("addr", [END, END - 64, 0xF_FFC0])
def test_nothing_is_written_outside_the_regions(nic: Dut, addr: int) -> None:
    driver = ready(nic)
    region(driver, 0, 0x10_0000, END - 0x10_0000)
    before = b"\x55" * 4096
    driver.memory.write(END, before)
    driver.memory.write(0x10_0000 - len(before), before)
    driver.add(driver.queues[0], [(addr, 2048, True)])
    driver.publish(driver.queues[0])
    nic.run(2000)
    nic.send("s_axis_eth0", frame(1000))
    nic.run(4000)
    assert driver.read(0x14) & NEEDS_RESET
    assert driver.memory.read(END, len(before)) == before
    assert driver.memory.read(0x10_0000 - len(before), len(before)) == before
    well(nic, driver)


def test_rings_outside_the_regions(nic: Dut) -> None:
    driver = ready(nic)
    send_from(driver, driver.place(200), frame(99))
    assert nic.recv_data("m_axis_eth0", 1) == [frame(99)]
    driver.wait(driver.queues[1], 1)
    region(driver, 1, 0x900_0000, PAGE)
    send_from(driver, driver.place(200), frame(98))
    nic.run(4000)
    assert nic.recv_data("m_axis_eth0") == []
    assert driver.read(0x14) & NEEDS_RESET
    # Without a valid region all of memory can be reached.
    region(driver, 1, 0x900_0000, PAGE, valid=False)
    again = Driver(nic, seed=2)
    again.queue(1)
    again.start()
    send_from(again, again.place(200), frame(97))
    assert nic.recv_data("m_axis_eth0", 1) == [frame(97)]


def test_only_whole_pages_of_a_region(nic: Dut) -> None:
    for base, length, addr, good in (
        (0x100_0010, 3 * PAGE, 0x100_0FC0, False),
        (0x100_0010, 3 * PAGE, 0x100_1000, True),
        (0x100_0010, 3 * PAGE, 0x100_2F00, True),
        (0x100_0010, 3 * PAGE, 0x100_3000, False),
        (0x100_0000, PAGE - 1, 0x100_0000, False),
        (0xFFFF_F000, (1 << 64) - 1, 0xFFFF_F000, False),
    ):
        driver = ready(nic)
        region(driver, 0, 0x10_0000, END - 0x10_0000)
        region(driver, 1, base, length)
        send_from(driver, addr, frame(64))
        nic.run(2000)
        assert nic.recv_data("m_axis_eth0") == ([frame(64)] if good else []), hex(addr)


def descriptor(driver: Driver, at: int, addr: int, length: int, flags: int, after: int = 0) -> None:
    """Write a descriptor."""
    driver.memory.write(at, struct.pack("<QIHH", addr, length, flags, after))


@pytest.mark.parametrize(("linked", "inside"), [(1, 1), (1, 5), (3, 2), (2, 30)])
def test_a_table_behind_linked_descriptors(nic: Dut, linked: int, inside: int) -> None:
    for number in (1, 0):
        driver = ready(nic)
        q = driver.queues[number]
        data = bytes(HEADER) + frame(600)
        cut = len(data) // (linked + inside)
        write = WRITE if number == 0 else 0
        parts = []
        for n in range(linked + inside):
            part = data[n * cut : (n + 1) * cut] if n + 1 < linked + inside else data[n * cut :]
            parts.append((driver.buffer(part if number else bytes(len(part))), len(part)))
        if number == 0 and len(parts) > 4:
            continue  # more than a receive chain may have
        table = driver.place(16 * inside, 16)
        order = list(range(inside))
        for n, place in enumerate(order):
            addr, length = parts[linked + n]
            more = n + 1 < inside
            descriptor(
                driver,
                table + 16 * place,
                addr,
                length,
                write | NEXT * more,
                order[(n + 1) % inside],
            )
        heads = [5, 9, 2][:linked]
        for n, head in enumerate(heads):
            after = heads[n + 1] if n + 1 < linked else 12
            descriptor(driver, q.desc + 16 * head, *parts[n], write | NEXT, after)
        descriptor(driver, q.desc + 16 * 12, table, 16 * inside, INDIRECT)
        driver.memory.write(q.driver + 4, struct.pack("<H", 5))
        q.available = 1
        q.chains[5] = [*heads, 12]
        driver.publish(q)
        if number == 1:
            assert nic.recv_data("m_axis_eth0", 1) == [frame(600)]
            assert driver.wait(q, 1) == [(5, 0)]
        else:
            nic.run(2000)
            nic.send("s_axis_eth0", frame(600))
            assert driver.wait(q, 1) == [(5, len(data))]
            got = b"".join(driver.memory.read(addr, length) for addr, length in parts)
            assert got[HEADER:] == frame(600)


def test_tables_within_tables_stay_wrong(nic: Dut) -> None:
    for flags in (INDIRECT, INDIRECT | NEXT):
        driver = ready(nic)
        q = driver.queues[1]
        at = driver.buffer(bytes(HEADER) + frame(100))
        table = driver.place(16, 16)
        descriptor(driver, table, driver.place(16, 16), 16, INDIRECT)
        descriptor(driver, q.desc, at, 112, NEXT, 1)
        if flags == INDIRECT:
            descriptor(driver, q.desc + 16, table, 16, INDIRECT)
        else:
            descriptor(driver, table, at, 112, 0)
            descriptor(driver, q.desc + 16, table, 16, flags, 2)
        driver.memory.write(q.driver + 4, struct.pack("<H", 0))
        q.available = 1
        driver.publish(q)
        nic.run(3000)
        assert driver.read(0x14) & NEEDS_RESET
        assert nic.recv_data("m_axis_eth0") == []


@pytest.mark.parametrize("bits", [32, 36, 38, 44])
def test_frames_across_a_high_address(nic: Dut, bits: int) -> None:
    """Long addresses are added up in parts: a carry between them is never lost."""
    driver = ready(nic)
    driver.memory.configure(size=1 << 48)
    edge = 1 << bits
    rx, tx = driver.queues[0], driver.queues[1]
    for before in (1, 64, 700, 4096):
        sent = frame(1514)
        packet = bytes(driver.header) + sent
        driver.memory.write(edge - before, packet)
        driver.add(tx, [(edge - before, len(packet), False)])
        driver.publish(tx)
        assert nic.recv_data("m_axis_eth0", 1) == [sent]
        driver.wait(tx, 1)
        driver.add(rx, [(edge - before, 9100, True)])
        driver.publish(rx)
        nic.send("s_axis_eth0", frame(9000))
        (_head, length) = driver.wait(rx, 1)[0]
        assert driver.memory.read(edge - before, length)[HEADER:] == frame(9000)
