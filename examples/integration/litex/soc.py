# SPDX-License-Identifier: Apache-2.0
"""A LiteX module with a Kumihimo fifo between two clock domains; prints its Verilog."""

from __future__ import annotations

import sys
from pathlib import Path

from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import axi
from migen import ClockDomain

sys.path.insert(0, str(Path(sys.argv[1] if len(sys.argv) > 1 else "kumi_fifo").resolve()))
from kumi_axis_async_fifo import KumiAxisAsyncFifo


class Crossing(LiteXModule):
    """From `line` (the clock of a receiver) to `sys`."""

    def __init__(self) -> None:
        self.cd_sys = ClockDomain()
        self.cd_line = ClockDomain()
        self.sink = axi.AXIStreamInterface(data_width=64, keep_width=8)
        self.source = axi.AXIStreamInterface(data_width=64, keep_width=8)
        self.fifo = KumiAxisAsyncFifo(s_clk="line", m_clk="sys")
        self.comb += [
            self.sink.connect(self.fifo.s_axis),
            self.fifo.m_axis.connect(self.source),
        ]


def main() -> None:
    """Print Verilog whose ports are the two streams and the clocks."""
    design = Crossing()
    ports = set(design.sink.flatten()) | set(design.source.flatten())
    ports |= {design.cd_sys.clk, design.cd_sys.rst, design.cd_line.clk, design.cd_line.rst}
    print(convert(design, ios=ports, name="crossing"))


if __name__ == "__main__":
    main()
