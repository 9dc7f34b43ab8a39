# SPDX-License-Identifier: Apache-2.0
"""Superblocks and logs: a scrub finds damage on every disk, a clean end leaves none."""

from __future__ import annotations

import random

import pytest
from arraykit import Rig
from kumihimo._storage import StorageError, Volume

SHAPES = [(3, 1, 1), (3, 1, 0), (4, 2, 1), (5, 2, 2)]


def _filled(count: int, k: int, p: int) -> tuple[Rig, Volume, bytes]:
    rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
    volume = rig.open()
    data = random.Random(count).randbytes(volume.size)
    volume.write(0, data)
    volume.flush()
    return rig, volume, data


def _scribble(rig: Rig, r: random.Random) -> None:
    """Random bytes over both superblocks and both halves of the log of every disk."""
    for disk in rig.disks:
        image = disk.image
        half = int.from_bytes(image[96:100], "little") * 512
        starts = [0, 65536, 65536 + half, len(image) // 4096 * 4096 - 8192]
        for start in starts:
            for _ in range(40):
                disk.corrupt(start + r.randrange(min(half, 8192)), 1 + r.randrange(255))


def _healed(rig: Rig) -> int:
    assert rig.array is not None
    return sum(int(d["healed"]) for d in rig.array.devices())


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_a_scrub_repairs_all_metadata(count: int, k: int, p: int) -> None:
    rig, volume, data = _filled(count, k, p)
    r = random.Random(count)
    volume.rebuild(verify=True)
    assert _healed(rig) == 0
    before = rig.images()
    for _ in range(5):
        _scribble(rig, r)
        volume.rebuild(verify=True)
        assert not volume.rebuild_status()["problem"]
    assert _healed(rig) == 5 * 2 * count  # superblock and log of each
    assert rig.array is not None
    assert len([n for n in rig.array.notes()[1] if "written again from memory" in n]) == 5 * count
    for disk, image in zip(rig.disks, before, strict=True):
        assert disk.image[:8192] == image[:8192] and disk.image[-8192:] == image[-8192:]
    rig.close()
    volume = rig.open()
    assert volume.read(0, len(data)) == data


def test_each_place_alone() -> None:
    """One damaged sector anywhere in the metadata in use of any disk is found and counted."""
    rig, volume, data = _filled(4, 2, 1)
    r = random.Random(1)
    for number, disk in enumerate(rig.disks):
        assert rig.array is not None
        half = int.from_bytes(disk.image[96:100], "little") * 512
        for start in (0, len(disk.image) - 8192):
            disk.corrupt(start + r.randrange(8192), 1)
            volume.rebuild(verify=True)
        # The half in use is the one with a head.
        base = next(b for b in (65536, 65536 + half) if disk.image[b : b + 4] == b"KLOG")
        used = int.from_bytes(disk.image[base + 32 : base + 36], "little")
        disk.corrupt(base + 512 * r.randrange(used + 1) + r.randrange(512), 1)
        volume.rebuild(verify=True)
        assert _healed(rig) == 3 * (number + 1)
    rig.close()
    assert rig.open().read(0, len(data)) == data


def test_for_reading_only_it_is_told() -> None:
    rig, _, data = _filled(4, 2, 1)
    rig.close()
    disk = rig.disks[2]
    disk.corrupt(len(disk.image) - 100, 1)
    before = rig.images()
    volume = rig.open(read_only=True)
    volume.rebuild(verify=True)
    assert "disk2: its superblock needs repair" in str(volume.rebuild_status()["problem"])
    assert volume.read(0, len(data)) == data
    assert rig.images() == before


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_a_clean_end_writes_all_metadata(count: int, k: int, p: int) -> None:
    rig, _, data = _filled(count, k, p)
    _scribble(rig, random.Random(count))
    assert rig.array is not None
    rig.array.rewrite_metadata()
    rig.close()
    volume = rig.open()
    assert _healed(rig) == 0
    assert volume.read(0, len(data)) == data


def test_what_a_start_healed_is_counted_and_told() -> None:
    rig, _, data = _filled(4, 2, 1)
    rig.close()
    disk = rig.disks[1]
    half = int.from_bytes(disk.image[96:100], "little") * 512
    for base in (65536, 65536 + half):
        disk.corrupt(base + 20, 1)
    rig.disks[3].corrupt(100, 1)
    volume = rig.open()
    assert _healed(rig) == 2
    assert rig.array is not None
    notes = " ".join(rig.array.notes()[1])
    assert "disk1: the log is damaged; it was written again" in notes
    assert "disk3: one copy of its superblock is damaged" in notes
    assert volume.read(0, len(data)) == data


def test_metadata_that_cannot_be_written_is_a_failure_of_the_disk() -> None:
    rig, volume, data = _filled(4, 2, 1)
    rig.disks[0].corrupt(10, 1)
    rig.disks[0].fail_after(6)
    volume.rebuild(verify=True)
    assert rig.array is not None
    assert rig.array.devices()[0]["state"] == "failed"
    assert volume.read(0, len(data)) == data
    rig.close()
    with pytest.raises(StorageError, match="disk0: refused"):
        rig.disks[0].fail_after(1 << 40)
        rig.open()
