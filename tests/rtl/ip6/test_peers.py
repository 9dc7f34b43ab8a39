# SPDX-License-Identifier: Apache-2.0
"""Peers and their handles: kumi_ip6_peers against a model, and through the whole block."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache

import pytest
from ip6bench import (
    FAR,
    GIVEN,
    IP,
    LINK,
    MAC,
    PEER,
    Dut,
    Ether,
    Events,
    IPv6,
    port,
    reply4,
    udp6,
)
from kumihimo.testing.sizes import by_size

pytestmark = pytest.mark.long  # more operations

ENTRIES = 8
SILENCE = 60  # seconds
KNOWN = 3  # packets


@cache
def _table() -> Dut:
    return Dut.of_module("hw/ip/ip6/kumi_ip6_peers.sv", {"ENTRIES": ENTRIES})


@dataclass
class Peers:
    """The table, used as kumi_ip6_rx and kumi_ip6_tx use it."""

    dut: Dut = field(default_factory=_table)

    def __post_init__(self) -> None:
        self.dut.restart()
        for pin in ("learn_valid", "find_en", "second"):
            self.dut.set(pin, 0)
        self.dut.run(1)
        self.dut.run_until(lambda: not self.dut.get("clearing"))

    def learn(self, address: int, own: int = 0, mac: int = 1) -> int | None:
        """A packet has come: its handle, or None if there is no room."""
        dut = self.dut
        for pin, value in (("address", address), ("own", own), ("mac", mac), ("valid", 1)):
            dut.set(f"learn_{pin}", value)
        dut.run(1)
        dut.run_until(lambda: dut.get("learn_ready"))
        dut.set("learn_valid", 0)
        dut.run(1)
        dut.run_until(lambda: dut.get("learn_done") or dut.get("learn_full"), timeout_cycles=20)
        assert not (dut.get("learn_done") and dut.get("learn_full"))
        return dut.get("learn_handle") if dut.get("learn_done") else None

    def find(self, handle: int) -> tuple[int, int, int] | None:
        """Address, own address and MAC address of a handle, or None."""
        dut = self.dut
        dut.set("find_handle", handle)
        dut.set("find_en", 1)
        dut.run(1)
        dut.set("find_en", 0)
        dut.set("find_handle", ~handle & 0xFFFFFFFF)
        dut.run(2)
        if not dut.get("found"):
            return None
        return dut.get("found_address"), dut.get("found_own"), dut.get("found_mac")

    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.dut.set("second", 1)
        self.dut.run(seconds)
        self.dut.set("second", 0)


def place(handle: int) -> int:
    """Where in the table a handle is."""
    assert handle >> 28 == 15 and handle != 0xFFFFFFFF
    return handle % ENTRIES


def group(table: Peers, rng: random.Random, count: int, packets: int) -> list[tuple[int, int]]:
    """Peers that share four places: (address, handle)."""
    found: list[tuple[int, int]] = []
    while len(found) < count:
        address = rng.getrandbits(128)
        if address.bit_count() % 2:  # with 8 entries this is the set
            continue
        handle = table.learn(address)
        assert handle is not None
        for _ in range(packets - 1):
            assert table.learn(address) == handle
        found.append((address, handle))
    return found


def invented(rng: random.Random) -> int:
    """An address of the same four places."""
    while (address := rng.getrandbits(128)).bit_count() % 2:
        pass
    return address


def test_reuse() -> None:
    """The next peer of a place has another handle, and the one before is found no more."""
    rng = random.Random(1)
    table = Peers()
    known = group(table, rng, 4, 1)
    assert len({place(handle) for _, handle in known}) == 4
    for n, (_, handle) in enumerate(known):
        table.wait(1)
        assert table.find(handle) == (known[n][0], 0, 1)
    # Each new one takes the place that was silent for longest.
    table.wait(1)
    order = [known[2], known[0], known[3], known[1]]
    for address, handle in order:
        table.wait(1)
        assert table.learn(address) == handle
    for address, handle in order:
        table.wait(1)
        fresh = invented(rng)
        other = table.learn(fresh)
        assert other is not None and place(other) == place(handle) and other != handle
        assert table.find(handle) is None
        assert table.find(other) == (fresh, 0, 1)
        assert address != fresh


def test_known_peers_stay() -> None:
    """Peers with three packets are not displaced by a flood, but after 60 s of silence."""
    rng = random.Random(2)
    table = Peers()
    known = group(table, rng, 3, KNOWN)
    for _ in range(50):  # one place is left for the flood
        assert table.learn(invented(rng)) is not None
        table.wait(1)
        if rng.random() < 0.2:
            for address, handle in known:
                assert table.learn(address) == handle
    for address, handle in known:
        assert table.learn(address) == handle
        assert table.find(handle) == (address, 0, 1)
    fourth = invented(rng)
    known.append((fourth, table.learn(fourth) or 0))
    assert all(table.learn(fourth) == known[3][1] for _ in range(KNOWN - 1))
    for _ in range(SILENCE - 1):
        table.wait(1)
        assert table.learn(invented(rng)) is None
    assert [table.find(handle) for _, handle in known] == [(a, 0, 1) for a, _ in known]
    # One of them speaks; the others are silent for too long now.
    assert table.learn(*known[1][:1]) == known[1][1]
    table.wait(1)
    for _ in range(20):
        assert table.learn(invented(rng)) is not None
    assert [bool(table.find(handle)) for _, handle in known] == [False, True, False, False]


def test_mac_and_own() -> None:
    """The newest MAC address counts; one address speaking to two of ours is two peers."""
    table = Peers()
    first, second = table.learn(99, 0, 5), table.learn(99, 2, 6)
    assert first is not None and second is not None and first != second
    assert table.find(first) == (99, 0, 5)
    assert table.find(second) == (99, 2, 6)
    assert table.learn(99, 0, 7) == first
    assert table.find(first) == (99, 0, 7)
    assert table.find(second) == (99, 2, 6)


def test_never_another() -> None:
    """Random packets and time: a handle means its peer or nothing, whatever happens."""
    rng = random.Random(4)
    table = Peers()
    addresses = [rng.getrandbits(128) for _ in range(12)]
    meant: dict[int, tuple[int, int]] = {}
    macs: dict[tuple[int, int], int] = {}
    lost = 0
    for _ in range(by_size(1500, 8000)):
        if rng.random() < 0.1:
            table.wait(rng.choice((1, 1, 30, 61)))
        address = rng.getrandbits(128) if rng.random() < 0.3 else rng.choice(addresses)
        who = address, rng.choice((0, 0, 2))
        mac = rng.getrandbits(48)
        handle = table.learn(*who, mac)
        if handle is not None:
            assert meant.setdefault(handle, who) == who
            macs[who] = mac
            assert table.find(handle) == (*who, mac)
        handle = rng.choice(list(meant))
        found = table.find(handle)
        assert found in (None, (*meant[handle], macs[meant[handle]]))
        lost += found is None
    assert lost > 100 and len(meant) > 200


def test_through_the_block() -> None:
    """Answers leave from the address that was asked, to the station that spoke last."""
    rng = random.Random(5)
    dut = port(64)
    frames = {}
    for n, (src, dst) in enumerate(((PEER, LINK), (PEER, GIVEN), (FAR, GIVEN), (FAR, LINK))):
        for mac in (f"02:00:00:00:01:{n:02x}", f"02:00:00:00:02:{n:02x}"):
            dut.send("s_eth", bytes(udp6(9, rng, src=src, dst=dst, mac=mac)))
            frames[src, dst] = mac, dut.recv("m_stack", 1)[0]
    assert len({Ether(frame.data)[IP].src for _, frame in frames.values()}) == 4
    for (src, dst), (mac, frame) in frames.items():
        dut.send("s_stack", reply4(frame))
        out = Ether(dut.recv("m_eth", 1)[0].data)
        assert (out.src, out.dst, out[IPv6].src, out[IPv6].dst) == (MAC, mac, dst, src)


def test_flood_through_the_block() -> None:
    """Invented addresses are dropped where they find no room; peers in use are served."""
    rng = random.Random(6)
    dut = port(64, second_ticks=60000)  # no peer is silent for long
    # Four peers in the same places: the low bits of a handle say where.
    places: dict[int, list[str]] = {}
    while max(map(len, places.values()), default=0) < 4:
        src = f"2001:db8::{rng.getrandbits(16):x}:{rng.getrandbits(16):x}"
        dut.send("s_eth", bytes(udp6(1, rng, src=src)))
        where = int.from_bytes(dut.recv("m_stack", 1)[0].data[26:30], "big") & 0xFC
        places.setdefault(where, []).append(src)
    where, known = max(places.items(), key=lambda item: len(item[1]))
    frames = [bytes(udp6(1, rng, src=src)) for src in known]
    dut.send("s_eth", frames * KNOWN)
    dut.recv("m_stack", len(frames) * KNOWN)
    speak = Events(dut)
    flood = []
    for _ in range(1500):
        data = bytearray(frames[0])
        data[30:38] = rng.randbytes(8)
        flood.append(bytes(data))
    dut.send("s_eth", flood)
    dut.drain(100_000)
    dut.run(200)
    dut.recv("m_stack")
    found = speak()
    assert found["rx_packet"] + found["drop_peers"] == len(flood)
    assert found["drop_peers"] > 5
    dut.send("s_eth", frames)
    again = dut.recv("m_stack", 4)
    assert {int.from_bytes(f.data[26:30], "big") & 0xFC for f in again} == {where}
    assert speak() == {"rx_packet": 4}
