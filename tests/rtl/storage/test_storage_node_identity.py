# SPDX-License-Identifier: Apache-2.0
"""Disks of a node that lose power for a moment, are exchanged, or hang.

A port that identifies its disk again stops serving it, for it may have lost its write cache; and
it never serves another one as the old one. So a commit fails the disk instead of counting on it;
what was committed is read as it was, or as an error. The C++ array reads the disks afterwards.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo import _storage
from kumihimo.storage.node.link import Cmd
from kumihimo.storage.node.simulated import CTRL, ONCE, SATA, STATUS, STEP
from node_machine import CHUNK, FAST, LIMIT_CYCLES, SIZE, STRIPES, K, Machine

CTRL_2, STATUS_2 = (SATA + 0x2000 + register for register in (CTRL, STATUS))  # of port 2


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


@pytest.mark.long(only=True)  # test_storage_node_states.py has every short sequence
@pytest.mark.parametrize("seed", (1, 2, 3, 4))
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


def test_a_copy_of_a_disk_is_not_that_disk(tmp_path: Path) -> None:
    """It has the same content, superblock included, but another serial number: it is not served."""
    m = Machine(tmp_path)
    copy = tmp_path / "copy.img"
    copy.write_bytes(m.sim.models[2].read(0, SIZE))
    m.write()
    m.commit()  # the copy is old now
    m.sim.dut.disk_remove("p2")
    m.sim.dut.axil_write(CTRL_2, m.sim.dut.axil_read(CTRL_2) & ~ONCE)
    model = m.sim.dut.disk("p2", seed=9, file=str(copy), serial="COPY", **FAST)
    m.sim.dut.run(400 * STEP)
    assert m.sim.dut.axil_read(STATUS_2) >> 15 & 1
    assert m.check(m.array.read_chunk) == 0
    before = model.read(0, SIZE)
    m.write()
    m.commit()
    assert m.states()[2] == "failed"
    assert model.read(0, SIZE) == before
    assert m.check(m.array.read_chunk) == 0
    m.sim.models[2] = model
    assert m.on_files(without=(2,)) == 0
