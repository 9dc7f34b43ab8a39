# SPDX-License-Identifier: Apache-2.0
"""Where the cells of a mapped design come from, and its slowest path, in terms of the source.

The mapped netlist is flat, but its cells keep names: those of registers and nets of the source,
with the instances that they are in. Logic belongs to the module that names what it feeds; what
mapping has moved over a border counts on the other side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MAPPED = re.compile(
    r"_(TRELLIS_FF|LUT4|CCU2C|PFUMX|L6MUX21|DP16KD|TRELLIS_DPR16X4|MULT18X18D|VHI|VLO)(_|$).*$"
)
_COUNTED = {
    "LUT4": "lut4",
    "CCU2C": "carry",
    "TRELLIS_FF": "ff",
    "TRELLIS_DPR16X4": "dpr16",
    "DP16KD": "dp16k",
    "MULT18X18D": "mult",
}
_DUT = "dut.dut"  # of the harness: the shell, and the measured module in it


def base(name: str) -> str:
    """The register or net of the source that a mapped cell is called after."""
    return re.sub(r"\[\d+\]$", "", _MAPPED.sub("", name))


@dataclass
class Netlist:
    """The flat netlist: its cells, and where nets are declared."""

    cells: dict[str, str] = field(default_factory=dict)
    """Type by name."""
    lines: dict[str, str] = field(default_factory=dict)
    """Place in the source (file:line) by name of a net or cell."""


def _place(source: str) -> str:
    """The first place that is not of the tool's own library, as file:line."""
    for part in source.split("|"):
        if ".sv:" in part and not part.startswith(("/share/", "shell.sv")):
            return part.partition(".sv:")[0] + ".sv:" + part.rpartition(":")[2].partition(".")[0]
    return ""


def read(placed: Path, harness: str) -> Netlist:
    """Read what Yosys wrote for the placer."""
    module = json.loads(placed.read_text(encoding="utf-8"))["modules"][harness]
    made = Netlist()
    for name, net in module["netnames"].items():
        place = _place(net.get("attributes", {}).get("src", ""))
        if place:
            made.lines[name] = place
    for name, cell in module["cells"].items():
        made.cells[name] = cell["type"]
        place = _place(cell.get("attributes", {}).get("src", ""))
        if place and base(name) not in made.lines:
            made.lines[base(name)] = place
    return made


def module_of(text: str, instance: str) -> str:
    """The module that a source instantiates under a name; "" if it has no such instance."""
    for found in re.finditer(rf"\b{re.escape(instance)}\s*\(", text):
        at = found.start() - 1
        while at >= 0 and text[at].isspace():
            at -= 1
        if at >= 0 and text[at] == ")":  # parameters
            depth = 0
            while at >= 0:
                depth += {")": 1, "(": -1}.get(text[at], 0)
                at -= 1
                if depth == 0:
                    break
            while at >= 0 and (text[at].isspace() or text[at] == "#"):
                at -= 1
        if name := re.search(r"(\w+)$", text[: at + 1]):
            return name.group(1)
    return ""


def _groups(cells: list[str], prefix: str) -> dict[str, list[str]]:
    """Cells by the part below a path that they are in; "-": in none."""
    found: dict[str, list[str]] = {}
    for name in cells:
        inside = base(name)
        first, dot, _ = inside.removeprefix(f"{prefix}.").partition(".")
        part = first if dot and inside.startswith(f"{prefix}.") else "-"
        found.setdefault(part, []).append(name)
    return found


def by_instance(netlist: Netlist, top: str, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Cells of each part of the measured module, largest first; `-`: of the module itself.

    A flat top has the parts of its core. `part`, of a node, is `shell` for what connects kernels to
    the outside (`kumi_node_...`), else `kernel`.
    """
    counted = [name for name, kind in netlist.cells.items() if kind in _COUNTED]
    counted = [name for name in counted if name.startswith("dut.")]
    prefix, module = _DUT, top
    while True:
        groups = _groups(counted, prefix)
        text = next((t for t in texts.values() if re.search(rf"\bmodule\s+{module}\b", t)), "")
        inner = {part: module_of(text, part) for part in groups if part != "-"}
        cores = [part for part, name in inner.items() if name == f"{module}_core"]
        if not cores:
            break
        prefix, module = f"{prefix}.{cores[0]}", inner[cores[0]]
    for part in [part for part, name in inner.items() if name.endswith("_if")]:
        groups.setdefault("-", []).extend(groups.pop(part))  # a bundle of wires
    rows = []
    node = any(name.startswith("kumi_node_") for name in inner.values())
    for instance, names in groups.items():
        name = inner.get(instance, module)
        shell = instance == "-" or name.startswith("kumi_node_")
        row: dict[str, Any] = {"instance": instance, "module": name}
        row["part"] = "" if not node else "shell" if shell else "kernel"
        row |= dict.fromkeys(_COUNTED.values(), 0)
        for cell in names:
            kind = netlist.cells[cell]
            row[_COUNTED[kind]] += 1
        rows.append(row)
    return sorted(rows, key=lambda row: -(row["lut4"] + row["ff"]))


def critical_path(netlist: Netlist, report: Path) -> list[dict[str, Any]]:
    """Steps of the slowest path inside one clock: name, place, cell, and the time since its start.

    A path begins at a register's output and ends at a register's input; times in ns.
    """
    paths = json.loads(report.read_text(encoding="utf-8")).get("critical_paths", [])
    inside = [p["path"] for p in paths if p["from"] == p["to"] and p["path"]]
    if not inside:
        return []
    steps = max(inside, key=lambda path: sum(step["delay"] for step in path))
    time = 0.0
    found: list[dict[str, Any]] = []
    for step in steps:
        time += float(step["delay"])
        if step["type"] == "routing":
            if found:
                found[-1]["route_ns"] = round(float(step["delay"]), 3)
            continue
        cell = step["to"]["cell"]
        name = base(cell)
        found.append(
            {
                "name": name.removeprefix(f"{_DUT}.").removeprefix("dut."),
                "place": netlist.lines.get(name, ""),
                "cell": netlist.cells.get(cell) or ("CCU2C" if "CCU2C" in cell else ""),
                "kind": step["type"],
                "ns": round(time, 3),
            }
        )
    return found
