# SPDX-License-Identifier: Apache-2.0
"""The controller's memory: addresses beyond 32 bits, and errors at any of its areas.

After an error the command is repeated; then nothing is lost, no slot is taken without a chunk, and
the C++ array finds all that was committed.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from array_bench import CONTEXTS, PORTS, WIDTH, Bench
from array_pair import CHUNK, DOUBLE, SINGLE, Pair
from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node.config import SlotOp
from kumihimo.storage.node.link import Cmd, Param, Response, Status

SIZE = 512 << 10
SLOTS = 4096  # more than these disks have: eight lines, of which four are on chip
K, P, DISKS = 2, 1, 4
LINE = 512  # slots
DEVICE_BYTES = 1 << 21  # of a device's slots


class Faulty:
    """An array on four disks, in bytes, whose node's memory fails."""

    def __init__(self, seed: int, stall: float = 0.0) -> None:
        self.rng = random.Random(seed)
        self.disks = [bytearray(SIZE) for _ in range(DISKS)]
        self.bench = Bench(self.disks, seed, stall)
        self.link, self.memory = self.bench.link, self.bench.memory
        at = [node.Disk(i, SIZE) for i in range(DISKS)]
        rates = [100.0] * DISKS
        node.create(
            self.link, at, chunk_log2=12, k=K, p=P, dynamic=False, seed=seed, read_mbs=rates,
            write_mbs=rates,
        )  # fmt: skip
        self.node = node.NodeArray(
            self.link, at, ports=PORTS, contexts=CONTEXTS, width=WIDTH, memory_base=77 << 32
        )
        self.areas = self.node._memory
        self.content: dict[int, bytes] = {}
        # One request per device at a time: none may be forgotten.
        self.link.set(Param.DYNAMIC, 1, 1 << 40)
        for d in range(DISKS):
            self.link.set(Param.SLOT_OP, 0, int(SlotOp.SIZE) << 33 | d << 25 | SLOTS)

    def try_write(self, logical: int, data: bytes) -> Response:
        return self.link.call(Cmd.WRITE, 0, logical, 0, 0, data)

    def write(self, *logicals: int) -> None:
        for logical in logicals:
            self.content[logical] = self.rng.randbytes(K * CHUNK)
            self.node.write_stripe(logical, self.content[logical])

    def taken(self, d: int) -> set[int]:
        """Slots of the disk that the node calls taken."""
        arg = int(SlotOp.TEST) << 33 | d << 25
        slots = range(SIZE // CHUNK)
        tags = [self.link.submit(Cmd.SET, Param.SLOT_OP, 0, 0, arg | s) for s in slots]
        return {s for s, tag in enumerate(tags) if self.link.wait(tag).value >> 24 & 1}

    def bring_others(self) -> None:
        """Other lines of slots take the place of the first ones on chip."""
        for d in range(DISKS):
            self.link.set(Param.SLOT_OP, 0, int(SlotOp.TEST) << 33 | d << 25 | 4 * LINE)
        self.bench.dut.run(200)

    def fault(self, d: int, on: bool = True) -> None:
        """The first line of slots of a device."""
        self.memory.fault(self.areas.slots + d * DEVICE_BYTES, 64, on)

    def check(self, folder: Path) -> None:
        """All that was committed is there, and only that takes slots."""
        self.node.commit()
        assert self.bench.dut.get("occupied") == len(self.content)
        paths = [folder / f"{i}.img" for i in range(DISKS)]
        for path, disk in zip(paths, self.disks, strict=True):
            path.write_bytes(disk)
        array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths])
        volume = _storage.Volume(array)
        held: dict[int, set[int]] = {d: set() for d in range(DISKS)}
        for logical, data in self.content.items():
            got = b"".join(self.node.read_chunk(logical, j) for j in range(K))
            assert got == data == volume.read(logical * len(data), len(data)), logical
            for d, slot, _ in array.places(logical):
                held[d].add(slot)
        assert {d: self.taken(d) for d in held} == held
        self.bench.check()


@pytest.mark.parametrize("shape", [SINGLE, DOUBLE])
def test_areas_above_4_gib(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    """The same bytes as the C++ array, with nothing of the node's memory below 123 GiB."""
    base = 123 << 30
    pair = Pair(tmp_path, shape, seed=41, stall=0.1, memory_base=base)
    areas = pair.node._memory
    assert min(areas.map, areas.list, areas.log, areas.stage, areas.slots, areas.dirty) >= base
    pair.write(*pair.some(25))
    pair.commit()
    pair.unmap(3, 4)
    pair.write(*pair.some(9))
    pair.commit()
    pair.check()
    # At 0 are the buffers of raw commands before the array was there.
    assert not any(pair.bench.memory.read(at << 20, 1 << 20).strip(b"\0") for at in range(1, 64))


def test_slots_that_cannot_be_read(tmp_path: Path) -> None:
    """A write that gets no slot gives back those that it got; commits go on where they stopped."""
    it = Faulty(seed=5)
    it.write(*range(12))
    taken = [it.taken(d) for d in range(DISKS)]
    for pair in ((0, 1), (1, 2), (3, 0)):  # of three devices one at least is one of them
        it.bring_others()
        for d in pair:
            it.fault(d)
        statuses = {it.try_write(20 + i, bytes(K * CHUNK)).status for i in range(6)}
        assert statuses == {Status.MEM_ERROR}
        for d in pair:
            it.fault(d, False)
        assert taken == [it.taken(d) for d in range(DISKS)]
    it.check(tmp_path)
    it.write(*range(12))  # new versions: the slots of the old ones become free with the commit
    it.bring_others()
    d = max(range(DISKS), key=lambda d: len(it.taken(d)))
    it.bring_others()
    it.fault(d)
    with pytest.raises(_storage.StorageError, match="memory"):
        it.node.commit()
    assert it.link.call(Cmd.RECLAIM).status == Status.MEM_ERROR
    it.fault(d, False)
    it.write(15, 16)
    it.check(tmp_path)


def test_repair_without_a_slot(tmp_path: Path) -> None:
    it = Faulty(seed=6)
    it.write(*range(8))
    it.node.commit()
    it.node.fail(2)
    it.bring_others()
    for d in (0, 1, 3):
        it.fault(d)
    for i in range(8):
        status = it.link.call(Cmd.REPAIR, 0, i).status
        assert status == Status.MEM_ERROR, i
    for d in (0, 1, 3):
        it.fault(d, False)
    it.node.repair(0, 8)
    it.node.commit()
    assert it.node.missing_chunks(0, 8) == 0
    for logical, data in it.content.items():
        assert b"".join(it.node.read_chunk(logical, j) for j in range(K)) == data


def test_commits_with_memory_errors(tmp_path: Path) -> None:
    """While records are counted, while they are formatted, and while versions are freed."""
    it = Faulty(seed=7, stall=0.05)
    it.write(*range(30))
    entry = it.areas.map + (29 << it.areas.stride)
    it.memory.fault(entry, 64)
    assert it.link.call(Cmd.COMMIT).status == Status.MEM_ERROR
    it.memory.fault(entry, 64, False)
    before = [len(port.log) for port in it.bench.ports]
    for port in it.bench.ports:  # nothing is left to be flushed: the first request is for a log
        port.before = lambda: it.memory.fault(entry, 64)
    assert it.link.call(Cmd.COMMIT).status == Status.MEM_ERROR
    for port in it.bench.ports:
        port.before = None
    it.memory.fault(entry, 64, False)
    logs = [port.log[n:] for port, n in zip(it.bench.ports, before, strict=True)]
    ops = [what for log in logs for what, _, _ in log]
    assert set(ops) == {"write"} and len(ops) < DISKS
    it.write(3, 4)
    it.memory.fault(it.areas.list, 64)
    assert it.link.call(Cmd.COMMIT).status == Status.MEM_ERROR
    assert it.link.call(Cmd.RECLAIM).status == Status.MEM_ERROR
    it.memory.fault(it.areas.list, 64, False)
    it.check(tmp_path)
