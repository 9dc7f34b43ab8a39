# SPDX-License-Identifier: Apache-2.0
"""Cocotb side of the XGMII MAC tests: cocotbext-eth is the link partner, zlib the FCS."""

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
from cocotbext.eth import XgmiiFrame, XgmiiSink, XgmiiSource
from kumihimo.testing.sizes import by_size

PERIOD_NS = 6.4
BYTE_STEPS = 800  # time steps (ps) of one byte
LONGEST = 1600
# Every remainder modulo the bytes of two words, and a few lengths beyond.
LENGTHS = by_size([*range(1, 161), *range(161, LONGEST, 61), LONGEST], list(range(1, LONGEST + 1)))


class Bench:
    """The DUT with a client on the stream side and a link partner on the XGMII side."""

    def __init__(self, dut: Any, source: bool = True) -> None:
        self.dut = dut
        for sub in ("s_axis", "m_axis", "xgmii_txd", "xgmii_rxd"):
            logging.getLogger(f"cocotb.{dut._name}.{sub}").setLevel(logging.WARNING)
        cocotb.start_soon(Clock(dut.clk, PERIOD_NS, unit="ns").start())
        self.axis_in = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst)
        self.axis_out = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst)
        self.wire_out = XgmiiSink(dut.xgmii_txd, dut.xgmii_txc, dut.clk, dut.rst)
        self.wire_in: Any = None
        if source:
            self.wire_in = XgmiiSource(dut.xgmii_rxd, dut.xgmii_rxc, dut.clk, dut.rst)

    async def reset(self, max_frame: int = 1604) -> None:
        """Reset the DUT; frames of up to max_frame bytes with FCS are accepted."""
        dut = self.dut
        dut.cfg_max_frame.value = max_frame
        dut.rst.value = 1
        await ClockCycles(dut.clk, 4)
        dut.rst.value = 0
        await ClockCycles(dut.clk, 4)

    def count(self, name: str) -> int:
        """The value of an event counter."""
        return int(getattr(self.dut, f"n_{name}").value)

    def counts(self) -> dict[str, int]:
        """Every event counter that is not zero."""
        names = ["tx_ok", "tx_underrun", "tx_bad", "tx_fault", "rx_ok", "rx_bad_fcs", "rx_err_char"]
        names += ["rx_runt", "rx_giant", "rx_bad_preamble", "rx_overrun"]
        return {n: self.count(n) for n in names if self.count(n)}


def payload(length: int, seed: int = 0) -> bytes:
    """Bytes of a frame that depend on length and seed."""
    return random.Random(length * 131 + seed).randbytes(length)


def check_wire(frame: XgmiiFrame, data: bytes) -> None:
    """The frame on the wire is preamble, the padded data and zlib's CRC."""
    padded = data.ljust(60, b"\0")
    raw = bytes(frame.data)
    assert raw[:8] == b"\x55" * 7 + b"\xd5", raw[:8].hex()
    assert raw[8:-4] == padded, f"length {len(data)}"
    assert raw[-4:] == zlib.crc32(padded).to_bytes(4, "little"), f"length {len(data)}"
    assert frame.ctrl is None or not any(frame.ctrl)
    assert frame.start_lane in (0, 4)


def check_gaps(frames: list[XgmiiFrame], idle: bool = False) -> list[int]:
    """Gaps of back-to-back frames: the running deficit stays within 0..3 bytes."""
    gaps = []
    deficit = 0
    for before, after in itertools.pairwise(frames):
        gap = round((after.sim_time_start - before.sim_time_end) / BYTE_STEPS)
        gaps.append(gap)
        if idle:
            assert gap >= 9
            continue
        deficit += 12 - gap
        assert 0 <= deficit <= 3, (deficit, gaps[-4:])
    return gaps


@cocotb.test()
async def tx_every_length(dut: Any) -> None:
    """Client frames of 1 to 1600 bytes back to back; FCS, padding, lanes and gaps."""
    b = Bench(dut)
    await b.reset()
    lengths = list(LENGTHS)
    random.Random(1).shuffle(lengths)
    for n in lengths:
        b.axis_in.send_nowait(AxiStreamFrame(payload(n)))
    frames = []
    for n in lengths:
        frame = await b.wire_out.recv(compact=False)
        check_wire(frame, payload(n))
        frames.append(frame)
    gaps = check_gaps(frames)
    assert set(gaps) == set(range(9, 16)), set(gaps)
    assert {f.start_lane for f in frames} == {0, 4}
    await ClockCycles(dut.clk, 10)
    assert b.counts() == {"tx_ok": len(lengths)}


@cocotb.test()
async def tx_random_idle(dut: Any) -> None:
    """Frames with random pauses between them."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(2)
    lengths = [rng.randint(1, 200) for _ in range(300)]
    frames = []
    for n in lengths:
        await b.axis_in.send(AxiStreamFrame(payload(n)))
        await b.axis_in.wait()
        await ClockCycles(dut.clk, rng.randint(1, 14))
        while not b.wire_out.empty():
            frames.append(b.wire_out.recv_nowait(compact=False))
    await ClockCycles(dut.clk, 20)
    while not b.wire_out.empty():
        frames.append(b.wire_out.recv_nowait(compact=False))
    assert len(frames) == len(lengths)
    for n, frame in zip(lengths, frames, strict=True):
        check_wire(frame, payload(n))
    check_gaps(frames, idle=True)
    assert b.counts() == {"tx_ok": 300}


@cocotb.test()
async def tx_throughput(dut: Any) -> None:
    """Payload bytes per cycle of 1514-byte frames: the line rate with a mean gap of 12."""
    b = Bench(dut)
    await b.reset()
    for _ in range(30):
        b.axis_in.send_nowait(AxiStreamFrame(payload(1514)))
    frames = [await b.wire_out.recv() for _ in range(30)]
    cycles = (frames[-1].sim_time_start - frames[0].sim_time_start) / (PERIOD_NS * 1000)
    rate = 29 * 1514 / cycles
    dut._log.info("payload bytes a cycle at 1514: %.4f", rate)
    assert rate >= 7.87


@cocotb.test()
async def tx_underrun_and_bad(dut: Any) -> None:
    """A pause inside a frame, or a frame marked bad, must not result in a good frame."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(3)
    good = 0
    for i in range(120):
        n = rng.randint(9, 300)
        kind = i % 3
        if kind == 0:
            await b.axis_in.send(AxiStreamFrame(payload(n)))
            await b.axis_in.wait()
            good += 1
        elif kind == 1:
            await b.axis_in.send(AxiStreamFrame(payload(n), tuser=[1] * n))
            await b.axis_in.wait()
        else:
            await b.axis_in.send(AxiStreamFrame(payload(n)))
            while not (int(dut.s_axis_tvalid.value) and int(dut.s_axis_tready.value)):
                await RisingEdge(dut.clk)
            b.axis_in.pause = True
            await ClockCycles(dut.clk, rng.randint(1, 20))
            b.axis_in.pause = False
            await b.axis_in.wait()
        await ClockCycles(dut.clk, rng.randint(0, 4))
    await ClockCycles(dut.clk, 60)
    seen_good = seen_bad = 0
    while not b.wire_out.empty():
        frame = b.wire_out.recv_nowait(compact=False)
        body = bytes(frame.data)[8:]
        if any(frame.ctrl or []) or zlib.crc32(body) != 0x2144DF1C:
            seen_bad += 1
            assert any(frame.ctrl)
        else:
            seen_good += 1
    c = b.counts()
    assert seen_good == c["tx_ok"] >= good
    assert c["tx_bad"] == 40
    assert seen_bad == c["tx_bad"] + c["tx_underrun"]
    assert seen_good + seen_bad == 120 and c["tx_underrun"] > 20, c


@cocotb.test()
async def rx_every_length(dut: Any) -> None:
    """Frames of 60..1600 bytes and padded ones of 1..59, both start lanes, minimum gap."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(4)
    total = 0
    for offset in (False, True):
        b.wire_in.force_offset_start = offset
        lengths = LENGTHS[::9] if offset else list(LENGTHS)
        rng.shuffle(lengths)
        for n in lengths:
            b.wire_in.send_nowait(XgmiiFrame.from_payload(payload(n, 1)))
        for n in lengths:
            got = await b.axis_out.recv()
            assert bytes(got.tdata) == payload(n, 1).ljust(60, b"\0"), n
            assert not got.tuser, n
        total += len(lengths)
    await ClockCycles(dut.clk, 10)
    assert b.counts() == {"rx_ok": total}


def bad_frames(rng: random.Random) -> list[tuple[XgmiiFrame, str]]:
    """Frames with one fault each, and the event that must count it."""
    out: list[tuple[XgmiiFrame, str]] = []
    for i in range(8, 8 + 68):  # one bit wrong in every byte, FCS included
        f = XgmiiFrame.from_payload(payload(64, i))
        f.data[i] ^= 1 << rng.randrange(8)
        out.append((f, "rx_bad_fcs"))
    for n in range(0, 60):  # short, FCS right
        f = XgmiiFrame.from_payload(payload(n), min_len=0)
        out.append((f, "rx_runt"))
    for n in (1, 2, 3):  # too short even for an FCS
        f = XgmiiFrame(b"\x55" * 7 + b"\xd5" + payload(n))
        out.append((f, "rx_runt"))
    for i in range(8 + 1, 8 + 84):  # an error character in every position
        f = XgmiiFrame.from_payload(payload(80, i))
        f.data[i] = 0xFE
        f.ctrl = [int(k == i) for k in range(len(f.data))]
        out.append((f, "rx_err_char" if i - 8 >= 5 else "rx_runt"))
    for i in range(1, 8):  # an error character in the preamble
        f = XgmiiFrame.from_payload(payload(80, i))
        f.data[i] = 0xFE
        f.ctrl = [int(k == i) for k in range(len(f.data))]
        out.append((f, "rx_bad_preamble"))
    f = XgmiiFrame.from_payload(payload(80))
    f.data[7] = 0x55
    out.append((f, "rx_bad_preamble"))
    for n in [*range(1601, 1618), 1800, 3000]:
        out.append((XgmiiFrame.from_payload(payload(n)), "rx_giant"))
    return out


@cocotb.test()
async def rx_bad_frames(dut: Any) -> None:
    """Every kind of bad frame in both lanes, each followed by a good one; counted, marked."""
    b = Bench(dut)
    await b.reset(max_frame=1604)
    rng = random.Random(5)
    want: dict[str, int] = {}
    good = []
    for offset in (False, True):
        b.wire_in.force_offset_start = offset
        frames = bad_frames(rng)
        rng.shuffle(frames)
        for bad, event in frames:
            b.wire_in.send_nowait(bad)
            want[event] = want.get(event, 0) + 1
            data = payload(rng.randint(60, 140), rng.randint(0, 99))
            b.wire_in.send_nowait(XgmiiFrame.from_payload(data))
            good.append(data)
        await b.wire_in.wait()
        await ClockCycles(dut.clk, 20)
    want["rx_ok"] = len(good)
    got_good = []
    while not b.axis_out.empty():
        f = b.axis_out.recv_nowait()
        if not f.tuser:
            got_good.append(bytes(f.tdata))
        else:
            assert len(f.tdata) <= 1616
    assert got_good == good
    counts = b.counts()
    # After an error character in the first five bytes nothing is left that could be a frame.
    assert counts == want, {k: (counts.get(k), want.get(k)) for k in {*counts, *want}}


@cocotb.test()
async def rx_overrun(dut: Any) -> None:
    """A client that is not ready loses beats; such frames end bad and the loss is counted."""
    b = Bench(dut)
    await b.reset()
    rng = random.Random(6)
    sent = [payload(rng.randint(60, 200), i) for i in range(200)]
    for data in sent:
        b.wire_in.send_nowait(XgmiiFrame.from_payload(data))
    b.axis_out.set_pause_generator(iter(lambda: rng.random() < 0.02, None))
    await b.wire_in.wait()
    await ClockCycles(dut.clk, 20)
    good = 0
    while not b.axis_out.empty():
        f = b.axis_out.recv_nowait()
        if not f.tuser:
            assert bytes(f.tdata) in sent
            good += 1
    assert b.count("rx_overrun") > 10
    assert 20 < good < 200


@cocotb.test()
async def link_faults(dut: Any) -> None:
    """Local fault in: remote fault out, and frames are dropped and counted; then recovery."""
    b = Bench(dut)
    await b.reset()
    for kind, level, answer in ((1, "local_fault", 2), (2, "remote_fault", None)):
        b.wire_in.set_seq_os(kind)
        await ClockCycles(dut.clk, 20)
        assert int(getattr(dut, level).value) == 1
        b.wire_out.get_os()
        before = b.count("tx_fault")
        b.axis_in.send_nowait(AxiStreamFrame(payload(100)))
        await ClockCycles(dut.clk, 40)
        assert b.wire_out.get_os() == (answer, False)
        assert b.count("tx_fault") == before + 1
        assert b.wire_out.empty()
        # The fault ends in the middle of a frame: nothing of that frame may be seen.
        b.wire_in.set_seq_os(None)
        await ClockCycles(dut.clk, 50)
        assert int(getattr(dut, level).value) == 1
        b.axis_in.send_nowait(AxiStreamFrame(payload(1000)))
        b.axis_in.send_nowait(AxiStreamFrame(payload(1000, 1)))
        check_wire(await b.wire_out.recv(compact=False), payload(1000, 1))
        await ClockCycles(dut.clk, 10)
        assert int(getattr(dut, level).value) == 0
        assert b.count("tx_fault") == before + 2
        assert b.wire_out.empty()


@cocotb.test()
async def latency(dut: Any) -> None:
    """Beat in to start column, and through a loop of one register to the beat out."""
    b = Bench(dut, source=False)
    dut.xgmii_rxd.value = 0x0707070707070707
    dut.xgmii_rxc.value = 0xFF
    await b.reset()

    async def loop_each_cycle() -> None:
        while True:
            await RisingEdge(dut.clk)
            dut.xgmii_rxd.value = dut.xgmii_txd.value
            dut.xgmii_rxc.value = dut.xgmii_txc.value

    cocotb.start_soon(loop_each_cycle())
    for n in (60, 61, 64, 100, 1514):
        await b.axis_in.send(AxiStreamFrame(payload(n)))
        got = await b.axis_out.recv()
        assert bytes(got.tdata) == payload(n)
        await ClockCycles(dut.clk, 10)
        start = int(dut.t_start.value) - int(dut.t_in.value)
        through = int(dut.t_out.value) - int(dut.t_in.value)
        dut._log.info("length %d: start after %d, through after %d cycles", n, start, through)
        assert start <= 2 and through <= 6
