# SPDX-License-Identifier: Apache-2.0
"""Text that instantiates a block's flat top: SystemVerilog, Verilog, VHDL."""

from __future__ import annotations

from collections.abc import Iterator

from kumihimo.export.block import Block, FlatPort


def groups(block: Block) -> Iterator[tuple[str, list[FlatPort]]]:
    """Runs of neighbouring ports of one bus, each with a word on its role."""
    title, run = "", list[FlatPort]()
    clocks = {c.name for c in block.clocks}
    resets = {c.reset for c in block.clocks}
    for port in block.ports:
        if port.name in clocks or port.name in resets:
            name = "clocks and resets (synchronous, active high)"
        elif port.bus:
            name = f"{port.bus}, in {port.clock}"
        else:
            name = f"in {port.clock}" if len(clocks) > 1 else "other"
        if name != title and run:
            yield title, run
            run = []
        title = name
        run.append(port)
    if run:
        yield title, run


def _range(port: FlatPort) -> str:
    return f"[{port.width - 1}:0] " if port.width > 1 else ""


def _instance(block: Block, word: str) -> str:
    """Declarations and an instance; `word` is logic or wire."""
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// How to instantiate {block.top}.", ""]
    for title, ports in groups(block):
        lines.append(f"// {title}")
        lines += [f"{word} {_range(p)}{p.name};" for p in ports]
    lines += ["", f"{block.top} u_{block.module.removeprefix('kumi_')} ("]
    rows = [f"    .{p.name}({p.name})" for p in block.ports]
    return "\n".join([*lines, ",\n".join(rows), ");", ""])


def systemverilog(block: Block) -> str:
    """Declarations and an instance in SystemVerilog."""
    return _instance(block, "logic")


def verilog(block: Block) -> str:
    """Declarations and an instance in Verilog."""
    return _instance(block, "wire")


def vhdl(block: Block) -> str:
    """Component, signals and an instance in VHDL."""

    def kind(port: FlatPort) -> str:
        return "std_logic" if port.width == 1 else f"std_logic_vector({port.width - 1} downto 0)"

    lines = ["-- SPDX-License-Identifier: Apache-2.0", f"-- How to instantiate {block.top}.", ""]
    lines += [
        "-- library ieee; use ieee.std_logic_1164.all;",
        f"component {block.top} is",
        "  port (",
    ]
    rows = [f"    {p.name} : {'out' if p.output else 'in'} {kind(p)}" for p in block.ports]
    lines += [";\n".join(rows), "  );", "end component;", ""]
    for title, ports in groups(block):
        lines.append(f"-- {title}")
        lines += [f"signal {p.name} : {kind(p)};" for p in ports]
    lines += ["", f"u_{block.module.removeprefix('kumi_')} : {block.top}", "  port map ("]
    maps = [f"    {p.name} => {p.name}" for p in block.ports]
    return "\n".join([*lines, ",\n".join(maps), "  );", ""])


def verilog_top(block: Block, name: str) -> str:
    """A Verilog top around the flat one, with the attributes of Vivado's block design.

    Vivado's IP packager and module references take no SystemVerilog file as the top.
    """
    clocks = {c.name: c for c in block.clocks}
    resets = {c.reset for c in block.clocks if c.reset}
    rows = []
    for port in block.ports:
        note = ""
        if port.name in clocks:
            clock = clocks[port.name]
            parts = [f"FREQ_HZ {round(clock.mhz * 1e6)}"]
            buses = [b.prefix for b in block.buses if b.clock == port.name and b.kind != "other"]
            if buses:
                parts.insert(0, "ASSOCIATED_BUSIF " + ":".join(buses))
            if clock.reset:
                parts.append(f"ASSOCIATED_RESET {clock.reset}")
            note = f'(* X_INTERFACE_PARAMETER = "{", ".join(parts)}" *)\n    '
        elif port.name in resets:
            note = '(* X_INTERFACE_PARAMETER = "POLARITY ACTIVE_HIGH" *)\n    '
        rows.append(
            f"    {note}{'output' if port.output else 'input'} wire {_range(port)}{port.name}"
        )
    maps = [f"      .{p.name}({p.name})" for p in block.ports]
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// Generated: {block.top} in Verilog, for block designs and the IP packager.",
            f"module {name} (",
            ",\n".join(rows),
            ");",
            f"  {block.top} inst (",
            ",\n".join(maps),
            "  );",
            "endmodule",
            "",
        ]
    )
