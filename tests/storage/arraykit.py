# SPDX-License-Identifier: Apache-2.0
"""Arrays on disks in memory, and a model of what a volume must hold."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from kumihimo._storage import Array, MemDevice, PowerDomain, Volume

SECTOR = 512


@dataclass
class Rig:
    """Disks in memory that lose power together, and the array on them."""

    disks: list[MemDevice]
    power: PowerDomain
    array: Array | None = None
    volume: Volume | None = None

    @classmethod
    def make(
        cls, count: int, k: int, p: int, *, size: int = 1 << 20, seed: int = 1, **options: object
    ) -> Rig:
        power = PowerDomain()
        disks = [MemDevice(f"disk{i}", size, power) for i in range(count)]
        Array.create(disks, chunk_log2=12, k=k, p=p, seed=seed, **options)  # type: ignore[arg-type]
        return cls(disks, power)

    def open(
        self,
        disks: list[MemDevice] | None = None,
        cache: int = 64 << 10,
        commit_s: float = 0.0,
        **o: bool,
    ) -> Volume:
        self.close()
        self.array = Array.open(self.disks if disks is None else disks, **o)
        self.volume = Volume(self.array, cache_bytes=cache, commit_s=commit_s)
        return self.volume

    def close(self) -> None:
        self.volume = None
        self.array = None

    def number(self, disk: int) -> int:
        """The number that the array has given to a disk."""
        assert self.array is not None
        name = self.disks[disk].name
        return next(d["index"] for d in self.array.devices() if d["name"] == name)

    def images(self) -> list[bytes]:
        return [d.image for d in self.disks]


@dataclass
class Oracle:
    """What each sector may hold: what the last flush answered, or anything written since."""

    size: int
    now: bytearray = field(init=False)
    safe: bytearray = field(init=False)
    since: dict[int, set[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = bytearray(self.size)
        self.safe = bytearray(self.size)

    def _note(self, offset: int, length: int) -> None:
        for s in range(offset // SECTOR, -(-(offset + length) // SECTOR)):
            sector = bytes(self.now[s * SECTOR : (s + 1) * SECTOR])
            self.since.setdefault(s, set()).add(sector)

    def write(self, offset: int, data: bytes) -> None:
        self.now[offset : offset + len(data)] = data
        self._note(offset, len(data))

    def flushed(self) -> None:
        self.safe[:] = self.now
        self.since.clear()

    def check_after_cut(self, got: bytes) -> None:
        """Every sector is the flushed one or one written since; goes on from what is there."""
        assert len(got) == self.size
        if got != bytes(self.safe):
            for s in range(self.size // SECTOR):
                part = got[s * SECTOR : (s + 1) * SECTOR]
                if part != self.safe[s * SECTOR : (s + 1) * SECTOR]:
                    assert part in self.since.get(s, ()), f"sector {s} is neither old nor new"
        self.now[:] = got
        self.flushed()


def random_step(r: random.Random, volume: Volume, oracle: Oracle) -> None:
    """One write, zeroing or flush; the oracle hears of it before it may be on a disk."""
    what = r.random()
    offset = r.randrange(oracle.size)
    if r.random() < 0.7:
        offset -= offset % 4096
    length = min(r.choice([1, 512, 4096, 4096, 12288, 40000]), oracle.size - offset)
    if what < 0.80:
        data = r.randbytes(length)
        oracle.write(offset, data)
        volume.write(offset, data)
    elif what < 0.88:
        oracle.write(offset, bytes(length))
        volume.zero(offset, length)
    else:
        volume.flush()
        oracle.flushed()
