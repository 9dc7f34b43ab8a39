# SPDX-License-Identifier: Apache-2.0
"""Cost and clock of one Serial ATA port, as kept in docs/figures/synth.json.

The paper's port has 3,865 LUT and 2,921 registers; 150 MHz is the word clock of 6 Gb/s.
"""

from __future__ import annotations

from typing import Any

from kumihimo.bench import synthesis
from kumihimo.bench.core import BenchResult, Origin
from kumihimo.bench.setup import Setup

MODULE = "kumi_sata_port"
PORT = Setup(
    MODULE, {"DATA_W": 64}, note="mapped for UltraScale+, clock on ECP5", node="kumi_node_sata"
)
GOALS = {
    "lut_eq_port": ("<=", 3865.0, Origin.PAPER),
    "ff_port": ("<=", 2921.0, Origin.PAPER),
    "fmax_port_mhz": (">=", 150.0, Origin.REQUIREMENT),
}


def measure(result: BenchResult) -> None:
    """The kept figures of the port; none where its row is missing."""
    found = synthesis.rows(lambda row: row["module"] == MODULE)
    row: dict[str, Any] | None = found[0] if found else None
    result.summary["lut_eq_port"] = row["xcup"]["lut_eq"] if row else None
    result.summary["ff_port"] = row["xcup"]["ff"] if row else None
    result.summary["fmax_port_mhz"] = row["ecp5"]["fmax_mhz"] if row else None
    for name, (relation, value, origin) in GOALS.items():
        result.goals[name] = (relation, value)
        result.origins[name] = origin
        result.setups[name] = PORT
