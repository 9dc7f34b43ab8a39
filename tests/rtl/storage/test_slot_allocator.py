# SPDX-License-Identifier: Apache-2.0
"""Slots in RTL: against a search by hand, and against the C++ array's placer.

The bitmaps are in a sparse memory, at addresses above 4 GiB.
"""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from kumihimo.testing import Dut
from storage_bench import ROOT, SLOT_REQ, SLOT_RSP, Bench, bits, pack, unpack

CLAIM, RELEASE, SET, TEST, SIZE = range(5)
CYCLE_PS = 6400
AREA = 0x12_3400_0000
# name: ports, slots, bits of a word, bits of data
UNITS = {
    "one": (1, 64, 64, 64),
    "tiny": (3, 8, 2, 64),
    "odd": (5, 64, 4, 128),
    "two": (8, 1024, 32, 512),
    "three": (2, 16384, 64, 256),
    "deep": (2, 1024, 2, 64),
    "real": (8, 1 << 24, 64, 64),
}


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("storage_slots")
    for name, (ports, slots, word, data) in UNITS.items():
        bench.add(
            name,
            "kumi_slot_allocator",
            {"PORTS": ports, "SLOTS": slots, "WORD_W": word},
            hdr={"s_req": bits(SLOT_REQ), "m_rsp": bits(SLOT_RSP)},
            pins_in={"area": 40, "clear": 1},
            axi=(data, 40),
        )
    return bench.build()


def begin(dut: Dut, name: str, latency: int = 6, jitter: int = 0) -> None:
    """Reset all units; this one gets a place for its bitmaps, and memory its latency."""
    dut.restart()
    dut.set(f"{name}_area", AREA)
    dut.memory(f"m_axi_{name}").configure(
        latency_cycles=latency, jitter_ps=jitter * CYCLE_PS, size=1 << 40
    )


class Model:
    """A device's slots, and where the next search begins."""

    def __init__(self, size: int) -> None:
        self.size, self.next = size, 0
        self.taken: set[int] = set()

    def response(self, op: int, slot: int) -> tuple[bool, int]:
        if op == CLAIM:
            for i in range(self.size):
                found = (self.next + i) % self.size
                if found not in self.taken:
                    self.taken.add(found)
                    self.next = (found + 1) % self.size
                    return True, found
            return False, slot
        if slot >= self.size:
            return False, slot
        was = slot in self.taken
        if op == SET:
            self.taken.add(slot)
        elif op == RELEASE:
            self.taken.discard(slot)
        return (not was if op == SET else was), slot


def answers(dut: Dut, name: str, requests: list[tuple[int, int, int]]) -> list[dict[str, int]]:
    """Records in answer to (operation, device, slot)."""
    records = [pack(SLOT_REQ, op=op, device=d, slot=s) for op, d, s in requests]
    dut.send(f"s_hdr_{name}_req", records)
    frames = dut.recv(f"m_hdr_{name}_rsp", len(records), 3_000_000)
    return [unpack(SLOT_RSP, f.value) for f in frames]


def call(dut: Dut, name: str, requests: list[tuple[int, int, int]]) -> list[tuple[bool, int]]:
    """Answers to (operation, device, slot), without memory errors."""
    found = answers(dut, name, requests)
    assert not any(a["bad"] for a in found)
    return [(bool(a["ok"]), a["slot"]) for a in found]


def cycles(dut: Dut, name: str, op: int, slot: int = 0, device: int = 0) -> int:
    """Cycles from a request to its answer."""
    dut.sent(f"s_hdr_{name}_req")
    dut.send(f"s_hdr_{name}_req", [pack(SLOT_REQ, op=op, slot=slot, device=device)])
    frame = dut.recv(f"m_hdr_{name}_rsp", 1)[0]
    assert unpack(SLOT_RSP, frame.value)["ok"] or op == TEST
    return frame.cycle - dut.sent(f"s_hdr_{name}_req")[-1][0]


@pytest.mark.parametrize(("rx", "tx"), [(0.0, 0.0), (0.4, 0.4)])
@pytest.mark.parametrize("name", [name for name in UNITS if name != "real"])
def test_random_operations(built: Dut, name: str, rx: float, tx: float) -> None:
    """Devices of every size, filled until nothing is free, and emptied, at random."""
    ports, slots, _, _ = UNITS[name]
    latency, jitter = (1, 0) if rx == 0 else (60, 100)
    begin(built, name, latency, jitter)
    built.stall_all(rx, tx, seed=slots)
    r = random.Random(name)
    sizes = [slots, slots - 1, 1, slots // 2 + 1, slots, 0, slots, 33][:ports]
    sizes = [min(s, slots) for s in sizes]
    models = [Model(s) for s in sizes]
    assert call(built, name, [(SIZE, d, s) for d, s in enumerate(sizes)]) == [
        (True, s & 0xFFFFFF) for s in sizes
    ]
    for d, model in enumerate(models):  # as a log leaves it at the start
        model.taken = {s for s in range(model.size) if r.random() < 0.7}
        out = call(built, name, [(SET, d, s) for s in model.taken])
        assert all(ok for ok, _ in out)
    requests, expected = [], []
    filling = True
    for i in range(1200 if slots < 4096 else 600):
        d = r.randrange(ports)
        model = models[d]
        if i % 97 == 0:
            filling = not filling
        op = r.choice(
            [CLAIM] * (8 if filling else 2) + [RELEASE] * (2 if filling else 6) + [SET, TEST]
        )
        slot = r.randrange(slots)
        if op == RELEASE and model.taken and r.random() < 0.9:
            slot = r.choice(sorted(model.taken))
        requests.append((op, d, slot))
        expected.append(model.response(op, slot))
    assert call(built, name, requests) == expected
    for d, model in enumerate(models):
        out = call(built, name, [(TEST, d, s) for s in range(min(model.size, 200))])
        assert [ok for ok, _ in out] == [s in model.taken for s in range(min(model.size, 200))]


@pytest.mark.parametrize("name", ["one", "tiny", "three", "deep"])
def test_every_slot_is_given_once(built: Dut, name: str) -> None:
    """In order, then none; one that comes back is the one that is given."""
    slots = UNITS[name][1]
    begin(built, name)
    call(built, name, [(SIZE, 0, slots)])
    out = call(built, name, [(CLAIM, 0, 0)] * (slots + 2))
    assert out[:slots] == [(True, s) for s in range(slots)]
    assert out[slots:] == [(False, 0)] * 2
    for s in (0, slots - 1, slots // 2, slots // 2 - 1):
        assert call(built, name, [(RELEASE, 0, s), (CLAIM, 0, 0), (CLAIM, 0, 7)]) == [
            (True, s), (True, s), (False, 7),
        ]  # fmt: skip
    # Two free: the one behind the last one given comes first.
    assert call(built, name, [(RELEASE, 0, 1), (RELEASE, 0, 5), (CLAIM, 0, 0)])[2] == (
        True, 5 if slots // 2 - 1 >= 2 and slots // 2 <= 5 else 1,
    )  # fmt: skip


def test_what_is_not_there(built: Dut) -> None:
    begin(built, "odd")
    nothing = [(CLAIM, 0, 0), (SET, 0, 0), (RELEASE, 0, 0), (TEST, 0, 0)]
    assert call(built, "odd", nothing) == [(False, 0)] * 4  # no SIZE yet
    assert call(built, "odd", [(SIZE, 0, 65), (SIZE, 5, 3), (SIZE, 255, 3)]) == [
        (False, 65), (False, 3), (False, 3),
    ]  # fmt: skip
    assert call(built, "odd", [(SIZE, 0, 10), (SET, 0, 10), (TEST, 0, 63), (SET, 0, 1 << 24)]) == [
        (True, 10), (False, 10), (False, 63), (False, 0),
    ]  # fmt: skip
    assert call(built, "odd", [(5, 0, 1), (6, 0, 1), (7, 0, 1), (CLAIM, 6, 0)]) == [
        (False, 1), (False, 1), (False, 1), (False, 0),
    ]  # fmt: skip
    assert call(built, "odd", [(CLAIM, 0, 0), (SIZE, 0, 2), (CLAIM, 0, 0)])[2] == (True, 0)


def test_cycles(built: Dut) -> None:
    """With the line on chip as fast as with bitmaps on chip, and so through lines read ahead."""
    begin(built, "real", latency=200)
    call(built, "real", [(SIZE, 0, 1 << 20), (CLAIM, 0, 0)])
    for op, slot, most in ((CLAIM, 0, 8), (TEST, 9, 5), (SET, 9, 7), (RELEASE, 9, 7)):
        assert cycles(built, "real", op, slot) == most
    call(built, "real", [(CLAIM, 0, 0)] * 64)  # from here on the words of level 1 are on chip
    took = []
    for _ in range(2560):  # through five lines, a claim every 60 cycles or so
        took.append(cycles(built, "real", CLAIM))
        built.run(50)
    # 13 where a word becomes full; 9 where a line that was read ahead takes its place.
    assert max(took) == 13 and took.count(13) == 40 and took.count(8) >= 2515
    for op, slot in ((RELEASE, 3), (SET, 700_001)):  # not on chip, and behind a line that was
        assert cycles(built, "real", op, slot) <= 2 * (200 + 24) + 20


def test_real_disks(built: Dut) -> None:
    """Eight disks of 9 million slots against sets, in random order, with errors of memory."""
    begin(built, "real", latency=20, jitter=180)
    memory = built.memory("m_axi_real")
    r = random.Random(18)
    size = 18 * 10**12 // (2 << 20)
    models = [Model(size - d) for d in range(2)]
    call(built, "real", [(SIZE, d, m.size) for d, m in enumerate(models)])
    assert not memory.read(AREA, size // 8).strip(b"\0")
    built.stall_all(0.3, 0.3, seed=3)
    places = [r.randrange(size - 1) for _ in range(6)]
    refused = 0
    for part in range(12):
        requests, expected = [], []
        for _ in range(100):
            d = r.randrange(2)
            model = models[d]
            op = r.choice([CLAIM] * 5 + [RELEASE] * 3 + [SET, TEST])
            slot = min(r.choice(places) + r.randrange(130), model.size - 1)
            if op == RELEASE and model.taken and r.random() < 0.8:
                slot = r.choice(sorted(model.taken))
            requests.append((op, d, slot))
            expected.append(model.response(op, slot))
        assert call(built, "real", requests) == expected
        # Reads of a part of the bitmaps fail: refused without a change, or a line was on chip.
        bad = AREA + size // 8 // 64 * 64 * r.randrange(2) + places[part % 6] // 8 // 64 * 64
        memory.fault(bad, 64)
        slot = min(places[part % 6] + 1, models[0].size - 1)
        [answer] = answers(built, "real", [(TEST, 0, slot)])
        refused += answer["bad"]
        assert answer["bad"] or bool(answer["ok"]) == (slot in models[0].taken)
        memory.fault(bad, 64, False)
    assert refused


def test_the_last_free_slot_of_a_real_disk(built: Dut) -> None:
    """All of 2^23 slots are taken but one, wherever it is: bounded, at slow memory too."""
    size, free = 1 << 23, 5_000_001
    begin(built, "real", latency=200)
    call(built, "real", [(SIZE, 1, size)])
    built.drain()
    # As if all had been claimed, but for a slot in each 4,096: these are taken by requests.
    memory = built.memory("m_axi_real")
    low, high = AREA + (1 << 21), AREA + (8 << 21) + (1 << 15)
    left = [free if free >> 12 == g else g << 12 | 0xFFF for g in range(size >> 12)]
    words, full = bytearray(b"\xff") * (size // 8), bytearray(b"\xff") * (size // 512)
    for slot in left:
        words[slot >> 3] ^= 1 << (slot & 7)
        full[slot >> 9] ^= 1 << (slot >> 6 & 7)
    memory.write(low, words)
    memory.write(high, full)
    memory.configure(latency_cycles=1)
    assert all(ok for ok, _ in call(built, "real", [(SET, 1, s) for s in left if s != free]))
    memory.configure(latency_cycles=200)
    built.run(1000)
    search = 6 * (200 + 24) + 96
    assert cycles(built, "real", CLAIM, device=1) <= search
    assert call(built, "real", [(TEST, 1, free), (CLAIM, 1, 7)]) == [(True, free), (False, 7)]
    for slot in (free - 1, size - 1, 0, 4095, free):  # before and after the last one
        assert cycles(built, "real", RELEASE, slot, 1) <= search
        assert cycles(built, "real", CLAIM, device=1) <= search
        assert call(built, "real", [(TEST, 1, slot), (CLAIM, 1, 7)]) == [(True, slot), (False, 7)]


@pytest.mark.parametrize("latency", [1, 37, 200])
def test_errors_of_memory(built: Dut, latency: int) -> None:
    """A read that fails changes nothing; after a write that fails, nothing is given any more."""
    begin(built, "real", latency)
    memory = built.memory("m_axi_real")
    size = 1 << 18
    high = AREA + (8 << 21)
    for line in (AREA + 64 * 100, high):
        memory.fault(line, 1)
        assert answers(built, "real", [(SIZE, 0, size)]) == [{"slot": size, "ok": 0, "bad": 1}]
        assert call(built, "real", [(CLAIM, 0, 5)]) == [(False, 5)]  # it has no slots
        memory.fault(line, 1, False)
    call(built, "real", [(SIZE, 0, size), (SIZE, 1, size)])
    call(built, "real", [(SET, 0, s) for s in range(63)])  # one is free in the first word
    for line, others in (
        (AREA, [2048]),  # the slot's line; another one takes its set
        (high, range(4 << 15, (4 << 15) + 64)),  # that says which words are full; as well
    ):
        call(built, "real", [(SET, 0, s) for s in others])
        built.run(2 * latency + 100)  # what was changed has been written back
        memory.fault(line, 64)
        refused = [(CLAIM, 0, 3), (SET, 0, 63)]
        assert answers(built, "real", refused) == [
            {"slot": slot, "ok": 0, "bad": 1} for _, _, slot in refused
        ]
        memory.fault(line, 64, False)
    assert call(built, "real", [(TEST, 0, 63), (CLAIM, 0, 0), (CLAIM, 0, 0)]) == [
        (False, 63), (True, 63), (True, 64),
    ]  # fmt: skip
    # A line is changed and cannot be written back.
    call(built, "real", [(SET, 1, 700)])
    memory.fault(AREA + (1 << 21) + 64, 64)
    answers(built, "real", [(TEST, 1, 700 + 2048)])
    built.run(2 * latency + 100)
    found = answers(built, "real", [(CLAIM, 0, 1), (CLAIM, 1, 1), (RELEASE, 1, 700)])
    assert [(a["ok"], a["bad"]) for a in found] == [(0, 1)] * 3
    memory.fault(AREA + (1 << 21) + 64, 64, False)
    built.set("real_clear", 1)
    built.run(1)
    built.set("real_clear", 0)
    assert call(built, "real", [(CLAIM, 0, 1)]) == [(False, 1)]
    assert call(built, "real", [(SIZE, 1, 99), (CLAIM, 1, 0)]) == [(True, 99), (True, 0)]


def test_slots_equal_the_cpp_placers(built: Dut, tmp_path: Path) -> None:
    """A device that is filled and freed at random; the C++ array gives the same slots."""
    source = ROOT / "sim" / "storage"
    own = Path(__file__).with_name("placer_commands.cpp")
    program = tmp_path / "placer"
    command: list[str | Path] = ["g++", "-std=c++20", f"-I{source}", "-o", program, own]
    subprocess.run([*command, source / "placer.cpp"], check=True)
    r = random.Random(5)
    size = 700
    text = ["new 1 0 2 100000", f"device 0 {size} 500"]
    taken: list[int] = []
    model = Model(size)
    requests = []
    for _ in range(2500):
        if len(taken) == size or (taken and r.random() < 0.46):
            slot = taken.pop(r.randrange(len(taken)))
            text.append(f"release 0 {slot}")
            requests.append((RELEASE, 0, slot))
        else:
            text.append("pick 1")
            requests.append((CLAIM, 0, 0))
            taken.append(model.response(CLAIM, 0)[1])
            continue
        model.response(RELEASE, slot)
    done = subprocess.run([program], input="\n".join(text), capture_output=True, text=True)
    given = [int(line.split()[2]) for line in done.stdout.splitlines()]
    begin(built, "two", latency=30)
    call(built, "two", [(SIZE, 0, size)])
    out = call(built, "two", requests)
    assert all(ok for ok, _ in out)
    assert [s for (_, s), (op, _, _) in zip(out, requests, strict=True) if op == CLAIM] == given


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"PORTS": 0}, "PORTS"),
        ({"PORTS": 129}, "PORTS"),
        ({"SLOTS": 16}, "SLOTS"),
        ({"SLOTS": 100}, "SLOTS"),
        ({"SLOTS": 1 << 25}, "SLOTS"),
        ({"WORD_W": 128}, "WORD_W"),
        ({"WORD_W": 3}, "WORD_W"),
    ],
)
def test_illegal_parameters(params: dict[str, int], message: str) -> None:
    shapes = {"s_req": {"W": bits(SLOT_REQ)}, "m_rsp": {"W": bits(SLOT_RSP)}}
    shapes["m_axi"] = {"DATA_W": 64, "ADDR_W": 40}
    with pytest.raises(Exception, match=message):
        Dut.of_module("kumi_slot_allocator", params, shapes)
