# SPDX-License-Identifier: Apache-2.0
"""Arrays of what is left: what is lost is named before, and is an error afterwards, never data."""

from __future__ import annotations

import itertools
import random

import pytest
from arraykit import Rig
from kumihimo._storage import Array, LostError, MemDevice, StorageError

SHAPES = [(3, 1, 1), (3, 1, 0), (4, 2, 1), (5, 2, 2), (5, 3, 1)]


def _filled(count: int, k: int, p: int) -> tuple[Rig, bytes]:
    rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
    volume = rig.open()
    data = random.Random(count).randbytes(volume.size * 3 // 4 // 4096 * 4096)
    for _ in range(3):  # also older versions are on the disks
        volume.write(0, data[::-1])
        volume.flush()
    volume.write(0, data)
    volume.flush()
    rig.close()
    return rig, data


def _chunks_read(rig: Rig, data: bytes) -> set[int]:
    """Chunks that can be read; none is wrong."""
    assert rig.volume is not None
    good = set()
    for i in range(len(data) // 4096):
        try:
            got = rig.volume.read(i * 4096, 4096)
        except LostError:
            continue
        assert got == data[i * 4096 : (i + 1) * 4096]
        good.add(i)
    return good


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_any_disks_that_are_enough_for_a_stripe(count: int, k: int, p: int) -> None:
    rig, data = _filled(count, k, p)
    before = rig.images()
    for n in range(max(k, p + 1), count + 1):
        for left in itertools.combinations(rig.disks, n):
            for disk, image in zip(rig.disks, before, strict=True):
                disk.image = image
            plan = Array.open(list(left), read_only=True, force=True)
            lost = set(plan.lost_stripes())
            del plan
            assert rig.images() == before  # a plan changes nothing
            volume = rig.open(list(left), force=True)
            assert rig.array is not None
            assert set(rig.array.lost_stripes()) == lost
            good = _chunks_read(rig, data)
            assert {i // k for i in range(len(data) // 4096)} - {i // k for i in good} <= lost
            assert not lost & {i // k for i in good}
            if n >= count - p:
                assert not lost
            # It is an array like any other: it starts by itself, takes writes, heals.
            volume = rig.open(list(left))
            if lost:
                stripe = min(lost)
                with pytest.raises(LostError):
                    volume.write(stripe * k * 4096, b"x" * 512)
                volume.write(stripe * k * 4096, b"x" * 4096 * k)
                volume.flush()
                volume = rig.open(list(left))
                assert volume.read(stripe * k * 4096, 4096 * k) == b"x" * 4096 * k
                assert rig.array is not None
                assert set(rig.array.lost_stripes()) == lost - {stripe}
            # What was left behind is no part of it any more.
            for away in rig.disks:
                if away not in left and n < count - p:
                    with pytest.raises(StorageError, match=f"{away.name}: refused"):
                        rig.open([*left, away])


def test_too_few_disks_for_a_stripe_are_refused() -> None:
    rig, _ = _filled(5, 3, 1)
    before = rig.images()
    with pytest.raises(StorageError, match="too few for a stripe"):
        Array.open(rig.disks[:2], force=True)
    assert rig.images() == before


def test_a_failed_disk_saves_what_is_missing_with_another() -> None:
    """One disk failed, another gone for good: with the failed one most is there."""
    rig, data = _filled(4, 2, 1)
    rig.open()
    assert rig.array is not None
    rig.array.fail(0)
    rig.close()
    left = [rig.disks[0], rig.disks[2], rig.disks[3]]
    for disks in (left, left[1:]):
        with pytest.raises(StorageError):
            Array.open(disks, degraded=True)
    without = Array.open(left[1:], read_only=True, force=True).lost_stripes()
    volume = rig.open(left, force=True)
    good = _chunks_read(rig, data)
    assert rig.array is not None
    lost = rig.array.lost_stripes()
    assert len(lost) < len(without) * 3 // 4 and len(good) > len(data) // 4096 // 2
    notes = " ".join(rig.array.notes()[1])
    assert "disk0: had failed as device 0" in notes
    new = MemDevice("new", 512 << 10, rig.power)
    rig.array.add(new, 500, 500)
    volume.rebuild()
    assert rig.array.degraded_stripes() == 0
    left.append(new)
    rig.open(left)
    assert _chunks_read(rig, data) == good
    assert rig.array.lost_stripes() == lost


def test_an_old_copy_gives_its_chunks_and_no_records() -> None:
    rig, data = _filled(4, 2, 1)
    old = rig.disks[1].image
    volume = rig.open()
    newer = random.Random(9).randbytes(len(data) // 2)
    volume.write(0, newer)
    volume.flush()
    rig.close()
    rig.disks[1].image = old
    with pytest.raises(StorageError, match=r"disk1: refused, it is an old copy \(its 2 events"):
        Array.open(rig.disks)
    volume = rig.open(force=True)
    assert volume.read(0, len(data)) == newer + data[len(newer) :]


def test_disks_written_apart_are_named_with_what_they_know() -> None:
    rig, _ = _filled(3, 1, 1)
    images = rig.images()
    rig.open(rig.disks[:2], degraded=True)
    rig.close()
    rig.disks[2].image = images[2]
    alone = rig.disks[2]
    with pytest.raises(StorageError, match="redundancy"):
        rig.open([alone], degraded=True)
    rig.open([alone], force=True)
    rig.close()
    why = r"written without the other: .*disk0, disk1 \(\d events\).*disk0, disk1 are more than"
    with pytest.raises(StorageError, match=why):
        rig.open(rig.disks)


def test_a_failure_that_only_one_disk_has_heard_of() -> None:
    """The two others start without it; of all three it is the one refused."""
    rig, data = _filled(3, 1, 1)
    rig.open()
    assert rig.array is not None
    rig.disks[1].fail_after(0)
    rig.array.fail(2)
    assert rig.array.suspended()
    rig.close()
    rig.disks[1].fail_after(1 << 40)
    volume = rig.open(rig.disks[1:], degraded=True)
    assert volume.read(0, len(data)) == data
    rig.close()
    with pytest.raises(StorageError, match=r"disk0: refused.*disk1, disk2 are more than"):
        rig.open(rig.disks)
    assert rig.open(rig.disks[1:]).read(0, len(data)) == data
