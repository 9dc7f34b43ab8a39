# SPDX-License-Identifier: Apache-2.0
"""Cost and clock of one Serial ATA port, as kept in docs/figures/synth.json.

The paper's port has 3,865 LUT and 2,921 registers; 150 MHz is the word clock of 6 Gb/s.
"""

from __future__ import annotations

import json

from kumihimo.bench.core import BenchResult, Origin
from kumihimo.bench.setup import Setup
from kumihimo.common.paths import project_root

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
    kept = json.loads((project_root() / "docs/figures/synth.json").read_text(encoding="utf-8"))
    row = next((r for r in kept["rows"] if r["module"] == MODULE), None)
    result.summary["lut_eq_port"] = row and row["xcup"]["lut_eq"]
    result.summary["ff_port"] = row and row["xcup"]["ff"]
    result.summary["fmax_port_mhz"] = row and row["ecp5"]["fmax_mhz"]
    for name, (relation, value, origin) in GOALS.items():
        result.goals[name] = (relation, value)
        result.origins[name] = origin
        result.setups[name] = PORT
