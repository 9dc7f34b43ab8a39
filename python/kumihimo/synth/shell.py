# SPDX-License-Identifier: Apache-2.0
"""Generated text: a flat shell around a module, and a pin harness around the shell."""

from __future__ import annotations

import re

from kumihimo.synth.elaborate import Module, Signal, instance_text, interface_lines

SHELL = "kumi_synth_dut"
HARNESS = "kumi_synth_harness"


def _bits(width: int) -> str:
    return f"[{width - 1}:0] " if width > 1 else ""


def shell_text(module: Module, name: str = SHELL) -> str:
    """SystemVerilog with flat ports that only wires; interface arrays become numbered ports."""
    ports: list[str] = []
    wires: list[str] = []
    plain: dict[str, str] = {}
    for port in module.ports:
        for signal in port.signals:
            word = "input " if signal.direction == "in" else "output"
            ports.append(f"    {word} logic {_bits(signal.width)}{signal.name}")
            if port.interface:
                ends = (signal.path, signal.name)
                left, right = ends if signal.direction == "in" else ends[::-1]
                wires.append(f"  assign {left} = {right};")
        if port.interface:
            continue
        signal = port.signals[0]
        plain[port.name] = port.name
        if port.elements:
            plain[port.name] = f"{port.name}_array"
            wires += _array_lines(signal, port.elements)
        elif port.cast and signal.direction == "in":
            plain[port.name] = f"{port.cast}'({port.name})"
    lines = ["// Generated: a flat shell that only wires."]
    lines += [f"module {name} (", ",\n".join(ports), ");"]
    lines += [*interface_lines(module), *wires, instance_text(module, plain), "endmodule", ""]
    return "\n".join(lines)


def _array_lines(signal: Signal, elements: list[tuple[str, int]]) -> list[str]:
    each = elements[0][1]
    first, last = elements[0][0], elements[-1][0]
    local = f"{signal.name}_array"
    lines = [f"  logic {_bits(each)}{local} [{first}:{last}];"]
    for place, (index, _) in enumerate(elements):
        flat = f"{signal.name}[{place * each} +: {each}]" if signal.width > 1 else signal.name
        ends = (f"{local}[{index}]", flat)
        left, right = ends if signal.direction == "in" else ends[::-1]
        lines.append(f"  assign {left} = {right};")
    return lines


def is_clock(signal: Signal) -> bool:
    """A clock by its name: clk, or anything that ends in clk."""
    return signal.width == 1 and bool(re.fullmatch(r"(.*_)?clk(_i|in)?", signal.name))


def harness_text(module: Module, name: str = HARNESS, shell: str = SHELL) -> str:
    """Plain Verilog with three pins, so that a module of any width fits any package.

    Inputs come from a shift register, one flip-flop a bit; each output has a flip-flop of its own,
    then a registered exclusive-or tree. Every path of the module is thus register to register.
    One clock drives every clock port.
    """
    signals = [s for p in module.ports for s in p.signals]
    inputs = [s for s in signals if s.direction == "in" and not is_clock(s)]
    clocks = [s for s in signals if s.direction == "in" and is_clock(s)]
    outputs = [s for s in signals if s.direction == "out"]
    in_w = sum(s.width for s in inputs)
    out_w = sum(s.width for s in outputs)
    joins = [f".{s.name}(clk)" for s in clocks]
    lines = [f"module {name} (input wire clk, input wire din, output wire dout);"]
    if in_w:
        lines.append(f"  reg [{in_w - 1}:0] shift_q;")
        feed = "din" if in_w == 1 else f"{{shift_q[{in_w - 2}:0], din}}"
        lines.append(f"  always @(posedge clk) shift_q <= {feed};")
    for group, vector in ((inputs, "shift_q"), (outputs, "out")):
        place = 0
        for s in group:
            joins.append(f".{s.name}({vector}[{place} +: {s.width}])")
            place += s.width
    if not out_w:
        joined = ",\n      ".join(joins)
        lines += [f"  {shell} dut (\n      {joined}\n  );", "  assign dout = din;", "endmodule", ""]
        return "\n".join(lines)
    lines.append(f"  wire [{out_w - 1}:0] out;")
    lines.append(f"  {shell} dut (\n      " + ",\n      ".join(joins) + "\n  );")
    lines.append(f"  reg [{out_w - 1}:0] level0_q;")
    lines.append("  always @(posedge clk) level0_q <= out;")
    level, width = 0, out_w
    while width > 1:
        following = (width + 3) // 4
        lines.append(f"  reg [{following - 1}:0] level{level + 1}_q;")
        lines.append("  always @(posedge clk) begin")
        for i in range(following):
            top = min(4 * i + 3, width - 1)
            lines.append(f"    level{level + 1}_q[{i}] <= ^level{level}_q[{top}:{4 * i}];")
        lines.append("  end")
        level, width = level + 1, following
    lines += [f"  assign dout = level{level}_q[0];", "endmodule", ""]
    return "\n".join(lines)
