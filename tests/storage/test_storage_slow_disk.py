# SPDX-License-Identifier: Apache-2.0
"""Disks that are slow, not broken: reads go elsewhere, and nobody is given up without need."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from arraykit import Rig
from kumihimo._storage import Array, CallbackDevice, FileDevice, StorageError, Volume


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"disk{i}" for i in range(5)]
    for path in paths:
        with path.open("wb") as f:
            f.truncate(8 << 20)
    return paths


def _device(array: Array, name: Path) -> dict[str, object]:
    return next(d for d in array.devices() if d["name"] == str(name))


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not until():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(("k", "p"), [(3, 1), (1, 1)])
def test_reads_do_not_wait_for_a_late_disk_and_it_stays(files: list[Path], k: int, p: int) -> None:
    disks = [FileDevice(str(f), late_s=0.2) for f in files]
    Array.create(disks, k=k, p=p, dynamic=False, seed=1)  # so that each has its share
    array = Array.open(disks)
    volume = Volume(array)
    data = random.Random(1).randbytes(90 * k * 65536)
    volume.write(0, data)
    volume.flush()
    disks[2].hang()
    # Something that only this disk can do, so that it is late and not idle.
    piece = random.Random(2).randbytes(40 * k * 65536)
    waits = threading.Thread(target=lambda: (volume.write(len(data), piece), volume.flush()))
    waits.start()
    start = time.monotonic()
    for _ in range(3):
        assert volume.read(0, len(data)) == data
    assert time.monotonic() - start < 30  # half of the time-out
    assert waits.is_alive()
    assert k == 1 or int(str(_device(array, files[2])["late"])) > 0
    disks[2].resume()
    waits.join()
    there = _device(array, files[2])
    assert (there["state"], there["timeouts"]) == ("active", 0)
    before = array.info()["degraded_reads"]
    assert volume.read(0, len(data) + len(piece)) == data + piece
    assert array.info()["degraded_reads"] == before
    assert array.degraded_stripes() == 0


STOPPED = """
import os, signal, sys, threading
from kumihimo._storage import Array, FileDevice, Volume
disks = [FileDevice(p, late_s=60.0) for p in sys.argv[1:]]
Array.create(disks, k=3, p=1)
array = Array.open(disks)
volume = Volume(array)
volume.write(0, b"x" * volume.size)
disks[1].set_timeout(3.0)
disks[1].hang()
reads = threading.Thread(target=lambda: volume.read(0, volume.size))
reads.start()
reads.join(0.5)
assert reads.is_alive()
os.kill(os.getpid(), signal.SIGSTOP)
disks[1].resume()
reads.join()
print([(d["state"], d["timeouts"]) for d in array.devices()])
"""


def test_a_stopped_process_gives_up_no_disk(files: list[Path]) -> None:
    """A disk has work in hand while nobody here runs for longer than its time-out."""
    run = subprocess.Popen(
        [sys.executable, "-c", STOPPED, *map(str, files)], stdout=subprocess.PIPE, text=True
    )

    def stopped() -> bool:
        assert run.poll() is None
        return Path(f"/proc/{run.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"

    _wait(stopped)
    time.sleep(4)
    os.kill(run.pid, signal.SIGCONT)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert out.strip() == str([("active", 0)] * 5)


def test_without_redundancy_a_lost_disk_is_there_again_after_a_start(files: list[Path]) -> None:
    disks = [FileDevice(str(f)) for f in files]
    # Equal shares, however fast each disk was: each has old chunks and gets new ones.
    Array.create(disks, dynamic=False, seed=1)
    array = Array.open(disks)
    volume = Volume(array)
    data = random.Random(1).randbytes(volume.size // 2)
    volume.write(0, data)
    volume.flush()
    disks[2].set_timeout(1.0)  # of this disk only: how long another needs is up to the machine
    disks[2].hang()
    new = data[: 40 * 65536][::-1]
    with pytest.raises(StorageError):  # the lost disk would not hear of it
        volume.write(0, new)
        volume.flush()
    there = _device(array, files[2])
    assert not there["present"] and int(str(there["timeouts"])) > 0
    with pytest.raises(StorageError, match="is lost"):
        volume.read(0, len(data))
    with pytest.raises(StorageError, match="does not work"):
        array.drain(0)
    del volume, array, disks
    volume = Volume(Array.open([FileDevice(str(f)) for f in files]))
    for at in range(0, len(data), 65536):
        old, written = data[at : at + 65536], new[at : at + 65536]
        assert volume.read(at, len(old)) in (old, written)


@pytest.mark.parametrize(("k", "p"), [(1, 0), (1, 1), (3, 1)])
@pytest.mark.parametrize("wrong", [False, True])
def test_a_read_that_fails_once_is_tried_again(k: int, p: int, wrong: bool) -> None:
    """Nothing is mended, nothing counts as lost; what fails twice does."""
    rig = Rig.make(5, k, p)
    volume = rig.open()
    assert rig.array is not None
    data = random.Random(2).randbytes(volume.size)
    volume.write(0, data)
    volume.flush()
    offset = int.from_bytes(rig.disks[0].image[104:112], "little")

    def upset(stripe: int, times: int) -> None:
        for device, slot, _ in rig.array.places(stripe)[:1] if rig.array else []:
            rig.disks[device].upset(offset + 4096 * slot + 512, times, wrong)

    for stripe in range(10):
        upset(stripe, 1)
    step = k * 4096
    # A mirror may ask the other copy, where nothing fails.
    assert volume.read(0, 10 * step) == data[: 10 * step]
    info = rig.array.info()
    assert info["retried_reads"] == sum(int(d["retries"]) for d in rig.array.devices()) == 10
    assert (info["degraded_reads"], info["lost_reads"], info["repaired"]) == (0, 0, 0)
    assert all(d["read_errors"] == d["checksum_errors"] == 0 for d in rig.array.devices())
    upset(20, 2)
    if p:
        assert volume.read(20 * step, 4096) == data[20 * step :][:4096]
        assert rig.array.info()["degraded_reads"] == 1
    else:
        with pytest.raises(StorageError, match="is lost"):
            volume.read(20 * step, 4096)
    key = "checksum_errors" if wrong else "read_errors"
    assert sum(int(d[key]) for d in rig.array.devices()) == 1
    assert rig.array.info()["retried_reads"] == 10


def test_how_often_a_read_is_tried_can_be_chosen() -> None:
    rig = Rig.make(3, 1, 0)
    volume = rig.open()
    volume.write(0, b"a" * 4096)
    volume.flush()
    assert rig.array is not None
    ((device, slot, _),) = rig.array.places(0)
    offset = int.from_bytes(rig.disks[0].image[104:112], "little")
    for retries in (0, 3):
        volume = rig.open(read_retries=retries)
        rig.disks[device].upset(offset + 4096 * slot, retries + 1)
        with pytest.raises(StorageError, match="is lost"):
            volume.read(0, 4096)
        assert volume.read(0, 4096) == b"a" * 4096


def test_a_disk_that_answers_after_its_time_is_over_harms_nobody() -> None:
    """What is made from the others is not in a buffer that the lost disk may still write to."""
    rig = Rig.make(6, 3, 1, spares=1)
    volume = rig.open()
    data = random.Random(3).randbytes(volume.size)
    volume.write(0, data)
    volume.flush()
    rig.disks[1].answer_too_late()
    assert rig.array
    rig.array.repair(0, rig.array.info()["stripes"], True)
    assert rig.array.info()["repaired"] > 0
    assert rig.array.devices()[1]["state"] == "failed"
    assert volume.read(0, volume.size) == data
    assert rig.array.info()["degraded_reads"] == 0
    assert all(d["checksum_errors"] == 0 for d in rig.array.devices())


def test_a_flush_between_the_start_and_the_end_of_a_write_does_not_cover_it() -> None:
    """Chunks are flushed before a record of them is written anywhere."""
    size = 1 << 20
    images = [bytearray(size) for _ in range(2)]
    log: list[tuple[str, int, int]] = []
    at_write: list[Callable[[], None]] = []

    def disk(i: int) -> CallbackDevice:
        def call(op: str, offset: int, data: object) -> bytes | None:
            if op == "read":
                assert isinstance(data, int)
                return bytes(images[i][offset : offset + data])
            if op == "write" and at_write and offset >= start:
                at_write.pop()()
            log.append((op, i, offset))
            if op == "write":
                assert isinstance(data, bytes)
                images[i][offset : offset + len(data)] = data
            return None

        return CallbackDevice(f"disk{i}", size, call)

    disks = [disk(i) for i in range(2)]
    start = size
    Array.create(disks, chunk_log2=12, seed=1)
    start = int.from_bytes(images[0][104:112], "little")
    array = Array.open(disks)
    volume = Volume(array, cache_bytes=0)
    for stripe in range(4):
        volume.write(4096 * stripe, bytes([stripe + 1]) * 4096)
    at_write.append(array.commit)
    log.clear()
    volume.write(4096 * 4, b"z" * 4096)
    volume.flush()
    assert not at_write
    data = [n for n, (op, _, offset) in enumerate(log) if op == "write" and offset >= start]
    device = log[data[-1]][1]
    after = [(op, d) for op, d, _ in log[data[-1] + 1 :]]
    assert after[0] == ("flush", device) and ("write", device) in after
