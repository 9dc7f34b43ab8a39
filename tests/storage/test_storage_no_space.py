# SPDX-License-Identifier: Apache-2.0
"""Disks whose files have no space: an error at once, no disk fails, nothing flushed is lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from arraykit import Rig
from kumihimo._storage import NoSpaceError, StorageError

SHAPES = [(3, 1, 1), (3, 1, 0), (4, 2, 1), (5, 2, 2), (3, 1, 2)]


def _states(rig: Rig) -> set[str]:
    assert rig.array is not None
    return {str(d["state"]) for d in rig.array.devices()}


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
@pytest.mark.parametrize("full", ["all", "one"])
def test_a_full_file_system_fails_no_disk(count: int, k: int, p: int, full: str) -> None:
    rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
    volume = rig.open()
    r = random.Random(count)
    old = r.randbytes(32 * 4096)
    volume.write(0, old)
    volume.flush()
    stripes = volume.size // 4096 // k
    for disk in rig.disks if full == "all" else rig.disks[:1]:
        disk.set_full(True)
    with pytest.raises(NoSpaceError, match="space left"):
        for i in range(stripes):  # until a new place is needed
            volume.write(i * k * 4096, r.randbytes(k * 4096))
            volume.flush()
    with pytest.raises(NoSpaceError):
        volume.write(0, old[:512])  # at once
    if full == "all":  # else another try may find space on other disks
        with pytest.raises(NoSpaceError):
            volume.flush()
    assert _states(rig) == {"active"}
    for disk in rig.disks:
        disk.set_full(False)
    volume.flush()
    new = r.randbytes(volume.size)
    volume.write(0, new)
    volume.flush()
    volume = rig.open()
    assert volume.read(0, len(new)) == new
    volume.rebuild(verify=True)
    assert rig.array is not None and rig.array.info()["repaired"] == 0


@pytest.mark.parametrize(("count", "k", "p"), SHAPES)
def test_what_was_flushed_stays(count: int, k: int, p: int) -> None:
    """Full at any moment, killed then: every flushed piece is there, with all disks or with few."""
    r = random.Random(count + p)
    for _ in range(8):
        rig = Rig.make(count, k, p, size=512 << 10, dynamic=False)
        volume = rig.open()
        safe: dict[int, bytes] = {}
        since: dict[int, list[bytes]] = {}
        full_from = r.randrange(40)
        for n in range(60):
            if n == full_from:
                for disk in r.sample(rig.disks, r.randrange(1, count + 1)):
                    disk.set_full(True)
            at = r.randrange(volume.size // 4096)
            data = r.randbytes(4096)
            since.setdefault(at, []).append(data)
            try:
                volume.write(at * 4096, data)
                volume.flush()
            except NoSpaceError:
                continue
            safe[at] = data
            del since[at]
        rig.close()
        for disk in rig.disks:
            disk.set_full(False)
            disk.power_cycle(r.randrange(1 << 30))
        volume = rig.open()
        for at, data in safe.items():
            assert volume.read(at * 4096, 4096) in (data, *since.get(at, ()))


def test_three_files_on_a_full_tmpfs(tmp_path: Path) -> None:
    """The kernel's own ENOSPC: sparse files on a small tmpfs, filled by somebody else."""
    script = tmp_path / "run.py"
    script.write_text(
        """
import os, random, sys
from kumihimo._storage import Array, FileDevice, NoSpaceError, Volume
paths = [f"m/d{i}" for i in range(3)]
for p in paths:
    with open(p, "wb") as f: f.truncate(16 << 20)
Array.create([FileDevice(p) for p in paths], k=1, p=1, chunk_log2=12)
disks = [FileDevice(p) for p in paths]
array = Array.open(disks)
volume = Volume(array)
data = random.Random(1).randbytes(2 << 20)
volume.write(0, data)
volume.flush()
with open("m/other", "wb", 0) as f:
    try:
        while True: f.write(bytes(4096))
    except OSError:
        pass
try:
    volume.write(4 << 20, data)
    volume.flush()
    sys.exit("no error")
except NoSpaceError:
    pass
assert {d["state"] for d in array.devices()} == {"active"}
assert volume.read(0, len(data)) == data
del volume, array, disks
for left in ([0, 1, 2], [0, 1], [1, 2], [0, 2]):
    disks = [FileDevice(paths[i], writable=False) for i in left]
    array = Array.open(disks, degraded=True, read_only=True)
    assert Volume(array).read(0, len(data)) == data
    del array, disks
print("right")
"""
    )
    (tmp_path / "m").mkdir()
    mount = "mount -t tmpfs -o size=12m none m && exec "
    words = ["unshare", "-rm", "sh", "-c", f'{mount} "$0" run.py', sys.executable]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "right", done.stderr


def test_a_served_array_refuses_writes_while_it_is_full() -> None:
    """Written behind: once it is known, each write is an error; it ends with the retry."""
    from kumihimo._storage import Volume

    rig = Rig.make(3, 1, 1, size=512 << 10, dynamic=False)
    rig.open()
    assert rig.array is not None
    rig.volume = None
    volume = Volume(rig.array, commit_s=0.2)
    for disk in rig.disks:
        disk.set_full(True)
    volume.write(0, os.urandom(64 << 10))
    deadline = time.monotonic() + 20
    while "space left" not in str(volume.write_status()["problem"]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with pytest.raises(NoSpaceError):
        volume.write(0, bytes(512))
    for disk in rig.disks:
        disk.set_full(False)
    while True:
        assert time.monotonic() < deadline
        try:
            volume.write(0, b"x" * 4096)
            break
        except StorageError:
            time.sleep(0.02)
    volume.flush()
    assert volume.read(0, 4096) == b"x" * 4096
