# SPDX-License-Identifier: Apache-2.0
"""The array in RTL and the C++ array, side by side: the same bytes on all disks."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import pytest
from array_bench import CONTEXTS, PORTS, WIDTH, Bench
from array_pair import CHUNK, DOUBLE, MIRROR, MIRROR3, NONE, SECTOR, SINGLE, Pair
from kumihimo import _storage
from kumihimo.common.errors import KumiError
from kumihimo.storage import node
from kumihimo.storage.control import Client, socket_of
from kumihimo.storage.node.link import Area, Cmd, NodeError, Param, Query, Status
from kumihimo.storage.node.rebuild import Rebuild
from kumihimo.storage.node.serve import NodeService


@pytest.mark.parametrize(
    "shape",
    [NONE, MIRROR, MIRROR3, SINGLE, DOUBLE],
    ids=["none", "mirror", "mirror3", "single", "double"],
)
def test_same_bytes(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    """Writes, writes over them, ends of stripes, commits."""
    pair = Pair(tmp_path, shape, seed=sum(shape), stall=0.1)
    pair.write(*pair.some(8))
    pair.check()
    pair.commit()
    pair.write(*pair.some(6))
    pair.unmap(*pair.rng.sample(sorted(pair.content), 3), 19)
    pair.check()
    pair.commit()
    pair.commit()  # with nothing to commit
    pair.bench.check()


def test_full_log_moves(tmp_path: Path) -> None:
    """Many small commits: a log that is full moves to its other half, with earlier versions."""
    pair = Pair(tmp_path, MIRROR, seed=5)
    before = {d: log.generation for d, log in pair.node.logs.items()}
    for _ in range(60):
        pair.write(*pair.some(2, 6))
        pair.commit()
    assert any(log.generation > before[d] for d, log in pair.node.logs.items())
    pair.check()


@pytest.mark.parametrize(
    "shape", [(3, 1, 1), (4, 2, 1), (5, 2, 2)], ids=["mirror", "single", "double"]
)
def test_a_disk_dies(tmp_path: Path, shape: tuple[int, int, int]) -> None:
    """It fails a write; reads and writes go on without it; the rebuild gives the same bytes."""
    pair = Pair(tmp_path, shape, seed=11)
    pair.write(*range(12))
    pair.commit()
    pair.bench.ports[1].dead = True
    pair.files[1].die()
    pair.write(*pair.some(6))
    assert pair.node.super.entry(1).state == "failed"
    assert pair.array.devices()[1]["state"] == "failed"
    pair.check()
    pair.commit()
    assert pair.node.degraded_stripes() == pair.array.degraded_stripes() > 0
    pair.repair()
    assert pair.node.degraded_stripes() == pair.array.degraded_stripes() == 0
    pair.array.finish_rebuild()
    pair.node.finish_rebuild()
    pair.same()
    pair.check()
    pair.write(*pair.some(4))
    pair.commit()


def test_given_up_by_hand(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (5, 2, 2), seed=13)
    pair.write(*range(8))
    pair.array.fail(2)
    pair.node.fail(2)
    pair.same()
    pair.check()
    pair.write(*pair.some(5))
    pair.unmap(3)
    pair.commit()
    pair.array.fail(4)
    pair.node.fail(4)
    pair.check()
    pair.write(*pair.some(3))
    pair.commit()
    with pytest.raises(_storage.StorageError, match="redundancy"):
        pair.node.fail(0)
    with pytest.raises(_storage.StorageError, match="too few"):
        for d in (0, 1, 3):
            pair.node.fail(d, force=True)


def test_leaving_and_joining(tmp_path: Path) -> None:
    """A device is emptied, as in C++; one joins, and the C++ array takes the disks over."""
    pair = Pair(tmp_path, (4, 2, 1), seed=23, spare=512 << 10)
    pair.write(*range(10))
    pair.commit()
    pair.array.drain(1)
    pair.node.drain(1)
    pair.same()
    pair.check()
    pair.repair()
    pair.array.finish_rebuild()
    pair.node.finish_rebuild()
    pair.same()
    pair.check()
    with pytest.raises(_storage.StorageError, match="belongs to an array"):
        pair.node.add(node.Disk(0, len(pair.disks[0])), 1, 1)
    assert pair.node.add(node.Disk(4, 512 << 10), 200_000, 200_000) == 1
    pair.node.fail(3)
    pair.node.repair(0, pair.node.stripes)
    pair.node.finish_rebuild()
    pair.check()
    taken = [pair.disks[0], pair.disks[2], pair.spare[0]]
    paths = [tmp_path / f"taken{i}.img" for i in range(3)]
    for path, disk in zip(paths, taken, strict=True):
        path.write_bytes(disk)
    array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths])
    volume = _storage.Volume(array)
    for logical, data in pair.content.items():
        assert volume.read(logical * pair.stripe, pair.stripe) == data
    array.repair(0, pair.node.stripes, True)
    assert array.info()["repaired"] == 0


def test_scrub_mends_silent_damage(tmp_path: Path) -> None:
    """A flipped bit on the medium: found by the checksum, made anew, written elsewhere."""
    pair = Pair(tmp_path, (4, 2, 1), seed=17)
    pair.write(*range(10))
    pair.commit()
    for logical in (2, 5):
        device, slot, _ = pair.array.places(logical)[logical % 3]
        at = pair.node.logs[device].data_offset + slot * CHUNK + 77
        pair.disks[device][at] ^= 4
        with pair.paths[device].open("r+b") as f:
            f.seek(at)
            f.write(bytes([pair.disks[device][at]]))
    pair.same()
    pair.repair(verify=True)
    pair.commit()
    pair.check()


def test_reads_meet_bad_sectors(tmp_path: Path) -> None:
    """A chunk that cannot be read is made from the others; with too few the stripe is lost."""
    pair = Pair(tmp_path, (4, 2, 1), seed=19)
    pair.write(*range(6))
    pair.commit()
    places = {x: pair.array.places(x) for x in range(6)}

    def spoil(logical: int, position: int) -> None:
        device, slot, _ = places[logical][position]
        first = (pair.node.logs[device].data_offset + slot * CHUNK) // SECTOR
        pair.bench.ports[device].bad.add(first + 3)

    spoil(1, 0)
    spoil(2, 1)
    spoil(3, 2)  # a check chunk
    pair.check()
    spoil(4, 0)
    spoil(4, 1)
    with pytest.raises(_storage.StorageError, match="lost"):
        pair.node.read_chunk(4, 0)
    pair.node.read_chunk(5, 0)


def test_a_bad_frame_is_not_taken_for_that_of_another_read(tmp_path: Path) -> None:
    """Between a frame that is bad and the good one of the same READ others go to the host."""
    pair = Pair(tmp_path, SINGLE, seed=79)
    link = pair.bench.link
    pair.write(0, 1)
    pair.commit()
    device, slot, _ = pair.array.places(0)[0]
    pair.disks[device][pair.node.logs[device].data_offset + slot * CHUNK + 5] ^= 1
    for port in pair.bench.ports:
        port.slow_read = 100
    tags = [link.submit(Cmd.READ, j, x) for x, j in ((0, 0), (1, 0), (1, 1))]
    responses = [link.wait(tag) for tag in tags]
    assert [response.status for response in responses] == [Status.OK] * 3
    assert [response.detail for response in responses] == [3, 0, 0]
    assert responses[0].data == pair.content[0][:CHUNK]
    assert responses[1].data + responses[2].data == pair.content[1][: 2 * CHUNK]
    pair.node.wanted.add(0)
    pair.node.repair_pending()
    assert link.call(Cmd.READ, 0, 0).detail == 0


def test_raw_access_and_measure() -> None:
    disks = [bytearray(1 << 18) for _ in range(PORTS)]
    bench = Bench(disks, stall=0.2)
    link = bench.link
    link.set(Param.AREA, Area.STAGE, 0x10_0000)
    rng = random.Random(1)
    data = rng.randbytes(70_000 // SECTOR * SECTOR)
    link.mem_write(0x4000, data[:8192])
    assert bench.memory.read(0x4000, 8192) == link.mem_read(0x4000, 8192) == data[:8192]
    assert link.raw_write(2, 8192, data) == 0
    assert disks[2][8192 : 8192 + len(data)] == data == link.raw_read(2, 8192, len(data))
    assert link.raw_flush(1) == 0
    for write in (True, False):
        cycles = link.measure(1, sectors=8, count=20, first=100, write=write)
        assert 20 * 4096 // 8 <= cycles < 4 * 20 * 4096 // 8
    bench.ports[3].bad.add(5)
    assert link.raw_read(3, 0, 8192) == 4  # UNC
    bench.ports[3].dead = True
    assert link.raw_write(3, 0, bytes(512)) == 8  # GONE


def test_bad_commands() -> None:
    """Each gets an answer, and what follows is right."""
    bench = Bench([bytearray(1 << 18)] * 2)
    link = bench.link
    link.set(Param.AREA, Area.STAGE, 0x10_0000)
    assert link.call(Cmd.READ, 0, 5).status == Status.INVALID
    assert link.call(Cmd.WRITE, 0, 5, data=bytes(4096)).status == Status.INVALID
    assert link.call(Cmd.UNMAP, 0, 5).status == Status.INVALID
    assert link.call(Cmd.REPAIR, 0, 5).status == Status.INVALID
    assert link.call(Cmd.RAW_READ, 99, 0, 1).status == Status.INVALID
    assert link.call(Cmd.RAW_WRITE, 99, 0, 1, data=bytes(512)).status == Status.INVALID
    for op in range(14, 32):
        assert link.wait(link.submit(op)).status == Status.INVALID  # type: ignore[arg-type]
    for size in (512, 1536, 4096):
        assert link.call(Cmd.RAW_WRITE, 0, 0, 2, 0, bytes(size)).status == Status.BAD_FRAME
    assert link.raw_write(0, 0, bytes(range(256)) * 4) == 0
    assert link.raw_read(0, 0, 1024) == bytes(range(256)) * 4


def test_sizes_are_checked() -> None:
    """Raw commands and speed tests that do not fit are refused, and harm nothing."""
    bench = Bench([bytearray(1 << 18)] * 2)
    link = bench.link
    stage = 0x10_0000
    link.set(Param.AREA, Area.STAGE, stage)
    room = CONTEXTS * WIDTH * 4096 // SECTOR
    guard = random.Random(3).randbytes(4096)
    bench.memory.write(stage + room * SECTOR, guard)

    def refused(op: Cmd, unit: int, index: int, count: int, arg: int, data: bytes = b"") -> None:
        response = link.call(op, unit, index, count, arg, data)
        assert response.status == Status.INVALID and not response.data

    for count in (0, room + 1, 1 << 17, 1 << 17 | 1, 0xFFFFFFFF):
        refused(Cmd.RAW_READ, 0, 0, count, 0)
        refused(Cmd.RAW_WRITE, 0, 0, count, 0, bytes(1024))
    for sector in ((1 << 48) - 1, 1 << 48, 1 << 63):
        refused(Cmd.RAW_READ, 0, 0, 2, sector)
        refused(Cmd.RAW_WRITE, 0, 0, 2, sector, bytes(1024))
    refused(Cmd.RAW_FLUSH, PORTS, 0, 1, 0)
    for arg, count in (((1 << 40) - 512, 2), (1 << 40, 1), (1 << 63, 1), (0, 0), (0, 1 << 17)):
        refused(Cmd.MEM_READ, 0, 0, count, arg)
        refused(Cmd.MEM_WRITE, 0, 0, count, arg, bytes(512))
    for sectors, count, first in (
        (0, 1, 0),
        (WIDTH * 4096 // SECTOR + 1, 1, 0),
        (1 << 17 | 1, 1, 0),
        (8, 0, 0),
        (8, 1, (1 << 48) - 7),
        (8, 1, 1 << 48),
    ):
        refused(Cmd.SPEED_TEST, 0, sectors, count, first)
        refused(Cmd.SPEED_TEST, 0, sectors, count, first | 1 << 63)
    refused(Cmd.SPEED_TEST, PORTS, 8, 1, 0)
    data = random.Random(4).randbytes(room * SECTOR)  # the most that fits
    bench.ports[1].disk[:] = data + bytes((1 << 18) - len(data))
    assert link.call(Cmd.RAW_READ, 1, 0, room, 0).data == data
    assert link.call(Cmd.RAW_WRITE, 0, 0, room, 0, data[::-1]).status == Status.OK
    assert bench.ports[0].disk[: len(data)] == data[::-1]
    assert link.measure(0, sectors=WIDTH * 8, count=3, first=0, write=False) > 0
    assert bench.memory.read(stage + room * SECTOR, len(guard)) == guard
    # The last that there can be: of a disk of 2^48 sectors, of memory.
    bench.ports[0].endless = True
    last = link.call(Cmd.RAW_READ, 0, 0, 1, (1 << 48) - 1)
    assert last.data == bench.ports[0].disk[-SECTOR:]
    assert link.measure(0, sectors=8, count=2, first=(1 << 48) - 16, write=True) > 0
    assert (
        link.call(Cmd.SPEED_TEST, 0, 8, 3, (1 << 48) - 16).status == Status.INVALID
    )  # the third does not fit
    assert bench.ports[0].log[-1] == ("read", (1 << 48) - 8, 8)
    for end in (1 << 32, 5 << 32, 1 << 40):
        assert link.call(Cmd.MEM_WRITE, 0, 0, 1, end - 512, guard[:512]).status == Status.OK
        assert link.call(Cmd.MEM_READ, 0, 0, 1, end - 512).data == guard[:512]
        assert bench.memory.read(end - 512, 512) == guard[:512]
    assert bench.memory.read(stage + room * SECTOR, len(guard)) == guard


def test_shapes_that_were_not_built_are_refused() -> None:
    bench = Bench([bytearray(1 << 18)] * 2)
    link = bench.link
    for k, p, chunk in ((0, 1, 12), (3, 3, 12), (WIDTH, 1, 12), (2, 1, 17), (2, 1, 8), (31, 2, 12)):
        assert link.set(Param.GEOMETRY, 0, k | p << 8 | chunk << 24).status == Status.INVALID
    assert link.set(Param.GEOMETRY, 0, WIDTH - 2 | 2 << 8 | 12 << 24).status == Status.OK
    assert link.set(Param.STRIPES, (1 << 24) + 1, 1 << 25).status == Status.INVALID
    assert link.set(Param.STRIPES, 1 << 24, 1 << 25).status == Status.OK
    assert link.set(Param.AREA, len(Area), 0).status == Status.INVALID
    assert link.set(Param.AREA, Area.MAP, 1 << 40).status == Status.INVALID
    for what in range(int(Param.READ_ERRORS) + 1, 256, 9):
        assert link.call(Cmd.SET, what).status == Status.INVALID


def test_heals_and_writes_at_once(tmp_path: Path) -> None:
    """Several stripes are made whole while others are written; the C++ array finds all right."""
    pair = Pair(tmp_path, (5, 2, 1), seed=37, stall=0.05)
    link = pair.bench.link
    pair.write(*range(16))
    pair.commit()
    pair.node.fail(1)
    tags = []
    for i in range(12):
        if i % 3:
            tags.append(link.submit(Cmd.REPAIR, 0, i))
        else:
            pair.content[i] = pair.rng.randbytes(pair.stripe)
            tags.append(link.submit(Cmd.WRITE, 0, i, data=pair.content[i]))
    responses = [link.wait(tag) for tag in tags]
    assert all(response.status == Status.OK for response in responses)
    pair.node.seq = max(response.value for response in responses)
    pair.node.repair_range(0, pair.node.stripes)
    pair.node.finish_rebuild()
    assert pair.node.degraded_stripes() == 0
    pair.check(range(16))
    left = [disk for i, disk in enumerate(pair.disks) if i != 1]
    paths = [tmp_path / f"left{i}.img" for i in range(4)]
    for path, disk in zip(paths, left, strict=True):
        path.write_bytes(disk)
    array = _storage.Array.open([_storage.FileDevice(str(path)) for path in paths])
    array.repair(0, pair.node.stripes, True)
    assert array.info()["repaired"] == 0


def test_rebuild_tells_how_far_it_is_and_keeps_a_limit(tmp_path: Path) -> None:
    pair = Pair(tmp_path, (5, 2, 1), seed=41)
    pair.write(*range(20))
    pair.commit()
    pair.node.fail(2)
    lost = pair.node.degraded_stripes()
    now, seen = [0.0], []

    def pause(seconds: float) -> None:
        now[0] += seconds
        seen.append((now[0], rebuild.status().done))

    rebuild = Rebuild(pair.node, limit_mbs=0.02, clock=lambda: now[0], pause=pause)
    assert not rebuild.status().running
    end = rebuild.run()
    assert not end.running and not end.problem and end.done == end.total == pair.node.stripes
    assert lost > 5 and pair.node.degraded_stripes() == 0
    # At 20 kB/s a chunk takes 0.2048 s.
    assert now[0] == pytest.approx(lost * CHUNK / 0.02e6, rel=0.01)
    assert any(0 < done < end.total for _, done in seen)
    assert pair.node.super.entry(2).state == "empty"
    pair.check(range(20))
    scrub = Rebuild(pair.node, verify=True, limit_mbs=1.0, clock=lambda: now[0], pause=pause)
    began = now[0]
    assert not scrub.run().problem
    assert now[0] - began == pytest.approx(pair.node.stripes * 2 * CHUNK / 1e6, rel=0.01)


def test_rebuild_beside_writes_and_stopped(tmp_path: Path) -> None:
    """In a thread of its own, while another writes and reads; stopped, then begun again."""
    pair = Pair(tmp_path, (5, 2, 1), seed=43)
    pair.write(*range(12))
    pair.commit()
    pair.node.fail(0)
    first = Rebuild(pair.node)
    first.start()
    for logical in range(12, 16):
        pair.content[logical] = pair.rng.randbytes(pair.stripe)
        pair.node.write_stripe(logical, pair.content[logical])
        assert pair.node.read_chunk(logical, 1) == pair.content[logical][CHUNK:]
    first.stop()
    again = Rebuild(pair.node)
    again.start()
    again.wait()
    assert not again.status().problem
    assert pair.node.degraded_stripes() == 0
    pair.check(range(16))


def test_rebuild_of_a_node_that_does_not_answer_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = Pair(tmp_path, (5, 2, 1), seed=47)
    pair.write(*range(4))
    pair.commit()
    monkeypatch.setattr(pair.node.link, "submit", lambda *_: -1)  # never answered
    monkeypatch.setattr(pair.node.link, "timeout_steps", 100)
    rebuild = Rebuild(pair.node)
    rebuild.start()
    rebuild.wait()
    assert not rebuild.status().running
    assert rebuild.status().problem == "The storage node does not answer."
    with pytest.raises(NodeError):
        rebuild.run()


class Rack:
    """The bench's node, as the server wants it."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair

    def open(self, *, degraded: bool) -> node.NodeArray:
        assert not degraded
        return self.pair.node

    def settle(self) -> None:
        for port in range(len(self.pair.disks)):
            assert self.pair.bench.link.raw_flush(port) == 0


def test_orders_to_a_served_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status, a device given up, rebuild and scrub with progress, while NBD is served."""
    pair = Pair(tmp_path, (5, 2, 1), seed=53)
    pair.write(*range(20))
    pair.commit()
    service = NodeService([], unix=tmp_path / "nbd.sock", port=None, sim=Rack(pair))
    client = Client(socket_of(service.uuid))
    try:
        state = client.call(op="status")
        assert [d["state"] for d in state["devices"]] == ["active"] * 5
        assert state["rebuild"] is None and not state["degraded_stripes"]
        assert state["array"]["bytes"] == pair.node.stripes * pair.stripe
        assert sum(d["chunks"] for d in state["devices"]) == 20 * 3
        assert client.call(op="fail", device=3)["degraded_stripes"] > 5
        with pytest.raises(KumiError, match="no device 9"):
            client.call(op="fail", device=9)
        steps, repair = threading.Semaphore(0), pair.node.repair_range

        def step(*what: int, **how: bool) -> None:
            assert steps.acquire(timeout=60)
            repair(*what, **how)

        seen: list[int] = []
        with monkeypatch.context() as patch:
            patch.setattr(pair.node, "repair_range", step)  # one step, one look
            state = client.call(op="rebuild", limit=0.1)
            while state["rebuild"]["running"]:
                if state["rebuild"]["done"] not in seen:
                    seen.append(state["rebuild"]["done"])
                    steps.release()
                assert service.volume.read(0, pair.stripe) == pair.content[0]
                state = client.call(op="status")
        assert not state["rebuild"]["problem"]
        assert state["rebuild"]["done"] == state["rebuild"]["total"] == pair.node.stripes
        assert len(seen) > 2 and not state["degraded_stripes"]
        assert [d["index"] for d in state["devices"]] == [0, 1, 2, 4]
        state = client.call(op="scrub")
        while state["rebuild"]["running"]:
            state = client.call(op="status")
        assert state["rebuild"]["verify"] and not state["rebuild"]["problem"]
        for request in ({"op": "replace", "device": 1}, {"op": "dance"}):
            with pytest.raises(KumiError):
                client.call(**request)
    finally:
        service.close()
    assert not socket_of(service.uuid).exists()
    pair.check(range(20))


def test_requests_to_a_served_node_are_under_way_at_once(tmp_path: Path) -> None:
    """Four threads that read and write take less simulated time than one; flushes come between."""
    pair = Pair(tmp_path, (5, 2, 1), seed=59)
    for port in pair.bench.ports:
        port.slow = 200
    service = NodeService([], unix=tmp_path / "nbd.sock", port=None, sim=Rack(pair))
    volume, cycles = service.volume, []
    try:
        for threads in (1, 4):
            began = pair.bench.dut.cycle
            problems: list[BaseException] = []

            def work(mine: range, seed: int = threads, problems: list[Any] = problems) -> None:
                try:
                    for logical in mine:
                        data = random.Random(seed * 100 + logical).randbytes(pair.stripe)
                        volume.write(logical * pair.stripe, data)
                        assert volume.read(logical * pair.stripe, pair.stripe) == data
                        pair.content[logical] = data
                except BaseException as problem:
                    problems.append(problem)

            workers = [
                threading.Thread(target=work, args=(range(i, 16, threads),)) for i in range(threads)
            ]
            for worker in workers:
                worker.start()
            volume.flush()
            for worker in workers:
                worker.join(120)
            assert not problems and not any(worker.is_alive() for worker in workers)
            volume.flush()
            cycles.append(pair.bench.dut.cycle - began)
    finally:
        service.close()
    assert cycles[1] < 0.6 * cycles[0], cycles
    pair.check(range(16))


def test_dynamic_shares_follow_the_devices() -> None:
    """Writes under way at once; a device that gets slow in the middle gets fewer chunks at once."""
    sizes = [1 << 20] * 3
    disks = [bytearray(size) for size in sizes]
    bench = Bench(disks)
    ports = [node.Disk(i, size) for i, size in enumerate(sizes)]
    node.create(bench.link, ports, chunk_log2=12, k=1, p=0, dynamic=True, seed=3)
    array = node.NodeArray(bench.link, ports, ports=PORTS, contexts=CONTEXTS, width=WIDTH, depth=1)

    def run(first: int, count: int) -> list[int]:
        """Chunks that each device got."""
        before = [sum(what == "write" for what, _, _ in p.log) for p in bench.ports]
        tags = [
            bench.link.submit(Cmd.WRITE, 0, first + i, data=bytes([first + i & 255]) * CHUNK)
            for i in range(count)
        ]
        for tag in tags:
            assert bench.link.wait(tag).status == Status.OK
        after = [sum(what == "write" for what, _, _ in p.log) for p in bench.ports]
        return [b - a for a, b in zip(before, after, strict=True)]

    for port in bench.ports:
        port.slow = 20
    even = run(0, 60)
    assert max(even) - min(even) <= 6
    bench.ports[0].slow = 160
    uneven = run(60, 60)
    assert uneven[0] <= 12 and min(uneven[1:]) >= 20
    array.commit()
    for logical in range(120):
        assert array.read_chunk(logical, 0) == bytes([logical & 255]) * CHUNK


def test_a_stuck_device_stops_no_other(tmp_path: Path) -> None:
    """Reads of the other devices end while one is silent; its own end when its port says so."""
    pair = Pair(tmp_path, NONE, seed=29)
    pair.write(*range(12))
    pair.commit()
    bench, link = pair.bench, pair.bench.link
    where = {x: pair.array.places(x)[0][0] for x in range(12)}
    stuck = [x for x in where if where[x] == 0][: CONTEXTS - 1]
    free = [x for x in where if where[x] == 1]
    bench.ports[0].mute = True
    waiting = [link.submit(Cmd.READ, 0, x) for x in stuck]
    for x in free:
        response = link.call(Cmd.READ, 0, x)
        assert response.status == Status.OK and response.data == pair.content[x]
    assert set(waiting) <= link.open
    bench.ports[0].dead, bench.ports[0].mute = True, False
    assert [link.wait(tag).status for tag in waiting] == [Status.DATA_LOST] * len(stuck)
    assert link.state(Query.FAILED) == 1
    for x in free:
        assert pair.node.read_chunk(x, 0) == pair.content[x]


def test_too_many_devices_fail(tmp_path: Path) -> None:
    """A stripe that cannot be kept is refused, its slots are free again, nothing hangs."""
    pair = Pair(tmp_path, (4, 2, 1), seed=31)
    pair.write(*range(4))
    pair.commit()
    for i in (0, 1, 2):
        pair.bench.ports[i].dead = True
    with pytest.raises(_storage.StorageError):
        pair.node.write_stripe(9, pair.rng.randbytes(pair.stripe))
    with pytest.raises(_storage.StorageError):
        for logical in range(4):
            pair.node.read_chunk(logical, 0)
            pair.node.read_chunk(logical, 1)
