# SPDX-License-Identifier: Apache-2.0
"""The array's controller with many ports, beside the C++ array: the same bytes on all disks."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node.link import Cmd, Param, Query, Status
from storage_many_bench import CONTEXTS, WIDTH, ManyBench

SECTOR, CHUNK = 512, 4096


class Many:
    """`count` disks, at any of the ports: one array in RTL on bytes, the same in C++ on files."""

    def __init__(
        self, folder: Path, ports: int, count: int, k: int, p: int, seed: int, movers: str
    ) -> None:
        self.rng = random.Random(seed)
        self.k = k
        sizes = [(224 + 4 * self.rng.randrange(8)) << 10 for _ in range(count)]
        self.paths = [folder / f"{i}.img" for i in range(count)]
        for path, size in zip(self.paths, sizes, strict=True):
            path.write_bytes(bytes(size))
        rates = [100.0 + 5 * (i % 50) for i in range(count)]
        self.files = [_storage.FileDevice(str(path)) for path in self.paths]
        options = {"chunk_log2": 12, "k": k, "p": p, "dynamic": False, "seed": seed}
        _storage.Array.create(self.files, read_mbs=rates, write_mbs=rates, **options)
        self.port = self.rng.sample(range(ports), count)
        self.port[0] = ports - 1 if ports - 1 not in self.port else self.port[0]
        disks = {self.port[i]: bytearray(path.read_bytes()) for i, path in enumerate(self.paths)}
        self.bench = ManyBench(ports, disks, seed=seed, stall=0.05, movers=movers)
        self.link = self.bench.link
        self.array = _storage.Array.open(self.files)
        self.volume = _storage.Volume(self.array)
        self.node = node.NodeArray(
            self.link,
            [node.Disk(self.port[i], size) for i, size in enumerate(sizes)],
            ports=ports,
            contexts=CONTEXTS,
            width=WIDTH,
        )
        self.same()
        self.content: dict[int, bytes] = {}

    def same(self) -> None:
        """All disks that the node can reach."""
        for i, path in enumerate(self.paths):
            if self.port[i] not in self.bench.dead:
                assert self.bench.disks[self.port[i]] == path.read_bytes(), f"disk {i}"

    def write(self, logicals: range) -> None:
        """One by one, here and in C++: the order gives versions their numbers."""
        for logical in logicals:
            data = self.rng.randbytes(self.k * CHUNK)
            self.volume.write(logical * self.k * CHUNK, data)
            self.settle([self.link.submit(Cmd.WRITE, 0, logical, data=data)])
            self.content[logical] = data

    def write_together(self, logicals: range) -> None:
        """Under way at once, here only; what C++ finds on the disks afterwards is right."""
        self.content |= {x: self.rng.randbytes(self.k * CHUNK) for x in logicals}
        self.settle([self.link.submit(Cmd.WRITE, 0, x, data=self.content[x]) for x in logicals])
        self.node.commit()
        folder = self.paths[0].parent
        found = []
        for i, port in enumerate(self.port):
            if port not in self.bench.dead:
                path = folder / f"later{i}.img"
                path.write_bytes(self.bench.disks[port])
                found.append(_storage.FileDevice(str(path)))
        array = _storage.Array.open(found, degraded=bool(self.bench.dead))
        volume = _storage.Volume(array)
        for logical, data in self.content.items():
            assert volume.read(logical * self.k * CHUNK, len(data)) == data, logical
        for logical in logicals:
            array.repair(logical, logical + 1, True)
        assert array.info()["repaired"] == 0

    def settle(self, tags: list[int]) -> None:
        for tag in tags:
            response = self.link.wait(tag)
            assert response.status == Status.OK
            self.node.seq = max(self.node.seq, response.value)

    def commit(self) -> None:
        self.array.commit()
        self.node.commit()
        self.same()

    def lose(self, i: int) -> None:
        self.bench.dead.add(self.port[i])
        self.files[i].die()

    def check(self, logicals: list[int]) -> None:
        """Reads under way at once."""
        tags = [(x, j, self.link.submit(Cmd.READ, j, x)) for x in logicals for j in range(self.k)]
        for logical, j, tag in tags:
            response = self.link.wait(tag)
            assert response.status == Status.OK
            assert response.data == self.content[logical][j * CHUNK : (j + 1) * CHUNK]


def test_128_devices(tmp_path: Path) -> None:
    """No redundancy: everything is written and read; a lost device takes its chunks and no more."""
    many = Many(tmp_path, 128, 128, 1, 0, seed=3, movers="small")
    many.write(range(48))
    many.check(list(range(48)))
    many.commit()
    many.write(range(40, 52))
    many.commit()
    where = {x: many.array.places(x)[0][0] for x in range(52)}
    many.write_together(range(52, 90))
    many.check(list(range(40, 90)))
    used = sorted(set(where.values()))
    assert len(used) > 45
    lost = max(used)
    many.lose(lost)
    for logical, device in where.items():
        response = many.link.call(Cmd.READ, 0, logical)
        assert response.status == (Status.DATA_LOST if device == lost else Status.OK)
    assert many.link.state(Query.FAILED) == 1 << lost
    assert many.link.state(Query.READABLE) == (1 << 128) - 1 & ~(1 << lost)
    many.bench.check()


def _with_parity(many: Many, count: int, lost: tuple[int, int]) -> None:
    many.write(range(count))
    many.commit()
    many.lose(lost[0])
    many.write(range(count // 2, count // 2 + 4))
    many.commit()
    assert many.node.super.entry(lost[0]).state == "failed"
    many.write_together(range(count, count + 6))
    many.check(list(range(count + 6)))
    many.lose(lost[1])
    many.check(list(range(count + 6)))
    many.bench.check()


@pytest.mark.long(only=True)
def test_double_parity_on_40_of_128_ports(tmp_path: Path) -> None:
    """Disks at any ports; two are lost, one of them under writes; all is read."""
    many = Many(tmp_path, 128, 40, 6, 2, seed=5, movers="small")
    _with_parity(many, 7, (33, 7))


@pytest.mark.parametrize("ports", [17])
def test_double_parity_on_17_ports(tmp_path: Path, ports: int) -> None:
    """With the movers that a node has; the last port is in a group of its own."""
    many = Many(tmp_path, ports, ports, 6, 2, seed=7, movers="real")
    _with_parity(many, 10, (16, 2))


def test_numbers_beyond_the_ports_are_refused(tmp_path: Path) -> None:
    many = Many(tmp_path, 128, 8, 2, 1, seed=9, movers="small")
    link = many.link
    for what in (Param.DEV_DATA, Param.LOG_OWNER, Param.LOG_BASE, Param.LOG_SPACE):
        assert link.set(what, 128).status == Status.INVALID
    assert link.set(Param.DEV_STATE, 128, 3).status == Status.INVALID
    assert link.set(Param.DEV_STATE, 9, 3 | 128 << 8).status == Status.INVALID
    assert link.set(Param.DEV_STATE, 9, 255 << 8).status == Status.OK
    assert link.call(Cmd.GET_STATE, 8).status == Status.INVALID
    assert link.state(Query.USABLE) == 255
