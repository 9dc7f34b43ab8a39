# SPDX-License-Identifier: Apache-2.0
"""Disks of a node that lose power for a moment, are exchanged, or hang.

A port that identifies its disk again stops serving it: it may be another one, or have lost its
write cache. So a commit fails the disk instead of counting on it; what was committed is read as it
was, or as an error. The C++ array reads the disks afterwards.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node.link import Cmd
from kumihimo.storage.node.simulated import STEP, SimulatedNode
from kumihimo.testing.sizes import by_size

CHUNK, SIZE, K = 4096, 384 << 10, 2
FAST = {"read_rate": 5e9, "write_rate": 5e9, "latency_ps": 0, "write_latency_ps": 0, "jitter_ps": 0}
LIMIT = 200  # ticks: 2 ms
LIMIT_CYCLES = LIMIT * 2_500  # of the controller
STRIPES = 6


class Machine:
    """A node with four disks, and what its array must hold."""

    def __init__(self, folder: Path, p: int = 1) -> None:
        self.rng = random.Random(p)
        self.folder = folder
        self.paths = [folder / f"{i}.img" for i in range(4)]
        for path in self.paths:
            path.write_bytes(bytes(SIZE))
        self.sim = SimulatedNode(self.paths, limit_ticks=LIMIT, **FAST)
        k = K if p else 1
        node.create(self.sim.link, self.sim.disks, chunk_log2=12, k=k, p=p, dynamic=False, seed=1)
        self.array = self.sim.open()
        self.k = k
        self.committed = {i: bytes(k * CHUNK) for i in range(STRIPES)}
        self.since: dict[int, set[bytes]] = {i: set() for i in range(STRIPES)}
        self.write()
        self.commit()

    def write(self) -> None:
        """Write every stripe; nothing is durable yet."""
        for i in range(STRIPES):
            data = self.rng.randbytes(self.k * CHUNK)
            self.since[i].add(data)
            self.array.write_stripe(i, data)
            self.last = {**getattr(self, "last", {}), i: data}

    def commit(self) -> None:
        self.array.commit()
        self.committed.update(self.last)
        self.since = {i: set() for i in range(STRIPES)}

    def states(self) -> list[str]:
        return [self.array.state(d) for d in range(4)]

    def check(self, read: object) -> int:
        """Everything is as it was committed, or written since, or an error; number of errors."""
        errors = 0
        for i in range(STRIPES):
            try:
                got = b"".join(read(i, j) for j in range(self.k))  # type: ignore[operator]
            except _storage.StorageError:
                errors += 1
                continue
            assert got == self.committed[i] or got in self.since[i], f"stripe {i}"
        return errors

    def on_files(self, without: tuple[int, ...] = ()) -> int:
        """The same from the files, by the C++ array; all power is lost before."""
        for i, model in self.sim.models.items():
            if i not in without:
                (self.folder / f"copy{i}").write_bytes(model.read(0, SIZE, cached=False))
        paths = [self.folder / f"copy{i}" for i in range(4) if i not in without]
        disks = [_storage.FileDevice(str(path)) for path in paths]
        array = _storage.Array.open(disks, degraded=True)
        volume = _storage.Volume(array)
        return self.check(lambda i, j: volume.read((i * self.k + j) * CHUNK, CHUNK))

    def blink(self, disk: int) -> None:
        """Power fails for a moment: what the disk had not written is gone."""
        self.sim.models[disk].fault("power_cut")
        self.sim.dut.run(STEP)
        self.sim.models[disk].fault("power_on")
        self.sim.dut.run(400 * STEP)


def test_power_fails_for_a_moment_between_write_and_flush(tmp_path: Path) -> None:
    m = Machine(tmp_path)
    m.write()
    m.blink(1)
    m.commit()
    assert m.states() == ["active", "failed", "active", "active"]
    assert m.check(m.array.read_chunk) == 0
    assert m.on_files(without=(1,)) == 0


def test_without_redundancy_the_commit_fails(tmp_path: Path) -> None:
    m = Machine(tmp_path, p=0)
    m.write()
    m.blink(2)
    with pytest.raises(_storage.StorageError):
        m.commit()
    m.check(m.array.read_chunk)
    assert m.on_files() < STRIPES  # what is not on that disk is there; the rest is an error


def test_an_exchanged_disk_is_not_written(tmp_path: Path) -> None:
    m = Machine(tmp_path)
    other = tmp_path / "other.img"
    content = random.Random(7).randbytes(SIZE)
    other.write_bytes(content)
    m.sim.dut.disk_remove("p2")
    model = m.sim.dut.disk("p2", seed=9, file=str(other), **FAST)
    m.sim.dut.run(400 * STEP)
    m.write()
    m.commit()
    assert m.states()[2] == "failed"
    assert model.read(0, SIZE) == content
    assert m.check(m.array.read_chunk) == 0
    m.sim.models[2] = model
    assert m.on_files(without=(2,)) == 0


def test_a_disk_that_hangs_delays_only_what_touches_it(tmp_path: Path) -> None:
    """And that no longer than one time-out; reads of other disks go on beside it."""
    m = Machine(tmp_path)
    places = {v.logical: [p >> 56 for p in v.places] for v in m.array.versions()}
    logical = next(i for i in range(STRIPES) if 3 in places[i])
    apart = next(i for i in range(STRIPES) if places[i][0] != 3 and i != logical)
    m.sim.models[3].fault("hang")
    position = places[logical].index(3)
    began = m.sim.dut.cycle
    link = m.sim.link
    slow = (
        link.submit(Cmd.REPAIR, 0, logical, 0, 1)
        if position >= K
        else link.submit(Cmd.READ, position, logical)
    )
    fast = link.submit(Cmd.READ, 0, apart)
    assert link.wait(fast).data == m.committed[apart][:CHUNK]
    assert m.sim.dut.cycle - began < LIMIT_CYCLES // 4
    link.wait(slow)
    assert LIMIT_CYCLES // 2 < m.sim.dut.cycle - began < 2 * LIMIT_CYCLES
    m.write()
    m.commit()
    assert m.sim.dut.cycle - began < 4 * LIMIT_CYCLES
    assert m.states()[3] == "failed"
    assert m.check(m.array.read_chunk) == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", by_size((1,), (1, 2, 3, 4)))
def test_faults_in_any_order(seed: int, tmp_path: Path) -> None:
    """Also more than the redundancy covers: right or an error; with all disks all is there."""
    m = Machine(tmp_path)
    r = random.Random(seed)
    hung: set[int] = set()
    for _ in range(5):
        what = r.choice(["write", "commit", "blink", "blink", "hang"])
        disk = r.randrange(4)
        try:
            if what == "write":
                m.write()
            elif what == "commit":
                m.write()
                m.commit()
            elif what == "blink":
                m.blink(disk)
            elif not hung:
                m.sim.models[disk].fault("hang")
                hung.add(disk)
        except _storage.StorageError:
            pass
        m.check(m.array.read_chunk)
    failed = tuple(d for d, state in enumerate(m.states()) if state == "failed")
    assert len(failed) <= 1
    assert m.on_files(without=failed) == 0
