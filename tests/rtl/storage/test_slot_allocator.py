# SPDX-License-Identifier: Apache-2.0
"""Slots in RTL: against a search by hand, and against the C++ array's placer."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from kumihimo.testing import Dut
from storage_bench import ROOT, SLOT_REQ, SLOT_RSP, Bench, bits, pack, unpack

CLAIM, RELEASE, SET, TEST, SIZE = range(5)
# name: ports, slots, bits of a word
UNITS = {
    "one": (1, 32, 32),
    "tiny": (3, 8, 2),
    "odd": (5, 64, 4),
    "two": (8, 1024, 32),
    "three": (2, 4096, 32),
    "deep": (2, 1024, 2),
}


@pytest.fixture(scope="module")
def built() -> Dut:
    bench = Bench("storage_slots")
    for name, (ports, slots, word) in UNITS.items():
        bench.add(
            name,
            "kumi_slot_allocator",
            {"PORTS": ports, "SLOTS": slots, "WORD_W": word},
            hdr={"s_req": bits(SLOT_REQ), "m_rsp": bits(SLOT_RSP)},
        )
    return bench.build()


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


def call(dut: Dut, name: str, requests: list[tuple[int, int, int]]) -> list[tuple[bool, int]]:
    """Answers to (operation, device, slot)."""
    records = [pack(SLOT_REQ, op=op, device=d, slot=s) for op, d, s in requests]
    dut.send(f"s_hdr_{name}_req", records)
    frames = dut.recv(f"m_hdr_{name}_rsp", len(records), 300_000)
    responses = [unpack(SLOT_RSP, f.value) for f in frames]
    return [(bool(a["ok"]), a["slot"]) for a in responses]


@pytest.mark.parametrize(("rx", "tx"), [(0.0, 0.0), (0.4, 0.4)])
@pytest.mark.parametrize("name", UNITS)
def test_random_operations(built: Dut, name: str, rx: float, tx: float) -> None:
    """Devices of every size, filled until nothing is free, and emptied, at random."""
    ports, slots, _ = UNITS[name]
    built.restart()
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
    _, slots, _ = UNITS[name]
    built.restart()
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
    built.restart()
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
    built.restart()
    call(built, "three", [(SIZE, 0, 4096)])
    for op, slot, cycles in ((CLAIM, 0, 8), (TEST, 9, 6), (SET, 9, 7), (RELEASE, 9, 7)):
        built.send("s_hdr_three_req", [pack(SLOT_REQ, op=op, slot=slot)])
        frame = built.recv("m_hdr_three_rsp", 1)[0]
        assert frame.cycle - built.sent("s_hdr_three_req")[-1][0] == cycles
    call(built, "three", [(SET, 0, s) for s in range(4095)])
    built.sent("s_hdr_three_req")
    for _ in range(2):  # at the far end; then around
        built.send("s_hdr_three_req", [pack(SLOT_REQ, op=CLAIM)])
        frame = built.recv("m_hdr_three_rsp", 1)[0]
        assert frame.cycle - built.sent("s_hdr_three_req")[-1][0] <= 33
        call(built, "three", [(RELEASE, 0, 3)])
        built.sent("s_hdr_three_req")


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
    built.restart()
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
        ({"WORD_W": 64}, "WORD_W"),
        ({"WORD_W": 3}, "WORD_W"),
    ],
)
def test_illegal_parameters(params: dict[str, int], message: str) -> None:
    shapes = {"s_req": {"W": bits(SLOT_REQ)}, "m_rsp": {"W": bits(SLOT_RSP)}}
    with pytest.raises(Exception, match=message):
        Dut.of_module("kumi_slot_allocator", params, shapes)
