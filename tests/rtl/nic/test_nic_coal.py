# SPDX-License-Identifier: Apache-2.0
"""Moderation of interrupts queue by queue (VIRTIO_NET_F_VQ_NOTF_COAL): commands, effect, errors."""

from __future__ import annotations

import struct

from kumihimo.cluster.steering import Flow, Steering
from kumihimo.testing import Dut
from kumihimo.testing.virtio import IRQ, VQ_NOTF_COAL, Driver
from kumihimo.testing.virtio_split import Queue
from nic_bench import CONTROL, PAIRS, frame
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from test_nic import buffers, ready

OK, ERR = 0, 1
TX_SET, RX_SET, VQ_SET, VQ_GET = range(4)
LATEST = 32_767  # microseconds
Limits = tuple[int, int]  # packets, microseconds


class Card:
    """A card with a driver that gives commands."""

    def __init__(self, dut: Dut, packed: bool, features: int = ~0) -> None:
        self.dut = dut
        self.driver: Driver = ready(dut, packed, features)
        self.control: Queue = self.driver.queues[CONTROL]

    def command(self, data: bytes) -> int:
        """The answer to a command."""
        return self.driver.command(self.control, data)

    def all(self, command: int, limits: Limits) -> None:
        """RX_SET or TX_SET."""
        assert self.command(struct.pack("<BBII", 6, command, *limits)) == OK

    def one(self, queue: int, limits: Limits, reserved: int = 0) -> int:
        """The answer to VQ_SET."""
        return self.command(struct.pack("<BBHHII", 6, VQ_SET, queue, reserved, *limits))

    def get(self, queue: int, sizes: tuple[int, ...] = (1, 8)) -> Limits | None:
        """VQ_GET: what holds for a queue, or None with an error."""
        data = struct.pack("<BBHH", 6, VQ_GET, queue, 0x55AA)
        answer, used = self.driver.ask(self.control, data, list(sizes))
        assert answer[0] in (OK, ERR)
        assert used == (9 if answer[0] == OK else 1)
        if answer[0] == ERR:
            assert set(answer[1:]) <= {0xFF}
            return None
        assert set(answer[9:]) <= {0xFF}
        return struct.unpack("<II", answer[1:9])

    def limits(self) -> list[Limits | None]:
        """What holds for each queue."""
        return [self.get(n) for n in range(2 * PAIRS)]

    def until_interrupt(self, number: int, limit: int = 9000) -> int:
        """Cycles from what is on its way to a queue to its interrupt."""
        begin = self.dut.cycle
        while self.dut.cycle - begin < limit:
            self.dut.run(10)
            if any(irq.data == number.to_bytes(2, "little") for irq in self.dut.recv(IRQ)):
                break
        return self.dut.cycle - begin

    def send(self, pair: int) -> int:
        """Cycles from a frame in a transmit queue to its interrupt."""
        q = self.driver.queues[2 * pair + 1]
        self.driver.event(q, q.used)
        self.dut.recv(IRQ)
        self.driver.send(q, frame(60))
        self.driver.publish(q)
        took = self.until_interrupt(2 * pair + 1, 12_000)
        assert self.driver.take(q) == 1
        q.done.clear()
        return took


def test_the_sequence_of_the_standard(nic: Dut, packed: bool) -> None:
    """The example of 5.1.6.5.8, with all queues looked at after each command."""
    card = Card(nic, packed)
    assert card.limits() == [(0, 0)] * 4
    card.all(RX_SET, (10, 15))
    assert card.limits() == [(10, 15), (0, 0), (10, 15), (0, 0)]
    assert card.one(0, (3, 4), reserved=0xFFFF) == OK
    assert card.limits() == [(3, 4), (0, 0), (10, 15), (0, 0)]
    assert card.one(1, (0xFFFFFFFF, LATEST)) == OK
    assert card.one(2, (1 << 16, 1)) == OK
    assert card.limits() == [(3, 4), (0xFFFFFFFF, LATEST), (1 << 16, 1), (0, 0)]
    card.all(TX_SET, (7, 8))
    assert card.limits() == [(3, 4), (7, 8), (1 << 16, 1), (7, 8)]
    card.all(RX_SET, (1, 2))
    assert card.limits() == [(1, 2), (7, 8), (1, 2), (7, 8)]
    # A reset forgets all.
    assert card.one(3, (5, 5)) == OK
    assert Card(nic, packed).limits() == [(0, 0)] * 4


def test_a_queue_that_begins_anew(nic: Dut) -> None:
    """It has what was set for all of its kind."""
    card = Card(nic, packed=False)
    driver = card.driver
    card.all(RX_SET, (10, 15))
    for n in range(4):
        assert card.one(n, (n + 2, n + 2)) == OK
    for n in (2, 3):
        driver.write16(0x16, n)
        driver.write16(0x3A, 1)
        nic.run(200)
        assert card.get(n) is None
        assert card.one(n, (9, 9)) == ERR
        driver.queue(n)
    assert card.limits() == [(2, 2), (3, 3), (10, 15), (0, 0)]
    assert card.one(1, (0, 40)) == OK
    assert card.send(0) > 9000
    driver.write16(0x16, 1)
    driver.write16(0x3A, 1)
    nic.run(200)
    driver.queue(1)
    assert card.send(0) < 1000


def test_the_result_lies_behind_the_answer(nic: Dut, packed: bool) -> None:
    """However the driver cuts it, as long as it is in one segment."""
    card = Card(nic, packed)
    rounds = [(1, 8), (9,), (12,), (1, 16), (1, 8, 3), (1, 9, 1, 1), (100,), (9, 1), (1, 8), (9,)]
    for number, sizes in enumerate(rounds):
        limits = (0x01020304 * (number + 1), 0x1122 + number)
        assert card.one(2, limits) == OK
        assert card.get(2, sizes) == limits


def test_wrong_commands_change_nothing(nic: Dut, packed: bool) -> None:
    card = Card(nic, packed)
    for n in range(4):
        assert card.one(n, (n + 2, n + 2)) == OK
    before = card.limits()
    whole = struct.pack("<BBHHII", 6, VQ_SET, 0, 0, 8, 8)
    wrong = [whole[:n] for n in range(2, len(whole))]
    wrong += [whole + bytes(n) for n in (1, 2, 50, 1100)]
    ask = struct.pack("<BBHH", 6, VQ_GET, 0, 0)
    wrong += [ask[:n] for n in range(2, len(ask))] + [ask + bytes(n) for n in (1, 2, 8, 1100)]
    wrong += [bytes([6, n]) + whole[2:] for n in (4, 5, 255)]
    for data in wrong:
        answer, used = card.driver.ask(card.control, data, [1, 8])
        assert (answer, used) == (b"\x01" + b"\xff" * 8, 1), data
    for queue in (CONTROL, CONTROL + 1, 2 * 64, 255, 256, 1 << 15, 0xFFFF):
        assert card.one(queue, (8, 8)) == ERR
        assert card.get(queue) is None
    for usecs in (LATEST + 1, 1 << 16, 1 << 31):
        assert card.one(0, (8, usecs)) == ERR
    # No room for the result, or not behind the answer.
    for sizes in ((1,), (8,), (1, 7), (5, 8), (1, 4, 4), (2, 8)):
        assert card.get(0, sizes) is None
    assert card.limits() == before


def test_a_driver_without_the_feature(nic: Dut) -> None:
    card = Card(nic, packed=False, features=~VQ_NOTF_COAL)
    assert card.one(0, (8, 8)) == ERR
    assert card.get(0) is None
    card.all(RX_SET, (0, 4))


def packet(port: int) -> bytes:
    """A packet of the flow from a port."""
    head = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:42")
    return bytes(head / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=port, dport=9) / bytes(30))


def test_queues_have_their_own_limits(nic: Dut, packed: bool) -> None:
    """At 250 MHz a microsecond is 250 cycles. Flows 0 and 1 go to pairs 0 and 1."""
    card = Card(nic, packed)
    driver = card.driver
    assert card.command(b"\x04\x00\x02\x00") == OK
    steering = Steering(driver)
    for pair in range(PAIRS):
        steering.insert(Flow("udp", "10.0.0.1", pair, "10.0.0.2", 9), pair)
        buffers(driver, 2 * pair, [256] * 16)
    nic.run(1000)

    def receive(pair: int, count: int = 1) -> int:
        q = driver.queues[2 * pair]
        driver.event(q, q.used)
        nic.recv(IRQ)
        nic.send("s_axis_eth0", [packet(pair)] * count)
        took = card.until_interrupt(2 * pair)
        assert driver.take(q) == count
        q.done.clear()
        nic.run(1000)
        return took

    def held(usecs: int, took: int) -> bool:
        return 250 * (usecs - 1) <= took <= 250 * (usecs + 1) + 1000

    assert card.one(2, (4, 20)) == OK
    assert receive(0) < 1000 and held(20, receive(1)) and receive(1, 4) < 1200
    assert card.one(0, (0, 10)) == OK
    assert held(10, receive(0)) and held(20, receive(1))
    assert card.send(0) < 1000 and card.send(1) < 1000
    assert card.one(3, (0, 15)) == OK
    assert card.send(0) < 1000 and held(15, card.send(1))
    card.all(TX_SET, (0, 6))
    assert held(6, card.send(0)) and held(6, card.send(1)) and held(10, receive(0))
    card.all(RX_SET, (0, 0))
    assert receive(0) < 1000 and receive(1) < 1000
    # New limits count for an interrupt that waits already.
    assert card.one(2, (0, LATEST)) == OK
    q = driver.queues[2]
    driver.event(q, q.used)
    nic.recv(IRQ)
    nic.send("s_axis_eth0", [packet(1)])
    assert card.until_interrupt(2, 5000) >= 5000
    assert card.one(2, (1, LATEST)) == OK
    assert card.until_interrupt(2, 5000) < 100
