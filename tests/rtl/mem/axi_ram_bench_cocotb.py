# SPDX-License-Identifier: Apache-2.0
"""Cocotb side of the memory's tests: cocotbext-axi is the master, and a bytearray the truth."""

from __future__ import annotations

import itertools
import logging
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiMaster, AxiResp

SIZE = 8192


async def start(dut: Any, master: bool = True) -> Any:
    """Clock, reset, and a master unless the test drives the pins itself."""
    logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
    cocotb.start_soon(Clock(dut.clk, 4, "ns").start())
    if not master:
        for name in ("aw", "w", "ar"):
            getattr(dut, f"s_axi_{name}valid").value = 0
        dut.s_axi_bready.value = dut.s_axi_rready.value = 1
    dut.rst.value = 1
    made = AxiMaster(AxiBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst) if master else None
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)
    return made


def pauses(rng: random.Random, chance: float) -> Any:
    """A pause pattern for a channel."""
    return itertools.cycle([rng.random() < chance for _ in range(997)])


@cocotb.test()
async def any_bursts(dut: Any) -> None:
    """Any length, start and beat size, written and read back, with back-pressure."""
    master = await start(dut)
    rng = random.Random(1)
    truth = bytearray(SIZE)
    width = len(dut.s_axi_wdata) // 8
    for chance in (0.0, 0.4):
        if chance:
            w, r = master.write_if, master.read_if
            for one in (w.aw_channel, w.w_channel, w.b_channel, r.ar_channel, r.r_channel):
                one.set_pause_generator(pauses(rng, chance))
        for _ in range(12):
            places = []
            for _ in range(6):
                length = rng.choice([1, 2, width - 1, width, width + 1, rng.randrange(1, 1500)])
                places.append((rng.randrange(SIZE - length), length))
            # Writes of one id keep their order, also where they overlap.
            jobs = []
            for at, length in places:
                data = rng.randbytes(length)
                truth[at : at + length] = data
                size = rng.randrange(width.bit_length()) if rng.random() < 0.15 else None
                jobs.append(master.init_write(at, data, awid=0, size=size))
            for job in jobs:
                await with_timeout(job.wait(), 400, "us")
                assert job.data.resp == AxiResp.OKAY
            jobs = [master.init_read(at, length) for at, length in places]
            for job, (at, length) in zip(jobs, places, strict=True):
                await with_timeout(job.wait(), 400, "us")
                assert job.data.data == bytes(truth[at : at + length]), f"{length} at {at}"
    whole = await master.read(0, SIZE)
    assert whole.data == bytes(truth)


@cocotb.test()
async def every_alignment(dut: Any) -> None:
    """Every start with lengths around a beat; neighbours survive."""
    master = await start(dut)
    width = len(dut.s_axi_wdata) // 8
    truth = bytearray((await master.read(0, 4096)).data)
    rng = random.Random(2)
    for offset in range(0, width, 1 if width < 32 else 5):
        for length in (1, width - 1, width, width + 1, 2 * width + 3):
            data = rng.randbytes(length)
            truth[256 + offset : 256 + offset + length] = data
            await with_timeout(master.write(256 + offset, data), 100, "us")
    assert (await master.read(0, 4096)).data == bytes(truth)


@cocotb.test()
async def wrong_addresses(dut: Any) -> None:
    """Beyond the end: DECERR, nothing changes. A burst that is not INCR: SLVERR."""
    master = await start(dut)
    before = (await master.read(0, SIZE)).data
    assert (await master.write(SIZE, b"x" * 100)).resp == AxiResp.DECERR
    assert (await master.read(SIZE + 70, 100)).resp == AxiResp.DECERR
    answer = await master.write(0, b"x" * 64, burst=0)
    assert answer.resp == AxiResp.SLVERR
    assert (await master.read(0, 64, burst=0)).resp == AxiResp.SLVERR
    assert (await master.read(0, SIZE)).data == before


class Pins:
    """Drives the channels cycle by cycle, to see latency and rate."""

    def __init__(self, dut: Any) -> None:
        self.dut, self.cycle = dut, 0
        self.width = len(dut.s_axi_wdata) // 8

    async def step(self, **values: int) -> dict[str, int]:
        """One cycle with these inputs; what the outputs are at its end."""
        for name, value in values.items():
            getattr(self.dut, f"s_axi_{name}").value = value
        await ReadOnly()
        names = ("awready", "wready", "bvalid", "arready", "rvalid", "rlast", "rdata")
        seen = {n: getattr(self.dut, f"s_axi_{n}").value for n in names}
        out = {n: int(v) if v.is_resolvable else 0 for n, v in seen.items()}
        await RisingEdge(self.dut.clk)
        self.cycle += 1
        return out


@cocotb.test()
async def latency_and_rate(dut: Any) -> None:
    """The figures of the header; and a read right after the write's data sees them."""
    await start(dut, master=False)
    pins = Pins(dut)
    size = pins.width.bit_length() - 1
    one = {"awlen": 0, "awsize": size, "awburst": 1, "arlen": 0, "arsize": size, "arburst": 1}
    out = await pins.step(awvalid=1, awaddr=512, wvalid=1, wlast=1, wdata=0x55, wstrb=1, **one)
    assert out["awready"] and not out["wready"]
    out = await pins.step(awvalid=0)
    assert out["wready"]
    # W was taken in the last cycle: AR now must see it, 2 cycles later.
    out = await pins.step(wvalid=0, arvalid=1, araddr=512)
    assert out["bvalid"] and out["arready"] and not out["rvalid"]
    out = await pins.step(arvalid=0)
    assert not out["rvalid"]
    out = await pins.step()
    assert out["rvalid"] and out["rlast"] and out["rdata"] & 0xFF == 0x55

    # Bursts of one beat and of 16, back to back: a beat a cycle each way at once.
    for beats in (1, 16):
        w_beats = r_beats = 0
        address = {"awlen": beats - 1, "arlen": beats - 1, "awaddr": 0, "araddr": 0}
        await pins.step(awvalid=1, wvalid=1, arvalid=1, wlast=1, **address)
        for _ in range(3):
            await pins.step()
        for _ in range(160):
            out = await pins.step()
            w_beats += out["wready"]
            r_beats += out["rvalid"]
        assert (w_beats, r_beats) == (160, 160), f"{beats}: {w_beats} {r_beats}"
        await pins.step(awvalid=0, arvalid=0)
        for _ in range(60):
            await pins.step()
        await pins.step(wvalid=0)
    if "AXI_RAM_WIDTH" in os.environ:
        assert pins.width * 8 == int(os.environ["AXI_RAM_WIDTH"])
