# SPDX-License-Identifier: Apache-2.0
"""Failures beyond the redundancy: flushed data is right or an error; no start makes it worse."""

from __future__ import annotations

import itertools
import random

import pytest
from arraykit import Rig
from kumihimo._storage import LostError, StorageError, Volume
from kumihimo.bench.storage import capacity
from kumihimo.storage import arrays
from kumihimo.testing.sizes import by_size

SHAPES = [(3, 1, 1), (4, 3, 1), (4, 2, 1), (5, 2, 2), (5, 1, 2), (3, 1, 0)]


def _filled(count: int, k: int, p: int) -> tuple[Rig, bytes]:
    rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
    volume = rig.open()
    data = random.Random(count).randbytes(volume.size * 3 // 4)
    volume.write(0, data)
    volume.flush()
    return rig, data


def _wrong(volume: Volume, data: bytes) -> int:
    """Pieces that are read without an error and are not what was written."""
    wrong = 0
    for at in range(0, len(data), 4096):
        part = data[at : at + 4096]
        try:
            wrong += volume.read(at, len(part)) != part
        except StorageError:
            continue
    return wrong


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_failed_and_missing_disks_together_are_counted(count: int, k: int, p: int) -> None:
    """Any disks failed, then any others unplugged: the array starts within its redundancy only."""
    for failed in range(p + 1):
        rig, data = _filled(count, k, p)
        assert rig.array is not None
        for d in range(failed):
            rig.array.fail(d)
        before = rig.images()
        for missing in range(1, count - failed + 1):
            for away in itertools.combinations(range(failed, count), missing):
                left = [rig.disks[d] for d in range(failed, count) if d not in away]
                if not left:
                    continue
                for disk, image in zip(rig.disks, before, strict=True):
                    disk.image = image
                if failed + missing <= p:
                    assert _wrong(rig.open(left, degraded=True), data) == 0
                    continue
                with pytest.raises(StorageError, match="redundancy"):
                    rig.open(left, degraded=True)
                assert rig.images() == before  # nothing was written
        # All that did not fail is plugged in again: it starts, and everything is there.
        for disk, image in zip(rig.disks, before, strict=True):
            disk.image = image
        volume = rig.open(rig.disks[failed:])
        assert volume.read(0, len(data)) == data


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_what_is_left_can_be_read_and_is_never_zeros(count: int, k: int, p: int) -> None:
    """Asked for: read only; stripes that cannot be known are errors, and count as data."""
    rig, data = _filled(count, k, p)
    for left in range(1, count - p):
        disks = rig.disks[:left]
        before = rig.images()
        volume = rig.open(disks, degraded=True, salvage=True)
        assert rig.array is not None
        assert _wrong(volume, data) == 0
        assert all(is_data for _, is_data, _ in volume.extents(0, len(data)))
        with pytest.raises(StorageError, match="reading only"):
            volume.write(0, bytes(volume.size))
            volume.flush()
        rig.close()
        assert rig.images() == before


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_what_is_left_is_the_latest(count: int, k: int, p: int) -> None:
    """Stripes written again and again: no set of disks gives an older version of one."""
    rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
    volume = rig.open()
    r = random.Random(count * 10 + p)
    size = volume.size * 3 // 4 // 4096 * 4096
    data = bytearray(size)
    for _ in range(60):
        at = r.randrange(size // 4096) * 4096
        piece = r.randbytes(min(r.randrange(1, 9) * 4096, size - at))
        volume.write(at, piece)
        data[at : at + len(piece)] = piece
        volume.flush()
    errors = right = 0
    before = rig.images()
    for n in range(1, count + 1):
        for left in itertools.combinations(rig.disks, n):
            for disk, image in zip(rig.disks, before, strict=True):
                disk.image = image
            volume = rig.open(list(left), degraded=True, salvage=True)
            wrong = _wrong(volume, bytes(data))
            assert wrong == 0, [d.name for d in left]
            lost = sum(n for n, _, lost in volume.extents(0, volume.size) if lost)
            errors, right = errors + lost, right + volume.size - lost
    assert right and (errors or p == 0)


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_more_failures_at_run_time_suspend_the_array(count: int, k: int, p: int) -> None:
    """Beyond the redundancy nothing is written; after a start with all disks all is there."""
    rig, data = _filled(count, k, p)
    volume = rig.volume
    assert rig.array is not None and volume is not None
    for d in range(p + 1):
        rig.disks[d].fail_after(0)
    with pytest.raises(StorageError):
        volume.write(0, data)
        volume.flush()
    assert rig.array.suspended() and "suspended" in " ".join(rig.array.notes()[1])
    states = [d["state"] for d in rig.array.devices()]
    assert states.count("failed") <= p
    assert _wrong(volume, data) == 0
    rig.close()
    failed = [d for d, state in enumerate(states) if state == "failed"]
    for disk in rig.disks:
        disk.fail_after(1 << 40)
    volume = rig.open([disk for d, disk in enumerate(rig.disks) if d not in failed])
    assert volume.read(0, len(data)) == data


@pytest.mark.parametrize("verify", [False, True])
def test_a_scrub_for_reading_only_ends_and_says_what_it_found(verify: bool) -> None:
    rig, data = _filled(4, 2, 1)
    assert rig.array is not None
    if verify:
        device, slot, _ = rig.array.places(3)[0]
        offset = int.from_bytes(rig.disks[device].image[104:112], "little")
        rig.disks[device].corrupt(offset + 4096 * slot + 100, 1)
    else:
        rig.array.fail(0)
    left = rig.disks[0 if verify else 1 :]
    rig.close()
    before = rig.images()
    volume = rig.open(left, read_only=True)
    volume.rebuild(verify=verify)
    assert "needs repair" in str(volume.rebuild_status()["problem"])
    assert volume.read(0, len(data)) == data
    assert rig.images() == before


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_fail_refuses_what_exceeds_the_redundancy(count: int, k: int, p: int) -> None:
    rig, data = _filled(count, k, p)
    assert rig.array is not None and rig.volume is not None
    for d in range(p):
        rig.array.fail(d)
    before = rig.images()
    with pytest.raises(StorageError, match="redundancy"):
        rig.array.fail(p)
    assert rig.images() == before
    assert rig.volume.read(0, len(data)) == data
    if count - p <= k:  # no stripe could be written any more
        with pytest.raises(StorageError, match="too few"):
            rig.array.fail(p, force=True)
        return
    rig.array.fail(p, force=True)
    assert _wrong(rig.volume, data) == 0
    rig.close()
    with pytest.raises(StorageError, match="redundancy"):
        rig.open(rig.disks[p + 1 :])


@pytest.mark.long
def test_the_default_width_gives_the_largest_capacity() -> None:
    """Over random sets of sizes: at least 0.95 of what whole stripes of any width could hold."""
    r = random.Random(1)
    sets = [capacity.random_set(r) for _ in range(by_size(100, 1000))]
    assert max(size for sizes, _, _ in sets for size in sizes) > 8 << 40
    assert min(capacity.share(*one)[0] for one in sets) >= 0.95
    options = arrays.width_options([n * 100 << 20 for n in (1, 2, 3, 4)], [500.0] * 4, 1, 65536)
    assert arrays.best_option(options).size >= 550 << 20


def test_copies_where_parity_would_waste_most_disks() -> None:
    """By capacity alone: no noise of the speed test makes them of parity, or parity of them."""
    small_one = [100 << 20, 2 << 30, 2 << 30]
    for p, sizes in ((1, small_one), (2, [*small_one, 2 << 30])):
        for rates in ([1.0] * 4, [500.0, 1.0, 1.0, 500.0], [1.0, 500.0, 2.0, 1.0]):
            options = arrays.width_options(sizes, rates[: len(sizes)], p, 65536)
            assert [o.k for o in options] == [1, 2]
            assert arrays.best_option(options) is options[0]
            assert options[0].size > 9 * options[1].size
            equal = arrays.width_options([1 << 30] * 4, rates, p, 65536)
            assert arrays.best_option(equal).k > 1
    assert arrays.width_options([1 << 30] * 2, [500.0] * 2, 1, 65536) == []


def test_the_default_chunk_reaches_all_of_a_disk() -> None:
    """A disk has at most 2^24 chunks: of 64 KiB those are 1 TiB."""
    tera = 1 << 40
    chunks = [arrays.default_chunk([n * tera, 1 << 30]) >> 10 for n in (1, 2, 3, 18, 64, 100)]
    assert chunks == [64, 128, 256, 2048, 4096, 4096]
    assert arrays.out_of_reach([18 * tera, tera], 2048 << 10) == 0
    assert arrays.out_of_reach([18 * tera, tera], 64 << 10) == 17 * tera
    sizes = [18 * tera] * 4
    best = arrays.best_option(arrays.width_options(sizes, [250.0] * 4, 1, 2048 << 10))
    assert best.size > 0.95 * 3 * 18 * tera


def test_a_lost_stripe_keeps_no_other_from_being_durable() -> None:
    """One flush says what could not be stored; the range is an error, all else is durable."""
    rig = Rig.make(3, 1, 0, size=512 << 10, dynamic=False)
    volume = rig.open()
    assert rig.array is not None
    volume.write(0, b"a" * (64 << 10))
    volume.flush()
    device, slot, _ = rig.array.places(5)[0]
    offset = int.from_bytes(rig.disks[device].image[104:112], "little")
    rig.disks[device].corrupt(offset + 4096 * slot + 7, 1)
    volume.write(5 * 4096, b"b" * 512)  # needs the rest of the chunk
    volume.write(8 * 4096, b"c" * 4096)
    with pytest.raises(LostError, match=r"bytes 20480\+4096 could not be stored"):
        volume.flush()
    volume.flush()
    status = volume.write_status()
    assert (status["problem"], status["dropped"]) == ("", 1)
    assert rig.array.lost_stripes() == [5]
    assert any("stripe 5, bytes 20480+4096, is lost" in note for note in rig.array.notes()[1])
    lost = [(n, kind) for n, _, kind in volume.extents(4 * 4096, 3 * 4096)]
    assert lost == [(4096, False), (4096, True), (4096, False)]
    with pytest.raises(LostError):
        volume.write(5 * 4096, b"d" * 512)  # it is known now
    volume.write(9 * 4096, b"e" * 4096)
    volume.flush()
    rig.power.off = True
    del volume
    rig.close()
    rig.power.off = False
    for seed, disk in enumerate(rig.disks):
        disk.power_cycle(seed)
    volume = rig.open()
    assert volume.read(8 * 4096, 8192) == b"c" * 4096 + b"e" * 4096
    with pytest.raises(LostError, match="is lost"):
        volume.read(5 * 4096, 4096)
    volume.write(5 * 4096, b"f" * 4096)  # whole: it is there again
    volume.flush()
    assert volume.read(5 * 4096, 4096) == b"f" * 4096
    assert rig.array is not None and not rig.array.lost_stripes()
