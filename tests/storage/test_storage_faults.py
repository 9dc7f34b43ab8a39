# SPDX-License-Identifier: Apache-2.0
"""Disks lost at any moment, bad sectors, silent corruption, joining and leaving; every byte."""

from __future__ import annotations

import itertools
import random
import time
from pathlib import Path

import pytest
from arraykit import Oracle, Rig, random_step
from kumihimo._storage import (
    Array,
    FileDevice,
    MemDevice,
    PowerDomain,
    StorageError,
    Volume,
    simulate,
    soak,
)


def _fill(volume: Volume, seed: int) -> bytes:
    data = random.Random(seed).randbytes(volume.size)
    volume.write(0, data)
    volume.flush()
    return data


@pytest.mark.parametrize(("count", "k", "p"), [(4, 1, 1), (5, 1, 2), (6, 4, 1), (7, 4, 2)])
def test_any_devices_lost(count: int, k: int, p: int) -> None:
    """Every choice of p devices, while it runs and over a new start; also before a write ends."""
    for lost in itertools.combinations(range(count), p):
        rig = Rig.make(count, k, p, size=512 << 10)
        volume = rig.open()
        data = bytearray(_fill(volume, 1))
        for d in lost:
            rig.array.fail(d)
        assert volume.read(0, volume.size) == bytes(data)
        piece = random.Random(2).randbytes(50_000)
        volume.write(1000, piece)
        data[1000:51_000] = piece
        volume.flush()
        assert volume.read(0, volume.size) == bytes(data)
        rest = [disk for i, disk in enumerate(rig.disks) if i not in lost]
        volume = rig.open(rest, degraded=True)
        assert volume.read(0, volume.size) == bytes(data)
        with pytest.raises(StorageError, match="stale"):
            rig.open(rig.disks)


@pytest.mark.parametrize(("count", "k", "p"), [(6, 3, 1), (8, 3, 2)])
@pytest.mark.parametrize("seed", range(6))
def test_lost_at_any_moment_also_during_rebuild(count: int, k: int, p: int, seed: int) -> None:
    r = random.Random(seed)
    rig = Rig.make(count, k, p, spares=1, stripes=60)
    volume = rig.open()
    oracle = Oracle(volume.size)
    for _ in range(50):
        random_step(r, volume, oracle)
    # A disk fails in the middle of something: every operation after some number ends in an error.
    rig.disks[1].fail_after(r.randrange(200))
    for _ in range(80):
        random_step(r, volume, oracle)
    rig.array.fail(1)
    stripes = rig.array.info()["stripes"]
    middle = r.randrange(stripes)
    rig.array.repair(0, middle)
    if p == 2:
        rig.disks[4].fail_after(r.randrange(60))
    for _ in range(30):
        random_step(r, volume, oracle)
    volume.rebuild()
    volume.rebuild()  # what the second loss left behind
    assert volume.read(0, volume.size) == bytes(oracle.now)
    volume.flush()
    oracle.flushed()
    # After the rebuild the redundancy is whole again on the spare room.
    left = [d["index"] for d in rig.array.devices() if d["state"] == "active"]
    if p == 1:
        assert rig.array.degraded_stripes() == 0
        rig.array.fail(left[0])
        assert volume.read(0, volume.size) == bytes(oracle.now)


def test_bad_sectors_are_mended() -> None:
    rig = Rig.make(5, 3, 1, spares=1)
    volume = rig.open()
    data = _fill(volume, 3)
    base = [_data_offset(d) for d in rig.disks]
    for stripe in range(0, 40, 4):
        device, slot, _crc = rig.array.places(stripe)[stripe % 3]
        rig.disks[device].add_bad(base[device] + 4096 * slot + 512 * (stripe % 8))
    assert volume.read(0, volume.size) == data
    info = rig.array.info()
    assert info["degraded_reads"] >= 10 and info["lost_reads"] == 0
    rig.array.repair_pending()
    assert rig.array.info()["repaired"] >= 10
    volume.flush()
    before = rig.array.info()["degraded_reads"]
    assert volume.read(0, volume.size) == data
    assert rig.array.info()["degraded_reads"] == before


def _data_offset(disk: MemDevice) -> int:
    return int.from_bytes(disk.image[104:112], "little")


@pytest.mark.parametrize(("k", "p"), [(1, 1), (3, 1), (3, 2)])
def test_silent_corruption_is_found_and_mended(k: int, p: int) -> None:
    rig = Rig.make(6, k, p, spares=1)
    volume = rig.open()
    data = _fill(volume, 4)
    r = random.Random(9)
    hit = 0
    for stripe in range(0, rig.array.info()["stripes"], 5):
        for device, slot, _crc in r.sample(rig.array.places(stripe), p):
            at = _data_offset(rig.disks[device]) + 4096 * slot + r.randrange(4096)
            rig.disks[device].corrupt(at, 1 << r.randrange(8))
            hit += 1
    # Half by reading, the rest (check chunks, too) by a scrub.
    assert volume.read(0, volume.size // 2) == data[: volume.size // 2]
    rig.array.repair_pending()
    volume.rebuild(verify=True)
    assert rig.array.info()["repaired"] == hit
    assert sum(d["checksum_errors"] for d in rig.array.devices()) >= hit
    assert volume.read(0, volume.size) == data
    before = rig.array.info()["repaired"]
    volume.rebuild(verify=True)
    assert rig.array.info()["repaired"] == before


def test_without_redundancy_corruption_is_an_error_not_data() -> None:
    rig = Rig.make(3, 1, 0)
    volume = rig.open()
    data = _fill(volume, 5)
    device, slot, _crc = rig.array.places(7)[0]
    rig.disks[device].corrupt(_data_offset(rig.disks[device]) + 4096 * slot + 17, 4)
    with pytest.raises(StorageError, match="is lost"):
        volume.read(7 * 4096, 4096)
    assert volume.read(8 * 4096, 4096) == data[8 * 4096 : 9 * 4096]
    volume.write(7 * 4096, b"x" * 4096)
    assert volume.read(7 * 4096, 4096) == b"x" * 4096


def test_more_losses_than_redundancy_is_an_error() -> None:
    rig = Rig.make(5, 3, 1)
    volume = rig.open()
    _fill(volume, 6)
    rig.array.fail(0)
    with pytest.raises(StorageError, match="redundancy"):
        rig.array.fail(1)
    rig.array.fail(1, force=True)
    with pytest.raises(StorageError, match="is lost"):
        volume.read(0, volume.size)
    with pytest.raises(StorageError, match="too few"):
        rig.array.fail(2, force=True)


@pytest.mark.parametrize("p", [0, 1])
def test_join_and_leave(p: int) -> None:
    rig = Rig.make(5, 1 if p == 0 else 3, p, stripes=50)
    volume = rig.open()
    data = _fill(volume, 7)
    more = [MemDevice(f"new{i}", 1 << 20, rig.power) for i in range(2)]
    for disk in more:
        rig.array.add(disk, 500, 500)
    rig.array.drain(0)
    rig.array.drain(3)
    volume.rebuild()
    assert volume.read(0, volume.size) == data
    indices = {d["index"] for d in rig.array.devices()}
    assert not {0, 3} & indices and {5, 6} <= indices
    assert all(d["chunks"] for d in rig.array.devices())
    here = [d for i, d in enumerate(rig.disks) if i not in (0, 3)] + more
    random.Random(1).shuffle(here)
    volume = rig.open(here)
    assert volume.read(0, volume.size) == data
    with pytest.raises(StorageError, match="removed"):
        rig.open([*here, rig.disks[0]])
    rig.open(here)
    with pytest.raises(StorageError, match="belongs to an array"):
        rig.array.add(rig.disks[0], 500, 500)
    rig.array.add(rig.disks[0], 500, 500, True)  # only when asked for


def test_log_moves_to_its_other_half_many_times() -> None:
    rig = Rig.make(3, 1, 1, size=512 << 10)
    volume = rig.open()
    oracle = Oracle(volume.size)
    r = random.Random(3)
    for i in range(1500):
        at = r.randrange(volume.size // 4096) * 4096
        data = r.randbytes(4096)
        oracle.write(at, data)
        volume.write(at, data)
        volume.flush()
        if i % 400 == 0:
            volume = rig.open()
    assert rig.array.info()["checkpoints"] > 10
    volume = rig.open()
    assert volume.read(0, volume.size) == bytes(oracle.now)


def test_all_capacity_can_be_written_on_unequal_disks() -> None:
    """The volume is as large as promised whatever the order of writing, and rewritten for ever."""
    sizes = [3 << 20, 1 << 20, 1 << 20, 2 << 20, 600 << 10]
    for k, p in ((1, 0), (1, 1), (2, 1), (2, 2)):
        power = PowerDomain()
        disks = [MemDevice(f"d{i}", s, power) for i, s in enumerate(sizes)]
        rates = [100.0, 900.0, 500.0, 300.0, 700.0]  # as unlike the sizes as can be
        Array.create(disks, chunk_log2=12, k=k, p=p, read_mbs=rates, write_mbs=rates, seed=1)
        volume = Volume(Array.open(disks), cache_bytes=1 << 16)
        r = random.Random(k + p)
        data = bytearray(r.randbytes(volume.size))
        step = k * 4096
        request = list(range(0, volume.size, step))
        for _ in range(3):
            r.shuffle(request)
            for at in request:
                data[at] ^= 1
                volume.write(at, bytes(data[at : at + step]))
        assert volume.read(0, volume.size) == bytes(data)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"disk{i}" for i in range(5)]
    for path in paths:
        with path.open("wb") as f:
            f.truncate(8 << 20)
    return paths


def test_a_disk_that_hangs_is_given_up_and_stalls_nobody(files: list[Path]) -> None:
    disks = [FileDevice(str(p)) for p in files]
    Array.create(disks, k=3, p=1, dynamic=False)  # so that each has its share
    array = Array.open(disks)
    volume = Volume(array, cache_bytes=1 << 20)
    data = random.Random(1).randbytes(volume.size // 2)
    volume.write(0, data)
    volume.flush()
    disks[2].set_timeout(1.0)
    disks[2].hang()
    start = time.monotonic()
    assert volume.read(0, len(data)) == data
    volume.write(0, data[::-1])
    volume.flush()
    assert time.monotonic() - start < 20
    states = {d["index"]: d for d in array.devices()}
    assert states[2]["state"] == "failed" and states[2]["timeouts"] >= 1
    assert all(states[i]["state"] == "active" for i in (0, 1, 3, 4))
    assert volume.read(0, len(data)) == data[::-1]


@pytest.mark.parametrize("ports", [16, 128])
def test_many_ports_with_random_faults(ports: int) -> None:
    """Single errors, bad sectors, corruption and dead disks all over, double parity: no loss."""
    r = random.Random(ports)
    rig = Rig.make(ports, 6, 2, size=768 << 10, spares=2, stripes=ports * 4)
    volume = rig.open(cache=1 << 20, read_errors=1000)
    oracle = Oracle(volume.size)
    for i in range(600):
        random_step(r, volume, oracle)
        disk = r.choice(rig.disks)
        if i % 7 == 0:
            disk.add_bad(r.randrange(_data_offset(disk), disk.size - 16384))
        if i % 11 == 0:
            disk.corrupt(r.randrange(_data_offset(disk), disk.size - 16384), 1)
        if i % 40 == 0:
            volume.rebuild(verify=True)
        if i in (150, 300, 450):
            r.choice(rig.disks).fail_after(0)
            at = r.randrange(volume.size // 2)
            volume.read(at, volume.size - at)
            volume.rebuild()
    assert rig.array.info()["lost_reads"] == 0
    assert volume.read(0, volume.size) == bytes(oracle.now)


def test_in_virtual_time_every_read_is_compared() -> None:
    """`simulate` compares what it reads; with a disk lost and rebuilt nothing stays degraded."""
    rates = [(540.0, 540.0)] * 6 + [(200.0, 200.0)] * 3
    run = simulate(rates, k=4, p=1, stripes=300, fail_index=2)
    assert run["degraded_after"] == 0 and run["rebuild_s"] > 0
    assert run["lost_bytes"] == run["chunks"][2] * 65536


@pytest.mark.parametrize("ports", [10, 16, 128])
def test_faults_in_virtual_time(ports: int) -> None:
    """Requests at once, rebuilds beside them, disks that break: all bytes, and nothing stalls.

    `soak` raises when a byte is wrong or when the model stands still with a request open. A request
    may wait for each of the two disks that hang to be given up, not longer.
    """
    run = soak(ports=ports, rounds=6, operations=25, timeout_s=0.5, seed=ports)
    assert run["deaths"] + run["hangs"] == run["replaced"] == 6
    assert run["bad_chunks"] > 50 and run["slowed"] > 20 and run["read_errors"] > 20
    assert run["repaired"] > 30 and run["bytes_compared"] > 20e6
    assert run["longest_s"] < 2 * 0.5 + 0.1
    assert run["longest_calm_s"] < 0.1  # disks ten times slower, no time-out
