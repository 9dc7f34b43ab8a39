# SPDX-License-Identifier: Apache-2.0
"""`kumi ib`: the InfiniBand ports of a running cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field

from rich.table import Table

from ..cluster.setup_regs import DEFAULT_CLOCK
from ..clusterfile import plan, units
from ..clusterfile.plans import NodePlan, Plan
from ..common.errors import KumiError
from ..ib.port import PHYS_STATES, PORT_STATES, Port
from ..manager.agent import boards_of
from ..net.session import find
from ..regs import Block, RegisterMap
from .console import out

_TRAFFIC = ("xmit_data", "rcv_data", "xmit_pkts", "rcv_pkts", "xmit_wait")


@dataclass(frozen=True)
class PortRow:
    """A port and what is at the other end of its cable."""

    name: str
    neighbour: str
    """Empty without a cable."""
    port: str
    phys: str
    lid: int
    width: int
    lane_rate_bps: float
    counters: dict[str, int] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)


def neighbours(cluster: Plan) -> dict[str, str]:
    """The ends of all InfiniBand cables, both ways."""
    found: dict[str, str] = {}
    for cable in cluster.lanes:
        if cable.a.kind == "ib":
            found |= {str(cable.a): str(cable.b), str(cable.b): str(cable.a)}
    return found


def _lane_rate(placed: NodePlan, symbols: int, width: int) -> float:
    return 10 * symbols * placed.spec.clocks.get("clk", DEFAULT_CLOCK) / width


def _switch(
    node: str, placed: NodePlan, block: Block, cables: Mapping[str, str]
) -> Iterator[PortRow]:
    shape, lid = block["shape"].fields(), block["lid"].read()
    rate = _lane_rate(placed, shape["symbols"], shape["lanes"])
    counters = [reg for reg in block if len(reg) > 1 and reg.info.name != "state"]
    for index in range(shape["ports"]):
        state = block["state"].fields(index)
        name = f"{node}.p{index + 1}"
        yield PortRow(
            name,
            cables.get(name, ""),
            PORT_STATES.get(state["port"], str(state["port"])),
            PHYS_STATES.get(state["phys"], str(state["phys"])),
            lid,
            shape["lanes"],
            rate,
            {reg.info.name: reg.read(index) for reg in counters},
        )


def _router_drops(regs: RegisterMap) -> dict[str, int]:
    """Of the router and the SW2 interface behind the port, if it has them."""
    if "ib_router" not in regs:
        return {}
    counted = regs["ib_router"].counters("drops")
    return {f"router.{name}": value for name, value in counted.items()}


def _rows(what: str | None) -> list[PortRow]:
    running = find(what)
    cluster = plan(running.file)
    cables = neighbours(cluster)
    rows: list[PortRow] = []
    for board in boards_of(running):
        regs = RegisterMap(board)
        placed = cluster.nodes[board.name]
        if "ib_switch" in regs:
            rows += _switch(board.name, placed, regs["ib_switch"], cables)
        if "ib_port" not in regs:
            continue
        name = f"{board.name}.{placed.design.ib[0]}"
        port = Port(regs["ib_port"])
        state = port.state
        rows.append(
            PortRow(
                name,
                cables.get(name, ""),
                state.port,
                state.phys,
                state.lid,
                state.width,
                _lane_rate(placed, state.symbols, state.width),
                port.counters(),
                port.drops() | _router_drops(regs),
            )
        )
    if not rows:
        raise KumiError(f"{running.name} has no InfiniBand port.", code=2)
    return rows


def _links(rows: list[PortRow]) -> Table:
    table = Table(title="links", title_justify="left")
    for heading in ("port", "LID", "state", "physical", "link", "neighbour"):
        table.add_column(heading)
    for row in rows:
        well = row.port == "Active"
        rate = units.format_rate(row.lane_rate_bps)
        table.add_row(
            row.name,
            str(row.lid) if row.lid else "-",
            row.port if well else f"[red]{row.port}[/]",
            row.phys,
            f"{row.width}x {rate} a lane",
            row.neighbour or "-",
        )
    return table


def _counters(rows: list[PortRow], every: bool) -> Table:
    table = Table(title="counters that are not zero", title_justify="left")
    table.add_column("port")
    table.add_column("counter")
    table.add_column("value", justify="right")
    for row in rows:
        named = row.counters | {f"drops.{name}": value for name, value in row.drops.items()}
        for name, value in named.items():
            if value and (every or name not in _TRAFFIC):
                table.add_row(row.name, name, str(value))
    return table


def run(what: str | None, every: bool, as_json: bool) -> int:
    """Print the ports. Exit 1 if one with a cable is not Active."""
    rows = _rows(what)
    if as_json:
        print(json.dumps({"ports": [asdict(row) for row in rows]}))
    else:
        out.print(_links(rows))
        counters = _counters(rows, every)
        if counters.row_count:
            out.print(counters)
    return 1 if any(row.neighbour and row.port != "Active" for row in rows) else 0
