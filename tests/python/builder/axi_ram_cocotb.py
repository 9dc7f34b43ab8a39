# SPDX-License-Identifier: Apache-2.0
"""Plays bursts of a JSON file against cocotbext-axi's AxiRam and writes down what it answers.

Run inside a cocotb simulation of kumi_node_axi_wires. The file holds rounds of bursts: all
writes of a round are answered before its reads begin.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import cocotb
from axi_ops import Burst
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiRam


class Source:
    """Offers words on a valid/ready channel."""

    def __init__(self, dut: Any, valid: Any, ready: Any) -> None:
        self.dut, self.valid, self.ready = dut, valid, ready
        valid.value = 0

    async def send(self, **signals: int) -> None:
        for name, value in signals.items():
            getattr(self.dut, name).value = value
        self.valid.value = 1
        while True:
            await ReadOnly()
            taken = int(self.ready.value)
            await RisingEdge(self.dut.clk)
            if taken:
                break
        self.valid.value = 0


@cocotb.test()
async def play(dut: Any) -> None:
    todo = json.loads(Path(os.environ["AXI_OPS"]).read_text())
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst.value = 1
    dut.break_rule.value = 0
    aw = Source(dut, dut.s_hdr_aw_valid, dut.s_hdr_aw_ready)
    w = Source(dut, dut.s_axis_w_tvalid, dut.s_axis_w_tready)
    ar = Source(dut, dut.s_hdr_ar_valid, dut.s_hdr_ar_ready)
    dut.m_hdr_b_ready.value = 1
    dut.m_axis_r_tready.value = 1
    ram = AxiRam(AxiBus.from_prefix(dut, "m_axi_mem"), dut.clk, dut.rst, size=todo["size"])
    await Timer(100, "ns")
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.clk)

    answers: list[int] = []
    beats: list[list[int]] = [[]]

    async def watch() -> None:
        while True:
            await ReadOnly()
            if int(dut.m_hdr_b_valid.value):
                answers.append(int(dut.m_hdr_b_data.value) & 3)
            if int(dut.m_axis_r_tvalid.value):
                beats[-1].append(int(dut.m_axis_r_tdata.value))
                if int(dut.m_axis_r_tlast.value):
                    beats.append([])
            await RisingEdge(dut.clk)

    cocotb.start_soon(watch())

    async def data(bursts: list[Burst]) -> None:
        for b in bursts:
            for i, (word, strobe) in enumerate(zip(b.words, b.strobes, strict=True)):
                last = int(i + 1 == b.beats)
                await w.send(s_axis_w_tdata=word, s_axis_w_tuser=strobe, s_axis_w_tlast=last)

    written = read = 0
    for round_ in todo["rounds"]:
        bursts = [Burst(**b) for b in round_]
        writes = [b for b in bursts if b.write]
        feeder = cocotb.start_soon(data(writes))
        for b in writes:
            await aw.send(s_hdr_aw_data=b.address_record())
        await feeder
        written += len(writes)
        while len(answers) < written:
            await RisingEdge(dut.clk)
        for b in bursts:
            if not b.write:
                await ar.send(s_hdr_ar_data=b.address_record())
                read += 1
        while len(beats) <= read:
            await RisingEdge(dut.clk)
    ram.hexdump(0, 16)
    result = {
        "answers": answers,
        "reads": beats[:-1],
        "memory": ram.read(0, todo["size"]).hex(),
    }
    Path(os.environ["AXI_RESULT"]).write_text(json.dumps(result))
