# SPDX-License-Identifier: Apache-2.0
"""Cocotb side of the GMII MAC tests: cocotbext-eth is the link partner, zlib the FCS."""

from __future__ import annotations

import itertools
import logging
import random
import zlib
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cocotbext.eth import GmiiFrame, GmiiSink, GmiiSource

PERIOD_PS = 8000
RX_EVENTS = ("ok", "bad_fcs", "err_char", "runt", "giant", "bad_preamble", "overrun")
TX_EVENTS = ("ok", "underrun", "bad", "fault")


class Bench:
    """The DUT with a client on the stream side and a link partner on the GMII side."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        for sub in ("s_axis", "m_axis", "gmii_txd", "gmii_rxd"):
            logging.getLogger(f"cocotb.{dut._name}.{sub}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, PERIOD_PS, unit="ps").start())
        self.axis_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.axis_out = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.wire_out = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.clk, dut.rst)
        self.wire_in = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, dut.clk, dut.rst)
        self.counts: dict[str, int] = {}

    async def reset(self, max_frame: int = 1604) -> None:
        """Reset the DUT; frames of up to max_frame bytes with FCS are accepted."""
        self.dut.cfg_max_frame.value = max_frame
        self.dut.rst.value = 1
        await ClockCycles(self.dut.clk, 4)
        self.dut.rst.value = 0
        await ClockCycles(self.dut.clk, 4)
        cocotb.start_soon(self.count_events())

    async def count_events(self) -> None:
        """Count the pulses of both event records."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            for prefix, names, value in (
                ("tx_", TX_EVENTS, int(dut.tx_ev.value)),
                ("rx_", RX_EVENTS, int(dut.rx_ev.value)),
            ):
                if value:
                    for i, name in enumerate(reversed(names)):
                        if value >> i & 1:
                            self.counts[prefix + name] = self.counts.get(prefix + name, 0) + 1


def payload(length: int, seed: int = 0) -> bytes:
    """Bytes of a frame that depend on length and seed."""
    return random.Random(length * 131 + seed).randbytes(length)


LENGTHS = [*range(1, 140), *range(140, 1600, 97), *range(1594, 1601)]


@cocotb.test()
async def tx_lengths(dut: Any) -> None:
    """Client frames back to back: preamble, padding, FCS, a gap of twelve."""
    b = Bench(dut)
    await b.reset()
    for n in LENGTHS:
        b.axis_in.send_nowait(AxiStreamFrame(payload(n)))
    frames = []
    for n in LENGTHS:
        f = await b.wire_out.recv()
        padded = payload(n).ljust(60, b"\0")
        fcs = zlib.crc32(padded).to_bytes(4, "little")
        # The model starts a frame at its first byte, and keeps the bytes after it.
        assert bytes(f.data) == b"\x55" * 6 + b"\xd5" + padded + fcs, n
        assert f.sim_time_sfd - f.sim_time_start == 8 * PERIOD_PS
        assert not f.error
        frames.append(f)
    gaps = {
        round((y.sim_time_start - x.sim_time_start) / PERIOD_PS) - len(x.data) - 1
        for x, y in itertools.pairwise(frames)
    }
    assert gaps == {12}
    await ClockCycles(dut.clk, 4)
    assert b.counts == {"tx_ok": len(LENGTHS)}


@cocotb.test()
async def tx_underrun_and_bad(dut: Any) -> None:
    """A pause inside a frame, or a frame marked bad: TX_ER and no valid FCS."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(3)
    for i in range(90):
        n = rng.randint(20, 200)
        kind = i % 3
        await b.axis_in.send(AxiStreamFrame(payload(n), tuser=[int(kind == 1)] * n))
        if kind == 2:
            for _ in range(rng.randint(1, n - 10)):
                while True:
                    await RisingEdge(dut.clk)
                    if int(dut.s_axis_tvalid.value) and int(dut.s_axis_tready.value):
                        break
            b.axis_in.pause = True
            await ClockCycles(dut.clk, rng.randint(1, 100))
            b.axis_in.pause = False
        await b.axis_in.wait()
    await ClockCycles(dut.clk, 300)
    good = bad = 0
    while not b.wire_out.empty():
        f = b.wire_out.recv_nowait()
        if f.error:
            bad += 1
        else:
            good += 1
            assert zlib.crc32(bytes(f.data)[7:]) == 0x2144DF1C
    assert good == b.counts["tx_ok"]
    assert bad == b.counts["tx_bad"] + b.counts["tx_underrun"]
    assert b.counts["tx_bad"] == 30 and b.counts["tx_underrun"] >= 25
    assert good + bad == 90


@cocotb.test()
async def rx_lengths(dut: Any) -> None:
    """Good frames of every length, at gaps down to one byte, with short preambles."""
    b = Bench(dut)
    await b.reset()
    for gap in (12, 1):
        b.wire_in.ifg = gap
        for i, n in enumerate(LENGTHS):
            f = GmiiFrame.from_payload(payload(n, 1))
            if gap == 1:
                f.data = f.data[i % 8 :]
            b.wire_in.send_nowait(f)
        for n in LENGTHS:
            got = await b.axis_out.recv()
            assert bytes(got.tdata) == payload(n, 1).ljust(60, b"\0"), n
            assert not got.tuser, n
    await ClockCycles(dut.clk, 10)
    assert b.counts == {"rx_ok": 2 * len(LENGTHS)}


def bad_frames(rng: random.Random) -> list[tuple[GmiiFrame, str]]:
    """Frames with one fault each, and the event that must count it."""
    out: list[tuple[GmiiFrame, str]] = []
    for i in range(8, 8 + 68):
        f = GmiiFrame.from_payload(payload(64, i))
        f.data[i] ^= 1 << rng.randrange(8)
        out.append((f, "rx_bad_fcs"))
    for n in range(0, 60):
        out.append((GmiiFrame.from_payload(payload(n), min_len=0), "rx_runt"))
    for n in (0, 1, 2, 3):
        out.append((GmiiFrame(b"\x55" * 7 + b"\xd5" + payload(n)), "rx_runt"))
    for i in range(0, 8 + 84):
        f = GmiiFrame.from_payload(payload(80, i))
        f.error = [int(k == i) for k in range(len(f.data))]
        out.append((f, "rx_err_char" if i >= 8 else "rx_bad_preamble"))
    for bad in (b"\x55" * 8, b"\x55" * 6 + b"\x54" + b"\xd5", b"\x00" * 70):
        out.append((GmiiFrame(bad), "rx_bad_preamble"))
    for n in [1601, 1602, 2000]:
        out.append((GmiiFrame.from_payload(payload(n)), "rx_giant"))
    return out


@cocotb.test()
async def rx_bad_frames(dut: Any) -> None:
    """Every kind of bad frame, each followed by a good one; counted, marked, not fatal."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(5)
    want: dict[str, int] = {}
    good = []
    frames = bad_frames(rng)
    rng.shuffle(frames)
    for bad, event in frames:
        b.wire_in.send_nowait(bad)
        want[event] = want.get(event, 0) + 1
        data = payload(rng.randint(60, 140), rng.randint(0, 99))
        b.wire_in.send_nowait(GmiiFrame.from_payload(data))
        good.append(data)
    await b.wire_in.wait()
    await ClockCycles(dut.clk, 30)
    want["rx_ok"] = len(good)
    got_good = []
    while not b.axis_out.empty():
        f = b.axis_out.recv_nowait()
        if not f.tuser:
            got_good.append(bytes(f.tdata))
    assert got_good == good
    assert b.counts == want


@cocotb.test()
async def rx_overrun(dut: Any) -> None:
    """A client that is not ready loses beats; such frames end bad and the loss is counted."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(6)
    sent = [payload(rng.randint(60, 200), i) for i in range(60)]
    for data in sent:
        b.wire_in.send_nowait(GmiiFrame.from_payload(data))
    b.axis_out.set_pause_generator(iter(lambda: rng.random() < 0.004, None))
    await b.wire_in.wait()
    await ClockCycles(dut.clk, 30)
    good = 0
    while not b.axis_out.empty():
        f = b.axis_out.recv_nowait()
        if not f.tuser:
            assert bytes(f.tdata) in sent
            good += 1
    assert b.counts["rx_overrun"] > 5
    assert 5 < good < 60
