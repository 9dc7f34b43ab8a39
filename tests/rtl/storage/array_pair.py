# SPDX-License-Identifier: Apache-2.0
"""An array in RTL and the same one in C++, and the shapes that both are tested in."""

from __future__ import annotations

import random
from pathlib import Path

from array_bench import CONTEXTS, PORTS, WIDTH, Bench
from kumihimo import _storage
from kumihimo.storage import node

SECTOR, CHUNK = 512, 4096
NONE, MIRROR, MIRROR3, SINGLE, DOUBLE = (2, 1, 0), (3, 1, 1), (4, 1, 2), (4, 3, 1), (4, 2, 2)


class Pair:
    """Disks, k and p: one array in RTL on bytes, the same in C++ on files."""

    def __init__(
        self,
        folder: Path,
        shape: tuple[int, int, int],
        seed: int,
        stall: float = 0.0,
        spare: int = 0,
        memory_base: int = 0,
        chunk: int = CHUNK,
    ):
        count, self.k, p = shape
        self.rng = random.Random(seed)
        sizes = [(384 + 64 * i) * 1024 * (chunk // CHUNK) for i in range(count)]
        self.disks = [bytearray(size) for size in sizes]
        self.paths = [folder / f"{i}.img" for i in range(count)]
        for path, size in zip(self.paths, sizes, strict=True):
            path.write_bytes(bytes(size))
        options = {
            "chunk_log2": chunk.bit_length() - 1,
            "k": self.k,
            "p": p,
            "dynamic": False,
            "seed": seed,
            "read_mbs": [100.0 + 30 * i for i in range(count)],
            "write_mbs": [100.0 + 50 * i for i in range(count)],
        }
        self.spare = [bytearray(spare)] if spare else []
        self.bench = Bench([*self.disks, *self.spare], seed, stall)
        ports = [node.Disk(i, size) for i, size in enumerate(sizes)]
        node.create(self.bench.link, ports, **options)
        self.files = [_storage.FileDevice(str(path)) for path in self.paths]
        _storage.Array.create(self.files, **options)
        self.same()
        self.array = _storage.Array.open(self.files)
        self.volume = _storage.Volume(self.array)
        self.node = node.NodeArray(
            self.bench.link,
            ports,
            ports=PORTS,
            contexts=CONTEXTS,
            width=WIDTH,
            memory_base=memory_base,
        )
        self.same()
        self.stripe = self.k * chunk
        self.content: dict[int, bytes] = {}

    def same(self) -> None:
        """All disks."""
        for i, path in enumerate(self.paths):
            here, there = bytes(self.disks[i]), path.read_bytes()
            if here != there:
                sectors = range(0, len(here), SECTOR)
                at = [x for x in sectors if here[x : x + SECTOR] != there[x : x + SECTOR]]
                raise AssertionError(f"disk {i} differs in {len(at)} sectors from {at[0]:#x} on")

    def write(self, *logicals: int) -> None:
        for logical in logicals:
            data = self.rng.randbytes(self.stripe)
            self.volume.write(logical * self.stripe, data)
            self.node.write_stripe(logical, data)
            self.content[logical] = data

    def unmap(self, *logicals: int) -> None:
        for logical in logicals:
            self.volume.zero(logical * self.stripe, self.stripe)
            self.node.unmap(logical)
            self.content.pop(logical, None)

    def commit(self) -> None:
        self.array.commit()
        self.node.commit()
        self.same()

    def repair(self, verify: bool = False) -> None:
        self.array.repair(0, self.node.stripes, verify)
        self.node.repair(0, self.node.stripes, verify=verify)
        self.same()

    def some(self, count: int, below: int = 20) -> list[int]:
        return [self.rng.randrange(below) for _ in range(count)]

    def check(self, logicals: range = range(21)) -> None:
        for logical in logicals:
            want = self.content.get(logical, bytes(self.stripe))
            got = b"".join(self.node.read_chunk(logical, j) for j in range(self.k))
            assert got == want, logical
