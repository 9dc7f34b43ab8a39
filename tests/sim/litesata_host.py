# SPDX-License-Identifier: Apache-2.0
"""Writes the Verilog of a Serial ATA host that was not made here: LiteSATA's, from its package.

Its PHY's transceiver is replaced by the flat signals of a node's Serial ATA port. Commands come on
s_axis_cmd (tuser: sector 31:0, count 47:32, write, read, identify; write data as the beats),
answers go out on m_axis_rsp (tuser: write, read, identify, end, failed).

    python litesata_host.py FILE
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from litesata.common import phy_description
from litesata.core import LiteSATACore
from litesata.phy.ctrl import LiteSATAPHYCtrl
from litesata.phy.datapath import LiteSATAPHYDatapath
from litex.soc.interconnect import stream
from migen import ClockDomain, Module, Signal
from migen.fhdl import verilog
from migen.genlib.resetsync import AsyncResetSynchronizer

TIMER_HZ = 1.5e6  # for LiteSATA's timers: a hundredth of the clock, so that 5 ms are 50 us


def pins(**widths: int) -> Any:
    """Signals with the names that they have at the top."""

    class Pins:
        pass

    made = Pins()
    for name, width in widths.items():
        setattr(made, name, Signal(width, name_override=name))
    return made


class Transceiver(Module):
    """What LiteSATA's control and data path expect of a PHY, from and to plain signals."""

    data_width = 32

    def __init__(self, p: Any) -> None:
        self.ready = Signal()
        self.tx_idle = Signal()
        self.tx_polarity = Signal()
        self.tx_cominit_stb = Signal()
        self.tx_cominit_ack = Signal()
        self.tx_comwake_stb = Signal()
        self.tx_comwake_ack = Signal()
        self.rx_idle = Signal()
        self.rx_cdrhold = Signal()
        self.rx_polarity = Signal()
        self.rx_cominit_stb = Signal()
        self.rx_comwake_stb = Signal()
        self.sink = stream.Endpoint(phy_description(32))
        self.source = stream.Endpoint(phy_description(32))
        self.comb += [
            self.ready.eq(p.s_sata_d0_ready),
            p.m_sata_d0_idle.eq(self.tx_idle),
            p.m_sata_d0_cominit.eq(self.tx_cominit_stb),
            self.tx_cominit_ack.eq(self.tx_cominit_stb & p.s_sata_d0_oob_done),
            p.m_sata_d0_comwake.eq(self.tx_comwake_stb),
            self.tx_comwake_ack.eq(self.tx_comwake_stb & p.s_sata_d0_oob_done),
            self.rx_idle.eq(p.s_sata_d0_idle),
            self.rx_cominit_stb.eq(p.s_sata_d0_cominit),
            self.rx_comwake_stb.eq(p.s_sata_d0_comwake),
            self.sink.ready.eq(1),
            p.m_sata_d0_data.eq(self.sink.data),
            p.m_sata_d0_k.eq(self.sink.charisk),
            self.source.valid.eq(p.s_sata_d0_valid),
            self.source.data.eq(p.s_sata_d0_data),
            self.source.charisk.eq(p.s_sata_d0_k),
        ]


class Phy(Module):
    """LiteSATA's PHY without its transceiver."""

    def __init__(self, p: Any) -> None:
        self.submodules.phy = Transceiver(p)
        self.crg = pins(rx_reset=1, tx_reset=1)
        self.submodules.ctrl = LiteSATAPHYCtrl(self.phy, self.crg, TIMER_HZ)
        self.submodules.datapath = LiteSATAPHYDatapath(self.phy, self.ctrl)
        self.comb += [
            self.ctrl.rx_idle.eq(self.datapath.rx_idle),
            self.ctrl.misalign.eq(self.datapath.misalign),
        ]
        self.sink, self.source = self.datapath.sink, self.datapath.source


class PlainReset:
    """In place of a vendor's reset synchroniser: all clocks are one here."""

    @staticmethod
    def lower(special: Any) -> Module:
        made = Module()
        made.comb += special.cd.rst.eq(special.async_reset)
        return made


class Top(Module):
    """One clock for everything; a node's flat ports."""

    def __init__(self, p: Any) -> None:
        for name in ("sys", "sata_tx", "sata_rx"):
            domain = ClockDomain(name)
            setattr(self.clock_domains, f"cd_{name}", domain)
            self.comb += [domain.clk.eq(p.clk), domain.rst.eq(p.rst)]
        self.submodules.phy = Phy(p)
        self.submodules.core = core = LiteSATACore(self.phy)
        cmd, rsp = core.sink, core.source
        self.comb += [
            p.up.eq(self.phy.ctrl.ready),
            cmd.valid.eq(p.s_axis_cmd_tvalid),
            cmd.last.eq(p.s_axis_cmd_tlast),
            cmd.data.eq(p.s_axis_cmd_tdata),
            cmd.sector.eq(p.s_axis_cmd_tuser[:32]),
            cmd.count.eq(p.s_axis_cmd_tuser[32:48]),
            cmd.write.eq(p.s_axis_cmd_tuser[48]),
            cmd.read.eq(p.s_axis_cmd_tuser[49]),
            cmd.identify.eq(p.s_axis_cmd_tuser[50]),
            p.s_axis_cmd_tready.eq(cmd.ready),
            p.m_axis_rsp_tvalid.eq(rsp.valid),
            p.m_axis_rsp_tlast.eq(rsp.last),
            p.m_axis_rsp_tdata.eq(rsp.data),
            p.m_axis_rsp_tuser[0].eq(rsp.write),
            p.m_axis_rsp_tuser[1].eq(rsp.read),
            p.m_axis_rsp_tuser[2].eq(rsp.identify),
            p.m_axis_rsp_tuser[3].eq(rsp.end),
            p.m_axis_rsp_tuser[4].eq(rsp.failed),
            rsp.ready.eq(p.m_axis_rsp_tready),
        ]


def text() -> str:
    """The whole Verilog."""
    inputs = {"clk": 1, "rst": 1, "s_axis_cmd_tdata": 32, "s_axis_cmd_tuser": 51}
    inputs |= dict.fromkeys(("s_axis_cmd_tvalid", "s_axis_cmd_tlast", "m_axis_rsp_tready"), 1)
    inputs |= {"s_sata_d0_data": 32, "s_sata_d0_k": 4}
    for name in ("valid", "cominit", "comwake", "idle", "oob_done", "ready"):
        inputs[f"s_sata_d0_{name}"] = 1
    outputs = {"up": 1, "s_axis_cmd_tready": 1, "m_axis_rsp_tdata": 32, "m_axis_rsp_tuser": 5}
    outputs |= dict.fromkeys(("m_axis_rsp_tvalid", "m_axis_rsp_tlast"), 1)
    outputs |= {"m_sata_d0_data": 32, "m_sata_d0_k": 4}
    outputs |= {f"m_sata_d0_{name}": 1 for name in ("cominit", "comwake", "idle")}
    p = pins(**inputs, **outputs)
    top = Top(p)
    ios = {getattr(p, name) for name in (*inputs, *outputs)}
    overrides = {AsyncResetSynchronizer: PlainReset}
    return str(verilog.convert(top, ios, name="litesata_host", special_overrides=overrides))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text())
