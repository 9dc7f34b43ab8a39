# SPDX-License-Identifier: Apache-2.0
"""Cocotb side of the 10GBASE-R PCS tests.

The block type and control code tables of the reference come from cocotbext-eth; the scrambler of
the reference works bit by bit from the polynomial.
"""

from __future__ import annotations

import logging
import random
import zlib
from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from cocotbext.eth.constants import (
    BaseRBlockType,
    BaseRSync,
    XgmiiCtrl,
    baser_ctrl_to_xgmii_mapping,
)

MASK66 = (1 << 66) - 1
IDLE = (0x0707070707070707, 0xFF)
FAULT = (0x0100009C0100009C, 0x11)
ERRORS = (0xFEFEFEFEFEFEFEFE, 0xFF)


class Descrambler:
    """1 + x^39 + x^58, one bit at a time."""

    def __init__(self) -> None:
        self.history = [0] * 58

    def __call__(self, payload: int) -> int:
        out = 0
        for i in range(64):
            bit = payload >> i & 1
            out |= (bit ^ self.history[38] ^ self.history[57]) << i
            self.history = [bit, *self.history[:57]]
        return out


def decode(sync: int, payload: int) -> tuple[int, int]:
    """An XGMII word (data, control) from a descrambled block."""
    if sync == BaseRSync.DATA:
        return payload, 0
    assert sync == BaseRSync.CTRL
    kind = payload & 0xFF
    codes = {int(k): int(v) for k, v in baser_ctrl_to_xgmii_mapping.items()}
    byte = [(payload >> 8 * i) & 0xFF for i in range(8)]
    code = [codes.get((payload >> (8 + 7 * i)) & 0x7F, -1) for i in range(8)]
    ctl: list[tuple[int, int]] = [(c, 1) for c in code] if kind == BaseRBlockType.CTRL else []
    low = [(byte[i], 0) for i in range(1, 4)]
    high = [(byte[i], 0) for i in range(5, 8)]
    seq, start = (int(XgmiiCtrl.SEQ_OS), 1), (int(XgmiiCtrl.START), 1)
    ctl_low, ctl_high = [(c, 1) for c in code[:4]], [(c, 1) for c in code[4:]]
    table = {
        BaseRBlockType.OS_4: [*ctl_low, seq, *high],
        BaseRBlockType.START_4: [*ctl_low, start, *high],
        BaseRBlockType.OS_START: [seq, *low, start, *high],
        BaseRBlockType.OS_04: [seq, *low, seq, *high],
        BaseRBlockType.START_0: [start, *[(byte[i], 0) for i in range(1, 8)]],
        BaseRBlockType.OS_0: [seq, *low, *ctl_high],
    }
    terms = [getattr(BaseRBlockType, f"TERM_{n}") for n in range(8)]
    if kind in terms:
        n = terms.index(kind)
        ctl = [(byte[i + 1], 0) for i in range(n)]
        ctl += [(int(XgmiiCtrl.TERM), 1)]
        ctl += [(code[i], 1) for i in range(n + 1, 8)]
    elif not ctl:
        ctl = table[BaseRBlockType(kind)]
    assert all(c >= 0 for c, _ in ctl), f"unknown control code in {payload:016x}"
    data = sum(c << 8 * i for i, (c, _) in enumerate(ctl))
    return data, sum(f << i for i, (_, f) in enumerate(ctl))


class Bench:
    """The PCS with an XGMII model on each side and a lane from its output to its input."""

    def __init__(self, dut: Any, source: bool = True) -> None:
        self.dut = dut
        for sub in ("xgmii_txd", "xgmii_rxd"):
            logging.getLogger(f"cocotb.{dut._name}.{sub}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, 6.4, unit="ns").start())
        if source:
            self.source = XgmiiSource(dut.xgmii_txd, dut.xgmii_txc, dut.clk, dut.rst)
        self.sink = XgmiiSink(dut.xgmii_rxd, dut.xgmii_rxc, dut.clk, dut.rst)
        self.offset = 0
        self.slips = 0
        self.bad_blocks = 0
        self.noise: Callable[[int], int] = lambda block: block
        self.sent: list[tuple[int, int]] = []
        self.blocks: list[int] = []
        self.received: list[tuple[int, int]] = []

    async def reset(self) -> None:
        """Reset, then start the lane."""
        self.dut.rx_block.value = 0
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 2)
        cocotb.start_soon(self.lane())

    async def lane(self) -> None:
        """Serial line with a gearbox that moves its border on request."""
        dut = self.dut
        before = 0
        while True:
            await RisingEdge(dut.clk)
            block = int(dut.tx_block.value)
            self.sent.append((int(dut.xgmii_txd.value), int(dut.xgmii_txc.value)))
            self.blocks.append(block)
            self.received.append((int(dut.xgmii_rxd.value), int(dut.xgmii_rxc.value)))
            self.bad_blocks += (int(dut.ev.value) >> 2) & 1
            if int(dut.rx_slip.value):
                self.offset = (self.offset + 1) % 66
                self.slips += 1
            line = before | block << 66
            dut.rx_block.value = self.noise((line >> self.offset) & MASK66)
            before = block

    async def lock(self) -> None:
        """Wait for block lock."""
        for _ in range(66 * 80):
            await RisingEdge(self.dut.clk)
            if int(self.dut.block_lock.value):
                await ClockCycles(self.dut.clk, 8)
                return
        raise AssertionError("no block lock")


def check_blocks(b: Bench, skip: int = 4) -> None:
    """The lane, decoded by the reference, carries the input of two words before."""
    descramble = Descrambler()
    words = [(block & 3, descramble(block >> 2)) for block in b.blocks]
    for i in range(skip, len(words)):
        assert decode(*words[i]) == b.sent[i - 2], i


@cocotb.test()
async def every_length_and_code(dut: Any) -> None:
    """Frames of 60..200 bytes in both lanes and ordered sets: code, scrambler and round trip."""
    b = Bench(dut)
    await b.reset()
    await b.lock()
    rng = random.Random(1)
    sent = []
    for offset in (False, True):
        b.source.force_offset_start = offset
        for n in range(60, 200):
            data = rng.randbytes(n)
            sent.append(data)
            b.source.send_nowait(XgmiiFrame.from_payload(data))
        await b.source.wait()
        b.source.set_seq_os(rng.randrange(1 << 24))
        await ClockCycles(dut.clk, 10)
        b.source.set_seq_os(None)
        await ClockCycles(dut.clk, 10)
    for data in sent:
        frame = await b.sink.recv()
        assert frame.get_payload() == data and frame.check_fcs()
    check_blocks(b)
    assert b.bad_blocks == 0 and b.slips == 0
    # One XGMII word in, the same word out: two cycles to the lane, two on it, three back.
    assert b.received[200:] == b.sent[193:-7]


def columns() -> dict[str, tuple[int, int]]:
    """Halves of XGMII words."""
    return {
        "idle": (0x07070707, 0xF),
        "start": (0x555555FB, 1),
        "seq": (0x0200009C, 1),
        "data": (0x44332211, 0),
        "term0": (0x070707FD, 0xF),
        "term1": (0x0707FD11, 0xE),
        "term2": (0x07FD2211, 0xC),
        "term3": (0xFD332211, 0x8),
        "error": (0xFEFEFEFE, 0xF),
        "error1": (0x4433FE11, 0x2),
        "odd": (0x07070755, 0xF),
    }


@cocotb.test()
async def every_pair_of_columns(dut: Any) -> None:
    """Every pair of half words, legal or not, in every state: illegal ones become errors."""
    b = Bench(dut, source=False)
    dut.xgmii_txd.value, dut.xgmii_txc.value = IDLE
    await b.reset()
    await b.lock()
    cols = columns()
    terms = {f"term{n}" for n in range(4)}

    def kind(lo: str, hi: str) -> str:
        if (lo, hi) == ("data", "data"):
            return "D"
        if lo in ("idle", "seq") and hi in ("idle", "seq"):
            return "C"
        if (lo in ("idle", "seq") and hi == "start") or (lo, hi) == ("start", "data"):
            return "S"
        if (lo in terms and hi == "idle") or (lo == "data" and hi in terms):
            return "T"
        return "E"

    after = {  # figure 49-16
        "C": {"C": "C", "S": "D"},
        "D": {"D": "D", "T": "T"},
        "T": {"C": "C", "S": "D"},
        "E": {"T": "T", "D": "D", "C": "C"},
    }
    words = []
    rng = random.Random(2)
    pairs = [(lo, hi) for lo in cols for hi in cols]
    legal = [p for p in pairs if kind(*p) != "E"]
    for _ in range(6000):
        words.append(rng.choice(legal if rng.random() < 0.85 else pairs))
    words += [("idle", "idle")] * 10
    base = len(b.sent)
    for lo, hi in words:
        dut.xgmii_txd.value = cols[lo][0] | cols[hi][0] << 32
        dut.xgmii_txc.value = cols[lo][1] | cols[hi][1] << 4
        await RisingEdge(dut.clk)
    await ClockCycles(dut.clk, 10)
    descramble = Descrambler()
    blocks = [(block & 3, descramble(block >> 2)) for block in b.blocks]
    state = "C"
    expected = []
    for lo, hi in words:
        state = after[state].get(kind(lo, hi), "E")
        word = (cols[lo][0] | cols[hi][0] << 32, cols[lo][1] | cols[hi][1] << 4)
        expected.append(word if state != "E" else ERRORS)
    coded = [decode(*block) for block in blocks[base:]]
    shift = next(s for s in range(8) if coded[s : s + 50] == expected[:50])
    assert coded[shift : shift + len(words) - 10] == expected[:-10]
    # Receive: a terminate counts only if its successor is legal (figure 49-17).
    back = b.received[base:]
    out = list(expected)
    state = "C"
    kinds = ["E" if e == ERRORS else kind(*w) for e, w in zip(expected, words, strict=True)]
    for i, k in enumerate(kinds[:-10]):
        nxt = after[state].get(k, "E")
        if nxt == "T" and kinds[i + 1] not in ("C", "S"):
            nxt = "E"
        state = nxt
        if state == "E":
            out[i] = ERRORS
    shift = next(s for s in range(12) if back[s : s + 50] == out[:50])
    assert back[shift : shift + len(out) - 10] == out[:-10]


@cocotb.test()
async def slips(dut: Any) -> None:
    """From any offset of the block border the receiver slips into lock and frames pass."""
    rng = random.Random(3)
    b = Bench(dut)
    await b.reset()
    for offset in [1, 2, 33, 64, 65]:
        await b.lock()
        b.offset = offset
        b.slips = 0
        while int(dut.block_lock.value):
            await RisingEdge(dut.clk)
        assert b.received[-1] != IDLE
        await ClockCycles(dut.clk, 6)
        assert b.received[-1] == FAULT
        await b.lock()
        assert b.offset == 0 and b.slips >= 66 - offset
        while not b.sink.empty():
            b.sink.recv_nowait()
        data = rng.randbytes(100)
        await b.source.send(XgmiiFrame.from_payload(data))
        assert (await b.sink.recv()).get_payload() == data


@cocotb.test()
async def bit_errors(dut: Any) -> None:
    """One bit error in a thousand blocks: no corrupt frame looks good."""
    rng = random.Random(4)
    b = Bench(dut)
    await b.reset()
    await b.lock()
    flips = 0

    def noise(block: int) -> int:
        nonlocal flips
        if rng.random() < 0.02:
            flips += 1
            return block ^ 1 << rng.randrange(66)
        return block

    b.noise = noise
    sent = [rng.randbytes(rng.randint(60, 300)) for _ in range(300)]
    for data in sent:
        b.source.send_nowait(XgmiiFrame.from_payload(data))
    await b.source.wait()
    await ClockCycles(dut.clk, 20)
    good = bad = 0
    while not b.sink.empty():
        frame = b.sink.recv_nowait(compact=False)
        body = bytes(frame.data)[8:]
        if not any(frame.ctrl or []) and zlib.crc32(body) == 0x2144DF1C:
            good += 1
            assert body[:-4] in sent
        else:
            bad += 1
    dut._log.info("%d flips: %d good, %d bad, %d bad blocks", flips, good, bad, b.bad_blocks)
    assert flips > 50 and good > 150 and bad > 20 and b.bad_blocks > 5


@cocotb.test()
async def high_error_rate(dut: Any) -> None:
    """Sixteen wrong headers in a window: hi_ber and local fault; a clean window clears it."""
    b = Bench(dut)
    await b.reset()
    await b.lock()
    count = 0

    def noise(block: int) -> int:
        nonlocal count
        count += 1
        return block | 3 if count % 20 == 0 else block

    b.noise = noise
    await ClockCycles(dut.clk, 20 * 16 + 520)
    assert int(dut.hi_ber.value) == 1 and int(dut.block_lock.value) == 1
    await ClockCycles(dut.clk, 3)
    assert b.received[-1] == FAULT
    b.noise = lambda block: block
    await ClockCycles(dut.clk, 1020)
    assert int(dut.hi_ber.value) == 0
    await ClockCycles(dut.clk, 4)
    assert b.received[-1] == IDLE
