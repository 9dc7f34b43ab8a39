# SPDX-License-Identifier: Apache-2.0
"""What the kernels of a program cost, and their clock, for its report: `kumi synth` of each."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..synth.flow import Options, measure
from .compile import write
from .print_program import Printed


@dataclass(frozen=True)
class Cost:
    """A kernel's module alone: UltraScale+ cells, mapped, and the clock on ECP5, placed."""

    lut: int
    ff: int
    bram18: int
    dsp: int
    fmax_mhz: float

    def __str__(self) -> str:
        cells = f"{self.lut:,} LUT, {self.ff:,} FF, {self.bram18 / 2:g} block RAMs, {self.dsp} DSP"
        return f"{cells} (UltraScale+, mapped); {self.fmax_mhz:.1f} MHz (ECP5, placed and routed)"


def costs(printed: Printed) -> dict[str, Cost]:
    """The cost of each kernel."""
    out = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(printed, folder)
        for design in printed.designs:
            params = {"DATA_W": str(printed.data_bits)} if design.units else {}
            module = str(folder / f"{printed.top}_{design.name}.sv")
            found = measure(module, params, ("xcup", "ecp5"), Options())
            cells = found["xcup"]
            out[design.name] = Cost(
                cells["lut_eq"],
                cells["ff"],
                2 * cells["bram36"] + cells["bram18"],
                cells["dsp"],
                found["ecp5"]["fmax_mhz"],
            )
    return out
