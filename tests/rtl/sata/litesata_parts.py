# SPDX-License-Identifier: Apache-2.0
"""Writes the Verilog of parts of LiteSATA's link layer, from its package, in one flat top.

It has one clock, and pins instead of streams.

    python litesata_parts.py FILE
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from litesata.common import phy_description
from litesata.core.link import (
    LiteSATACONTInserter,
    LiteSATACONTRemover,
    LiteSATACRC,
    Scrambler,
)
from migen import ClockDomain, Module, ResetInserter, Signal
from migen.fhdl import verilog

PINS = {"clk": 1, "rst": 1, "init": 1, "en": 1, "data": 32, "word": 32, "crc": 32}
for _way in ("ins", "rem"):  # CONT in, and out again
    PINS |= {f"{_way}_in_data": 32, f"{_way}_in_k": 4, f"{_way}_in_valid": 1}
    PINS |= {f"{_way}_in_ready": 1}
    PINS |= {f"{_way}_out_data": 32, f"{_way}_out_k": 4, f"{_way}_out_valid": 1}


class Top(Module):
    """Scrambler and CRC moved on by `en`, begun by `init`; CONT inserter and remover."""

    def __init__(self, p: dict[str, Any]) -> None:
        self.clock_domains.cd_sys = ClockDomain("sys")
        self.comb += [self.cd_sys.clk.eq(p["clk"]), self.cd_sys.rst.eq(p["rst"])]
        self.submodules.scrambler = scrambler = ResetInserter()(Scrambler())
        self.submodules.crc = crc = LiteSATACRC()
        self.comb += [
            scrambler.reset.eq(p["init"]),
            scrambler.ce.eq(p["en"]),
            p["word"].eq(scrambler.value),
            crc.reset.eq(p["init"]),
            crc.ce.eq(p["en"]),
            crc.data.eq(p["data"]),
            p["crc"].eq(crc.value),
        ]
        for way, kind in (("ins", LiteSATACONTInserter), ("rem", LiteSATACONTRemover)):
            part = kind(phy_description(32))
            setattr(self.submodules, way, part)
            self.comb += [
                part.sink.valid.eq(p[f"{way}_in_valid"]),
                part.sink.data.eq(p[f"{way}_in_data"]),
                part.sink.charisk.eq(p[f"{way}_in_k"]),
                p[f"{way}_in_ready"].eq(part.sink.ready),
                p[f"{way}_out_valid"].eq(part.source.valid),
                p[f"{way}_out_data"].eq(part.source.data),
                p[f"{way}_out_k"].eq(part.source.charisk),
                part.source.ready.eq(1),
            ]


def text() -> str:
    """The whole Verilog."""
    pins = {name: Signal(width, name_override=name) for name, width in PINS.items()}
    return str(verilog.convert(Top(pins), set(pins.values()), name="litesata_parts"))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text())
