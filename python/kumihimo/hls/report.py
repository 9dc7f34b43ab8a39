# SPDX-License-Identifier: Apache-2.0
"""What became of each loop, array and memory access of a program, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .delays import latency
from .ops import Design, Segment
from .print_kernel import LOAD_DEPTH
from .report_trips import trips
from .sums import PARTS


@dataclass(frozen=True)
class LoopReport:
    """A pipelined loop. `limit` says what keeps the II above 1, `chain` where in the source."""

    kernel: str
    line: int
    ii: int
    stages: int
    limit: str
    chain: tuple[tuple[int, str], ...]  # operations that the limit consists of: line, what
    accesses: tuple[str, ...]  # channels, arrays and memory, with their lines
    trips: str = ""  # how many iterations it has


@dataclass(frozen=True)
class KernelReport:
    """A kernel: its loops, arrays (bits, words, read ports) and memory units."""

    name: str
    loops: tuple[LoopReport, ...]
    arrays: tuple[tuple[str, int, int, int], ...]
    units: tuple[str, ...]
    blocks: int  # basic blocks outside of pipelined loops


def report(designs: list[Design]) -> list[KernelReport]:
    """The report of scheduled kernels."""
    return [_kernel(design) for design in designs]


def _kernel(design: Design) -> KernelReport:
    loops = tuple(_loop(design, s) for s in design.segments if s.loop)
    arrays = tuple((a.name, a.bits, a.depth, a.copies) for a in design.arrays)
    units = tuple(
        f"store to {u.memory or 'memory'}, {u.bytes} bytes"
        if u.store
        else f"load {u.name.removesuffix('_load')}, {u.bytes} bytes, {LOAD_DEPTH} in flight"
        for u in design.units
    )
    return KernelReport(design.name, loops, arrays, units, len(design.segments) - len(loops))


def _loop(design: Design, segment: Segment) -> LoopReport:
    accesses = []
    for op in segment.ops:
        if op.channel is not None:
            verb = "reads" if "read" in op.kind else "writes"
            accesses.append(f"line {op.place.line}: {verb} {op.channel.source}")
        elif op.kind in ("array_load", "array_store") and op.array is not None:
            verb = "reads" if op.kind == "array_load" else "writes"
            accesses.append(f"line {op.place.line}: {verb} {op.array.name}")
        elif op.kind in ("load_issue", "store") and op.unit is not None:
            verb = "loads" if op.kind == "load_issue" else "stores"
            waits = "" if op.kind == "store" or segment.gaps else ", one at a time"
            accesses.append(f"line {op.place.line}: {verb} {op.unit.bytes} bytes{waits}")
        elif op.kind == "fsum_add":
            accesses.append(f"line {op.place.line}: sums floats in {PARTS} interleaved parts")
        elif latency(op) > 3:
            accesses.append(f"line {op.place.line}: {op.kind}, {latency(op)} stages")
    chain = tuple((op.place.line, op.kind) for op in segment.chain if op.kind not in _WIRES)
    return LoopReport(
        design.name,
        segment.line,
        segment.ii,
        segment.stages,
        segment.limit,
        chain,
        tuple(accesses),
        trips(design, segment),
    )


_WIRES = ("phi", "trunc", "zext", "sext", "pick")  # operations that cost nothing


def to_json(kernels: list[KernelReport]) -> list[dict[str, Any]]:
    """The report as plain data."""
    return [
        {
            "kernel": k.name,
            "blocks": k.blocks,
            "loops": [
                {
                    "line": loop.line,
                    "ii": loop.ii,
                    "stages": loop.stages,
                    "trips": loop.trips,
                    "limit": loop.limit,
                    "chain": [{"line": line, "operation": what} for line, what in loop.chain],
                    "accesses": list(loop.accesses),
                }
                for loop in k.loops
            ],
            "arrays": [
                {"name": n, "bits": bits, "words": depth, "read_ports": ports}
                for n, bits, depth, ports in k.arrays
            ],
            "memory": list(k.units),
        }
        for k in kernels
    ]
