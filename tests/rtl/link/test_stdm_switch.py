# SPDX-License-Identifier: Apache-2.0
"""The circuit switch against its exact model, and refused accesses."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from kumihimo.common.errors import KumiError
from kumihimo.link.stdm_model import SwitchModel, Tables
from kumihimo.testing import Dut
from stdmbench import driver, random_tables, switch

DATA, EMPTY = 1, 0


class Twin:
    """The device and its model, moved together one cycle at a time."""

    def __init__(self, dut: Dut, model: SwitchModel, seed: int) -> None:
        self.dut, self.model, self.rng = dut, model, random.Random(seed)
        self.links = model.ports - model.locals
        self.width = 64
        self.idle: list[int | None] = [None] * self.links
        self.queues: dict[int, list[tuple[int, int]]] = {}
        self.taken: dict[int, list[int]] = {}
        self.read: dict[int, list[tuple[int, int]]] = {}
        self.compared = 0

    def align(self) -> None:
        """Wait for a position in the device and start the model there."""
        self.dut.run_until(lambda: self.dut.get_struct("beat")["run"] == 1, 4000)
        last = self.dut.get_struct("beat")["pos"]  # of the cycle before
        self.model.pos = (last + 1) % self.model.tables.frame_cycles
        self.step(self.idle, check=False)

    def load(self, channel: int, words: list[int], gap: float) -> None:
        """Words for a channel, each offered at its own time."""
        time, queue = self.dut.cycle + 2, []
        for word in words:
            time += 1 if self.rng.random() > gap else self.rng.randrange(1, 40)
            queue.append((time, word))
            self.dut.send(f"s_word[{channel}]", word.to_bytes(8, "little"), t_ps=time * 6400)
        self.queues[channel] = queue

    def swap(self, tables: Tables) -> None:
        """Ask for a swap at the start of a TDM frame, so that it falls at the end of this one."""
        held = [self.rng.getrandbits(64) for _ in range(self.links)]
        while self.model.pos != 0:
            self.step(held)
        for _ in range(2):
            self.step(held)
        before = self.dut.cycle
        self.dut.axil_write(0x10, 1)  # these cycles are not compared one by one
        for now in range(before, self.dut.cycle):
            self._model(now, held)
        assert self.model.pos < self.model.tables.frame_cycles - 4
        self.model.swap(tables)

    def _model(self, now: int, links: list[int | None]) -> list[int | None]:
        offers = {c: q[0][1] for c, q in self.queues.items() if q and q[0][0] <= now}
        seen, accepted, read = self.model.cycle(links, offers)
        for channel in accepted:
            self.taken.setdefault(channel, []).append(now)
            self.queues[channel].pop(0)
        for channel, word in read.items():
            self.read.setdefault(channel, []).append((now, word))
        return seen

    def step(self, links: list[int | None], check: bool = True) -> None:
        """One cycle with these words on the links."""
        now = self.dut.cycle
        kinds = sum((DATA if w is not None else EMPTY) << 2 * i for i, w in enumerate(links))
        data = sum((w or 0) << 64 * i for i, w in enumerate(links))
        self.dut.set("in_kind", kinds)
        self.dut.set("in_data", data)
        self.dut.run(1)
        seen = self._model(now, links)
        if check:
            kinds, data = self.dut.get("out_kind"), self.dut.get("out_data")
            mask = (1 << 64) - 1
            got = [
                data >> 64 * i & mask if kinds >> 2 * i & 3 == DATA else None
                for i in range(self.links)
            ]
            assert got == seen[self.model.locals :], f"cycle {now}, position {self.model.pos}"
            self.compared += 1


@pytest.mark.parametrize(
    ("ports", "locals_", "channels", "slots", "guard"),
    [(3, 1, 1, 1, 6), (5, 1, 4, 24, 6), (5, 2, 3, 37, 9), (17, 2, 2, 16, 16)],
)
def test_equals_the_model(ports: int, locals_: int, channels: int, slots: int, guard: int) -> None:
    """Every output in every cycle, the cycles of every local word, and all counters.

    Random tables, random words on links and local ports, and a swap to other tables in between.
    """
    rng = random.Random(ports * 1000 + slots)
    dut = switch(ports, locals_, channels)
    stdm = driver(dut)
    assert (stdm.ports, stdm.locals, stdm.channels) == (ports, locals_, channels)
    first, second = (random_tables(rng, ports, locals_, channels, slots, guard) for _ in range(2))
    stdm.load(first, verify=True)
    stdm.swap(wait=False)
    model = SwitchModel(ports, locals_, channels, first)
    twin = Twin(dut, model, seed=slots)
    twin.align()
    stdm_cycles = dut.cycle
    stdm.load(second)
    for _ in range(dut.cycle - stdm_cycles):
        model.cycle(twin.idle)
    for channel in range(locals_ * channels):
        twin.load(channel, [rng.getrandbits(64) for _ in range(60)], gap=0.3)

    def words() -> list[int | None]:
        return [rng.getrandbits(64) if rng.random() < 0.7 else None for _ in range(twin.links)]

    for _ in range(400):
        twin.step(words())
    if slots + guard > 20:  # a shorter TDM frame ends while the register access lasts
        twin.swap(second)
    for _ in range(600):
        twin.step(words())
    for _ in range(2000):  # until nothing moves any more
        twin.step(twin.idle)
    assert twin.compared > 1000
    for channel in range(locals_ * channels):
        frames = dut.recv(f"m_word[{channel}]")
        assert [(f.cycle, f.value) for f in frames] == twin.read.get(channel, [])
        assert [a for a, _ in dut.sent(f"s_word[{channel}]")] == twin.taken.get(channel, [])
        assert len(frames) > 0 or slots == 1
    for port in range(ports):
        for owner in range(64 if port >= locals_ else channels):
            assert stdm.owner(port, owner)[0] == model.counters.words.get((port, owner), 0)
    for port in range(ports):
        counted = stdm.counters(port)
        assert counted["stray"] == model.counters.stray.get(port, 0)
        assert counted["lost"] == model.counters.lost.get(port, 0)


def test_local_words_wait_for_their_slot_and_none_is_lost() -> None:
    """A circuit from a local port to another: one word a slot, in order, at constant distance."""
    dut = switch(5, 2, 2)
    stdm = driver(dut)
    tables = Tables.empty(5, 20)
    for pos in (3, 11, 12):
        tables.into[0][pos] = type(tables.into[0][pos])(True, 1)
        tables.out[1][pos] = type(tables.out[1][pos])(1, 0, 0)
    stdm.load(tables)
    stdm.swap()
    words = [bytes([i]) * 8 for i in range(60)]
    dut.send("s_word[1]", words)
    got = dut.recv("m_word[2]", 60)
    assert [f.data for f in got] == words
    cycles = [f.cycle for f in got]
    assert {b - a for a, b in pairwise(cycles)} == {8, 1, 17}
    assert {b - a for a, b in zip(cycles, cycles[3:], strict=False)} == {26}
    assert stdm.owner(1, 0)[0] == 60


def test_illegal_tables_are_refused_with_the_reason() -> None:
    """Each mistake has its reason, is not written, and stops the swap."""
    dut = switch(5, 1, 4)
    stdm = driver(dut)
    good = Tables.empty(5, 16)
    stdm.load(good)
    stdm.swap()

    def refused(table: int, entry: int, value: int) -> int:
        dut.axil_write(0x10, 2)
        dut.axil_write(0x40, table | entry << 16)
        dut.axil_write(0x44, value)
        reason, *where = stdm.refused()
        if reason:
            assert where == [table, entry]
            dut.axil_write(0x10, 1)
            assert dut.axil_read(0x14) & 4 == 0, "a swap after a refused entry"
            dut.axil_write(0x10, 2)
            if table & 31 < 5 and entry < 272:
                assert stdm.read_back(table, entry + 1)[entry] == 0
        return reason

    circuit = 1
    assert refused(5, 0, circuit) == 1
    assert refused(31, 0, circuit) == 1
    assert refused(37, 0, 1) == 1
    assert refused(0, 272, circuit) == 2
    assert refused(2, 0, 3) == 3
    assert refused(32, 0, 2) == 3
    assert refused(2, 0, circuit | 5 << 8) == 4
    assert refused(2, 7, circuit | 31 << 8) == 4
    assert refused(0, 0, circuit | 4 << 16) == 5
    assert refused(32, 0, 1 | 4 << 16) == 5
    assert refused(0, 0, 2) == 6
    for value in (circuit | 4 << 8 | 63 << 16, 2):
        assert refused(4, 15, value) == 0
    for size, reason in ((0, 8), (257, 8), (16, 0)):
        for guard, other in ((5, 9), (17, 9), (6, 0), (16, 0)):
            dut.axil_write(0x10, 2)
            dut.axil_write(0x08, size | guard << 16)
            dut.axil_write(0x10, 1)
            assert stdm.refused()[0] == (reason or other)
            stdm._wait("swap", 4, 0)
    with pytest.raises(KumiError, match="length is 0"):
        dut.axil_write(0x10, 2)
        dut.axil_write(0x08, 6 << 16)
        stdm.swap()


def test_a_swap_that_waits_locks_the_tables() -> None:
    """Between the command and position 0 entries are refused, and a second swap too."""
    dut = switch(3, 1, 1)
    stdm = driver(dut)
    stdm.load(Tables.empty(3, 256, 16))
    stdm.swap()
    dut.run_until(lambda: dut.get_struct("beat")["pos"] == 3, 600)
    stdm.swap(wait=False)
    dut.axil_write(0x44, 1)
    assert stdm.refused()[0] == 7
    dut.axil_write(0x10, 2)
    dut.axil_write(0x10, 1)
    assert stdm.refused()[0] == 7


def test_before_the_tables_are_cleared_nothing_is_taken() -> None:
    """Straight after reset entries and swaps are refused; then all entries are zero."""
    dut = switch(3, 1, 1)
    dut.axil_write(0x44, 1)
    stdm = driver(dut)
    assert stdm.refused()[0] == 11
    dut.axil_write(0x10, 2)
    dut.axil_write(0x10, 1)
    assert stdm.refused()[0] == 11
    stdm._wait("clear", 8, 8)
    for table in (0, 2, 32, 34):
        for active in (False, True):
            assert set(stdm.read_back(table, 272, active)) == {0}
