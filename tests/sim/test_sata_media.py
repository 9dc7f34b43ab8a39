# SPDX-License-Identifier: Apache-2.0
"""Performance of the disk model: profile, wire bound, seeks, order, slow-down."""

from __future__ import annotations

import random
from typing import Any

from satakit import PERIOD, SECTOR, Host, Job

MIB = 1 << 20
MS = 10**9


def host(**more: Any) -> Host:
    h = Host(**more)
    h.start()
    return h


def read_rate(h: Host, lba: int, sectors: int, piece: int = 256) -> float:
    """Bytes per second of unqueued reads, one after another."""
    begin = h.dut.cycle
    for at in range(lba, lba + sectors, piece):
        h.read(at, piece)
    return sectors * SECTOR / ((h.dut.cycle - begin) * PERIOD * 1e-12)


def queue_rate(h: Host, write: bool, lba: int, sectors: int, piece: int = 256) -> float:
    """Bytes per second of queued commands, all issued at once."""
    data = bytes(piece * SECTOR)
    jobs = {
        tag: Job(lba + piece * tag, data if write else b"", piece)
        for tag in range(sectors // piece)
    }
    begin = h.dut.cycle
    h.run_queue(jobs)
    return sectors * SECTOR / ((h.dut.cycle - begin) * PERIOD * 1e-12)


def test_wire_bound() -> None:
    """A medium that is no limit: what the line and this host leave, of 600 MB/s."""
    h = host(size=16 * MIB, read_rate=1e10, write_rate=1e10, latency_ps=0, jitter_ps=0)
    assert 0.955 < read_rate(h, 0, 4096, 4096) / 600e6 < 0.99
    assert 0.955 < queue_rate(h, False, 0, 8192) / 600e6 < 0.99
    assert 0.90 < queue_rate(h, True, 0, 8192) / 600e6 < 0.97


def test_ssd_rates() -> None:
    h = host(size=64 * MIB, read_rate=400e6, write_rate=300e6, cache=2048)
    assert 0.97 < queue_rate(h, False, 0, 8192) / 400e6 < 1.001
    h.flush()
    # The cache hides its own size.
    assert 1.0 < queue_rate(h, True, 0, 16 * 1024, 512) / 300e6 < 1.2
    h.flush()
    h.disk.fault("slow", factor=4)
    assert 0.96 < queue_rate(h, False, 0, 4096) / 100e6 < 1.001
    h.disk.fault("slow", factor=1)
    assert 0.97 < queue_rate(h, False, 0, 8192) / 400e6 < 1.001


def test_ssd_latency() -> None:
    h = host(size=64 * MIB, latency_ps=60_000_000, jitter_ps=20_000_000)
    rng = random.Random(1)
    times = []
    for _ in range(20):
        begin = h.dut.cycle
        h.read(rng.randrange(100_000), 1)
        times.append((h.dut.cycle - begin) * PERIOD / 1e6)
    assert min(times) > 59 and max(times) < 85 and max(times) - min(times) > 8
    begin = h.dut.cycle  # side by side in a queue
    h.run_queue({t: Job(rng.randrange(100_000), sectors=1) for t in range(32)})
    assert (h.dut.cycle - begin) * PERIOD < 200 * 10**6


def test_hdd_zones_and_stream() -> None:
    h = host(profile="hdd", size=1 << 30, read_rate=200e6, inner_rate=0.5, seek_max_ps=10**9)
    last = h.disk.sectors - 4096
    for lba, rate in ((0, 200e6), (h.disk.sectors // 2, 150e6), (last, 100e6)):
        h.read(lba, 8)  # the arm is there, and reads on
        got = read_rate(h, lba + 8, 2048)
        assert 0.9 < got / rate < 1.1, (lba, got)
    assert h.disk.stats["seeks"] <= 4


def test_hdd_seeks() -> None:
    """From edge to edge: the longest seek, and a part of a turn."""
    seeks = {"seek_min_ps": MS // 8, "seek_max_ps": MS}
    h = host(profile="hdd", size=1 << 30, rpm=20000, read_ahead=0, **seeks)
    turn = 60e12 / 20000
    times = []
    h.read(0, 1)
    for i in range(1, 8):
        begin = h.dut.cycle
        h.read(h.disk.sectors - i * 1000 if i % 2 else i * 1000, 1)
        times.append((h.dut.cycle - begin) * PERIOD)
    assert all(0.98 * MS < t < MS + turn + MS // 10 for t in times)
    assert max(times) - min(times) > 0.2 * turn


def test_hdd_reorders() -> None:
    """Queued, the nearest is served first, so the whole is faster than one after another."""
    rng = random.Random(3)
    places = [rng.randrange(2_000_000) for _ in range(10)]
    like: dict[str, Any] = {"profile": "hdd", "size": 1 << 30, "rpm": 20000}
    like |= {"seek_min_ps": MS // 8, "seek_max_ps": 2 * MS}
    h = host(**like)
    h.disk.write(places[3] * SECTOR, b"here")
    begin = h.dut.cycle
    jobs = {tag: Job(lba, sectors=1) for tag, lba in enumerate(places)}
    ends = h.run_queue(jobs)
    queued = h.dut.cycle - begin
    assert bytes(jobs[3].got[:4]) == b"here" and ends != sorted(ends)
    h = host(**like)
    begin = h.dut.cycle
    for lba in places:
        h.read(lba, 1)
    assert queued < 0.75 * (h.dut.cycle - begin)


def test_hdd_write_cache() -> None:
    """A write is done when the cache has it; without the cache it waits for the disk's turn."""
    h = host(profile="hdd", size=1 << 30, rpm=20000, seek_min_ps=MS // 4, seek_max_ps=4 * MS)
    begin = h.dut.cycle
    for i in range(8):
        h.write(200_000 * (8 - i), bytes([i]) * SECTOR)
    cached = h.dut.cycle - begin
    assert cached * PERIOD < MS // 5 and h.disk.stats["sectors_cached"] > 4
    h.flush()
    assert h.disk.stats["sectors_cached"] == 0
    for i in range(8):
        assert h.disk.read(200_000 * (8 - i) * SECTOR, 1, cached=False) == bytes([i])
    begin = h.dut.cycle
    h.write(1_000_000, bytes(SECTOR), fua=True)
    assert (h.dut.cycle - begin) * PERIOD > MS // 4
