# SPDX-License-Identifier: Apache-2.0
"""Chunks longer than the parity engine holds: parity and lost chunks are computed in pieces.

On the disks there is no difference: as in test_storage_array.py the C++ array is beside it, byte
for byte. An array costs more than the tests, so those that leave it whole share one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from array_bench import PARITY_BYTES
from array_pair import SECTOR, Pair
from kumihimo import _storage
from kumihimo.storage.node.link import Cmd, Response, Status

TWO, FOUR, EIGHT = 2 * PARITY_BYTES, 4 * PARITY_BYTES, 8 * PARITY_BYTES


def place_of(pair: Pair, logical: int, position: int, at: int) -> tuple[int, int]:
    """Device and offset of a byte of a chunk."""
    device, slot, _ = pair.array.places(logical)[position]
    return device, pair.node.logs[device].data_offset + slot * pair.node.chunk + at


def flip(pair: Pair, logical: int, position: int, at: int) -> None:
    """A bit of a chunk, on both disks."""
    device, place = place_of(pair, logical, position, at)
    pair.disks[device][place] ^= 4
    with pair.paths[device].open("r+b") as f:
        f.seek(place)
        f.write(bytes([pair.disks[device][place]]))


def chunk_of(pair: Pair, logical: int, position: int) -> bytes:
    return pair.content[logical][position * pair.node.chunk :][: pair.node.chunk]


@pytest.mark.parametrize(
    ("shape", "chunk", "stripes", "stall"),
    [
        ((3, 1, 1), TWO, 3, 0.3),
        ((4, 2, 1), EIGHT, 2, 0.0),
        ((5, 2, 2), FOUR, 3, 0.0),
    ],
    ids=["mirror-2", "single-8", "double-4"],
)
def test_same_bytes(
    tmp_path: Path, shape: tuple[int, int, int], chunk: int, stripes: int, stall: float
) -> None:
    """Writes, silent damage and a scrub, a disk that dies in a write, reads and a rebuild."""
    pair = Pair(tmp_path, shape, seed=11, stall=stall, chunk=chunk)
    width = shape[1] + shape[2]
    pair.write(*range(stripes), 0)
    pair.commit()
    # In the first, the last and a middle piece, of data and of parity.
    flip(pair, 0, 0, 5)
    flip(pair, 1, width - 1, chunk - 1)
    if shape[2] == 2:  # two chunks of one stripe
        flip(pair, 1, 1, PARITY_BYTES)
        flip(pair, 2, 0, 2 * PARITY_BYTES)
        flip(pair, 2, 1, chunk - 1)
    pair.check(range(stripes))
    pair.repair(verify=True)
    pair.commit()
    pair.bench.ports[1].dead = True
    pair.files[1].die()
    pair.write(stripes - 1)
    pair.check(range(stripes))
    pair.commit()
    assert pair.node.degraded_stripes() == pair.array.degraded_stripes() > 0
    pair.repair()
    assert pair.node.degraded_stripes() == pair.array.degraded_stripes() == 0
    pair.bench.check()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Single parity, two pieces, back-pressure; four stripes."""
    pair = Pair(tmp_path_factory.mktemp("pieces"), (5, 2, 1), seed=23, stall=0.2, chunk=TWO)
    pair.write(*range(4))
    pair.commit()
    return pair


def test_bad_sectors(whole: Pair) -> None:
    """One sector of a chunk, in either piece; of two chunks it is too many."""
    bad = [place_of(whole, *what) for what in ((0, 0, 0), (1, 1, TWO - 1), (2, 2, PARITY_BYTES))]
    for device, at in bad:
        whole.bench.ports[device].bad.add(at // SECTOR)
    whole.check(range(4))
    device, at = place_of(whole, 0, 1, TWO - 1)
    whole.bench.ports[device].bad.add(at // SECTOR)
    with pytest.raises(_storage.StorageError, match="lost"):
        whole.node.read_chunk(0, 0)
    for port in whole.bench.ports:
        port.bad.clear()
    whole.check(range(4))


def test_frames_in_pieces_among_others(whole: Pair) -> None:
    """The frame of a degraded READ comes in several moves, and counts once."""
    link = whole.bench.link
    flip(whole, 0, 1, TWO - 1)
    for port in whole.bench.ports:
        port.slow_read = 100
    reads = [(0, 1), (1, 0), (0, 0), (1, 1)]
    responses = [link.wait(tag) for tag in [link.submit(Cmd.READ, j, x) for x, j in reads]]
    for port in whole.bench.ports:
        port.slow_read = 0
    flip(whole, 0, 1, TWO - 1)
    assert [(r.status, r.detail) for r in responses] == [(Status.OK, d) for d in (3, 0, 0, 0)]
    assert [r.data for r in responses] == [chunk_of(whole, x, j) for x, j in reads]


def test_bad_frames(whole: Pair) -> None:
    """Too short, too long: nothing is written."""
    for size in (512, whole.stripe - 8, whole.stripe + 512):
        response = whole.bench.link.call(Cmd.WRITE, 0, 1, data=bytes(size))
        assert response.status == Status.BAD_FRAME
    whole.write(1)
    whole.check(range(4))
    whole.commit()


def run_with_fault(
    pair: Pair, tag: int, position: int, at: int, begin: Callable[[], bool]
) -> Response:
    """A command during which, from `begin` on, a sector of a chunk buffer fails."""
    place = pair.node._memory.stage + position * pair.node.chunk + at  # of the first context
    while not begin():
        pair.bench.link.poll()
        pair.bench.step()
    pair.bench.memory.fault(place, SECTOR)
    response = pair.bench.link.wait(tag)
    pair.bench.memory.fault(place, SECTOR, False)
    return response


def test_memory_fails_while_parity_is_computed(whole: Pair) -> None:
    """A WRITE that cannot read a piece again or store one changes nothing, and can be repeated."""
    link, memory = whole.bench.link, whole.bench.memory
    last = whole.node._memory.stage + whole.stripe - 8  # of the data
    occupied = whole.bench.dut.get("occupied")
    for position, at in ((0, PARITY_BYTES), (1, TWO - 512), (2, 0), (2, TWO - 512)):
        memory.write(last, bytes(8))
        tag = link.submit(Cmd.WRITE, 0, 0, data=bytes(whole.stripe - 8) + b"the end.")
        response = run_with_fault(
            whole, tag, position, at, lambda: memory.read(last, 8) == b"the end."
        )
        assert response.status == Status.MEM_ERROR
    assert whole.bench.dut.get("occupied") == occupied
    whole.check(range(1))
    whole.write(0)
    whole.check(range(1))
    whole.commit()


@pytest.mark.parametrize("op", [Cmd.READ, Cmd.REPAIR])
def test_memory_fails_while_a_chunk_is_computed(whole: Pair, op: Cmd) -> None:
    """At any time: chunks that are not good, then a piece that cannot be read; no change."""
    flip(whole, 3, 0, 99)
    seen = []
    while Status.MEM_ERROR not in seen:
        steps = iter([False] * 16 * len(seen) + [True])
        tag = whole.bench.link.submit(op, 0, 3, 0, 1)
        seen.append(run_with_fault(whole, tag, 1, TWO - 512, lambda: next(steps)).status)  # noqa: B023
    assert seen == [Status.DATA_LOST] * (len(seen) - 1) + [Status.MEM_ERROR] and len(seen) > 2
    response = whole.bench.link.call(Cmd.READ, 0, 3)
    assert response.status == Status.OK and response.detail == 3
    assert response.data == chunk_of(whole, 3, 0)
    flip(whole, 3, 0, 99)
    whole.same()


def test_several_at_once(whole: Pair, tmp_path: Path) -> None:
    """Repairs, writes and reads of different stripes; the C++ array finds all right."""
    link = whole.bench.link
    flip(whole, 0, 1, 1)
    flip(whole, 2, 2, PARITY_BYTES)
    written = {x: whole.rng.randbytes(whole.stripe) for x in (1, 4)}
    tags = [link.submit(Cmd.REPAIR, 0, x, 0, 1) for x in (0, 2)]
    tags += [link.submit(Cmd.WRITE, 0, x, data=data) for x, data in written.items()]
    read = link.submit(Cmd.READ, 1, 3)
    assert [link.wait(tag).status for tag in tags] == [Status.OK] * 4
    assert link.wait(read).data == chunk_of(whole, 3, 1)
    whole.node.commit()
    content = whole.content | written
    paths = [tmp_path / f"{i}.img" for i in range(len(whole.disks))]
    for path, disk in zip(paths, whole.disks, strict=True):
        path.write_bytes(disk)
    array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths])
    volume = _storage.Volume(array)
    for logical, data in content.items():
        assert volume.read(logical * whole.stripe, whole.stripe) == data
    array.repair(0, whole.node.stripes, True)
    assert array.info()["repaired"] == 0
    whole.bench.check()
