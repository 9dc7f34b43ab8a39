# SPDX-License-Identifier: Apache-2.0
"""What runs inside cocotb for `cocotb_peer`: drive a beat and sample the output, each cycle."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge


async def _drive(dut: Any) -> None:
    beat = 0
    while True:
        await RisingEdge(dut.clk)
        if not dut.s_axis_eth0_tvalid.value or dut.s_axis_eth0_tready.value:
            dut.s_axis_eth0_tdata.value = beat
            dut.s_axis_eth0_tlast.value = int(beat % 190 == 189)
            dut.s_axis_eth0_tvalid.value = 1
            beat += 1


async def _monitor(dut: Any, frames: list[list[int]]) -> None:
    frame: list[int] = []
    while True:
        await RisingEdge(dut.clk)
        if dut.m_axis_eth0_tvalid.value and dut.m_axis_eth0_tready.value:
            frame.append(int(dut.m_axis_eth0_tdata.value))
            if dut.m_axis_eth0_tlast.value:
                frames.append(frame)
                frame = []


@cocotb.test()
async def speed(dut: Any) -> None:
    """Cycles a millisecond of wall time."""
    cycles = int(os.environ["KUMI_COCOTB_CYCLES"])
    for handle in dut:
        if handle._name.startswith(("s_axi", "m_axis_eth0_tready")):
            try:
                handle.value = 0
            except (AttributeError, TypeError):
                continue
    dut.s_axis_eth0_tkeep.value = 0xFF
    dut.m_axis_eth0_tready.value = 1
    dut.rst.value = 1
    Clock(dut.clk, 2, "ns").start()
    for _ in range(16):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    frames: list[list[int]] = []
    cocotb.start_soon(_drive(dut))
    cocotb.start_soon(_monitor(dut, frames))
    start = time.perf_counter()
    for _ in range(cycles):
        await RisingEdge(dut.clk)
    khz = cycles / (time.perf_counter() - start) / 1e3
    Path(os.environ["KUMI_COCOTB_RESULT"]).write_text(json.dumps({"khz": khz}), encoding="utf-8")
