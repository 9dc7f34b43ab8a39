# SPDX-License-Identifier: Apache-2.0
"""SW2 network interface: AOTF, BOTF, RDMA write, their protection, and what is written where."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest
from kumihimo.testing import Dut
from kumihimo.testing.backends import DutMemory
from kumihimo.testing.sizes import by_size
from sw2_packets import AOTF, BOTF, MAX_DATA, RDMA, Packet

NODE = 5
OKAY, SLVERR = 0, 2
KICK, WINDOW, REGION = 0, 1, 2
WINDOWS_AT = 1 << 19


class Interface:
    """The interface under test, and what an operating system does with it."""

    def __init__(self, dut: Dut) -> None:
        self.dut = dut
        dut.restart()
        for pin in ("write_valid", "write_sel", "write_index", "write_entry"):
            dut.set(pin, 0)
        self.memory: DutMemory = dut.memory("m_axi")
        for pin in ("tx_ev", "rx_ev"):
            dut.watch(pin)

    def write(self, table: int, index: int, entry: int) -> None:
        self.dut.set("write_sel", table)
        self.dut.set("write_index", index)
        self.dut.set("write_entry", entry)
        self.dut.set("write_valid", 1)
        self.dut.run(1)
        self.dut.set("write_valid", 0)

    def kick(self, index: int, dst: int, region: int, pgid: int, offset: int, limit: int = 4096,
             vc: int = 0, enable: int = 1) -> None:  # fmt: skip
        entry = (
            offset | pgid << 32 | region << 48 | dst << 56 | limit << 72 | vc << 85 | enable << 87
        )
        self.write(KICK, index, entry)

    def window(self, index: int, pgid: int, base: int = 0, limit: int = 0, vc: int = 0,
               enable: int = 1) -> None:  # fmt: skip
        self.write(WINDOW, index, limit | base << 32 | pgid << 64 | vc << 80 | enable << 82)

    def region(self, index: int, pgid: int, base: int, limit: int, enable: int = 1) -> None:
        self.write(REGION, index, limit | base << 32 | pgid << 64 | enable << 80)

    def store(self, address: int, data: bytes, strobes: int = 0xFF) -> int:
        """One burst of whole words; the response."""
        self.dut.send("s_axis_store", [struct.pack("<Q", address | strobes << 32) + data])
        return int(self.dut.recv("m_axis_resp", 1, 5000)[0].data[0])

    def byte_store(self, address: int, data: bytes) -> int:
        """1 to 8 bytes at any address of a word."""
        lane = address % 8
        strobes = ((1 << len(data)) - 1) << lane
        return self.store(address, bytes(lane) + data + bytes(8 - lane - len(data)), strobes)

    def command(self, window: int, words: list[int], data: bytes = b"") -> int:
        """Fill a window and kick it; the response to the kick."""
        at = WINDOWS_AT | window << 12
        text = struct.pack(f"<{len(words)}Q", *words) + data + bytes(-len(data) % 8)
        first = self.store(at, text)
        return first or self.store(at + 63 * 8, bytes(8))

    def botf(
        self, window: int, data: bytes, dst: int, region: int, offset: int, op: int = BOTF
    ) -> int:
        head = dst | region << 32 | len(data) << 40 | op << 56
        return self.command(window, [head, offset], data)

    def rdma(self, window: int, length: int, dst: int, region: int, offset: int, local: int) -> int:
        return self.command(window, [dst | region << 32 | length << 40 | RDMA << 56, offset, local])

    def idle(self) -> None:
        self.dut.run_until(lambda: self.dut.get("window_busy") == 0, 20_000, what="windows idle")

    def events(self, pin: str) -> dict[str, int]:
        return {k: v for k, v in self.dut.counts(pin).items() if v}


@pytest.fixture(scope="module")
def model() -> Dut:
    return Dut.of_module(
        "tests/rtl/ib/kumi_tb_sw2_ni.sv",
        interfaces={"*": {"DATA_W": 64}, "m_axis_tx": {"DEST_W": 2}, "s_axis_rx": {"DEST_W": 2},
                    "m_axi": {"ADDR_W": 32}},
        files=["tests/rtl/ib/kumi_tb_sw2_stores.sv"],
    )  # fmt: skip


@pytest.fixture
def ni(model: Dut) -> Interface:
    return Interface(model)


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_aotf(ni: Interface, stall: float) -> None:
    """Stores of 1 to 8 bytes at every place of a word; the header is that of the page."""
    if stall:
        ni.dut.stall_all(stall, stall, seed=3)
    ni.kick(1, dst=9, region=3, pgid=0xBEEF, offset=0x1_0000, limit=64, vc=2)
    rng = random.Random(1)
    wanted = []
    for length in range(1, 9):
        for lane in range(9 - length):
            data, word = rng.randbytes(length), rng.randrange(8)
            assert ni.byte_store(0x1000 + 8 * word + lane, data) == OKAY
            place = 0x1_0000 + 8 * word + lane
            wanted.append(Packet(data, 9, NODE, 3, 0xBEEF, place, AOTF))
    got = ni.dut.recv("m_axis_tx", len(wanted))
    assert [Packet.of(f.data) for f in got] == wanted
    assert {f.dest for f in got} == {2}
    # A burst is a packet for each word.
    assert ni.store(0x1000, bytes(range(24))) == OKAY
    assert [Packet.of(f.data).data for f in ni.dut.recv("m_axis_tx", 3)] == [
        bytes(range(n, n + 8)) for n in (0, 8, 16)
    ]
    assert ni.events("tx_ev") == {}


def test_stores_that_are_refused(ni: Interface) -> None:
    """Pages not enabled or not built, beyond the limit, strobes with a hole: no packet."""
    ni.kick(0, dst=1, region=0, pgid=1, offset=0, limit=20)
    ni.kick(2, dst=1, region=0, pgid=1, offset=0, enable=0)
    assert ni.byte_store(16, b"four") == OKAY
    for address, data in ((17, b"four"), (20, b"x"), (0x800, b"x"), (0x1000, b"x"), (0x2000, b"x"),
                          (0x4000, b"x"), (0x7F000, b"x")):  # fmt: skip
        assert ni.byte_store(address, data) == SLVERR, hex(address)
    for strobes in (0, 0b101, 0b10000001):
        assert ni.store(0, bytes(8), strobes) == SLVERR
    ni.dut.run(100)
    assert len(ni.dut.recv("m_axis_tx")) == 1
    assert ni.events("tx_ev") == {"store_refused": 10}


def test_botf(ni: Interface) -> None:
    """Every length from 8 to 472; the process group is the window's and not the process's."""
    for w in range(4):
        ni.window(w, pgid=0x1000 + w, vc=w)
    rng = random.Random(2)
    lengths = by_size([8, 9, 15, 16, 17, 100, 471, MAX_DATA], list(range(8, MAX_DATA + 1)))
    for n, length in enumerate(lengths):
        data = rng.randbytes(length)
        assert ni.botf(n % 4, data, dst=7, region=n % 256, offset=8 * n) == OKAY
        [got] = ni.dut.recv("m_axis_tx", 1)
        assert Packet.of(got.data) == Packet(data, 7, NODE, n % 256, 0x1000 + n % 4, 8 * n, BOTF)
        assert got.dest == n % 4
        ni.idle()
    assert ni.events("tx_ev") == {}


def test_windows_by_turns_and_refused(ni: Interface) -> None:
    """A busy window refuses words; another takes them; disabled and missing ones refuse."""
    ni.window(0, pgid=1)
    ni.window(1, pgid=1)
    ni.window(2, pgid=1, enable=0)
    ni.dut.stall("m_axis_tx", 1.0)
    assert ni.botf(0, b"first window", 1, 0, 0) == OKAY
    ni.dut.run(30)
    assert ni.botf(1, b"other window", 1, 0, 0) == OKAY
    assert ni.botf(1, b"too early!!!", 1, 0, 0) == SLVERR
    assert ni.botf(2, b"not enabled!", 1, 0, 0) == SLVERR
    assert ni.botf(5, b"not built!!!", 1, 0, 0) == SLVERR
    assert ni.store(WINDOWS_AT, bytes(8), 0x0F) == SLVERR
    ni.dut.stall("m_axis_tx", 0.0)
    got = [Packet.of(f.data).data for f in ni.dut.recv("m_axis_tx", 2)]
    assert got == [b"first window", b"other window"]
    ni.idle()
    for data, offset, op in ((b"7 bytes", 0, BOTF), (bytes(473), 0, BOTF), (bytes(8), 4, BOTF),
                             (bytes(8), 0, AOTF), (bytes(8), 0, 9)):  # fmt: skip
        assert ni.botf(0, data[:472], 1, 0, offset, op) == OKAY if len(data) <= 472 else True
        if len(data) > 472:
            assert ni.command(0, [len(data) << 40 | op << 56, offset], bytes(16)) == OKAY
        ni.idle()
    ni.dut.run(50)
    assert ni.dut.recv("m_axis_tx") == []
    found = ni.events("tx_ev")
    assert found["kick_refused"] == 5 and found["window_refused"] > 4


def test_rdma_write(ni: Interface) -> None:
    """Any length of local memory, in packets of 472 bytes; slow memory, back-pressure."""
    rng = random.Random(3)
    base, limit = 0x2_0000, 0x1_0000
    image = rng.randbytes(limit)
    ni.memory.write(base, image)
    ni.window(0, pgid=77, base=base, limit=limit)
    for length, local, slow in ((1, 0, 1), (472, 8, 1), (473, 16, 40), (5000, 800, 90),
                                (limit - 8, 8, 1)):  # fmt: skip
        ni.memory.configure(latency_cycles=slow)
        ni.dut.stall_all(0.0, 0.3 if slow > 1 else 0.0, seed=length)
        assert ni.rdma(0, length, dst=3, region=2, offset=0x100, local=local) == OKAY
        count = -(-length // MAX_DATA)
        data = b""
        for n, frame in enumerate(ni.dut.recv("m_axis_tx", count, 200_000)):
            got = Packet.of(frame.data)
            assert got == Packet(got.data, 3, NODE, 2, 77, 0x100 + n * MAX_DATA, RDMA)
            data += got.data
        assert data == image[local : local + length]
        ni.idle()
    for length, local in ((0, 0), (16, limit - 8), (limit - 1, 8), (8, 4), (8, 0xFFFF_FFF8)):
        assert ni.rdma(0, length, 3, 2, 0, local) == OKAY
        ni.idle()
    assert ni.events("tx_ev") == {"kick_refused": 5}
    ni.memory.fault(base + 512, 8)
    assert ni.rdma(0, 944, 3, 2, 0, 0) == OKAY
    [only] = ni.dut.recv("m_axis_tx", 1)  # the packet with the error is dropped
    ni.idle()
    ni.dut.run(100)
    assert Packet.of(only.data).data == image[:472] and ni.dut.recv("m_axis_tx") == []
    assert ni.events("tx_ev")["read_error"] == 1


def test_remote_writes(ni: Interface) -> None:
    """Random packets, half of them wrong: memory is what the rules say, byte for byte."""
    rng = random.Random(4)
    size = 0x8000
    model = bytearray(rng.randbytes(size))
    ni.memory.write(0, bytes(model))
    regions = {0: (11, 0x1000, 0x800), 1: (12, 0x1800, 13), 2: (11, 0x4000, 0x2000)}
    for index, (pgid, base, limit) in regions.items():
        ni.region(index, pgid, base, limit)
    ni.region(3, 11, 0x7000, 0x100, enable=0)
    ni.dut.stall_all(0.0, 0.2, seed=5)
    ni.memory.configure(latency_cycles=3)
    counts = dict.fromkeys(
        ("received", "wrong_node", "bad_packet", "bad_region", "out_of_bounds"), 0
    )
    for _ in range(by_size(300, 5000)):
        region = rng.randrange(6) if rng.random() < 0.2 else rng.randrange(3)
        pgid, base, limit = regions.get(region, (11, 0, 64))
        op = rng.choice([AOTF, BOTF, RDMA])
        length = rng.randrange(1, 9) if op == AOTF else rng.randrange(1, MAX_DATA + 1)
        offset = rng.randrange(0, limit + 8)
        if op != AOTF:
            offset &= ~7
            length = min(length, rng.choice([8, 16, MAX_DATA]))
        else:
            length = min(length, 8 - offset % 8)
        packet = Packet(rng.randbytes(length), NODE, 1, region, pgid, offset, op)
        kind = rng.random()
        if kind < 0.1:
            packet = replace(packet, dst=rng.choice([0, 4, NODE ^ 0x100]))
        elif kind < 0.2:
            packet = replace(packet, pgid=rng.choice([0, pgid ^ 1]))
        elif kind < 0.25:
            packet = replace(packet, offset=rng.choice([0xFFFF_FFF8, 0x8000_0000]))
        elif kind < 0.3:
            packet = replace(packet, op=rng.choice([0, 4, 15]))
        length, offset = len(packet.data), packet.offset
        raw = packet.raw()
        if kind > 0.95:
            raw += bytes(8)  # a word that the head does not know of: passed over
        if packet.dst != NODE:
            why = "wrong_node"
        elif packet.op not in (AOTF, BOTF, RDMA):
            why = "bad_packet"
        elif region not in regions or packet.pgid != pgid:
            why = "bad_region"
        elif offset + length > limit:
            why = "out_of_bounds"
        else:
            why = "received" if kind <= 0.95 else "bad_packet"
            model[base + offset : base + offset + length] = packet.data
        counts[why] += 1
        ni.dut.send("s_axis_rx", [raw], dest=rng.randrange(4))
        ni.dut.drain()
    assert ni.memory.read(0, size) == bytes(model)
    assert ni.events("rx_ev") == counts
    assert min(counts.values()) > 5
    # Shorter than head and address, shorter than its length, memory that answers with an error.
    good = Packet(bytes(16), NODE, 1, 2, 11, 0).raw()
    for raw in (good[:8], good[:16], good[:24]):
        ni.dut.send("s_axis_rx", [raw])
    ni.dut.drain()
    assert ni.events("rx_ev")["bad_packet"] == counts["bad_packet"] + 3
    ni.memory.fault(0x4000, 8)
    ni.dut.send("s_axis_rx", [good])
    ni.dut.drain()
    ni.dut.run(100)
    assert ni.events("rx_ev")["write_error"] == 1


MUX = DEMUX = 1  # cycles of the bench's own parts
SEEN = 2  # from the last cycle before a write until the memory shows it


def test_latency(ni: Interface) -> None:
    """W of an 8-byte store to its first beat, and a packet to its write: 5 cycles each."""
    ni.kick(0, dst=NODE, region=0, pgid=1, offset=0)
    ni.region(0, pgid=1, base=0, limit=4096)
    packet = Packet(b"8 bytes!", NODE, 0, 0, 1, 0).raw()
    for wait in range(4):
        ni.dut.run(40 + wait)
        ni.dut.sent("s_axis_store")
        ni.byte_store(0, b"8 bytes!")
        [(_, stored)] = ni.dut.sent("s_axis_store")
        [frame] = ni.dut.recv("m_axis_tx", 1)
        assert frame.cycle - stored == 5 + MUX
        ni.memory.write(0, bytes(8))
        ni.dut.sent("s_axis_rx")
        ni.dut.send("s_axis_rx", [packet])
        written = ni.dut.run_until(lambda: ni.memory.read(0, 8) == b"8 bytes!", 100)
        [(first, _)] = ni.dut.sent("s_axis_rx")
        assert written - first == DEMUX + 5 + SEEN
    assert ni.events("rx_ev") == {"received": 4}
