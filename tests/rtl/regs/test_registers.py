# SPDX-License-Identifier: Apache-2.0
"""Registers: the bus, the generated blocks against their description, the counters."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kumihimo.build.filelist import unit_file
from kumihimo.regs import BLOCKS, Block, RegisterError, RegisterMap
from kumihimo.testing import Dut

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OKAY, SLVERR, DECERR = 0, 2, 3


class Bus:
    """Registers of a Dut as the access objects want them."""

    def __init__(self, dut: Dut) -> None:
        self.dut = dut

    def read(self, addr: int) -> int:
        return self.dut.axil_read(addr)

    def write(self, addr: int, data: int) -> None:
        self.dut.axil_write(addr, data)


@pytest.fixture(scope="module")
def dut() -> Dut:
    return Dut(HERE / "kumi_t_axil.sv")


def test_generated_files_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.regs", "generate", "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_counters_follow_the_event_record() -> None:
    """Counter i of the ip block is member i of ip_events_t."""
    text = unit_file("kumi_ip_pkg", ROOT).read_text()
    body = re.search(r"typedef struct packed \{([^}]*)\} ip_events_t;", text)
    assert body
    members = re.findall(r"^\s*logic\s+(\w+);", body[1], re.MULTILINE)
    counters = [reg.name for reg in BLOCKS["ip"].regs if reg.group == "counters"]
    assert counters[: len(members)] == members
    assert counters[len(members) :] == ["rx_overflow", "rx_buffer_bad", "tx_buffer_bad"]


def test_identity(dut: Dut) -> None:
    dut.restart()
    bus = Bus(dut)
    regs = RegisterMap(bus)
    assert regs.design == "a test of names"
    assert regs.build == 0x0123456789ABCDEF
    assert regs.id.shape.fields() == {"data_w": 256, "blocks": 3}
    assert list(regs) == ["id", "ip", "echo", "kernel"]
    assert regs["echo"].base == 0x2000
    assert regs.id.scratch.read() == 0
    regs.id.scratch.write(0xDEADBEEF)
    assert regs.id.scratch.read() == 0xDEADBEEF
    dut.axil_write(0x0C, 0x11223344, strb=0b0110)
    assert regs.id.scratch.read() == 0xDE2233EF
    first = regs.cycles()
    dut.run(1000)
    assert 1000 <= regs.cycles() - first < 1100
    with pytest.raises(RegisterError, match="no register block"):
        _ = regs.nothing
    with pytest.raises(RegisterError, match="has no register"):
        _ = regs.id.nothing


def _check_block(bus: Bus, block: Block, skip: tuple[str, ...] = ()) -> None:
    """Reset values, then write and read back every field, then reserved bits."""
    for reg in block:
        if reg.info.name in skip:
            continue
        for index in range(len(reg)):
            word = reg.read(index)
            for field in reg.info.fields:
                if "r" in field.access and field.reset is not None:
                    assert field.extract(word) == field.reset, f"{reg} {field.name}"
    rng = random.Random(1)
    for reg in block:
        kept = [f for f in reg.info.fields if f.access == "rw"]
        if not kept or len(kept) != len(reg.info.fields):
            continue
        for value in (0xFFFFFFFF, 0, rng.getrandbits(32), reg.info.reset or 0):
            bus.write(reg.addr, value)
            mask = sum(f.mask for f in kept)
            assert reg.read() == value & mask, str(reg)


def test_blocks_behave_as_described(dut: Dut) -> None:
    dut.restart()
    bus = Bus(dut)
    regs = RegisterMap(bus)
    _check_block(bus, regs.id, skip=("cycles_lo", "cycles_hi"))
    _check_block(bus, regs.ip)


def test_unmapped(dut: Dut) -> None:
    dut.restart()
    for addr in (0x3000, 0x4000, 0x10000, 0xFFFFF000):
        assert dut.axil_response(False, addr) == DECERR
        assert dut.axil_response(True, addr) == DECERR
    for addr in (0x100, 0xFFC, 0x102C, 0x1200):
        assert dut.axil_response(False, addr) == SLVERR, hex(addr)
        assert dut.axil_response(True, addr) == SLVERR, hex(addr)
    assert dut.axil_read(0) == 0x494D554B


def test_block_that_does_not_answer(dut: Dut) -> None:
    dut.restart()
    assert dut.axil_read(0x2ABC) == 0xABC
    dut.set("dumb", 1)
    assert dut.axil_response(False, 0x2000) == SLVERR
    # Its answer is still due: refused at once; the others work.
    before = dut.cycle
    assert dut.axil_response(True, 0x2000) == SLVERR
    assert dut.cycle - before < 40
    assert dut.axil_read(0) == 0x494D554B
    assert dut.get("answers") == 1
    # The late answer disappears, and the block is back.
    dut.set("dumb", 0)
    dut.run(8)
    assert dut.get("answers") == 2
    assert dut.axil_read(0x2124) == 0x124
    # A block that does not even take the request blocks the bus, but nothing hangs.
    dut.set("deaf", 1)
    assert dut.axil_response(True, 0x2000) == SLVERR
    assert dut.axil_response(False, 0x0) == SLVERR
    dut.set("deaf", 0)
    dut.run(8)
    assert dut.axil_read(0x2128) == 0x128
    assert dut.axil_read(0) == 0x494D554B


def test_every_event_every_cycle(dut: Dut) -> None:
    """The test top holds all events but one high: counters keep up with the clock."""
    dut.restart()
    regs = RegisterMap(Bus(dut))
    counters = [reg for reg in regs.ip if reg.info.group == "counters"]
    for reg in counters[::9] + counters[-3:]:
        low, start = reg.read(), dut.cycle
        dut.run(len(counters) * 100)
        grown, spent = reg.read() - low, dut.cycle - start
        if reg.info.name == "rx_buffer_bad":
            assert grown == 0
        else:
            # A read gives the total at its slot's turn, which comes once a round.
            assert abs(grown - spent) <= 2 * len(counters), reg.info.name


@pytest.mark.parametrize("count", [1, 2, 5, 46, 64])
def test_event_counters_exact(count: int) -> None:
    dut = Dut.of_module("kumi_event_counters", params={"N": count})
    rng = random.Random(count)
    expected = [0] * count
    for phase in range(6):
        for _ in range(200):
            bits = rng.getrandbits(count)
            if phase == 1:
                bits = (1 << count) - 1
            dut.set("ev", bits)
            dut.run(1)
            for i in range(count):
                expected[i] += bits >> i & 1
        dut.set("ev", 0)
        dut.run(2 * count + 4)
        for i in range(count):
            dut.set("req_index", i)
            dut.set("req", 1)
            dut.run(1)
            dut.set("req", 0)
            dut.run_until(lambda: dut.get("rd_ack"), 3 * count + 8, step=1, what="rd_ack")
            assert dut.get("rd_data") == expected[i], f"event {i} of {count}"
            dut.run(1)
