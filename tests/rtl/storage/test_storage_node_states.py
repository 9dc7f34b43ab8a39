# SPDX-License-Identifier: Apache-2.0
"""A model checker of the storage node in RTL: faults between WRITE and COMMIT, in every order.

Four disks, single parity, every stripe written and committed, then written again. From there every
sequence, up to a length, of: write, commit, and for a disk: power lost for a moment, exchanged with
another one, hanging. After each step every chunk reads as committed, as written since, or as an
error, in bounded time, and no exchanged disk is written. At the end of each sequence, after one
more commit, the original disks, without what their caches held, are an array that starts and has
everything that was committed.

A state is copied by fork: the simulation with its disks in memory goes on in both processes.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from kumihimo import _storage
from kumihimo.storage.node.simulated import STEP, SimulatedNode
from kumihimo.testing.sizes import by_size
from node_machine import FAST, SIZE, Machine

FAULTS = ("blink", "swap", "hang")
LIMIT = 40  # ticks
# A step waits once for each hung disk, and for as long as data, reads and a new line take.
STEP_CYCLES = 2 * 2 * LIMIT * 2_500 + 400_000


class Checker:
    """One state at a time; `explore` leaves it to a copy of the process."""

    def __init__(self, folder: Path, disks: int) -> None:
        self.m = Machine(folder, snapshot=True, limit=LIMIT)
        self.m.write()
        self.other = folder / "other.img"
        self.other.write_bytes(bytes(range(256)) * (SIZE // 256))
        self.disks = range(disks)
        self.exchanged: dict[int, bytes] = {}  # what the original disk had safely
        self.hung: set[int] = set()
        self.path: tuple[str, ...] = ()

    def steps(self) -> Iterator[tuple[str, int]]:
        """What is possible now."""
        yield "write", 0
        yield "commit", 0
        for disk in self.disks:
            for what in FAULTS:
                if disk not in self.exchanged and disk not in self.hung:
                    yield what, disk

    def step(self, what: str, disk: int) -> None:
        """One step; what the array refuses changes nothing but what may have been written."""
        self.path += (f"{what} {disk}",)
        m = self.m
        began = m.sim.dut.cycle
        if what == "blink":
            m.blink(disk)
        elif what == "hang":
            m.sim.models[disk].fault("hang")
            self.hung.add(disk)
        elif what == "swap":
            self.exchanged[disk] = m.sim.models[disk].read(0, SIZE, cached=False)
            m.sim.dut.disk_remove(f"p{disk}")
            m.sim.models[disk] = m.sim.dut.disk(
                f"p{disk}", seed=9, file=str(self.other), snapshot=True, **FAST
            )
            m.sim.dut.run(400 * STEP)
        else:
            try:
                m.write() if what == "write" else m.commit()
            except _storage.StorageError:
                assert set(self.path) - {"write 0", "commit 0"}, "refused without a fault"
        m.check(m.array.read_chunk)
        assert m.sim.dut.cycle - began < STEP_CYCLES, "too long"
        for one in self.exchanged:
            assert m.sim.models[one].read(0, SIZE) == self.other.read_bytes(), "disk written"
        assert m.states().count("failed") <= 1

    def end(self) -> None:
        """A commit; then all power is lost, and the original disks are there again."""
        self.step("commit", 0)
        m = self.m
        failed = [d for d, state in enumerate(m.states()) if state == "failed"]
        disks = []
        for d in range(4):
            image = self.exchanged.get(d) or m.sim.models[d].read(0, SIZE, cached=False)
            path = m.folder / f"{os.getpid()}.{d}"
            path.write_bytes(image)
            if d not in failed:
                disks.append(_storage.FileDevice(str(path)))
        volume = _storage.Volume(_storage.Array.open(disks, degraded=True))
        assert m.check(lambda i, j: volume.read((i * m.k + j) * 4096, 4096)) == 0, "lost"
        for d in range(4):
            (m.folder / f"{os.getpid()}.{d}").unlink()

    def explore(self, length: int) -> int:
        """Every sequence of up to `length` more steps; their number."""
        count = 0
        for what, disk in self.steps():
            out, into = os.pipe()
            child = os.fork()
            if not child:
                os.close(out)
                self._in_copy(what, disk, length, into)
            os.close(into)
            with os.fdopen(out) as said:
                text = said.read()
            os.waitpid(child, 0)
            assert text.isdigit(), text or f"{(*self.path, what)}: ended without a word"
            count += int(text)
        return count

    def _in_copy(self, what: str, disk: int, length: int, into: int) -> None:
        """A step and what follows it, in a process of its own; it says how many sequences."""
        try:
            self.step(what, disk)
            text = str(1 + (self.explore(length - 1) if length > 1 else 0))
            self.end()
        except BaseException:
            text = f"{self.path}: {traceback.format_exc()}"
        os.write(into, text.encode()[:60000])
        os._exit(0)


def sequences(disks: int, length: int) -> int:
    """Number of sequences of 1 to `length` steps, if none breaks off."""
    if not length:
        return 0
    same, fewer = sequences(disks, length - 1), sequences(disks - 1, length - 1) if disks else 0
    return (2 + disks) * (1 + same) + 2 * disks * (1 + fewer)


@pytest.mark.long
def test_every_sequence(tmp_path: Path) -> None:
    disks, length = by_size((1, 1), (2, 3))
    found = Checker(tmp_path, disks).explore(length)
    print(f"{disks} disks with faults, up to {length} steps: {found} sequences")
    assert found == sequences(disks, length)


@pytest.mark.long(only=True)
def test_the_checker_finds_a_port_that_serves_any_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `ctrl.once` a disk that lost power, or another one in its place, is served again."""
    serve = SimulatedNode._serve_once
    monkeypatch.setattr(
        SimulatedNode, "_serve_once", lambda self, port, once: serve(self, port, False)
    )
    with pytest.raises(AssertionError, match=r"(blink|swap) 0"):
        Checker(tmp_path, 1).explore(1)
