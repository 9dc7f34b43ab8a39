# SPDX-License-Identifier: Apache-2.0
"""kumi_dma at every width with a memory that is slow, answers out of order, and refuses."""

from __future__ import annotations

import random

import pytest
from dma_bench import DmaBench
from kumihimo.host import Flag
from kumihimo.testing import Frame
from kumihimo.testing.sizes import data_widths

pytestmark = pytest.mark.long  # all data widths

WIDTHS = data_widths(64, 128, 256, 512)
SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300, 1023, 1024, 1025]


def lengths(rng: random.Random, count: int, longest: int = 5000) -> list[int]:
    """Edges, and any length."""
    return [rng.choice([*SIZES, rng.randint(1, longest), 4096, 1500]) for _ in range(count)]


def check_sent(bench: DmaBench, packets: list[list[bytes]], dests: list[int]) -> None:
    """Send packets and compare what comes out of the stream."""
    done = bench.send_packets(packets, dests)
    assert all(d.code == 0 for d in done)
    assert [d.length for d in done] == [len(p) for pieces in packets for p in pieces]
    frames = bench.dut.recv("m_axis", len(packets))
    for i, (frame, pieces) in enumerate(zip(frames, packets, strict=True)):
        assert frame.data == b"".join(pieces), f"packet {i}: {[len(p) for p in pieces]}"
        assert not frame.bad and frame.dest == dests[i]


def check_received(bench: DmaBench, frames: list[Frame], sizes: list[int]) -> None:
    """Receive frames and compare what memory holds."""
    got = bench.recv_packets(frames, sizes)
    for i, (a, b) in enumerate(zip(frames, got, strict=True)):
        assert (a.data, a.bad, a.id) == (b.data, b.bad, b.id), f"packet {i} of {len(a.data)} bytes"


@pytest.mark.parametrize("width", WIDTHS)
def test_random(width: int) -> None:
    """Any lengths, alignments, pieces and back-pressure, both ways."""
    bench = DmaBench(width)
    rng = random.Random(width)
    bench.memory.configure(latency_ps=400_000, jitter_ps=300_000, reorder=True, interleave=True)
    bench.send.start()
    bench.recv.start()
    for stall in (0.0, 0.4):
        bench.dut.stall_all(stall, stall, seed=width)
        packets = [
            [rng.randbytes(n) for n in lengths(rng, rng.choice([1, 1, 1, 2, 5]), 2000)]
            for _ in range(60)
        ]
        check_sent(bench, packets, [rng.randrange(256) for _ in packets])
        frames = [
            Frame(rng.randbytes(n), bad=rng.random() < 0.2, id=rng.randrange(256))
            for n in lengths(rng, 60)
        ]
        check_received(bench, frames, [5000, 2000, 64, 1, 7, 300])
    check_sent(bench, [[rng.randbytes(65536)], [rng.randbytes(65535)]], [1, 2])
    check_received(bench, [Frame(rng.randbytes(65536)), Frame(b"x")], [65536, 70000])
    counts = bench.block.counters()
    assert (counts["send_packets"], counts["recv_packets"]) == (122, 122)
    assert counts["send_errors"] == counts["recv_errors"] == 0


@pytest.mark.parametrize("width", [64, 512])
def test_every_alignment(width: int) -> None:
    """Every offset with lengths around a beat, both ways, offsets of the pieces independent."""
    bench = DmaBench(width, log2=8)
    bench.send.start()
    bench.recv.start()
    beat = width // 8
    rng = random.Random(3)
    count = 0
    for offset in range(beat):
        packets = []
        for length in {1, beat - 1, beat, beat + 1, 2 * beat + 3}:
            data = rng.randbytes(length)
            at = 0x20_0000 + count * 1024 + offset
            bench.memory.write(at, data)
            bench.send.post(at, length, Flag.SOP | Flag.EOP)
            to = 0x80_0000 + count * 1024 + offset
            bench.memory.write(to - 64, bytes(512))
            bench.recv.post(to, length)
            packets.append((data, to))
            count += 1
        bench.send.doorbell()
        bench.recv.doorbell()
        frames = bench.dut.recv("m_axis", len(packets))
        bench.dut.send("s_axis", frames)
        bench.dut.run(200)
        assert len(bench.send.reap()) == len(bench.recv.reap()) == len(packets)
        for (data, to), frame in zip(packets, frames, strict=True):
            assert frame.data == data
            assert bench.memory.read(to - 64, 512) == bytes(64) + data + bytes(448 - len(data))


@pytest.mark.parametrize("params", [{"BURST": 2}, {"BURST": 256}, {"BURST": 16, "ADDR_W": 40}])
def test_bursts(params: dict[str, int]) -> None:
    """Bursts as long as the parameter says, none longer, none over a page."""
    bench = DmaBench(64, **params)
    rng = random.Random(5)
    bench.send.start()
    bench.recv.start()
    before = bench.memory.stats
    check_sent(bench, [[rng.randbytes(16384)]], [0])
    check_received(bench, [Frame(rng.randbytes(16384))], [16384])
    after = bench.memory.stats
    burst = params["BURST"]
    # 2048 beats (and one for the alignment) of data, at most two partial bursts; descriptors and
    # completions beside.
    least = 2048 // burst
    for way, beside in (("read", 32), ("write", 2)):
        bursts = after[f"{way}_bursts"] - before[f"{way}_bursts"]
        assert least <= bursts <= least + 1 + beside, way


def test_address_width() -> None:
    """Bits beyond the engine's addresses are an illegal descriptor, not another address."""
    bench = DmaBench(64, BURST=16, ADDR_W=40)
    bench.send.start()
    bench.recv.start()
    bench.send.post(1 << 40, 64, Flag.SOP | Flag.EOP)
    bench.recv.post(1 << 40, 64)
    bench.send.doorbell()
    bench.recv.doorbell()
    (frame,) = bench.dut.recv("m_axis", 1)
    assert frame.bad
    bench.dut.run(100)
    assert bench.send.reap()[0].code == bench.recv.reap()[0].code == 3


@pytest.mark.parametrize("width", [64, 256])
def test_no_memory(width: int) -> None:
    """DECERR: a code, bad packets, and the ring continues."""
    bench = DmaBench(width)
    bench.memory.configure(size=1 << 28, latency_ps=200_000)
    bench.send.start()
    bench.recv.start()
    places = [0x20_0000, 1 << 28, (1 << 28) - 100, 0x21_0000]
    for at in places:
        bench.send.post(at, 200, Flag.SOP | Flag.EOP)
        bench.recv.post(at, 200)
    bench.send.doorbell()
    bench.recv.doorbell()
    frames = bench.dut.recv("m_axis", 4)
    assert [f.bad for f in frames] == [False, True, True, False]
    assert all(len(f.data) == 200 for f in frames)
    bench.dut.send("s_axis", [b"y" * 200] * 4)
    bench.dut.run(1000)
    assert [d.code for d in bench.send.reap()] == [0, 2, 2, 0]
    assert [d.code for d in bench.recv.reap()] == [0, 2, 2, 0]
    assert bench.memory.read(0x21_0000, 200) == b"y" * 200
    bench.send.check()
    bench.recv.check()


@pytest.mark.parametrize("width", [64, 256])
def test_stop(width: int) -> None:
    """Stopped at any time, with the stream blocked for ever: idle comes, memory stays alone."""
    bench = DmaBench(width)
    bench.memory.configure(latency_ps=500_000, jitter_ps=500_000, reorder=True)
    rng = random.Random(9)
    data = rng.randbytes(1000)
    cuts = 0
    for trial in range(25):
        bench.dut.stall("m_axis", 1.0 if trial % 3 == 0 else 0.5, seed=trial + 1)
        bench.dut.stall("s_axis", 0.9, seed=trial + 1)
        bench.send.start()
        bench.recv.start()
        for i in range(16):
            at = 0x20_0000 + i * 2048 + rng.randrange(64)
            bench.memory.write(at, data)
            bench.send.post(at, 1000, Flag.SOP | Flag.EOP)
            bench.recv.post(at + 0x10_0000, 1000)
        bench.send.doorbell()
        bench.recv.doorbell()
        bench.dut.send("s_axis", [data] * 3)
        bench.dut.run(rng.randrange(100, 900))
        bench.send.stop()
        bench.recv.stop()
        rest = bench.memory.read(0, 0x40_0000)
        stats = bench.memory.stats
        bench.dut.run(300)
        assert bench.memory.read(0, 0x40_0000) == rest
        now = bench.memory.stats
        assert all(now[k] == stats[k] for k in ("read_beats", "write_beats"))
        sent = len(bench.send.reap())
        bench.dut.stall("m_axis", 0.0)
        bench.dut.stall("s_axis", 0.0)
        bench.dut.run(400)
        frames = bench.dut.recv("m_axis")
        for frame in frames:
            assert frame.data == data if not frame.bad else len(frame.data) < 1000
        cuts += sum(f.bad for f in frames)
        assert sum(not f.bad for f in frames) <= sent
        # Take what still waits on the stream, so that the next trial begins at a packet.
        bench.recv.start()
        for i in range(16):
            bench.recv.post(0x30_0000 + i * 2048, 1000)
        bench.recv.doorbell()
        bench.dut.drain()
        bench.dut.run(400)
        bench.recv.stop()
        assert all(d.length == 1000 for d in bench.recv.reap())
    counts = bench.block.counters()
    assert counts["send_truncated"] == cuts > 3 and counts["recv_truncated"] > 1
