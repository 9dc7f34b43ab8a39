# SPDX-License-Identifier: Apache-2.0
"""A storage node with four disks that lose power, are exchanged or hang, and what it must hold."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from kumihimo import _storage
from kumihimo.storage import node
from kumihimo.storage.node.simulated import STEP, SimulatedNode

CHUNK, SIZE, K = 4096, 384 << 10, 2
FAST: dict[str, Any] = {
    "read_rate": 5e9,
    "write_rate": 5e9,
    "latency_ps": 0,
    "write_latency_ps": 0,
    "jitter_ps": 0,
}
LIMIT = 200  # ticks: 2 ms
LIMIT_CYCLES = LIMIT * 2_500  # of the controller
STRIPES = 6


class Machine:
    """A node with four disks, and what its array must hold."""

    def __init__(
        self, folder: Path, p: int = 1, *, snapshot: bool = False, limit: int = LIMIT
    ) -> None:
        self.rng = random.Random(p)
        self.folder = folder
        self.paths = [folder / f"{i}.img" for i in range(4)]
        for path in self.paths:
            path.write_bytes(bytes(SIZE))
        self.sim = SimulatedNode(self.paths, limit_ticks=limit, snapshot=snapshot, **FAST)
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
