# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/blocks/dma.md: beats a cycle with a slow memory, packets a cycle, latency."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from dma_bench import DmaBench
from kumihimo.host import Flag
from kumihimo.testing.sizes import data_widths

PERIOD_PS = 6400
MEMORY_PS = 1_000_000
AT, TO, SLOT = 0x20_0000, 0x200_0000, 2048


def note(name: str, value: float) -> None:
    """Collect a figure when asked to."""
    folder = os.environ.get("KUMI_FIGURES")
    if folder:
        with (Path(folder) / "dma.jsonl").open("a") as file:
            file.write(json.dumps({"name": name, "value": round(value, 4)}) + "\n")


def rate(width: int, length: int, send: bool, recv: bool, packets: int) -> tuple[float, float]:
    """Cycles a packet each way (0 when idle), memory latency 1 us, aligned buffers."""
    bench = DmaBench(width, log2=9)
    bench.memory.configure(latency_ps=MEMORY_PS)
    bench.send.start()
    bench.recv.start()
    data = bytes(range(250)) * 64
    if send:
        for i in range(packets):
            bench.memory.write(AT + i * SLOT, data[:length])
            bench.send.post(AT + i * SLOT, length, Flag.SOP | Flag.EOP)
    if recv:
        for i in range(packets):
            bench.recv.post(TO + i * SLOT, SLOT)
        bench.dut.send("s_axis", [data[:length]] * packets)
    bench.send.doorbell()
    bench.recv.doorbell()
    out, into = 0.0, 0.0
    first, last = packets // 4, packets - packets // 4
    # Receiving by completions: what the buffer takes in may run ahead of memory for a while.
    when: list[int] = []
    end = bench.dut.cycle + 200_000
    while recv and len(when) < packets:
        assert bench.dut.cycle < end
        bench.dut.run(8)
        done = bench.recv.reap()
        assert all(one.length == length for one in done)
        when += [bench.dut.cycle] * len(done)
    if recv:
        into = (when[last] - when[first]) / (last - first)
    if send:
        frames = bench.dut.recv("m_axis", packets, timeout_cycles=200_000)
        assert all(f.data == data[:length] for f in frames)
        out = (frames[last].last_cycle - frames[first].last_cycle) / (last - first)
    return out, into


@pytest.mark.long
@pytest.mark.parametrize("width", data_widths(64, 128, 256, 512))
def test_packets_of_1500(width: int) -> None:
    """At least 95 % of a beat a cycle each way, also together (but 24 + 2 beats at 512 bit)."""
    beats = -(-1500 // (width // 8))
    alone = rate(width, 1500, True, False, 400)[0], rate(width, 1500, False, True, 400)[1]
    both = rate(width, 1500, True, True, 400)
    for name, cycles in zip(("send", "recv", "send_both", "recv_both"), alone + both, strict=True):
        note(f"beats_{name}_{width}", beats / cycles)
    assert min(beats / c for c in alone) >= 0.95
    assert min(beats / c for c in both) >= (0.95 if width < 512 else 0.92)


@pytest.mark.parametrize("width", [64, 256])
def test_small_packets(width: int) -> None:
    """Cycles a packet of 64 bytes."""
    out, into = rate(width, 64, True, False, 500)[0], rate(width, 64, False, True, 500)[1]
    note(f"small_send_{width}", out)
    note(f"small_recv_{width}", into)
    assert out < 12 and into < 12


@pytest.mark.parametrize("width", [64, 256])
def test_latency(width: int) -> None:
    """A 64 byte packet alone, memory that answers at once."""
    bench = DmaBench(width)
    bench.send.start()
    bench.recv.start()
    bench.recv.post(TO, SLOT)
    bench.recv.doorbell()
    bench.dut.run(100)
    bench.memory.write(AT, b"q" * 64)
    bench.send.post(AT, 64, Flag.SOP | Flag.EOP)
    bench.send.doorbell()
    rung = bench.dut.cycle
    (frame,) = bench.dut.recv("m_axis", 1)
    out = frame.cycle - rung
    bench.dut.send("s_axis", [b"q" * 64])
    while not bench.recv.reap():
        bench.dut.run(1)
    into = bench.dut.cycle - bench.dut.sent("s_axis")[0][1]
    note(f"latency_send_{width}", out)
    note(f"latency_recv_{width}", into)
    assert out < 45 and into < 45
