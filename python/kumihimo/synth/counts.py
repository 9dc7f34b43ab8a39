# SPDX-License-Identifier: Apache-2.0
"""Numbers out of the tools' reports: cells by kind, Fmax, logic depth."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

# LUTs that a distributed-RAM cell of UltraScale+ occupies.
LUTRAM = {
    "RAM64M8": 8,
    "RAM32M16": 8,
    "RAM64M": 4,
    "RAM32M": 4,
    "RAM32X1D": 2,
    "RAM64X1D": 2,
    "RAM128X1D": 4,
    "RAM256X1D": 8,
    "RAM32X1S": 1,
    "RAM64X1S": 1,
    "RAM128X1S": 2,
    "RAM256X1S": 4,
    "RAM512X1S": 8,
    "RAM32X16DR8": 8,
    "RAM64X8SW": 8,
}
XCUP_FF = re.compile(r"FD[RSPC]E(_1)?$")
XCUP_LUT = re.compile(r"LUT[1-6](_2)?$")
XCUP_LATCH = re.compile(r"LD[CP]E")


def cells(stat: Path, module: str) -> dict[str, int]:
    """Cells by type of one module, from `stat -json`, those of the modules inside it included.

    A module inside counts as often as it is instantiated, and is also there under its own name.
    """
    data = json.loads(stat.read_text())
    entries = {name.lstrip("\\"): entry for name, entry in data["modules"].items()}
    known: dict[str, Counter[str]] = {}

    def total(name: str) -> Counter[str]:
        if name not in known:
            known[name] = Counter()
            for kind, n in entries[name]["num_cells_by_type"].items():
                known[name][kind] += int(n)
                if kind.lstrip("\\") in entries:
                    for inner, each in total(kind.lstrip("\\")).items():
                        known[name][inner] += int(n) * each
        return known[name]

    return dict(total(module))


def xcup(found: dict[str, int]) -> dict[str, int]:
    """UltraScale+ cells in the terms of a utilisation report.

    `lut` is logic alone; `lut_eq` adds memories made of LUTs (8 for a RAM64M8 or RAM32M16) and
    shift registers (one each).
    """

    def total(match: re.Pattern[str]) -> int:
        return sum(n for kind, n in found.items() if match.match(kind))

    lut = total(XCUP_LUT)
    lutram = sum(found.get(kind, 0) * size for kind, size in LUTRAM.items())
    srl = sum(n for kind, n in found.items() if kind.startswith("SRL"))
    return {
        "lut": lut,
        "lut_eq": lut + lutram + srl,
        "ff": total(XCUP_FF),
        "carry": found.get("CARRY8", 0) + found.get("CARRY4", 0),
        "bram36": found.get("RAMB36E2", 0),
        "bram18": found.get("RAMB18E2", 0),
        "uram": sum(n for kind, n in found.items() if kind.startswith("URAM288")),
        "dsp": found.get("DSP48E2", 0),
        "lutram": lutram,
        "srl": srl,
        "latch": total(XCUP_LATCH),
    }


def ecp5(found: dict[str, int]) -> dict[str, int]:
    """ECP5 cells. `lut4` is LUT4 cells alone: a CCU2C takes two more, a TRELLIS_DPR16X4 four."""
    return {
        "lut4": found.get("LUT4", 0),
        "ff": found.get("TRELLIS_FF", 0),
        "carry": found.get("CCU2C", 0),
        "dpr16": found.get("TRELLIS_DPR16X4", 0),
        "dp16k": found.get("DP16KD", 0) + found.get("PDPW16KD", 0),
        "mult": found.get("MULT18X18D", 0),
    }


def depths(ltp: Path) -> dict[str, int]:
    """Cells on the longest topological path of each module, from `ltp` over combinational cells."""
    if not ltp.is_file():
        return {}
    found = re.findall(r"Longest topological path in (\S+) \(length=(\d+)\)", ltp.read_text())
    return {name: int(length) for name, length in found}


def units(ltp: Path) -> str:
    """The kept instances on the longest path, from `ltp` over what was flattened after mapping."""
    found: list[str] = []
    for cell in re.findall(r"\(via (\S+)\)", ltp.read_text()):
        match = re.match(r"\$flatten\\(?:dut\.)?([^$]+)\.\$", cell)
        unit = match.group(1) if match else "dut"
        if not found or found[-1] != unit:
            found.append(unit)
    return " -> ".join(found)


def loops_of(ltp: Path) -> int:
    """Wires at which `ltp` came back to where it had been: 0 without a combinational loop."""
    return len(set(re.findall(r"Detected loop at (\S+)", ltp.read_text())))


def timing(report: Path) -> dict[str, Any]:
    """Fmax (slowest clock), and the critical path's logic depth and ends, of a nextpnr report."""
    data = json.loads(report.read_text())
    clocks = {name: entry["achieved"] for name, entry in data.get("fmax", {}).items()}
    result: dict[str, Any] = {"fmax_mhz": None, "depth": None, "path": ""}
    used = data.get("utilization", {}).get("TRELLIS_COMB", {}).get("used")
    result["placed_comb"] = used  # module and harness, carries and LUT RAM included
    if not clocks:
        return result
    slowest = min(clocks, key=lambda name: clocks[name])
    result["fmax_mhz"] = round(clocks[slowest], 1)
    for path in data.get("critical_paths", []):
        if path["from"] == path["to"] and path["from"].endswith(f" {slowest}"):
            steps = path["path"]
            result["depth"] = sum(1 for s in steps if s["type"] == "logic")
            if steps:
                ends = (_cell(steps[0]["from"]["cell"]), _cell(steps[-1]["to"]["cell"]))
                result["path"] = " -> ".join(ends)
            break
    return result


def _cell(name: str) -> str:
    """A register's name in the source out of the mapped cell's."""
    name = re.sub(r"_(TRELLIS_FF|LUT4|CCU2C|PFUMX|L6MUX21|DP16KD|TRELLIS_DPR16X4)\w*.*$", "", name)
    return name.removeprefix("dut.").removeprefix("dut.")
