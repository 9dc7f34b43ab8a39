# SPDX-License-Identifier: Apache-2.0
"""The virtio network device: rings, buffers, commands, bad drivers."""

from __future__ import annotations

import pytest
from kumihimo.testing import Dut, Frame
from kumihimo.testing.virtio import CTRL_VQ, EVENT_IDX, IRQ, MQ, Driver
from kumihimo.testing.virtio_packed import WRAP, PackedQueue
from kumihimo.testing.virtio_split import INDIRECT, NEXT, Queue
from nic_bench import MAC, PAIRS, frame

LATENCY = 40  # cycles of the host's memory


def ready(dut: Dut, packed: bool, features: int = ~0, seed: int = 1) -> Driver:
    """A device that its driver has started."""
    dut.restart(seed=seed)
    dut.set("mac", MAC)
    dut.memory("m_axi_host").configure(latency_cycles=LATENCY, reorder=True)
    driver = Driver(dut, features, seed, packed)
    assert driver.packed == packed
    for number in range(2 * PAIRS):
        driver.queue(number)
    if driver.features & CTRL_VQ:
        driver.queue(2 * PAIRS if driver.features & MQ else 2)
    driver.start()
    return driver


@pytest.mark.parametrize("features", [~0, ~EVENT_IDX])
@pytest.mark.parametrize("indirect", [False, True])
def test_sends(nic: Dut, packed: bool, features: int, indirect: bool) -> None:
    driver = ready(nic, packed, features)
    nic.stall_all(rx=0.2, tx=0.2)
    q = driver.queues[1]
    frames = []
    for number, (length, pieces) in enumerate(
        [(60, 1), (61, 2), (1514, 3), (64, 4), (9014, 2), (127, 1), (128, 1), (300, 7)] * 4
    ):
        if len(q.free) < 8:
            driver.publish(q)
            while len(q.free) < 16:
                nic.run(32)
                driver.take(q)
        frames.append(frame(length, number))
        driver.send(q, frames[-1], pieces, indirect)
    driver.publish(q)
    got = nic.recv_data("m_axis_eth0", len(frames))
    assert got == frames
    while len(q.free) < 16:
        nic.run(32)
        driver.take(q)
    assert len(nic.recv(IRQ, 1)) == 1


def buffers(
    driver: Driver, number: int, sizes: list[int], per: int = 1
) -> list[list[tuple[int, int]]]:
    """Make receive chains available, each of `per` segments; their segments."""
    q = driver.queues[number]
    out = []
    for size in sizes:
        parts = [(driver.place(size), size) for _ in range(per)]
        driver.add(q, [(addr, length, True) for addr, length in parts])
        out.append(parts)
    driver.publish(q)
    return out


def received(
    driver: Driver, number: int, given: list[list[tuple[int, int]]], frames: int
) -> list[bytes]:
    """Frames that lie in the used buffers, in order."""
    q = driver.queues[number]
    memory = driver.memory
    out: list[bytes] = []
    for _ in range(frames):
        (_head, length) = driver.wait(q, 1)[0]
        chains = [(given.pop(0), length)]
        first = b"".join(memory.read(a, n) for a, n in chains[0][0])[:length]
        count = int.from_bytes(first[10:12], "little")
        for _ in range(count - 1):
            chains.append((given.pop(0), driver.wait(q, 1)[0][1]))
        data = b"".join(
            b"".join(memory.read(a, n) for a, n in parts)[:length] for parts, length in chains
        )
        assert data[:10] == bytes(10)
        out.append(data[12:])
    return out


@pytest.mark.parametrize(("size", "per"), [(2048, 1), (256, 1), (100, 3), (9100, 1)])
def test_receives(nic: Dut, packed: bool, size: int, per: int) -> None:
    driver = ready(nic, packed)
    nic.stall_all(rx=0.1, tx=0.3)
    count = len(driver.queues[0].free) // per
    frames = [frame(length, length) for length in (60, 243, 244, 245, 500, 1514)]
    while sum(-(-(len(f) + 12) // (size * per)) for f in frames) > count:
        frames.pop()
    given = buffers(driver, 0, [size] * count, per)
    nic.run(2000)
    nic.send("s_axis_eth0", frames)
    assert received(driver, 0, given, len(frames)) == frames
    assert driver.read(0x800) == len(frames)


def test_flows_stay_together_and_spread(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    assert driver.command(driver.queues[2 * PAIRS], b"\x04\x00" + (2).to_bytes(2, "little")) == 0
    given = {n: buffers(driver, n, [2048] * 16) for n in (0, 2)}
    nic.run(2000)
    flows = [bytes([10, 0, 0, i, 10, 0, 0, 9, 0, 7 * i, 0, 80]) for i in range(8)]
    sent = []
    for turn in range(2):
        for flow in flows:
            ip = bytes([0x45]) + bytes(3) + bytes([turn]) + bytes(4) + b"\x11" + bytes(2) + flow
            sent.append(MAC.to_bytes(6, "big") + bytes(6) + b"\x08\x00" + ip + bytes(20))
    nic.send("s_axis_eth0", sent)
    nic.run(4000)
    got = {n: received(driver, n, given[n], driver.take(driver.queues[n])) for n in (0, 2)}
    assert sorted(got[0] + got[2]) == sorted(sent)
    assert got[0] and got[2]
    for frames in got.values():
        mine = {f[26:38] for f in frames}
        assert [f for f in sent if f[26:38] in mine] == frames


def test_drops_have_their_counters(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    nic.send("s_axis_eth0", [frame(60), frame(60, to=0x02AAAAAAAAAA), Frame(frame(60), bad=True)])
    nic.run(3000)
    names = ["good", "bad", "full", "long", "address", "buffers", "queue"]
    counts = {name: driver.read(0x800 + 4 * i) for i, name in enumerate(names)}
    assert counts == dict.fromkeys(names, 0) | {"bad": 1, "address": 1, "buffers": 1}
    # With a buffer the next one arrives.
    given = buffers(driver, 0, [2048])
    nic.send("s_axis_eth0", [frame(77)])
    assert received(driver, 0, given, 1) == [frame(77)]


def test_commands(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    control = driver.queues[2 * PAIRS]
    other = 0x020000001234
    assert driver.command(control, b"\x01\x01" + other.to_bytes(6, "big")) == 0
    given = buffers(driver, 0, [2048] * 4)
    nic.send("s_axis_eth0", [frame(60), frame(61, to=other)])
    assert received(driver, 0, given, 1) == [frame(61, to=other)]
    assert driver.command(control, b"\x00\x00\x01") == 0
    nic.send("s_axis_eth0", [frame(60)])
    assert received(driver, 0, given, 1) == [frame(60)]
    for wrong in (
        b"\x00\x00",  # too short
        b"\x00\x09\x01",  # no such command
        b"\x04\x00\x00\x00",  # no pairs
        b"\x04\x00\x03\x00",  # more than there are
        b"\x01\x01\x02",
        b"\x77\x77",
        bytes([4, 0]) + bytes(300),
    ):
        assert driver.command(control, wrong) == 1, wrong


def test_interrupts_when_the_driver_asks(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    q = driver.queues[1]
    driver.event(q, 2)  # at the third
    told = []
    for number in range(4):
        driver.send(q, frame(60, number))
        driver.publish(q)
        driver.wait(q, 1)
        nic.run(300)
        told.append([int.from_bytes(irq.data, "little") for irq in nic.recv(IRQ)])
    assert told == [[], [], [1], []]
    assert driver.avail_event(q) == q.available


def test_without_event_idx_flags_decide(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed, ~EVENT_IDX)
    q = driver.queues[1]
    q.interrupts(driver.memory, False)
    driver.send(q, frame(60))
    driver.publish(q)
    driver.wait(q, 1)
    nic.run(400)
    q.interrupts(driver.memory, True)
    driver.send(q, frame(60))
    driver.publish(q)
    driver.wait(q, 1)
    assert len(nic.recv(IRQ, 1)) == 1


def test_a_queue_ends_and_begins_where_it_was(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    given = buffers(driver, 0, [2048] * 8)
    nic.run(2000)
    nic.send("s_axis_eth0", [frame(60, i) for i in range(3)])
    assert len(received(driver, 0, given, 3)) == 3
    driver.write16(0x16, 0)
    driver.write16(0x3A, 1)
    for _ in range(100):
        if driver.read(0x38) >> 16 == 0:
            break
        nic.run(16)
    assert driver.read(0x38) >> 16 == 0
    assert driver.read(0x1C) & 0xFFFF == 0
    base = (WRAP if packed else 0) + 3
    assert driver.read(0x300) == base * 0x10001
    driver.write(0x300, base * 0x10001)
    driver.write16(0x1C, 1)
    nic.send("s_axis_eth0", [frame(80, i) for i in range(2)])
    assert received(driver, 0, given, 2) == [frame(80, i) for i in range(2)]


def bad_length(d: Driver) -> None:
    d.add(d.queues[1], [(d.place(8), 0, False)])


def bad_length_behind(d: Driver) -> None:
    a = d.place(64)
    d.add(d.queues[1], [(a, 64, False), (a, 0, False), (a, 64, False), (a, 64, False)])
    d.send(d.queues[1], frame(60))


def writable(d: Driver) -> None:
    d.add(d.queues[1], [(d.place(64), 64, True)])


def nowhere(d: Driver) -> None:
    d.add(d.queues[1], [(1 << 60, 64, False)])


def twice(d: Driver) -> None:
    """What breaks its user's rule and then the walk's."""
    a = d.place(64)
    d.add(d.queues[1], [(a, 64, False), (a, 64, True), (a, 0, False)])


def split_loop(d: Driver) -> None:
    head = d.add(d.queues[1], [(d.place(64), 64, False)])
    entry = d.memory.read(d.queues[1].desc + 16 * head, 12) + bytes([1, 0, head, 0])
    d.memory.write(d.queues[1].desc + 16 * head, entry)


def split_head(d: Driver) -> None:
    d.send(d.queues[1], frame(60))
    d.memory.write(d.queues[1].driver + 4, b"\xff\x7f")


def split_index(d: Driver) -> None:
    d.queues[1].available += 1000


def split_nested(d: Driver) -> None:
    table = d.place(32, 16)
    h = d.add(d.queues[1], [(table, 32, False)])
    d.memory.write(d.queues[1].desc + 16 * h + 12, b"\x04\x00")
    d.memory.write(table, d.memory.read(d.queues[1].desc + 16 * h, 16) * 2)


def packed_table_behind(d: Driver) -> None:
    """A table behind another descriptor (2.8.7 forbids it), and one with a link."""
    q = d.queues[1]
    a = d.place(64, 16)
    d.add(q, [(a, 64, False), (a, 64, False), (a, 64, False)])
    at = q.desc + 16 + 14
    flags = int.from_bytes(d.memory.read(at, 2), "little") | INDIRECT
    d.memory.write(at, flags.to_bytes(2, "little"))
    d.send(q, frame(60), 2, indirect=True)


def packed_table_linked(d: Driver) -> None:
    q = d.queues[1]
    assert isinstance(q, PackedQueue)
    a = d.place(64, 16)
    d.add(q, [(a, 64, False), (a, 64, False)])
    q.heads = [(at, flags | INDIRECT) for at, flags in q.heads]


def packed_without_end(d: Driver) -> None:
    """All of the ring is one chain, and its last descriptor is linked as well."""
    q = d.queues[1]
    a = d.place(64, 16)
    d.add(q, [(a, 64, False)] * q.size)
    at = q.desc + 16 * (q.size - 1) + 14
    flags = int.from_bytes(d.memory.read(at, 2), "little") | NEXT
    d.memory.write(at, flags.to_bytes(2, "little"))


EITHER = [bad_length, bad_length_behind, writable, nowhere, twice]
SPLIT = [*EITHER, split_loop, split_head, split_index, split_nested]
PACKED = [*EITHER, packed_table_behind, packed_table_linked, packed_without_end]


def test_a_broken_ring_stops_its_queue_only(nic: Dut, packed: bool) -> None:
    for case in PACKED if packed else SPLIT:
        driver = ready(nic, packed)
        case(driver)
        _broken_and_healed(nic, driver, driver.queues[1], case.__name__)


def test_broken_chains_of_the_other_queues(nic: Dut, packed: bool) -> None:
    def receive(d: Driver, q: Queue) -> None:
        a = d.place(64)
        d.add(q, [(a, 64, False), (a, 0, False)])

    def command(d: Driver, q: Queue) -> None:
        a = d.place(64)
        d.add(q, [(a, 3, False), (a, 1, True), (a, 0, False)])

    for number, case in ((0, receive), (2 * PAIRS, command)):
        driver = ready(nic, packed)
        q = driver.queues[number]
        case(driver, q)
        _broken_and_healed(nic, driver, q, case.__name__)


def _broken_and_healed(nic: Dut, driver: Driver, broken: Queue, what: str) -> None:
    """A queue breaks, another goes on, and after a reset all is well."""
    driver.publish(broken)
    nic.run(6000)
    assert driver.read(0x14) & 0x40, what  # NEEDS_RESET
    q = driver.queues[3]
    driver.send(q, frame(99))
    driver.publish(q)
    assert nic.recv_data("m_axis_eth0", 1)[-1] == frame(99), what
    driver.wait(q, 1)
    again = Driver(nic, seed=2, packed=driver.packed)
    again.queue(1)
    again.start()
    again.send(again.queues[1], frame(70))
    again.publish(again.queues[1])
    assert nic.recv_data("m_axis_eth0", 1) == [frame(70)], what


def flow(number: int, length: int = 60) -> bytes:
    """A UDP datagram of a flow."""
    ports = bytes([10, 0, 0, number, 10, 0, 0, 9, 0, 7 * number % 256, 0, 80])
    ip = bytes([0x45]) + bytes(8) + b"\x11" + bytes(2) + ports
    return MAC.to_bytes(6, "big") + bytes(6) + b"\x08\x00" + ip + bytes(length - 38)


def test_a_broken_receive_queue_holds_no_frame_of_another(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    assert driver.command(driver.queues[2 * PAIRS], b"\x04\x00" + (2).to_bytes(2, "little")) == 0
    given = buffers(driver, 0, [2048] * 16)
    driver.add(driver.queues[2], [(driver.place(8), 0, True)])
    driver.publish(driver.queues[2])
    nic.run(2000)
    sent = [flow(number) for number in range(8)]
    nic.send("s_axis_eth0", sent)
    nic.run(6000)
    lost = driver.read(0x800 + 4 * 6)
    assert 0 < lost < 8
    assert len(received(driver, 0, given, 8 - lost)) == 8 - lost


def test_a_frame_for_more_than_all_buffers_at_hand_is_dropped(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    given = buffers(driver, 0, [64] * 16)
    nic.run(2000)
    nic.send("s_axis_eth0", [frame(9014), frame(100)])
    assert received(driver, 0, given, 1) == [frame(100)]
    assert driver.read(0x800 + 4 * 5) == 1


def test_memory_that_refuses_a_frame_breaks_the_queue(nic: Dut, packed: bool) -> None:
    driver = ready(nic, packed)
    driver.add(driver.queues[0], [(1 << 60, 2048, True)])
    driver.publish(driver.queues[0])
    nic.run(2000)
    nic.send("s_axis_eth0", [frame(60)])
    nic.run(2000)
    assert driver.read(0x14) & 0x40


def test_nothing_is_used_before_the_driver_is_ready(nic: Dut, packed: bool) -> None:
    nic.restart()
    nic.set("mac", MAC)
    nic.memory("m_axi_host").configure(latency_cycles=LATENCY)
    driver = Driver(nic, packed=packed)
    driver.queue(0)
    given = buffers(driver, 0, [2048])
    nic.run(2000)
    nic.send("s_axis_eth0", [frame(60)])
    nic.run(2000)
    assert driver.take(driver.queues[0]) == 0
    driver.start()
    nic.run(2000)
    nic.send("s_axis_eth0", [frame(61)])
    assert received(driver, 0, given, 1) == [frame(61)]
