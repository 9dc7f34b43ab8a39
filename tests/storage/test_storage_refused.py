# SPDX-License-Identifier: Apache-2.0
"""Foreign, mixed, stale, doubled, cut and damaged disks: a clear error, and nothing is written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from arraykit import Rig
from kumihimo._storage import Array, FileDevice, MemDevice, StorageError, Volume


def _filled(count: int = 5, k: int = 3, p: int = 1, seed: int = 1) -> tuple[Rig, bytes]:
    rig = Rig.make(count, k, p, seed=seed)
    volume = rig.open()
    data = random.Random(seed).randbytes(volume.size)
    volume.write(0, data)
    volume.flush()
    rig.close()
    return rig, data


def _refused(disks: list[MemDevice], why: str, **options: bool) -> None:
    before = [d.image for d in disks]
    with pytest.raises(StorageError, match=why):
        Array.open(disks, **options)
    assert [d.image for d in disks] == before, "a refused disk was written"


def test_any_order_of_ports() -> None:
    rig, data = _filled()
    for seed in range(5):
        disks = list(rig.disks)
        random.Random(seed).shuffle(disks)
        volume = rig.open(disks)
        assert volume.read(0, volume.size) == data


def test_foreign() -> None:
    rig, _ = _filled()
    foreign = MemDevice("foreign", 1 << 20, rig.power)
    _refused([*rig.disks, foreign], "foreign: refused, it is not a disk of a storage array")
    foreign.image = random.Random(1).randbytes(1 << 20)
    _refused([*rig.disks[:4], foreign], "not a disk of a storage array", degraded=True)
    tiny = MemDevice("tiny", 4096, rig.power)
    _refused([*rig.disks, tiny], "too small")


def test_mixed() -> None:
    one, _ = _filled(seed=1)
    two, _ = _filled(seed=2)
    _refused([*one.disks[:4], two.disks[4]], "it belongs to array")


def test_missing() -> None:
    rig, data = _filled()
    _refused(rig.disks[:4], "device 4 missing: a degraded start must be asked for")
    _refused(rig.disks[:3], "more than the redundancy", degraded=True)
    volume = rig.open(rig.disks[:4], degraded=True)
    assert volume.read(0, volume.size) == data


def test_stale() -> None:
    rig, _ = _filled()
    rig.open(rig.disks[:4], degraded=True)
    rig.close()
    _refused(rig.disks, "disk4: refused, it is stale")


def test_old_copy() -> None:
    rig, _ = _filled()
    old = rig.disks[2].image
    for _ in range(3):
        rig.open()
    rig.close()
    rig.disks[2].image = old
    _refused(rig.disks, "disk2: refused, it is an old copy")


def test_doubled() -> None:
    rig, _ = _filled()
    copy = MemDevice("copy", 1 << 20, rig.power)
    copy.image = rig.disks[1].image
    _refused([*rig.disks, copy], "copy: refused, it is a copy of disk1")


def test_written_without_the_other() -> None:
    rig, _ = _filled(2, 1, 1)
    for alone in rig.disks:
        image = [d.image for d in rig.disks]
        with pytest.raises(StorageError, match="may have gone on"):
            rig.open([alone], degraded=True)
        volume = rig.open([alone], force=True)
        volume.write(0, alone.name.encode() * 100)
        volume.flush()
        rig.close()
        # The other one is put back as it was: it has not heard of this.
        for disk, before in zip(rig.disks, image, strict=True):
            if disk is not alone:
                disk.image = before
    _refused(rig.disks, "each written without the other")


def test_cut() -> None:
    rig, _ = _filled()
    rig.disks[3].resize((1 << 20) - 4096)
    _refused(rig.disks, "disk3: refused, it was cut")


@pytest.mark.parametrize("left", [0, 5_000, 70_000, 3 << 20, (4 << 20) - 4096])
def test_files_cut(left: int, tmp_path: Path) -> None:
    """A file that lost its end: refused, no file changes; with its full length it is well again."""
    paths = [tmp_path / f"d{i}" for i in range(4)]
    for path in paths:
        with path.open("wb") as f:
            f.truncate(4 << 20)
    Array.create([FileDevice(str(p)) for p in paths], chunk_log2=12, k=2, p=1)
    data = random.Random(left).randbytes(1 << 20)
    array = Array.open([FileDevice(str(p)) for p in paths])
    volume = Volume(array)
    volume.write(0, data)
    volume.flush()
    del volume, array
    whole = paths[2].read_bytes()
    with paths[2].open("r+b") as f:
        f.truncate(left)
    before = [p.read_bytes() for p in paths]
    with pytest.raises(StorageError):
        Array.open([FileDevice(str(p)) for p in paths])
    assert [p.read_bytes() for p in paths] == before
    paths[2].write_bytes(whole)
    array = Array.open([FileDevice(str(p)) for p in paths])
    assert Volume(array).read(0, len(data)) == data


def test_a_disk_that_grew_is_fine() -> None:
    rig, data = _filled()
    rig.disks[3].resize((1 << 20) + 8192)
    volume = rig.open()
    assert volume.read(0, volume.size) == data


@pytest.mark.parametrize("copies", [1, 2])
def test_bit_flips_in_superblocks(copies: int) -> None:
    r = random.Random(copies)
    for _ in range(60):
        rig, data = _filled(4, 2, 1, seed=r.randrange(1 << 30))
        disk = r.choice(rig.disks)
        places = [r.randrange(8, 8192), disk.size - 8192 + r.randrange(8, 8192)]
        for at in r.sample(places, copies):
            disk.corrupt(at, 1 << r.randrange(8))
        if copies == 2:
            _refused(rig.disks, "superblock is damaged")
        else:
            volume = rig.open()  # the other copy counts, and the bad one is mended
            assert volume.read(0, volume.size) == data
            volume.flush()
            rig.open()


@pytest.mark.parametrize(("count", "k", "p"), [(3, 1, 0), (4, 1, 1), (4, 2, 1), (5, 2, 2)])
def test_bit_flips_in_a_log(count: int, k: int, p: int) -> None:
    """Any one disk's log may be damaged anywhere: each record is on another disk, too."""
    r = random.Random(count + k + p)
    for _ in range(40):
        rig, data = _filled(count, k, p, seed=r.randrange(1 << 30))
        disk = r.choice(rig.disks)
        image = disk.image
        half = int.from_bytes(image[96:100], "little") * 512
        for _ in range(r.choice([1, 1, 5])):
            disk.corrupt(65536 + r.randrange(2 * half), 1 << r.randrange(8))
        volume = rig.open()
        assert volume.read(0, volume.size) == data


def test_logs_damaged_on_every_holder_are_refused() -> None:
    rig, _ = _filled(4, 2, 1)
    for disk in rig.disks[:2]:
        half = int.from_bytes(disk.image[96:100], "little") * 512
        for at in (65536, 65536 + half):
            for i in range(0, 2048, 64):
                disk.corrupt(at + i, 0xFF)
    _refused(rig.disks, "the log is damaged")


def test_random_bytes_over_metadata_never_pass_for_data() -> None:
    """Whatever is written over the metadata of one disk: an error, or all bytes right."""
    r = random.Random(5)
    refused = 0
    for _ in range(60):
        rig, data = _filled(4, 2, 1, seed=r.randrange(1 << 30))
        disk = r.choice(rig.disks)
        image = bytearray(disk.image)
        start = int.from_bytes(image[104:112], "little")
        for _ in range(r.randrange(1, 4)):
            at = r.choice([r.randrange(0, 8192), r.randrange(65536, start), len(image) - 5000])
            n = r.randrange(1, 3000)
            image[at : at + n] = r.randbytes(min(n, len(image) - at))
        disk.image = bytes(image)
        try:
            volume = Volume(Array.open(rig.disks))
        except StorageError:
            refused += 1
            continue
        assert volume.read(0, volume.size) == data
    assert refused < 60


def test_create_does_not_take_disks_of_an_array_unasked() -> None:
    rig, data = _filled()
    with pytest.raises(StorageError, match="belongs to an array already"):
        Array.create(rig.disks, chunk_log2=12, k=3, p=1)
    volume = rig.open()
    assert volume.read(0, volume.size) == data
    rig.close()
    Array.create(rig.disks, chunk_log2=12, k=3, p=1, force=True)
    volume = rig.open()
    assert volume.read(0, volume.size) == bytes(volume.size)
