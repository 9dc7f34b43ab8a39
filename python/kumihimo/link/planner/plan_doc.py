# SPDX-License-Identifier: Apache-2.0
"""A finished plan: tables of every board, links and circuits, as one JSON document.

Tables have one entry per position of a TDM frame. Of an output: null, `[input, owner]` (port
numbers of the board; at a local output the owner is the receiving channel), or "free" (available to
best-effort packets). Of an input: null, the channel that supplies a word, or at a link "free"
(arriving words are best effort).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...common.errors import KumiError
from .best_effort import BOARDS_MOST, best_routes
from .fast import Placed
from .problem import WORD_BITS, Instance
from .request import RequestFile
from .slots import longest_gap

FORMAT = "kumihimo circuit plan"
VERSION = 1
OWNERS = 64  # circuits that a link output of a switch counts separately
FREE = "free"
HINT = "Make one: kumi plan REQUEST.yaml --out plan.json"


@dataclass(frozen=True)
class Plan:
    """The document of a plan, and how it was found."""

    data: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the request."""
        return str(self.data["name"])

    @property
    def slots(self) -> int:
        """S."""
        return int(self.data["slots"])

    @property
    def frame_cycles(self) -> int:
        """R."""
        return int(self.data["slots"]) + int(self.data["guard"])

    @property
    def boards(self) -> dict[str, dict[str, Any]]:
        """Ports and tables by board."""
        return dict(self.data["boards"])

    @property
    def links(self) -> list[dict[str, Any]]:
        """Links with their ends, offset and cycles."""
        return list(self.data["links"])

    @property
    def circuits(self) -> list[dict[str, Any]]:
        """Circuits with their ends, route, positions and times."""
        return list(self.data["circuits"])

    def text(self) -> str:
        """The document as JSON, one line per table."""
        lines = ["{"]
        small = {k: v for k, v in self.data.items() if k not in ("boards", "links", "circuits")}
        lines += [f" {json.dumps(k)}: {json.dumps(v)}," for k, v in small.items()]
        for key in ("links", "circuits"):
            body = ",\n".join(f"  {json.dumps(item)}" for item in self.data[key])
            lines.append(f' "{key}": [\n{body}\n ],')
        boards = []
        for name, board in self.data["boards"].items():
            small = {k: v for k, v in board.items() if k not in ("out", "in", "routes")}
            parts = [f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in small.items()]
            for table in ("out", "in", "routes"):
                rows = ",\n".join(
                    f"    {json.dumps(port)}: {json.dumps(row)}"
                    for port, row in board[table].items()
                )
                parts.append(f'   "{table}": {{\n{rows}\n   }}')
            boards.append(f"  {json.dumps(name)}: {{\n" + ",\n".join(parts) + "\n  }")
        lines.append(' "boards": {\n' + ",\n".join(boards) + "\n }")
        return "\n".join(lines) + "\n}\n"

    def write(self, file: Path) -> None:
        """Write the plan to a file."""
        file.write_text(self.text(), encoding="utf-8")


def load_plan(file: str | Path) -> Plan:
    """Read a plan file. Its content is validated by `check`, not here."""
    path = Path(file)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KumiError(
            f"There is no plan {path}.", "Make one: kumi plan REQUEST.yaml", 2
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise KumiError(f"Cannot read {path}: {problem}.", code=2) from None
    except ValueError as problem:
        raise KumiError(f"{path} is not JSON: {problem}.", code=2) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise KumiError(f"{path} is not a circuit plan.", HINT, 2)
    if data.get("version") != VERSION:
        text = f"{path} has version {data.get('version')} of the format; this is for {VERSION}."
        raise KumiError(text, "Make it again: kumi plan REQUEST.yaml", 2)
    return Plan(data)


def make_plan(
    spec: RequestFile, made: Instance, placed: list[Placed], found: dict[str, Any]
) -> Plan:
    """Build the document from circuits with routes and positions."""
    times, network = made.timing, made.network
    total = times.frame_cycles
    number = {(b, p): i for b, ports in network.ports.items() for i, p in enumerate(ports)}
    out: dict[tuple[str, str], list[Any]] = {key: [None] * total for key in number}
    into: dict[tuple[str, str], list[Any]] = {key: [None] * total for key in number}
    places = {resource: place for place, resource in made.host_input.items()}
    places |= {resource: place for place, resource in made.host_output.items()}
    used: Counter[int] = Counter()
    circuits = []
    for demand, item in zip(made.demands, placed, strict=True):
        source = places[item.route.stops[0][0]]
        target = places[item.route.stops[-1][0]]
        owners = []
        for resource, _offset in item.route.stops:
            owners.append(used[resource])
            used[resource] += 1
        at = source
        for position in item.positions:
            into[source][position] = owners[0]
        for (resource, offset), owner in zip(item.route.stops[1:], owners[1:], strict=True):
            link = network.links[resource] if resource < len(network.links) else None
            to = (link.a, link.a_port) if link else target
            mark = min(owner, OWNERS - 1) if link else owner
            for position in item.positions:
                out[to][(position + offset) % total] = [number[at], mark]
            at = (link.b, link.b_port) if link else target
        gap = longest_gap(list(item.positions), total)
        cycles = item.route.cycles
        circuits.append(
            {
                "name": demand.name,
                "from": ".".join(source),
                "to": ".".join(target),
                "channels": [owners[0], owners[-1]],
                "slots": demand.count,
                "rate_bps": demand.count * WORD_BITS * spec.lanes / total * spec.clock,
                "latency_cycles": cycles,
                "latency_ns": cycles * times.period_ps / 1000,
                "wait_cycles": gap,
                "route": [
                    f"{network.links[n].a}.{network.links[n].a_port}" for n in item.route.links
                ],
                "owners": [min(o, OWNERS - 1) for o in owners[1:-1]],
                "positions": list(item.positions),
            }
        )
    if spec.best_effort:
        _best_effort(made, out, into)
    routes = best_routes(network) if spec.best_effort and len(network.ports) <= BOARDS_MOST else {}
    boards = {
        board: {
            "id": number % BOARDS_MOST,
            "ports": ports,
            "locals": len(network.hosts[board]),
            "follow": _follow(made, board),
            "routes": routes.get(board, {}),
            "out": {port: out[board, port] for port in ports},
            "in": {port: into[board, port] for port in ports},
        }
        for number, (board, ports) in enumerate(network.ports.items())
    }
    links = [
        {
            "from": link.start,
            "to": f"{link.b}.{link.b_port}",
            "offset": times.offset[link.index],
            "cycles": times.hop[link.index],
        }
        for link in network.links
    ]
    head = {
        "format": FORMAT,
        "version": VERSION,
        "name": spec.name,
        "slots": times.slots,
        "guard": times.guard,
        "lanes": spec.lanes,
        "margin": spec.margin,
        "clock_hz": spec.clock,
        "shape": spec.topology.shape,
        "found": found,
    }
    return Plan({**head, "links": links, "circuits": circuits, "boards": boards})


def _follow(made: Instance, board: str) -> str | None:
    """The port to whose TDM frames a board aligns."""
    link = made.timing.follow.get(board)
    return None if link is None else made.network.links[link].b_port


def _best_effort(made: Instance, out: dict[Any, list[Any]], into: dict[Any, list[Any]]) -> None:
    times = made.timing
    for link in made.network.links:
        table = out[link.a, link.a_port]
        for position in range(times.slots):
            there = (position + times.offset[link.index]) % times.frame_cycles
            if table[position] is None and there != times.frame_cycles - 2:
                table[position] = FREE
                into[link.b, link.b_port][there] = FREE


def link_loads(plan: Plan) -> dict[str, int]:
    """Slots that circuits use, by link output."""
    loads: dict[str, int] = {}
    for link in plan.links:
        board, port = link["from"].split(".")
        table = plan.boards[board]["out"][port]
        loads[link["from"]] = sum(isinstance(entry, list) for entry in table)
    return loads
