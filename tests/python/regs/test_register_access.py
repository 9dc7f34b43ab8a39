# SPDX-License-Identifier: Apache-2.0
"""Registers from Python: assignment writes or raises, never stores into the object."""

from __future__ import annotations

import inspect

import pytest
from kumihimo.regs import BLOCKS, Block, BlockInfo, FieldInfo, RegInfo, RegisterError


class Words(dict[int, int]):
    """A memory of words that counts reads."""

    reads = 0

    def read(self, addr: int, /) -> int:
        self.reads += 1
        return self.get(addr, 0)

    def write(self, addr: int, data: int, /) -> None:
        self[addr] = data


INFO = BlockInfo(
    "unit",
    "UNIT",
    1,
    "A unit",
    (
        RegInfo(
            "ctrl",
            0,
            (
                FieldInfo("enable", 0, 1, "rw", 1, "Runs."),
                FieldInfo("mode", 4, 4, "rw", 0, "How."),
                FieldInfo("busy", 8, 1, "r", None, "Works."),
            ),
            description="Control.",
        ),
        RegInfo("port", 4, (FieldInfo("value", 0, 16, "rw", 0),), description="UDP port."),
        RegInfo("count", 8, (FieldInfo("value", 0, 32, "r", None),), group="counters"),
        RegInfo("table", 0x10, (FieldInfo("value", 0, 32, "rw", 0),), count=3),
    ),
)


@pytest.fixture()
def words() -> Words:
    return Words()


@pytest.fixture()
def block(words: Words) -> Block:
    return Block(words, INFO, 0x1000)


def test_assignment_writes(block: Block, words: Words) -> None:
    block.port = 9  # type: ignore[assignment]
    assert words[0x1004] == 9 and int(block.port) == 9 and block.port.read() == 9
    block["port"] = 10
    assert words[0x1004] == 10
    words[0x1000] = 0x101
    block.ctrl.mode = 5
    assert words[0x1000] == 0x151
    assert (block.ctrl.enable, block.ctrl.mode, block.ctrl.busy) == (1, 5, 1)
    block.table[2] = 7
    assert words[0x1018] == 7 and block.table[2] == 7 and len(block.table) == 3


def test_bits_as_pynq_has_them(block: Block, words: Words) -> None:
    words[0x1004] = 0x1234
    assert block.port[15:8] == 0x12 and block.port[2] == 1
    block.port[7:0] = 0xFF
    assert words[0x1004] == 0x12FF
    with pytest.raises(ValueError, match=r"does not fit 4 bits"):
        block.port[3:0] = 16
    with pytest.raises(IndexError, match=r"has bits 31 to 0"):
        _ = block.port[32]


def test_mistakes_raise_and_write_nothing(block: Block, words: Words) -> None:
    with pytest.raises(RegisterError, match=r'no register prot.*"port"'):
        block.prot = 9  # type: ignore[assignment]
    with pytest.raises(RegisterError, match=r"unit.count is read-only"):
        block.count = 1  # type: ignore[assignment]
    with pytest.raises(RegisterError, match=r"unit.ctrl.busy is read-only"):
        block.ctrl.busy = 1
    with pytest.raises(RegisterError, match=r"unit.ctrl has no field mod"):
        block.ctrl.mod = 1
    with pytest.raises(ValueError, match=r"unit.port has 16 bits; 0x10000 does not fit"):
        block.port = 0x10000  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"unit.ctrl: 0x10 does not fit the 4 bits of field mode"):
        block.ctrl.mode = 16
    with pytest.raises(TypeError, match=r"takes an integer"):
        block.port = 1.5  # type: ignore[assignment]
    with pytest.raises(IndexError, match=r"3 elements"):
        block.table[3] = 1
    assert not words


def test_python_finds_its_way(block: Block, words: Words) -> None:
    assert hasattr(block, "port") and not hasattr(block, "prot")
    assert getattr(block, "prot", None) is None
    assert hasattr(block.ctrl, "mode") and not hasattr(block.ctrl, "mod")
    assert {"ctrl", "port", "counters"} <= set(dir(block)) and "mode" in dir(block.ctrl)
    before = words.reads
    assert repr(block.port) == "<Reg unit.port at 0x1004, read/write>"
    assert repr(block.table) == "<Reg unit.table[3] at 0x1010, read/write>"
    assert "read-only" in repr(block.count) and "4 registers" in repr(block)
    assert words.reads == before, "a representation does not touch the hardware"
    assert "UDP port." in (inspect.getdoc(block.port) or "")
    assert "mode [7:4] read/write, reset 0x0: How." in (inspect.getdoc(block.ctrl) or "")
    assert "<td>port</td>" in block._repr_html_() and "0x1004" in block._repr_html_()


def test_no_register_hides_behind_a_method() -> None:
    """Every name of the project's blocks is reachable as an attribute."""
    hidden = []
    for info in BLOCKS.values():
        for reg in info.regs:
            if hasattr(Block, reg.name) or reg.name in ("spec", "base"):
                hidden.append(f"{info.name}.{reg.name}")
    assert not hidden
