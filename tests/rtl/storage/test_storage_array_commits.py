# SPDX-License-Identifier: Apache-2.0
"""Commits of the array in RTL: power cuts, reads beside them, disks that die in them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from array_pair import CHUNK, DOUBLE, MIRROR, SINGLE, Pair
from kumihimo import _storage
from kumihimo.storage.node.link import Cmd, Status


def test_power_is_cut_in_a_commit(tmp_path: Path) -> None:
    """The disks as they were before each request of a commit: every stripe is old or new."""
    pair = Pair(tmp_path, (4, 2, 1), seed=47)
    pair.write(*range(5))
    pair.commit()
    safe = dict(pair.content)
    new = {x: pair.rng.randbytes(pair.stripe) for x in (1, 3, 6)}
    for logical, data in new.items():
        pair.node.write_stripe(logical, data)
    moments: list[list[bytes]] = []
    for port in pair.bench.ports:
        port.before = lambda: moments.append([bytes(disk) for disk in pair.disks])
    pair.node.commit()
    moments.append([bytes(disk) for disk in pair.disks])
    assert len(moments) > 8
    for i, disks in enumerate(moments):
        paths = [tmp_path / f"cut{i}_{d}.img" for d in range(4)]
        for path, disk in zip(paths, disks, strict=True):
            path.write_bytes(disk)
        array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths])
        volume = _storage.Volume(array)
        found = {x: volume.read(x * pair.stripe, pair.stripe) for x in range(7)}
        changed = 0
        for logical, data in found.items():
            old = safe.get(logical, bytes(pair.stripe))
            assert data in (old, new.get(logical, old)), (i, logical)
            changed += logical in new and data == new[logical]
        if i == 0:
            assert not changed
        if i == len(moments) - 1:
            assert changed == len(new)
        array.repair(0, pair.node.stripes, True)
        assert array.info()["repaired"] == 0


def test_power_is_cut_while_a_failure_is_told(tmp_path: Path) -> None:
    """Another disk fails while all are told of the first: the others start at each moment."""
    pair = Pair(tmp_path, (5, 2, 2), seed=83)
    pair.write(*range(4))
    pair.commit()
    left = [0, 2, 4]
    moments: list[list[bytes]] = []
    for i in left:
        pair.bench.ports[i].before = lambda: moments.append([bytes(pair.disks[d]) for d in left])
    pair.bench.ports[3].dead = True
    pair.node.fail(1)
    assert [pair.node.super.entry(d).state for d in (1, 3)] == ["failed"] * 2
    for i, moment in enumerate(moments):
        paths = [tmp_path / f"told{i}_{d}.img" for d in left]
        for path, disk in zip(paths, moment, strict=True):
            path.write_bytes(disk)
        files = [_storage.FileDevice(str(path)) for path in paths]
        volume = _storage.Volume(_storage.Array.open(files, degraded=True))
        for logical, data in pair.content.items():
            assert volume.read(logical * pair.stripe, pair.stripe) == data


def _flushes(pair: Pair) -> int:
    return sum(what == "flush" for port in pair.bench.ports for what, _, _ in port.log)


def test_reads_beside_a_commit(tmp_path: Path) -> None:
    """Reads are answered between its first request and its last; writes wait for its end."""
    pair = Pair(tmp_path, SINGLE, seed=61, stall=0.05)
    link, ports = pair.bench.link, pair.bench.ports
    pair.write(*range(6))
    pair.commit()
    pair.write(*range(5))
    for port in ports:
        port.slow_flush = 400
    before = _flushes(pair)
    commit = link.submit(Cmd.COMMIT)
    tags = {link.submit(Cmd.READ, j, x): (x, j) for x in range(6) for j in range(3)}
    for tag, (x, j) in tags.items():
        response = link.wait(tag)
        assert response.status == Status.OK
        assert response.data == pair.content[x][j * CHUNK : (j + 1) * CHUNK]
    assert link.wait(link.submit(Cmd.READ, 0, 9)).status == Status.UNMAPPED
    assert commit in link.open and _flushes(pair) - before == 4
    new = pair.rng.randbytes(pair.stripe)
    write = link.submit(Cmd.WRITE, 0, 0, data=new)
    response = link.wait(commit)
    assert response.status == Status.OK and response.value & 1
    assert write in link.open and _flushes(pair) - before == 8
    pair.array.commit()
    pair.same()
    assert link.wait(write).status == Status.OK
    pair.volume.write(0, new)
    pair.content[0] = new
    pair.commit()
    pair.check(range(6))


def _until_flush(pair: Pair, before: int) -> None:
    """One more flush than before is at a port."""
    while _flushes(pair) <= before:
        pair.bench.step()


def test_what_is_read_is_not_freed_by_a_commit(tmp_path: Path) -> None:
    """Reads that last longer than a commit, and writes that take the slots that it has freed."""
    pair = Pair(tmp_path, SINGLE, seed=67)
    link, ports = pair.bench.link, pair.bench.ports
    pair.write(*range(4))
    freed = {place >> 32 for v in pair.node.versions()[:4] for place in v.places}
    pair.write(*range(4))
    for port in ports:
        port.slow_flush, port.slow_read = 200, 1 << 30
    before = _flushes(pair)
    commit = link.submit(Cmd.COMMIT)
    _until_flush(pair, before + 4)  # those after the logs: a flush waits for reads before it
    for _ in range(20):
        pair.bench.step()
    reads = {link.submit(Cmd.READ, x, x): x for x in range(3)}
    # All that there is room for.
    logicals = [*range(4, pair.node.stripes)] * 2
    writes = [link.submit(Cmd.WRITE, 0, x, data=pair.content[3]) for x in logicals]
    assert link.wait(commit).value & 1
    reasons = [link.wait(tag).status for tag in writes]
    assert reasons == sorted(reasons) and set(reasons) == {Status.OK, Status.NO_SPACE}
    assert set(reads) <= link.open
    for port in ports:
        for item in port.queue:
            item[0] = 0
    for tag, x in reads.items():
        response = link.wait(tag)
        assert response.status == Status.OK and not response.detail
        assert response.data == pair.content[x][x * CHUNK : (x + 1) * CHUNK]
    assert freed & {place >> 32 for v in pair.node.versions()[4:] for place in v.places}


@pytest.mark.parametrize("shape", [MIRROR, DOUBLE], ids=["mirror", "double"])
def test_a_disk_dies_in_a_commit_with_reads(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    """All is right in the commit and after it, and nothing is freed before the others know."""
    pair = Pair(tmp_path, shape, seed=71, stall=0.05)
    link, rng = pair.bench.link, random.Random(73)
    pair.write(*range(8))
    pair.commit()
    for turn in range(6):
        for logical in rng.sample(range(8), 3):
            pair.content[logical] = pair.rng.randbytes(pair.stripe)
            pair.node.write_stripe(logical, pair.content[logical])
        for port in pair.bench.ports:
            port.slow_flush = 10
        before = _flushes(pair)
        commit = link.submit(Cmd.COMMIT, count=link.failures)
        _until_flush(pair, before)
        pair.bench.ports[1].dead = turn >= 3
        wanted = [(rng.randrange(8), rng.randrange(pair.k)) for _ in range(20)]
        for x, j, tag in [(x, j, link.submit(Cmd.READ, j, x)) for x, j in wanted]:
            response = link.wait(tag)
            assert response.status == Status.OK
            assert response.data == pair.content[x][j * CHUNK : (j + 1) * CHUNK]
        response = link.wait(commit)
        assert response.status == Status.OK
        assert response.value & 1 == (turn != 3)
        pair.node.commit()
    assert pair.node.super.entry(1).state == "failed"
    left = [disk for i, disk in enumerate(pair.disks) if i != 1]
    paths = [tmp_path / f"later{i}.img" for i in range(len(left))]
    for path, disk in zip(paths, left, strict=True):
        path.write_bytes(bytes(disk))
    array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths], degraded=True)
    volume = _storage.Volume(array)
    for logical, data in pair.content.items():
        assert volume.read(logical * pair.stripe, pair.stripe) == data


def test_a_disk_dies_in_writes_before_a_commit(tmp_path: Path) -> None:
    """Nothing is freed of which devices hold records that do not know of the one that failed."""
    pair = Pair(tmp_path, SINGLE, seed=79)
    link = pair.bench.link
    pair.write(*range(4))
    pair.commit()
    pair.bench.ports[1].dead = True
    writes = [link.submit(Cmd.WRITE, 0, x, data=pair.rng.randbytes(pair.stripe)) for x in range(4)]
    commit = link.submit(Cmd.COMMIT, count=link.failures)
    assert all(link.wait(tag).status == Status.OK for tag in writes)
    response = link.wait(commit)
    assert response.status == Status.OK and link.failures == 1
    assert response.value == 4 << 32  # what was there before waits in the list
    pair.node.commit()  # tells the others
    assert pair.node.super.entry(1).state == "failed"
    assert link.wait(link.submit(Cmd.COMMIT, count=link.failures)).value == 1
