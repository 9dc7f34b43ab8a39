# SPDX-License-Identifier: Apache-2.0
"""`kumi kernel`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from ..common.errors import KumiError
from ..hls.compile import designs
from ..hls.emulate import Emulation
from ..hls.frontend import Program, load
from ..hls.node import build_node, node_name
from ..hls.print_program import print_program
from ..hls.report import report, to_json
from ..hls.report_cost import costs
from ..hls.report_html import page
from .console import err, out


def run_build(file: Path, folder: Path | None, mhz: float, relaxed: bool) -> int:
    """Write the node of a file and say where it is."""
    target = folder or Path(node_name(file))
    if target.exists() and (not target.is_dir() or any(target.glob("*.cl"))):
        raise KumiError(f"{target} holds sources.", "Take another --out.", 2)
    top = build_node(file, target, mhz, relaxed)
    out.print(f"{top}: the node; in a cluster file: design: {file.name}")
    return 0


def run_report(
    file: Path,
    mhz: float,
    relaxed: bool,
    as_json: bool,
    html: Path | None,
    counters: list[str],
    synth: bool = False,
) -> int:
    """Print the report of a file, or write it as a page; with `synth` what the kernels cost."""
    program = load(file, relaxed=relaxed)
    scheduled = designs(program, mhz)
    kernels = report(scheduled)
    prices = costs(print_program(program, scheduled)) if synth else {}
    if html is not None:
        measured = dict(_counters(text, [k.name for k in kernels]) for text in counters)
        text = page(file, program.source.text, kernels, mhz, measured, prices)
        html.write_text(text, encoding="utf-8")
        out.print(f"{html}: {len(kernels)} kernels")
        return 0
    if as_json:
        found = to_json(kernels)
        for entry in found:
            if entry["kernel"] in prices:
                entry["cost"] = asdict(prices[entry["kernel"]])
        print(json.dumps(found))
        return 0
    for kernel in kernels:
        table = Table(title=kernel.name)
        for heading in ("loop at", "II", "stages", "iterations", "what limits it", "accesses"):
            table.add_column(heading)
        for loop in kernel.loops:
            accesses = "\n".join(loop.accesses)
            line = f"{file.name}:{loop.line}"
            counts = (str(loop.ii), str(loop.stages), loop.trips)
            table.add_row(line, *counts, loop.limit, accesses)
        out.print(table)
        for name, bits, depth, ports in kernel.arrays:
            plural = "port" if ports == 1 else "ports"
            out.print(f"array {name}: {depth} x {bits} bits, {ports} read {plural}")
        for unit in kernel.units:
            out.print(unit)
        if kernel.name in prices:
            out.print(str(prices[kernel.name]))
    return 0


def _counters(text: str, kernels: list[str]) -> tuple[str, tuple[int, int]]:
    name, _, rest = text.partition("=")
    cycles, _, stalls = rest.partition(",")
    if name not in kernels or not cycles.isdigit() or not stalls.isdigit():
        hint = f"Write KERNEL=CYCLES,STALLS; kernels: {', '.join(kernels)}."
        raise KumiError(f"`{text}` is no run of a kernel.", hint, 2)
    return name, (int(cycles), int(stalls))


def run_emulate(
    file: Path, runs: list[str], inputs: list[str], timeout: float, as_json: bool
) -> int:
    """Run the kernels of a file natively."""
    program = load(file)
    kernels: dict[str, dict[str, Any]] = {}
    buffers: list[tuple[Path, bytearray]] = []
    for text in runs:
        name, _, rest = text.partition(":")
        kernels[name] = _arguments(name, rest, program, buffers)
    if not runs:
        kernels = {k.name: {} for k in program.kernels if not k.function.args}
    words = dict(_words(text, program) for text in inputs)
    done = Emulation(program).run(kernels, words, timeout)
    for path, data in buffers:
        path.write_bytes(data)
    if as_json:
        print(json.dumps({"outputs": done.outputs, "unread": done.unread}))
        return 0
    for channel, values in done.outputs.items():
        shown = " ".join(hex(v) for v in values[:64]) + (" ..." if len(values) > 64 else "")
        out.print(f"{channel}: {len(values)} words: {shown}")
    for channel, count in done.unread.items():
        err.print(f"{channel}: {count} words were not read")
    return 0


def _arguments(
    kernel: str, text: str, program: Program, buffers: list[tuple[Path, bytearray]]
) -> dict[str, Any]:
    known = [k.name for k in program.kernels]
    if kernel not in known:
        raise KumiError(f"There is no kernel {kernel}.", f"There are {', '.join(known)}.", 2)
    given: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise KumiError(f"`{part}` is no argument.", "Write NAME=VALUE.", 2)
        if value.startswith("@"):
            path = Path(value[1:])
            given[name] = bytearray(_read(path))
            buffers.append((path, given[name]))
        else:
            given[name] = _number(value)
    return given


def _words(text: str, program: Program) -> tuple[str, list[int]]:
    name, equals, value = text.partition("=")
    channel = next((c for c in program.channels.values() if c.name == name), None)
    if not equals or channel is None:
        have = ", ".join(c.name for c in program.channels.values())
        hint = f"Write CHANNEL=1,2,3; channels: {have}."
        raise KumiError(f"`{text}` is no input of a channel.", hint, 2)
    if value.startswith("@"):
        data, size = _read(Path(value[1:])), channel.bits // 8
        return name, [
            int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)
        ]
    mask = (1 << channel.bits) - 1
    return name, [_number(v) & mask for v in value.split(",") if v]


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise KumiError(f"`{text}` is no number.", "Write 12, -1 or 0xff.", 2) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise KumiError(f"{path} cannot be read: {problem.strerror}.", "", 2) from None
