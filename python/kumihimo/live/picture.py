# SPDX-License-Identifier: Apache-2.0
"""What the page shows, as plain data: graph, rates, drops, latencies.

Made from the counters of a cluster (`Cluster.stats`, a file of `--stats`) and from the exchanges of
its capture. Rates are in bits per simulated second, times in simulated time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx

from ..capture.pairing import Exchange
from ..capture.pcapng import Packet
from ..ledger import Ledger
from ..ledger.wires import ends

Data = dict[str, Any]
BINS = 40
SAMPLES = 20_000
"""Latest latencies that a histogram is made of."""


def _links(stats: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Name and owners of the ends of each cable; the lanes between two nodes are one."""
    found = [(name, one.owner, two.owner) for name, one, two in ends(dict(stats))]
    lanes: dict[tuple[str, str], list[str]] = {}
    for name in stats.get("lanes", {}):
        one, _, two = name.partition("--")
        lanes.setdefault((one.partition(".")[0], two.partition(".")[0]), []).append(name)
    return found + [(_label(stats["lanes"], names), *pair) for pair, names in lanes.items()]


def _label(lanes: Mapping[str, Any], names: list[str]) -> str:
    """Of what joins two nodes, by their number, or the width of InfiniBand cables."""
    widths = sorted(lanes[name]["width"] for name in names if "width" in lanes[name])
    if len(widths) < len(names):
        return f"{len(names)} lanes"
    return "InfiniBand " + ", ".join(f"{width}x" for width in widths)


def graph(stats: Mapping[str, Any]) -> Data:
    """Stations with places between 0 and 1, and the cables between them."""
    kinds = {"switches": "switch", "taps": "Linux", "peers": "socket"}
    stations = {name: str(node["design"]) for name, node in stats["nodes"].items()}
    for section, kind in kinds.items():
        stations |= dict.fromkeys(stats.get(section, {}), kind)
    links = [link for link in _links(stats) if link[1] in stations and link[2] in stations]
    net = nx.Graph()
    net.add_nodes_from(stations)
    net.add_edges_from((one, two) for _, one, two in links)
    places = nx.spring_layout(net, seed=7, iterations=200) if len(stations) > 1 else {}
    xs = [float(p[0]) for p in places.values()] or [0.0]
    ys = [float(p[1]) for p in places.values()] or [0.0]

    def scaled(value: float, every: list[float]) -> float:
        span = max(every) - min(every)
        return round((value - min(every)) / span, 4) if span > 1e-9 else 0.5

    return {
        "stations": [
            {
                "name": name,
                "what": what.removeprefix("kumi_node_"),
                "x": scaled(float(places[name][0]), xs) if places else 0.5,
                "y": scaled(float(places[name][1]), ys) if places else 0.5,
            }
            for name, what in stations.items()
        ],
        "cables": [{"name": name, "a": one, "b": two} for name, one, two in links],
    }


def cables(stats: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> list[Data]:
    """Rate, frames and drops of each direction of each Ethernet cable, since `before`."""
    now = int(stats["engine"]["now_ps"])
    then = int(before["engine"]["now_ps"]) if before else 0
    found = []
    for name, _, _ in ends(dict(stats)):
        cable = stats["cables"][name]
        row: Data = {"name": name, "plugged": bool(cable.get("plugged", 1))}
        for way in ("ab", "ba"):
            link = cable[way]
            old = before["cables"][name][way]["bytes_in"] if before else 0
            moved = 8e12 * (int(link["bytes_in"]) - int(old))
            dropped = ("lost", "fcs_dropped", "backlog_dropped", "unplugged")
            row[way] = {
                "bps": moved / (now - then) if now > then else 0.0,
                "frames": int(link["frames_in"]),
                "dropped": sum(int(link.get(key, 0)) for key in dropped),
            }
        found.append(row)
    return found


def drops(stats: Mapping[str, Any]) -> list[Data]:
    """Counters of drops that are not zero, with what they mean."""
    return [
        {"where": where, "counter": item.name, "count": item.count, "why": item.text}
        for where, item in Ledger.of(stats).drops
    ]


def histogram(latencies: list[int]) -> Data:
    """Counts in bins of equal width, in microseconds; what is beyond 99.5 % is in the last."""
    ordered = sorted(latencies[-SAMPLES:])
    if not ordered:
        return {"us": [], "count": []}
    low, high = ordered[0], ordered[int(0.995 * (len(ordered) - 1))]
    width = max(1.0, (high - low) / BINS)
    counts = [0] * BINS
    for value in ordered:
        counts[min(BINS - 1, int((value - low) / width))] += 1
    return {"us": [(low + (i + 0.5) * width) / 1000 for i in range(BINS)], "count": counts}


def exchanges(found: Iterable[Exchange]) -> list[Data]:
    """Figures and the histogram of each kind of request."""
    return [{**e.figures(), "histogram": histogram(e.latency_ns)} for e in found]


def rates(packets: Iterable[Packet], bins: int = 100) -> list[Data]:
    """Rate over time of each interface and direction of a capture."""
    seen: dict[tuple[str, bool | None], list[tuple[int, int]]] = {}
    for packet in packets:
        times = seen.setdefault((packet.interface, packet.inbound), [])
        times.append((packet.time_ns, len(packet.data) + 24))
    last = max((times[-1][0] for times in seen.values()), default=0)
    width = max(1, -(-(last + 1) // bins))
    found = []
    for (interface, inbound), times in seen.items():
        counts = [0] * bins
        for time_ns, size in times:
            counts[time_ns // width] += size
        way = {True: " in", False: " out", None: ""}[inbound]
        found.append(
            {
                "name": interface + way,
                "us": [(i + 0.5) * width / 1000 for i in range(bins)],
                "bps": [8e9 * count / width for count in counts],
            }
        )
    return found
