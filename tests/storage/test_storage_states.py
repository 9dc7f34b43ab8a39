# SPDX-License-Identifier: Apache-2.0
"""Model checkers of array states: what users and faults can do, in every order.

After each step every byte that was ever flushed reads as it was flushed, as something written
since, or as an error; and with all disks plugged in that the array has not put out, it starts.
Every sequence up to a length, in C++ (KUMI_STATES_LENGTH; sim/storage/states.hpp has the
operations); and random walks (KUMI_STATES_WALKS) in which also disks die at any operation and each
unflushed sector is kept or lost by itself.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest
from kumihimo._storage import (
    Array,
    MemDevice,
    PowerDomain,
    StorageError,
    Volume,
    explore_states,
)
from kumihimo.testing.sizes import by_size

LENGTH = int(os.environ.get("KUMI_STATES_LENGTH", "0"))
WALKS = int(os.environ.get("KUMI_STATES_WALKS", "40"))
CHUNK = 4096
SIZE = 256 << 10
BYTES = 12 * CHUNK  # of the volume that are used
NAMED = re.compile(r"^disk(\d+): refused")


@dataclass(frozen=True)
class State:
    """What a sequence of steps has left."""

    images: tuple[bytes, ...]
    plugged: frozenset[int]
    flushed: tuple[bytes, ...]  # of each chunk
    maybe: tuple[frozenset[bytes], ...]  # written since and not flushed
    steps: tuple[str, ...] = ()


class Machine:
    """Steps on states of one shape of array."""

    def __init__(self, count: int, k: int, p: int) -> None:
        self.count, self.k, self.p = count, k, p
        self.checked = 0

    def start(self) -> State:
        power = PowerDomain()
        disks = [MemDevice(f"disk{i}", SIZE, power) for i in range(self.count)]
        Array.create(disks, chunk_log2=12, k=self.k, p=self.p, seed=1, dynamic=False)
        zeros = tuple(bytes(CHUNK) for _ in range(BYTES // CHUNK))
        every = frozenset(range(self.count))
        nothing = tuple(frozenset[bytes]() for _ in zeros)
        state = State(tuple(d.image for d in disks), every, zeros, nothing)
        return self.step(state, "write", random.Random(1))

    def names(self) -> list[str]:
        disks = range(self.count)
        each = [f"{what} {d}" for what in ("unplug", "fail", "dies", "replace") for d in disks]
        return ["write", "kill", "plug", "scrub", *each]

    # ---- disks and arrays --------------------------------------------------------------------

    def _disks(self, state: State) -> tuple[PowerDomain, list[MemDevice]]:
        power = PowerDomain()
        disks = []
        for i, image in enumerate(state.images):
            disk = MemDevice(f"disk{i}", len(image), power)
            disk.image = image
            disks.append(disk)
        return power, disks

    def _open(self, disks: Iterable[MemDevice], **options: bool) -> Array:
        """Without disks that the array has put out: it names them."""
        left = {int(d.name[4:]): d for d in disks}
        while True:
            try:
                return Array.open(list(left.values()), degraded=True, **options)
            except StorageError as problem:
                named = NAMED.match(str(problem))
                if not named or len(left) == 1:
                    raise
                del left[int(named[1])]

    # ---- steps -------------------------------------------------------------------------------

    def step(self, state: State, name: str, r: random.Random) -> State:
        """One step; what the array refuses changes nothing but what it may have written."""
        what, _, number = name.partition(" ")
        d = int(number or 0)
        state = replace(state, steps=(*state.steps, name))
        if what == "unplug":
            return replace(state, plugged=state.plugged - {d})
        if what == "plug":
            return replace(state, plugged=frozenset(range(len(state.images))))
        power, disks = self._disks(state)
        flushed, maybe = list(state.flushed), list(state.maybe)
        volume = None
        try:
            array = self._open(disks[i] for i in state.plugged)
            volume = Volume(array, cache_bytes=64 << 10)
            if what in ("write", "kill", "dies"):
                if what == "dies":
                    disks[d].fail_after(r.randrange(20))
                for i in r.sample(range(len(flushed)), 6):
                    data = r.randbytes(CHUNK)
                    maybe[i] |= {data}
                    volume.write(i * CHUNK, data)
                    last = data
                    if what != "kill":
                        volume.flush()
                        flushed[i], maybe[i] = last, frozenset()
            elif what == "fail":
                array.fail(self._number(array, d))
            elif what == "scrub":
                volume.rebuild(verify=True)
            elif what == "replace":
                old = self._number(array, d)
                disks.append(MemDevice(f"disk{len(disks)}", SIZE, power))
                array.add(disks[-1], 500, 500)
                states = {x["index"]: x["state"] for x in array.devices()}
                if states.get(old) == "active":
                    array.drain(old)
                volume.rebuild()
        except StorageError:
            pass
        if what == "kill":
            power.off = True
        del volume
        array = None
        if what == "kill":
            power.off = False
            for disk in disks:
                disk.power_cycle(r.randrange(1 << 60))
        plugged = state.plugged | frozenset(range(len(state.images), len(disks)))
        images = tuple(disk.image for disk in disks)
        return replace(
            state, images=images, plugged=plugged, flushed=tuple(flushed), maybe=tuple(maybe)
        )

    def _number(self, array: Array, disk: int) -> int:
        return next((x["index"] for x in array.devices() if x["name"] == f"disk{disk}"), disk)

    # ---- what must hold ----------------------------------------------------------------------

    def check(self, state: State) -> None:
        """Nothing wrong is read, and all disks together are an array that starts and has it all."""
        self.checked += 1
        _, disks = self._disks(state)
        with contextlib.suppress(StorageError):
            array = self._open((disks[i] for i in state.plugged), read_only=True)
            self._compare(state, array, whole=False)
        _, disks = self._disks(state)
        try:
            array = self._open(disks)
        except StorageError as problem:
            raise AssertionError(f"{state.steps}: does not start: {problem}") from problem
        self._compare(state, array, whole=True)

    def _compare(self, state: State, array: Array, *, whole: bool) -> None:
        volume = Volume(array)
        for i, want in enumerate(state.flushed):
            try:
                got = volume.read(i * CHUNK, CHUNK)
            except StorageError as problem:
                assert not whole, f"{state.steps}: chunk {i}: {problem}"
                continue
            assert got == want or got in state.maybe[i], f"{state.steps}: chunk {i} is wrong"


SHAPES = [(3, 1, 1), (3, 1, 0), (4, 2, 1), (4, 2, 2)]


@pytest.mark.long
@pytest.mark.parametrize("disks", [3, 4, 5])
@pytest.mark.parametrize("p", [0, 1, 2])
def test_every_sequence(disks: int, p: int) -> None:
    length = LENGTH or by_size(2 + (disks == 3), 5 if disks == 3 else 4)
    k = 1 if p == 0 or disks == 3 else disks - 2
    found = explore_states(disks, k, p, length)
    # It is not all refused or lost.
    assert found["states"] > 10**length
    assert found["right"] > found["errors"] and found["refused"] > 0
    print(f"{disks} disks, k = {k}, p = {p}, up to {length} operations: {found}")


@pytest.mark.long
@pytest.mark.parametrize(("disks", "k", "p"), [*SHAPES, (3, 1, 2), (5, 3, 1), (5, 3, 2)])
def test_random_sequences(disks: int, k: int, p: int) -> None:
    """Longer ones, with the same operations."""
    found = explore_states(disks, k, p, 12, most_new=3, walks=by_size(40, 1000))
    assert found["right"] > found["errors"] and found["refused"] > 0


@pytest.mark.parametrize(("count", "k", "p"), [*SHAPES, (5, 3, 2), (5, 1, 2)])
def test_long_walks(count: int, k: int, p: int) -> None:
    machine = Machine(count, k, p)
    r = random.Random(f"{count} {k} {p}")
    for _ in range(WALKS):
        state = machine.start()
        for _ in range(6):
            state = machine.step(state, r.choice(machine.names()), r)
            machine.check(state)
