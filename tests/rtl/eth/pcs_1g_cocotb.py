# SPDX-License-Identifier: Apache-2.0
"""Cocotb side of the 1000BASE-X PCS tests: cocotbext-eth GMII models at both ends of a lane."""

from __future__ import annotations

import logging
import random
import zlib
from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource


def groups(text: str) -> set[int]:
    """Code groups as tables 36-1 and 36-2 write them (abcdei fghj); bit 0 is a."""
    return {int(g.replace("_", "")[::-1], 2) for g in text.split()}


K28_5 = groups("001111_1010 110000_0101")
D5_6 = groups("101001_0110")
D16_2 = groups("011011_0101 100100_0101")
S = groups("110110_1000 001001_0111")
T = groups("101110_1000 010001_0111")
R = groups("111010_1000 000101_0111")
V = groups("011110_1000 100001_0111")


class Bench:
    """The PCS with a GMII model on each side and a lane from its output to its input."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        for sub in ("gmii_txd", "gmii_rxd"):
            logging.getLogger(f"cocotb.{dut._name}.{sub}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, 8000, unit="ps").start())
        self.source = GmiiSource(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk, dut.rst)
        self.sink = GmiiSink(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk, dut.rst)
        self.noise: Callable[[int], int] = lambda code: code
        self.codes: list[int] = []
        self.bad_groups = 0
        self.task: Any = None

    async def reset(self, odd: bool = False) -> None:
        """Reset, then start the lane and wait for synchronisation."""
        self.dut.rx_code.value = 0
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 6 + odd)
        if self.task is not None:
            self.task.cancel()
        self.codes.clear()
        self.task = cocotb.start_soon(self.lane())
        for _ in range(30):
            await RisingEdge(self.dut.clk)
            if int(self.dut.sync.value):
                return
        raise AssertionError("no synchronisation")

    async def lane(self) -> None:
        """One code group a cycle."""
        while True:
            await RisingEdge(self.dut.clk)
            code = int(self.dut.tx_code.value)
            self.codes.append(code)
            self.dut.rx_code.value = self.noise(code)
            self.bad_groups += (int(self.dut.ev.value) >> 2) & 1


def check_codes(codes: list[int]) -> None:
    """Order of special code groups: idle pairs from even places, S in even places, T R (R)."""
    first = next(i for i, c in enumerate(codes) if c in K28_5)
    i = first
    while i < len(codes) - 4:
        assert (i - first) % 2 == 0
        if codes[i] in K28_5:
            assert codes[i + 1] in D5_6 | D16_2
            i += 2
            continue
        assert codes[i] in S, i
        i += 1
        while i < len(codes) and codes[i] not in T:
            assert codes[i] not in K28_5 | S | R
            i += 1
        if i + 2 < len(codes):
            assert codes[i + 1] in R
            i += 2
            if (i - first) % 2:
                assert codes[i] in R
                i += 1


@cocotb.test()
async def round_trip(dut: Any) -> None:
    """Frames of every small length pass, except for a byte of preamble; order of code groups."""
    b = Bench(dut)
    for odd in (False, True):
        await b.reset(odd)
        rng = random.Random(odd)
        sent = [rng.randbytes(n) for n in [*range(60, 130), 500, 1514]]
        for data in sent:
            b.source.send_nowait(GmiiFrame.from_payload(data))
        for data in sent:
            f = await b.sink.recv()
            raw = bytes(f.data)
            assert not f.error
            head, _, body = raw.partition(b"\xd5")
            assert set(head) == {0x55} and len(head) in (5, 6)
            assert body == data + zlib.crc32(data).to_bytes(4, "little")
        check_codes(b.codes)
        assert b.bad_groups == 0

        await b.source.wait()


@cocotb.test()
async def error_propagates(dut: Any) -> None:
    """TX_ER at any position of a frame is sent as /V/ and received as RX_ER at that position."""
    b = Bench(dut)
    await b.reset()
    for place in range(2, 80):
        f = GmiiFrame.from_payload(bytes(range(72)))
        f.error = [int(k == place) for k in range(len(f.data))]
        b.source.send_nowait(f)
        got = await b.sink.recv(compact=False)
        flags = list(got.error)
        assert sum(flags) == 1 and len(flags) - flags.index(1) == len(f.data) - place
    assert sum(c in V for c in b.codes) == 78


@cocotb.test()
async def bit_errors(dut: Any) -> None:
    """Single bit errors: no corrupt frame passes as good; the link recovers."""
    rng = random.Random(5)
    b = Bench(dut)
    await b.reset()
    flips = 0

    def noise(code: int) -> int:
        nonlocal flips
        if rng.random() < 0.003:
            flips += 1
            return code ^ 1 << rng.randrange(10)
        return code

    b.noise = noise
    sent = [rng.randbytes(rng.randint(60, 200)) for _ in range(300)]
    for data in sent:
        b.source.send_nowait(GmiiFrame.from_payload(data))
    await b.source.wait()
    b.noise = lambda code: code
    await ClockCycles(dut.clk, 60)
    good = bad = 0
    while not b.sink.empty():
        f = b.sink.recv_nowait()
        body = bytes(f.data).partition(b"\xd5")[2]
        if not f.error and zlib.crc32(body) == 0x2144DF1C:
            good += 1
            assert body[:-4] in sent
        else:
            bad += 1
    dut._log.info("%d flips: %d good, %d bad, %d bad groups", flips, good, bad, b.bad_groups)
    assert flips > 80 and good > 100 and bad > 40 and b.bad_groups > 50
    assert int(dut.sync.value) == 1


@cocotb.test()
async def loss_of_sync(dut: Any) -> None:
    """A dead line loses synchronisation and ends the frame in error; idles bring it back."""
    b = Bench(dut)
    await b.reset()
    b.source.send_nowait(GmiiFrame.from_payload(bytes(200)))
    await ClockCycles(dut.clk, 80)
    b.noise = lambda code: 0
    await ClockCycles(dut.clk, 20)
    assert int(dut.sync.value) == 0 and int(dut.gmii_rx_dv.value) == 0
    f = await b.sink.recv(compact=False)
    assert any(f.error)
    await b.source.wait()
    b.noise = lambda code: code
    await ClockCycles(dut.clk, 40)
    assert int(dut.sync.value) == 1
    b.source.send_nowait(GmiiFrame.from_payload(bytes(100)))
    f = await b.sink.recv()
    assert not f.error and len(f.data) >= 110
