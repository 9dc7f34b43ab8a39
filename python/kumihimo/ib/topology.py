# SPDX-License-Identifier: Apache-2.0
"""Fabrics of InfiniBand switches and endpoints as cluster files.

Every endpoint has a management agent, so that opensm can sit at any of them.
"""

from __future__ import annotations

from ..common import topology
from ..common.errors import KumiError
from ..common.topology import End, Topology

__all__ = ["MOST_PORTS", "End", "Topology", "fabric_text", "make"]

MOST_PORTS = 8
FEWEST_PORTS = 4
LIDS_PER_BLOCK = 64
CABLE = "10 m"


def _check(made: Topology) -> None:
    for name, ports in made.ports.items():
        if ports > MOST_PORTS:
            text = f"Switch {name} would need {ports} ports; a switch has {MOST_PORTS}."
            raise KumiError(text, "Take fewer endpoints or switches per switch.", 2)


def fabric_text(made: Topology, detail: str = "rtl") -> str:
    """The cluster file; `detail`: of the switches."""
    _check(made)
    lids = len(made.switches) + len(made.hosts) + 1
    capacity = -(-lids // LIDS_PER_BLOCK) * LIDS_PER_BLOCK
    clock = "clocks: {clk: 125 MHz}, ip: none"
    lines = [f"name: {made.name}", "nodes:"]
    for host in made.hosts:
        params = "params: {AGENT: 1, DATA_VLS: 1}"
        lines.append(f"  {host}: {{design: ib_endpoint, {clock}, {params}}}")
    for name, used in made.ports.items():
        built = max(FEWEST_PORTS, used)
        unused = ", ".join(f"p{n}" for n in range(used + 1, MOST_PORTS + 1))
        params = f"PORTS: {built}, DATA_VLS: 1, LFT_CAP: {capacity}, MFT_CAP: 32"
        lines += [
            f"  {name}:",
            f"    {{design: ib_switch, detail: {detail}, {clock},",
            f"    params: {{{params}}}, open_ports: [{unused}]}}",
        ]
    lines.append("cables:")
    for (one, a), (two, b) in made.cables:
        lines.append(f"  - {{between: [{one}.p{a}, {two}.p{b}], latency: {CABLE}}}")
    return "\n".join(lines) + "\n"


def make(shape: str, numbers: list[int], hosts: int | None = None) -> Topology:
    """A shape by its name and numbers; `hosts`: endpoints per (edge) switch.

    Raises:
        KumiError: an unknown shape, numbers that do not make one, or a switch with too many ports.
    """
    made = topology.make(shape, numbers, hosts)
    _check(made)
    return made
