# SPDX-License-Identifier: Apache-2.0
"""Checks registers and parameters of a cluster file against the sources: nothing is built.

Which blocks of registers a design has is taken from its sources: those whose register file is among
them. At the start of a cluster the node itself is asked (`setup_regs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from ..build import BuildError, for_module, scan
from ..clusterfile import NodePlan, Plan
from ..common.errors import KumiError, did_you_mean
from ..common.paths import project_root
from ..regs import BLOCKS, Block
from ..regs.own import register_folder
from .setup_regs import named_write
from .timers import TIMERS

_FIRST = ("id", "ip", "ip6", "dhcp", "tcp", "eth_port")
_COPIES = 16
"""Blocks of one kind that a node may have (`sata`, `sata1`, ...)."""


class _Nowhere:
    """Registers of a node that does not exist: only their names and fields are asked for."""

    def read(self, addr: int, /) -> int:
        raise KumiError(f"There is no node whose register {addr:#x} could be read.")

    def write(self, addr: int, data: int, /) -> None:
        raise KumiError(f"There is no node whose register {addr:#x} could be written.")


def blocks(file: Path) -> dict[str, Block]:
    """Register blocks that a design may have, by name."""
    stems = {path.stem for path in for_module(file, project_root()).files}
    own = {info.name: info for info in register_folder(file.parent)}
    found = {n: info for n, info in BLOCKS.items() if f"kumi_{n}_regs" in stems}
    found |= {n: info for n, info in own.items() if f"{n}_regs" in stems}
    made = {
        name: Block(_Nowhere(), info, 0) for name, info in {"id": BLOCKS["id"], **found}.items()
    }
    copies = {f"{n}{i}": made[n] for n in found for i in range(1, _COPIES)}
    kernel = next((made[n] for n in found if n not in _FIRST), None)
    return {**copies, **made, **({"kernel": kernel} if kernel is not None else {})}


def _registers(plan: Plan, node: NodePlan) -> Iterator[tuple[str, str, int]]:
    """(where, path, value) of each register that the file writes in a node."""
    for path, value in node.regs.items():
        yield f"{plan.file}: nodes.{node.name}.regs.{path}", path, value
    for event in plan.events:
        if event.do == "write" and event.node == node.name:
            yield event.where, event.register, event.value


def _conditions(plan: Plan, node: NodePlan, known: Mapping[str, Block]) -> Iterator[str]:
    """Conditions of events that name no register of this node; ports have counters of any name."""
    design = node.design
    ports = {*design.eth, *design.lanes, *design.bundles(), *design.ib, *design.disks}
    names = [f"{node.name}.{b}.{r.info.name}" for b, block in known.items() for r in block]
    for event in plan.events:
        parts = event.when.pattern.split(".") if event.when else []
        if event.when is None or len(parts) not in (3, 4) or parts[0] != node.name:
            continue
        if any(fnmatchcase(port, parts[1]) for port in ports):
            continue
        stem = replace(event.when, pattern=".".join(parts[:3]))
        if not any(stem.names(name) for name in names):
            hint = did_you_mean(stem.pattern, names).strip()
            yield f"{event.where}: no register is called {event.when.pattern}. {hint}".strip()


def _timers(plan: Plan, node: NodePlan, known: Mapping[str, Block]) -> Iterator[str]:
    """`timers:` of a node without TCP, and without IPv6, which has times, too."""
    if node.spec.timers in TIMERS and "tcp" not in known and node.spec.ip6 == "none":
        where = f"{plan.file}: nodes.{node.name}.timers"
        yield f"{where}: the design {node.spec.design} has no TCP engine. Remove `timers:`."


def mistakes(plan: Plan) -> list[str]:
    """One sentence per mistake."""
    found: list[str] = []
    known: dict[Path, Mapping[str, Block]] = {}
    scanned: dict[str, str] = {}
    for node in plan.nodes.values():
        design = node.design
        request = f"{design.file} {sorted(node.spec.params.items())}"
        if request not in scanned:
            scanned[request] = ""
            try:
                scan(design.file, node.spec.params)
            except BuildError as problem:
                scanned[request] = str(problem).splitlines()[0]
                found.append(f"{plan.file}: nodes.{node.name}: {scanned[request]}")
        if scanned[request]:
            continue
        if design.file not in known:
            known[design.file] = blocks(design.file)
        found += _timers(plan, node, known[design.file])
        found += _conditions(plan, node, known[design.file])
        wanted = list(_registers(plan, node))
        if wanted and not design.has_registers:
            text = f"the design {node.spec.design} has no register port."
            found.append(f"{wanted[0][0]}: {text}")
            continue
        for where, path, value in wanted:
            try:
                named_write(where, node, known[design.file], path, value, {})
            except KumiError as problem:
                found.append(str(problem))
    return found
