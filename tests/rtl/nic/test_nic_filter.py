# SPDX-License-Identifier: Apache-2.0
"""Filters of the network card: addresses, groups, VLANs, modes; commands that are wrong."""

from __future__ import annotations

import random
import struct
from itertools import pairwise

from kumihimo.testing import Dut
from kumihimo.testing.virtio import CTRL_VLAN, IRQ, Driver
from nic_bench import CONTROL, MAC, frame
from test_nic import buffers, ready, received

ENTRIES = 32  # of the card's table
EVERYBODY = 0xFFFFFFFFFFFF
GROUP = 0x3333_0000_0001
PROMISCUOUS, ALL_GROUPS, ALL_SINGLE, NO_GROUPS, NO_SINGLE, NO_BROADCAST = range(6)
OK, ERR = 0, 1


def table(single: list[int], groups: list[int]) -> bytes:
    """VIRTIO_NET_CTRL_MAC_TABLE_SET."""
    out = b"\x01\x00"
    for addresses in (single, groups):
        out += struct.pack("<I", len(addresses))
        out += b"".join(a.to_bytes(6, "big") for a in addresses)
    return out


def tagged(vlan: int, to: int = MAC) -> bytes:
    """A frame with an 802.1Q tag, priority 5."""
    plain = frame(60, vlan & 0xFF, to)
    return plain[:12] + struct.pack("!HH", 0x8100, 0xA000 | vlan) + plain[12:]


class Card:
    """A card with a driver that gives commands and looks at what arrives."""

    def __init__(self, dut: Dut, features: int = ~0) -> None:
        self.dut = dut
        self.driver: Driver = ready(dut, False, features)
        self.given = buffers(self.driver, 0, [256] * 16)
        dut.run(2000)

    def command(self, data: bytes) -> int:
        """The answer to a command."""
        return self.driver.command(self.driver.queues[CONTROL], data)

    def mode(self, number: int, on: bool) -> None:
        """A mode of receiving."""
        assert self.command(bytes([0, number, on])) == OK

    def passes(self, frames: list[bytes]) -> list[bytes]:
        """Those of the frames that arrive; a last one shows that all have been looked at."""
        end = frame(99, 99)
        self.mode(PROMISCUOUS, False)
        self.dut.send("s_axis_eth0", frames)
        self.dut.run(600)
        self.mode(PROMISCUOUS, True)
        self.dut.send("s_axis_eth0", [end])
        got: list[bytes] = []
        while not got or got[-1] != end:
            got += received(self.driver, 0, self.given, 1)
            self.given += buffers(self.driver, 0, [256])
        self.mode(PROMISCUOUS, False)
        return got[:-1]


def test_addresses_and_groups(nic: Dut) -> None:
    rng = random.Random(1)
    card = Card(nic)
    single = [rng.getrandbits(46) << 2 & ~(1 << 40) | 1 for _ in range(ENTRIES)]
    groups = [a | 1 << 40 for a in single]

    def to(addresses: list[int]) -> list[bytes]:
        return [frame(60, i, a) for i, a in enumerate(addresses)]

    # Before a table is set: our own address, and all groups.
    mine = to([MAC, EVERYBODY, GROUP])
    assert card.passes(mine + to(single[:2])) == mine
    # Each address of a full table, and none that differs in a bit of any quarter of it.
    assert card.command(table(single[:20], groups[20:])) == OK
    near = [a ^ 1 << rng.randrange(12) + 12 * i for i, a in enumerate(single[:4])]
    near = [a for a in near if not a >> 40 & 1]
    inside = to([MAC, EVERYBODY, *single[:20], *groups[20:]])
    outside = to([*near, GROUP, single[20], groups[19]])
    assert card.passes(inside[:8] + outside) == inside[:8]
    assert card.passes(inside[8:20] + outside) == inside[8:20]
    assert card.passes(inside[20:] + outside) == inside[20:]
    # Another table replaces it; an empty one leaves ourselves and broadcast.
    assert card.command(table([], [GROUP])) == OK
    assert card.passes(to([single[0], GROUP, groups[25], MAC])) == to([0, GROUP, 0, MAC])[1::2]
    assert card.command(table([], [])) == OK
    assert card.passes(to([GROUP, EVERYBODY])) == [frame(60, 1, EVERYBODY)]
    # One address too many opens its half, not the other.
    assert card.command(table(single[: ENTRIES - 1], [groups[0], groups[1]])) == OK
    assert card.passes(to([GROUP, single[-1], single[0]])) == [
        frame(60, 0, GROUP), frame(60, 2, single[0])
    ]  # fmt: skip
    assert card.command(table([*single, 4], [])) == OK
    assert card.passes(to([0x02AAAAAAAAAA, GROUP])) == [frame(60, 0, 0x02AAAAAAAAAA)]


def test_modes(nic: Dut) -> None:
    card = Card(nic)
    assert card.command(table([], [])) == OK
    kinds = [MAC, EVERYBODY, GROUP, 0x02AAAAAAAAAA]
    frames = [frame(60, i, a) for i, a in enumerate(kinds)]
    for on, arrive in (
        ([], [0, 1]),
        ([ALL_GROUPS], [0, 1, 2]),
        ([ALL_SINGLE], [0, 1, 3]),
        ([NO_BROADCAST], [0]),
        ([NO_SINGLE], [1]),
        ([NO_SINGLE, ALL_SINGLE], [1]),
        ([NO_GROUPS, ALL_GROUPS], [0, 1]),
    ):
        for mode in on:
            card.mode(mode, True)
        assert card.passes(frames) == [frames[i] for i in arrive], on
        for mode in on:
            card.mode(mode, False)
    # A reset forgets all of it.
    card.mode(NO_SINGLE, True)
    card = Card(nic)
    assert card.passes(frames) == frames[:3]


def test_vlans(nic: Dut) -> None:
    card = Card(nic)

    def vlan(command: int, number: int) -> int:
        return card.command(bytes([2, command]) + struct.pack("<H", number))

    some = [0, 1, 77, 2048, 4094, 4095]
    frames = [tagged(n) for n in some]
    plain = frame(60)
    assert card.passes([*frames, plain]) == [plain]
    for n in (0, 77, 4095):
        assert vlan(0, n) == OK
    assert card.passes([*frames, plain]) == [frames[0], frames[2], frames[5], plain]
    assert card.passes([tagged(77, 0x02AAAAAAAAAA), tagged(77, EVERYBODY)]) == [
        tagged(77, EVERYBODY)
    ]
    assert vlan(1, 77) == OK
    assert vlan(1, 5) == OK
    assert card.passes([tagged(77), tagged(4095)]) == [tagged(4095)]
    assert vlan(0, 4096) == ERR
    # After a reset none is let through; a driver without the feature gets all.
    card = Card(nic)
    assert card.passes(frames) == []
    card = Card(nic, ~CTRL_VLAN)
    assert card.passes(frames) == frames


def test_wrong_commands_change_nothing(nic: Dut) -> None:
    card = Card(nic)
    good = table([0x020000000077], [GROUP])
    assert card.command(good) == OK
    wrong = [
        *(good[:n] for n in range(2, len(good))),
        good + b"x",
        good + b"xy",
        good + bytes(700),
        b"\x01\x00" + struct.pack("<I", 1 << 16) + bytes(12),
        b"\x01\x00" + struct.pack("<II", 0, 1 << 31),
        b"\x00\x06\x01",
        b"\x00\x01",
        b"\x00\x01\x01\x00",
        b"\x02\x00\x01",
        b"\x02\x00\x01\x00\x00",
        b"\x02\x02\x01\x00",
        b"\x06\x01" + struct.pack("<II", 8, 1 << 15),
        b"\x06\x00" + struct.pack("<I", 8),
    ]
    for command in wrong:
        assert card.command(command) == ERR, command[:12]
    frames = [frame(60, i, a) for i, a in enumerate((0x020000000077, GROUP, GROUP + 1))]
    assert card.passes(frames) == frames[:2]


def test_held_back_interrupts(nic: Dut) -> None:
    """After so many frames, or so long: at 250 MHz a microsecond is 250 cycles."""
    card = Card(nic)
    driver, q = card.driver, card.driver.queues[0]

    def until_interrupt(frames: int, limit: int) -> int:
        """Cycles from the frames to an interrupt of the receive queue."""
        driver.event(q, q.used)
        nic.recv(IRQ)
        begin = nic.cycle
        nic.send("s_axis_eth0", [frame(60, i) for i in range(frames)])
        while nic.cycle - begin < limit:
            nic.run(10)
            if any(irq.data == bytes(2) for irq in nic.recv(IRQ)):  # the vector of queue 0
                break
        took = nic.cycle - begin
        assert received(driver, 0, card.given, frames)
        card.given += buffers(driver, 0, [256] * frames)
        nic.run(1000)
        return took

    at_once = until_interrupt(1, 3000)
    assert at_once < 1000
    times = []
    for usecs in (4, 20):
        assert card.command(b"\x06\x01" + struct.pack("<II", 8, usecs)) == OK
        one, many = until_interrupt(1, 9000), until_interrupt(8, 9000)
        assert at_once + 250 * usecs - 250 <= one <= at_once + 250 * (usecs + 1) + 100
        if usecs == 20:
            assert many < at_once + 600
        times.append(one)
    assert all(a < b for a, b in pairwise(times))
    # Transmit has its own limits, and the control queue none.
    assert card.command(b"\x06\x00" + struct.pack("<II", 0, 20)) == OK
    assert card.command(b"\x06\x01" + struct.pack("<II", 0, 0)) == OK
    assert until_interrupt(1, 3000) < 1000
