# SPDX-License-Identifier: Apache-2.0
"""A driver gone mad on one queue of the network card: the others work on, and a reset heals it.

All of memory faults but what the drivers of the queues have: an access elsewhere shows as an error
of the memory, and is the mad queue's alone. What the mad queue does is drawn from a seed.
"""

from __future__ import annotations

import abc
import random
import struct
from collections.abc import Callable, Collection

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.sizes import by_size
from kumihimo.testing.virtio import ETH, IRQ, MEMORY, Driver
from kumihimo.testing.virtio_packed import AVAIL, USED
from kumihimo.testing.virtio_split import NEXT, Queue
from nic_bench import CONTROL, MAC, PAIRS, frame

TOP = 1 << 32  # bytes of the memory
AREA = 1 << 16  # bytes that belong to the mad queue alone


class Mad(abc.ABC):
    """What a driver may do wrong with a queue, one thing at a time."""

    flags: int
    """Where a descriptor has its flags."""

    def __init__(self, driver: Driver, number: int, rng: random.Random) -> None:
        self.driver, self.rng = driver, rng
        self.q: Queue = driver.queues[number]
        self.writes = number in range(0, CONTROL, 2)
        self.own = driver.place(AREA, 4096)
        self.done: list[str] = []

    def word(self, bits: int) -> int:
        """A number: small, at an edge, or any."""
        edges = [0, 1, 2, (1 << bits) - 1, 1 << bits - 1, self.q.size, self.q.size - 1]
        return self.rng.choice([*edges, self.rng.getrandbits(bits)]) % (1 << bits)

    def address(self) -> int:
        """Inside what the queue owns, at its edges, where nothing answers, or beyond the memory."""
        own = self.own + self.rng.randrange(AREA)
        edge = self.own + AREA - 1
        return self.rng.choice([own, edge, 0, 0x200_0000 + self.word(16), TOP - 8, own & ~63])

    def table(self) -> int:
        """Address of a descriptor of the queue."""
        return self.q.desc + 16 * self.rng.randrange(self.q.size)

    def chain(self) -> None:
        """A chain that is right, or is soon not any more."""
        count = min(self.rng.choice([1, 1, 2, 3, 5]), self.q.size)
        if len(self.q.free) < count:
            self.q.free = list(range(self.q.size))
        length = self.rng.choice([12, 64, 100, 1600])
        parts = [(self.driver.place(length), length, self.writes) for _ in range(count)]
        self.driver.add(self.q, parts, indirect=self.rng.random() < 0.4)

    def descriptor(self) -> None:
        """Bytes of one descriptor become others."""
        at, size = self.rng.choice([(0, 8), (8, 4), (12, 2), (14, 2)])
        value = self.address() if size == 8 else self.word(8 * size)
        if self.rng.random() < 0.5 and at == self.flags:
            value = self.rng.randrange(8)
        self.driver.memory.write(self.table() + at, value.to_bytes(size, "little"))

    def indirect(self) -> None:
        """An indirect table of any bytes."""
        count = self.rng.choice([1, 2, 5, 64, 65])
        table = self.driver.place(16 * count, 16)
        for i in range(count):
            entry = self.address().to_bytes(8, "little") + self.word(32).to_bytes(4, "little")
            entry += self.rng.randrange(8).to_bytes(2, "little") + self.word(16).to_bytes(
                2, "little"
            )
            self.driver.memory.write(table + 16 * i, entry)
        length = self.rng.choice([16 * count, 16 * count + 1, 0, self.word(32)])
        entry = (table + self.rng.choice([0, 0, 0, 8])).to_bytes(8, "little")
        entry += length.to_bytes(4, "little")
        self.point(entry, self.rng.choice([4, 4, 5, 6]))

    def notify(self) -> None:
        """Notifications of queues that there are and are not."""
        self.driver.write(0x2000 + 4 * self.rng.randrange(16), self.word(32))

    def unmapped(self) -> None:
        """A part of the queue's buffers or rings vanishes while it is used."""
        at = self.rng.choice([self.q.desc, self.q.driver, self.q.device, self.own])
        self.driver.memory.fault(at, 16)

    def step(self) -> None:
        """One of these, then the index is shown to the card."""
        doings: list[Callable[[], None]] = [self.chain] * 6
        doings += [self.descriptor, self.indirect, self.head, self.used, self.notify] * 2
        doings += [self.index, self.unmapped]
        doing = self.rng.choice(doings)
        doing()
        self.done.append(doing.__name__)
        self.driver.publish(self.q, notify=self.rng.random() < 0.8)

    @abc.abstractmethod
    def point(self, entry: bytes, flags: int) -> None:
        """A descriptor with address and length of a table."""

    @abc.abstractmethod
    def head(self) -> None:
        """What says that a chain is available is changed."""

    @abc.abstractmethod
    def index(self) -> None:
        """The available index jumps."""

    @abc.abstractmethod
    def used(self) -> None:
        """What the card has written, and events, are overwritten."""


class MadSplit(Mad):
    """With a split queue."""

    flags = 12

    def point(self, entry: bytes, flags: int) -> None:
        self.driver.memory.write(self.table(), entry + flags.to_bytes(2, "little"))

    def head(self) -> None:
        at = self.q.driver + 4 + 2 * self.rng.randrange(self.q.size)
        self.driver.memory.write(at, self.word(16).to_bytes(2, "little"))

    def index(self) -> None:
        self.q.available = self.q.available + self.word(16) & 0xFFFF

    def used(self) -> None:
        self.driver.memory.write(self.q.device, self.rng.randbytes(6 + 8 * self.q.size))
        self.driver.event(self.q, self.word(16))


class MadPacked(Mad):
    """With a packed queue."""

    flags = 14

    def point(self, entry: bytes, flags: int) -> None:
        flags |= self.rng.choice([AVAIL, USED])
        self.driver.memory.write(self.table(), entry + struct.pack("<HH", self.word(16), flags))

    def head(self) -> None:
        flags = self.rng.choice([0, AVAIL, USED, AVAIL | USED]) | self.rng.randrange(8)
        self.driver.memory.write(self.table() + 14, flags.to_bytes(2, "little"))

    def index(self) -> None:
        self.q.available += self.word(6)

    def used(self) -> None:
        """All descriptors, in one lap or the other, linked or not; events."""
        flags = self.rng.choice([AVAIL, USED]) | self.rng.choice([0, 0, NEXT])
        for n in range(self.q.size):
            self.driver.memory.write(self.q.desc + 16 * n + 14, flags.to_bytes(2, "little"))
        self.driver.memory.write(self.q.device, self.rng.randbytes(4))
        self.driver.memory.write(self.q.driver, self.rng.randbytes(4))


def started(dut: Dut, rng: random.Random, packed: bool) -> Driver:
    """A driver with all queues, whose memory alone answers."""
    memory = dut.memory(MEMORY)
    memory.fault(0, TOP, False)
    driver = Driver(dut, seed=rng.getrandbits(32), packed=packed)
    for number in range(2 * PAIRS + 1):
        driver.queue(number)
    driver.start()
    memory.fault(0, 0x10_0000)
    memory.fault(0x100_0000, TOP - 0x100_0000)
    return driver


def traffic(driver: Driver, dut: Dut, sick: Collection[int], number: int) -> None:
    """Frames over every queue that is well; they arrive whole."""
    expected = []
    for pair in range(PAIRS):
        q = driver.queues[2 * pair + 1]
        if q.number not in sick:
            expected.append(frame(60 + number % 200 + pair, number))
            driver.send(q, expected[-1], 1 + number % 3, number % 2 == 1)
            driver.publish(q)
            driver.wait(q, 1)
    if 0 not in sick:
        q = driver.queues[0]
        at = driver.place(2048)
        driver.add(q, [(at, 2048, True)])
        driver.publish(q)
        dut.run(600)
        sent = frame(60 + number % 300, number)
        dut.send(ETH, sent)
        (_head, length) = driver.wait(q, 1)[0]
        assert driver.memory.read(at + 12, length - 12) == sent
    seen = dut.recv_data(ETH)
    for _ in range(400):
        if all(f in seen for f in expected):
            break
        dut.run(100)
        seen += dut.recv_data(ETH)
    assert all(f in seen for f in expected), "a frame did not come out whole"
    if not any(number in sick for number in range(1, CONTROL, 2)):
        assert sorted(seen) == sorted(expected), "frames that nobody has sent"
    if CONTROL not in sick:
        assert driver.command(driver.queues[CONTROL], b"\x00\x00\x00") == 0


def round_of(dut: Dut, packed: bool, seed: int, steps: int) -> None:
    """One queue goes mad while the others have traffic; then a reset."""
    rng = random.Random(seed)
    driver = started(dut, rng, packed)
    sick = rng.randrange(2 * PAIRS + 1)
    mad = (MadPacked if packed else MadSplit)(driver, sick, rng)
    canary = driver.place(4096)
    driver.memory.write(canary, bytes(range(256)) * 16)
    number = 0
    try:
        for _ in range(steps):
            for _ in range(rng.choice([1, 2, 8])):
                mad.step()
            number += 1
            traffic(driver, dut, [sick], number)
        assert driver.memory.read(canary, 4096) == bytes(range(256)) * 16
        dut.memory(MEMORY).fault(0x10_0000, 0xF0_0000, False)
        dut.recv(IRQ)
        again = started(dut, rng, packed)
        dut.recv(ETH)
        traffic(again, dut, [], 7)
    except AssertionError as e:
        raise AssertionError(f"seed {seed}, queue {sick}, after {mad.done}: {e}") from e


@pytest.mark.long
@pytest.mark.parametrize("part", range(by_size(1, 20)))
def test_bad_rings_stop_their_queue_only(nic: Dut, packed: bool, part: int) -> None:
    nic.restart(seed=part + 1)
    nic.set("mac", MAC)
    nic.memory(MEMORY).configure(latency_cycles=30, jitter_ps=100_000, reorder=True)
    for turn in range(by_size(6, 400)):
        round_of(nic, packed, 1000 * part + turn, by_size(4, 8))


def test_a_ring_full_of_loops_holds_nobody_up(nic: Dut) -> None:
    """Its first chain is walked until it is too long; the others cost no access."""
    nic.restart(seed=1)
    nic.set("mac", MAC)
    nic.memory(MEMORY).configure(latency_cycles=30)
    driver = started(nic, random.Random(1), packed=False)
    driver.write16(0x16, 1)
    driver.write16(0x3A, 1)
    nic.run_until(lambda: driver.read(0x38) >> 16 == 0, 2_000, 16, "the queue's end")
    q = driver.queue(1, 64)
    loop = struct.pack("<QIHH", driver.place(64), 12, NEXT, 0)
    driver.memory.write(q.desc, loop)
    heads = bytes(2 * q.size)  # all of them the descriptor that is its own next one
    driver.memory.write(q.driver, struct.pack("<HH", 0, q.size) + heads)
    before = nic.stats(MEMORY)["rx_frames"]
    driver.write(0x2000 + 4, 1)
    expected = frame(100, 7)
    driver.send(driver.queues[3], expected)
    driver.publish(driver.queues[3])
    driver.wait(driver.queues[3], 1, cycles=6_000)
    assert expected in nic.recv_data(ETH)
    nic.run_until(lambda: driver.read(0x14) & 0x40, 6_000, 100, "NEEDS_RESET")
    nic.run(6_000)
    reads = nic.stats(MEMORY)["rx_frames"] - before
    assert 64 < reads < 400, "chains of a broken queue are walked"
