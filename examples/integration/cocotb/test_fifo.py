# SPDX-License-Identifier: Apache-2.0
"""Frames through a fifo between two clocks arrive whole and in order."""

from __future__ import annotations

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

FRAMES = 40


def pauses(seed: int):
    """One cycle in four is a pause."""
    rng = random.Random(seed)
    return (rng.random() < 0.25 for _ in itertools.count())


@cocotb.test()
async def frames_cross(dut) -> None:
    """Writing at 156.25 MHz, reading at 200 MHz."""
    cocotb.start_soon(Clock(dut.s_clk, 6.4, unit="ns").start())
    cocotb.start_soon(Clock(dut.m_clk, 5.0, unit="ns").start())
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.s_clk, dut.s_rst)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.m_clk, dut.m_rst)
    source.log.setLevel("WARNING")
    sink.log.setLevel("WARNING")
    dut.s_rst.value = 1
    dut.m_rst.value = 1
    await ClockCycles(dut.s_clk, 10)
    dut.s_rst.value = 0
    dut.m_rst.value = 0
    await ClockCycles(dut.s_clk, 10)
    source.set_pause_generator(pauses(1))
    sink.set_pause_generator(pauses(2))

    rng = random.Random(3)
    sent = [rng.randbytes(rng.randint(1, 200)) for _ in range(FRAMES)]
    for frame in sent:
        await source.send(AxiStreamFrame(frame))
    for frame in sent:
        received = await sink.recv()
        assert bytes(received.tdata) == frame
    assert sink.empty()
