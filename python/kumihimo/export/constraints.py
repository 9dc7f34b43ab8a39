# SPDX-License-Identifier: Apache-2.0
"""Timing constraints of a block's clock crossings, as XDC (Vivado) and SDC (Quartus).

A level into a synchroniser is a false path. Several bits get a largest delay, and with a Gray code
a largest skew of one period, so that no two of its steps arrive together. Held data may take one
period of the clock that reads it, which a synchroniser of two stages always leaves.
"""

from __future__ import annotations

from kumihimo.export.block import Block
from kumihimo.export.crossings import Crossing

_SAY = {
    "sync": "Levels into synchronisers",
    "bus": "Several bits into synchronisers",
    "held": "Data that is stable while the other clock reads it",
}


def xdc(block: Block) -> str:
    """Constraints scoped to the flat top."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Clock crossings of {block.top}. Scope it to the module, and read it after the clocks:",
        f"#   read_xdc -ref {block.top} {block.module}.xdc",
    ]
    if not block.crossings:
        return "\n".join([*lines, "# No register of one clock is read by another.", ""])
    for clock in block.clocks:
        stem = clock.name
        lines.append(f"set {stem} [get_clocks -of_objects [get_ports {stem}]]")
        lines.append(f"set {stem}_period [get_property -min PERIOD ${stem}]")
    for kind, title in _SAY.items():
        rows = [c for c in block.crossings if c.kind == kind]
        if rows:
            lines += ["", f"# {title}."]
        for row in rows:
            lines += _xdc_row(row)
    return "\n".join([*lines, ""])


def _cells(path: str, name: str) -> str:
    """Registers of one variable in Vivado: `name[0]` is `name_reg[0]`."""
    stem, bracket, rest = name.partition("[")
    full = f"{path}/{stem}" if path else stem
    return f"[get_cells {{{full}_reg{bracket}{rest}*}}]"


def _xdc_row(row: Crossing) -> list[str]:
    target = _cells(row.path, row.target) if row.target else f"${row.target_clock}"
    if row.kind == "sync":
        return [f"set_false_path -to {target}"]
    if row.kind == "held":
        pattern = f"*{row.source}_reg*"
        source = f"[get_cells -hierarchical -filter {{NAME =~ {pattern} && IS_SEQUENTIAL}}]"
        ends = f"-from {source} -to {target}"
        return [f"set_max_delay -datapath_only {ends} ${row.target_clock}_period"]
    if not row.source:
        ends = f"-from ${row.source_clock} -to {target}"
        return [f"set_max_delay -datapath_only {ends} ${row.target_clock}_period"]
    ends = f"-from {_cells('', row.source)} -to {target}"
    both = f"min(${row.source_clock}_period, ${row.target_clock}_period)"
    return [
        f"set_max_delay -datapath_only {ends} ${row.source_clock}_period",
        f"set_bus_skew {ends} [expr {{{both}}}]",
    ]


def ooc_xdc(block: Block) -> str:
    """Clock periods for synthesis of the flat top alone."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Clocks of {block.top} when it is synthesised alone (out of context).",
    ]
    lines += [
        f"create_clock -name {c.name} -period {c.period:.3f} [get_ports {c.name}]"
        for c in block.clocks
    ]
    return "\n".join([*lines, ""])


def sdc(block: Block) -> str:
    """Constraints for Quartus; names match at any place in the hierarchy."""
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Clock crossings of {block.top}, for the Quartus timing analyser.",
    ]
    if not block.crossings:
        return "\n".join([*lines, "# No register of one clock is read by another.", ""])
    names = " ".join(f"{c.name} {c.name}" for c in block.clocks)
    lines += [
        "# Set kumi_clock(PORT) to the clock of your design at that port before you read this",
        "# file; the default is a clock of the port's name.",
        f"foreach {{port clock}} {{{names}}} {{",
        "  if {![info exists kumi_clock($port)]} { set kumi_clock($port) $clock }",
        "  set kumi_period($port) [get_clock_info -period [get_clocks $kumi_clock($port)]]",
        "}",
    ]
    for kind, title in _SAY.items():
        rows = [c for c in block.crossings if c.kind == kind]
        if rows:
            lines += ["", f"# {title}."]
        for row in rows:
            lines += _sdc_row(row)
    return "\n".join([*lines, ""])


def _registers(path: str, name: str) -> str:
    full = "|".join(part for part in (*path.split("/"), *name.split("/")) if part)
    return f"[get_registers -nowarn {{*{full}*}}]"


def _sdc_row(row: Crossing) -> list[str]:
    clock = f"[get_clocks $kumi_clock({row.target_clock})]"
    target = _registers(row.path, row.target) if row.target else clock
    if row.kind == "sync":
        return [f"set_false_path -to {target}"]
    if row.source:
        source = _registers("", row.source)
    else:
        source = f"[get_clocks $kumi_clock({row.source_clock})]"
    ends = f"-from {source} -to {target}"
    period = f"$kumi_period({row.target_clock})"
    if row.kind == "held" or not row.source:
        return [f"set_max_delay {ends} {period}", f"set_min_delay {ends} -{period}"]
    # The delay is given to the nets alone, as for the vendor's own fifo: two unrelated clocks have
    # no common edge from which a path could be counted.
    return [
        f"set_max_delay {ends} 100",
        f"set_min_delay {ends} -100",
        f"set_net_delay -max {ends} $kumi_period({row.source_clock})",
        f"set_max_skew {ends} [expr {{min($kumi_period({row.source_clock}), {period})}}]",
    ]


def table(block: Block) -> list[str]:
    """The crossings as rows of a Markdown table."""
    lines = ["| kind | from | to | bits |", "|---|---|---|---|"]
    for row in block.crossings:
        target = f"{row.path}/{row.target}" if row.target else "its readers"
        source = row.source or "an output"
        lines.append(
            f"| {row.kind} | `{source}` ({row.source_clock}) | `{target}` ({row.target_clock}) "
            f"| {row.bits} |"
        )
    return lines
