# SPDX-License-Identifier: Apache-2.0
"""The model of a board with serial links beside its RTL: both get the same lines and accesses.

Every block on every lane must be equal in every cycle, and every access to a register must take as
long and read the same. The local ports used are those that are closed in the RTL, too.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from kumihimo import _engine
from kumihimo.build import build
from kumihimo.build.model import build_model
from kumihimo.build.scan import resolve_design
from kumihimo.common.errors import KumiError
from kumihimo.link.stdm import PORT_COUNTERS, REG, Stdm
from kumihimo.link.stdm_model import OUT_BE, OUT_CIRCUIT, InEntry, OutEntry, Tables
from kumihimo.testing.sizes import by_size
from link_peer import Faults, Peer

LOCALS, PORTS, CHANNELS = 2, 4, 4
LINES = ("l0_0", "l1_0")
SWITCH, LANES, CIRCUITS = 0x1000, (0x2000, 0x3000), 0x4000
REFUSED = SWITCH + REG["refused"]
DEFINED = [addr for name, addr in REG.items() if name != "route"]  # without one having been written
CLOSED = (1, 2, 3)  # channels of the kernel's port that nobody has


class Pair:
    """RTL and model, to which everything happens alike; for the driver one set of registers."""

    def __init__(self) -> None:
        design = resolve_design("link")
        self.rtl = _engine.Node(str(build(design).path))
        self.model = _engine.Node(str(build_model(design).path))
        self.nodes = (self.rtl, self.model)
        for node in self.nodes:
            node.reset()
            for line in LINES:
                node.lane_keep(line)

    def run(self, cycles: int) -> None:
        for node in self.nodes:
            node.run(cycles)

    def access(self, write: bool, addr: int, data: int = 0, strb: int = 15) -> int:
        rtl, model = (node.axil("", write, addr, data, strb) for node in self.nodes)
        if addr == REFUSED and rtl[0] & 15 == model[0] & 15 == 0:
            return 0  # table and entry of no refusal are undefined
        assert rtl == model, f"{addr:#x}: {rtl}, the model {model}"
        assert self.rtl.cycle == self.model.cycle, f"{addr:#x}"
        return rtl[0]

    def read(self, addr: int) -> int:
        return self.access(False, addr)

    def write(self, addr: int, data: int) -> None:
        self.access(True, addr, data)

    def push(self, line: str, blocks: list[tuple[int, int]], shift: int = 66) -> None:
        for node in self.nodes:
            node.lane_push(line, blocks, shift)

    def compare(self) -> None:
        """Blocks since the last time, and the state of the pins."""
        for line in LINES:
            rtl, model = (node.lane_take(line) for node in self.nodes)
            if rtl != model:
                first = next(i for i, (a, b) in enumerate(zip(rtl, model, strict=True)) if a != b)
                pytest.fail(f"{line}, block {first}: {rtl[first]}, the model {model[first]}")
            assert self.rtl.stats(line) == self.model.stats(line)
        assert self.rtl.get_pin("busy") == self.model.get_pin("busy")

    def counters(self, switch: Stdm) -> dict[str, int]:
        """All counters of switch and links are equal; those of the switch, over all ports."""
        total = dict.fromkeys(PORT_COUNTERS, 0)
        for port in range(PORTS):
            for name, value in switch.counters(port).items():
                total[name] += value
        for base in LANES:
            for at in (0x0, 0x8, *range(0x80, 0xE4, 4)):
                self.read(base + at)
        for port in (*range(PORTS), 9):
            switch.link(port)
        return total


def tables(rng: random.Random, slots: int, guard: int, free: frozenset[int]) -> Tables:
    """Both links in both directions through the board, back, and to the closed channels."""
    made = Tables.empty(PORTS, slots, guard)
    for pos in range(slots + guard):
        for link in range(LOCALS, PORTS):
            made.into[link][pos] = InEntry(pos in free)
            if pos in free:
                made.out[link][pos] = OutEntry(OUT_BE)
            elif rng.random() < 0.9:
                source = rng.choice([0, 1, 2, 3, 5 - link, 5 - link, 5 - link])
                made.out[link][pos] = OutEntry(OUT_CIRCUIT, source, rng.randrange(64))
        if rng.random() < 0.2:
            channel = rng.choice(CLOSED)
            made.out[1][pos] = OutEntry(OUT_CIRCUIT, rng.choice([0, 2, 3]), channel)
        made.into[0][pos] = InEntry(rng.random() < 0.5, rng.randrange(CHANNELS))
    return made


def configure(
    pair: Pair, rng: random.Random, made: Tables, margin: int, follow: int | None
) -> Stdm:
    switch = Stdm(pair, SWITCH)
    switch.board(0)
    switch.timing(margin, follow)
    switch.load(made)
    switch.swap()
    return switch


def lines(pair: Pair, rng: random.Random, peer: Peer, blocks: int) -> None:
    """What both links show: the peer's frames, each with words of its own."""
    for line in LINES:
        shift = rng.choice([66, 66, 1, 20])
        pair.push(line, replace(peer, rng=random.Random(rng.random())).line(blocks), shift)


def session(
    seed: int, faults: Faults, cycles: int, share: float = 0.3
) -> tuple[dict[str, int], Stdm]:
    """Traffic at full load both ways, with slot tables rewritten and swapped under way.

    share: of the slots that are best effort's.
    """
    rng = random.Random(seed)
    slots, guard, margin = rng.choice([(24, 8, 1), (26, 6, 2), (9, 7, 1), (50, 16, 3)])
    free = frozenset(rng.sample(range(slots), int(slots * share)))
    follow = rng.choice([2, 3, 2, None])
    pair = Pair()
    for port in range(LOCALS, PORTS):
        Stdm(pair, SWITCH).routes(port, {1: 2, 2: 3, 3: rng.choice([0, 2, 3, 31]), 255: port})
    start = pair.rtl.cycle
    lines(pair, rng, Peer(rng, slots, guard, free, faults=faults), cycles)
    switch = configure(pair, rng, tables(rng, slots, guard, free), margin, follow)
    while pair.rtl.cycle < start + cycles - 3000:
        pair.run(rng.choice([1, 30, 500, 1500]))
        pair.compare()
        match rng.randrange(6):
            case 0:
                switch.load(tables(rng, slots, guard, free))
                pair.run(rng.randrange(60))
                switch.swap(wait=rng.random() < 0.5)
            case 1:
                for _ in range(8):
                    switch.owner(rng.randrange(PORTS), rng.randrange(64))
                switch.read_back(rng.choice([0, 3, 32, 35]), 4, rng.random() < 0.5)
            case 2:
                pair.read(SWITCH + rng.choice(DEFINED))
                pair.read(SWITCH + 0x100 + 4 * rng.randrange(8))
            case 3:
                pair.counters(switch)
            case 4:
                switch.link(rng.choice([2, 3]))
            case _:
                pair.read(rng.choice(LANES) + 0x80 + 4 * rng.randrange(25))
    pair.compare()
    return pair.counters(switch), switch


@pytest.mark.parametrize("seed", range(by_size(3, 40)))
def test_full_load(seed: int) -> None:
    """Circuits and best-effort packets both ways, tables rewritten: block by block the same."""
    total, switch = session(seed, Faults(xoff=0.05), by_size(18_000, 100_000))
    words = sum(switch.owner(port, owner)[0] for port in (2, 3) for owner in range(64))
    assert words > 1000 and total["lost"] and total["be_route"] and total["be_broken"]
    assert total["bad_crc"] == 0


def test_best_effort_that_finds_no_room() -> None:
    """Peers that stop the board and do not obey it: buffers of links and of the local port fill."""
    total, _ = session(50, Faults(xoff=0.9), by_size(24_000, 200_000), 0.8)
    assert total["be_full"] > 10 and total["be_broken"] and total["be_route"]


@pytest.mark.parametrize("seed", range(100, by_size(105, 180)))
def test_faults(seed: int) -> None:
    """Wrong bits, words and markers, rows too few or many, lines that go dark and come back."""
    rng = random.Random(seed)
    bad = Faults(
        slip=rng.choice([0, 0.02, 0.2]), mark=0.02, number=0.02, crc=0.05, word=0.005,
        bit=rng.choice([0, 1e-4, 2e-3]), dead=rng.choice([0.002, 0.01]), xoff=0.2,
    )  # fmt: skip
    total, _ = session(seed, bad, by_size(18_000, 100_000))
    assert total["slip"] and total["bad_word"]


def test_registers() -> None:
    """Every word of the register space that the model has, reads, writes and write strobes."""
    pair, rng = Pair(), random.Random(7)
    pair.run(1100)
    for port in range(PORTS):
        Stdm(pair, SWITCH).routes(port, {255: port})
    known = [SWITCH, *LANES, CIRCUITS]
    words = [0, *(4 * i for i in range(0x24))]
    for base in known:
        for at in (*words, 0x100, 0x11C, 0x124, 0x1DC, 0x1E0, 0xFFC):
            pair.read(base + at)
    for at in (0x00, 0x04, 0x0C, 0x10, 0x18, 0x1C, 0x20, 0x3C, 0x40, 0x80, 0x84, 0x8C, 0xA4, 0x104):
        pair.read(at)
    for _ in range(by_size(600, 6000)):
        base = rng.choice([SWITCH, SWITCH, SWITCH, *known, 0])
        at = rng.choice([*words, 0x100, 0x11C]) if base else rng.choice([0x0C, 0x20, 0x84, 0x200])
        pair.access(rng.random() < 0.6, base + at, rng.getrandbits(32), rng.randrange(16))
        pair.run(rng.choice([0, 0, 1, 2, 7]))
    pair.compare()


def test_refused_entries() -> None:
    """What the switch refuses is refused by the model, with the same reason."""
    pair, rng = Pair(), random.Random(8)
    switch = Stdm(pair, SWITCH)
    seen = {switch.refused()[0]}

    def refused(*writes: tuple[str, int]) -> None:
        for name, word in writes:
            pair.write(SWITCH + REG[name], word)
        seen.add(switch.refused()[0])
        pair.write(SWITCH + REG["command"], 2)

    refused(("at", 0), ("data", 0))  # tables are not clear yet
    refused(("command", 1))
    pair.run(1024)
    for _ in range(200):
        entry = rng.choice([0, 5, 271, 272, 400])
        table = rng.choice([0, 1, 2, 3, 32, 33, 35, rng.randrange(64)])
        kind, source, owner = rng.randrange(4), rng.choice([0, 3, 4]), rng.choice([0, 3, 4, 63])
        refused(("at", table | entry << 16), ("data", kind | source << 8 | owner << 16))
    for slots, guard in ((0, 6), (257, 6), (8, 5), (8, 17)):
        refused(("size", slots | guard << 16), ("command", 1))
    refused(("at", 63 << 16 | 4), ("data", 0), ("size", 8 | 6 << 16), ("command", 1))
    refused(("size", 256 | 16 << 16), ("command", 1), ("command", 1))
    refused(("command", 1), ("data", 0))
    assert seen == {*range(10), 11}


def test_what_the_model_leaves_out() -> None:
    """Register blocks of host and kernel are not there, and links of several lanes are refused."""
    model = _engine.Node(str(build_model(resolve_design("link")).path))
    model.reset()
    assert model.axil("", False, 0x08) == (0x50040, 0)
    assert model.axil("", False, 0x5000)[1] == 3
    with pytest.raises(KumiError, match="no `LANES: 2`: take `LANES: 1`, or `detail: rtl`"):
        build_model(resolve_design("link"), {"LANES": 2})
