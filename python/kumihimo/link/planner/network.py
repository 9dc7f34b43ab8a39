# SPDX-License-Identifier: Apache-2.0
"""Boards, switch ports and links, built from a shape, a list of cables or a cluster file.

A cable becomes two links, one per direction. Switch ports are numbered host ports first (`host0`,
...), then link ports (`l0`, ...) in the order of the cables; the tables of a plan use these
numbers.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field

import networkx as nx

from ...clusterfile import ClusterFileError, Problem
from ...clusterfile.load import load
from ...clusterfile.source import Key
from ...common.errors import KumiError, did_you_mean
from .request import BOARDS_MAX, PORTS_MAX, LinkSpec, Request, TopologySpec

_LANE = re.compile(r"^l(\d+)_(\d+)$")


@dataclass(frozen=True)
class Link:
    """One direction of a cable: from a switch's output to the next switch's input."""

    index: int
    a: str
    a_port: str
    b: str
    b_port: str
    delay_ps: int
    cable: int

    @property
    def start(self) -> str:
        """The output that feeds it: `board.port`."""
        return f"{self.a}.{self.a_port}"

    def __str__(self) -> str:
        return f"{self.start} -> {self.b}.{self.b_port}"


@dataclass
class Ways:
    """Cached paths through a network, for one timing; kept between plans."""

    back: nx.DiGraph
    distances: dict[str, dict[str, int]] = field(default_factory=dict)
    some: dict[tuple[str, str], list[tuple[int, ...]]] = field(default_factory=dict)


@dataclass
class Network:
    """Boards with their switch ports, and the links between them."""

    ports: dict[str, list[str]] = field(default_factory=dict)
    hosts: dict[str, list[str]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    cables: int = 0
    out: dict[str, list[Link]] = field(default_factory=dict)
    into: dict[str, list[Link]] = field(default_factory=dict)
    ways: dict[tuple[int, ...], Ways] = field(default_factory=dict)

    def add_board(self, name: str, host_ports: int) -> None:
        """Add a board with its host ports; cables add link ports."""
        if name not in self.ports:
            self.hosts[name] = [f"host{i}" for i in range(host_ports)]
            self.ports[name] = list(self.hosts[name])
            self.out[name], self.into[name] = [], []

    def add_cable(self, a: str, a_port: str, b: str, b_port: str, delay_ps: int) -> None:
        """Add a cable between two boards; an empty port means the next free one, `l<n>`."""
        names = [self._claim(a, a_port), self._claim(b, b_port)]
        for x, x_port, y, y_port in ((a, names[0], b, names[1]), (b, names[1], a, names[0])):
            link = Link(len(self.links), x, x_port, y, y_port, delay_ps, self.cables)
            self.links.append(link)
            self.out[x].append(link)
            self.into[y].append(link)
        self.cables += 1

    def _claim(self, board: str, port: str) -> str:
        if not port:
            port = next(n for i in itertools.count() if (n := f"l{i}") not in self.ports[board])
        if port in self.ports[board]:
            raise ValueError(f"`{board}.{port}` already has a cable; a port takes one")
        self.ports[board].append(port)
        return port

    def graph(self) -> nx.MultiDiGraph:
        """The boards and links as a graph; edge keys are link numbers."""
        made = nx.MultiDiGraph()
        made.add_nodes_from(self.ports)
        for link in self.links:
            made.add_edge(link.a, link.b, key=link.index, delay=link.delay_ps)
        return made

    def ways_for(self, hop: tuple[int, ...]) -> Ways:
        """Cached paths for hop[link] cycles per link."""
        known = self.ways.get(hop)
        if known is None:
            back = nx.DiGraph()
            back.add_nodes_from(self.ports)
            for link in self.links:
                cost = hop[link.index]
                if cost < back.get_edge_data(link.b, link.a, {"cost": cost + 1})["cost"]:
                    back.add_edge(link.b, link.a, cost=cost)
            known = self.ways[hop] = Ways(back)
        return known


def _grid_name(place: object) -> str:
    parts = place if isinstance(place, tuple) else (place,)
    return "n" + "_".join(str(p) for p in parts)


def _shape(spec: TopologySpec) -> nx.Graph:
    """The undirected graph of a regular shape, nodes in order, with their names."""
    if spec.mesh or spec.torus:
        size = spec.mesh or spec.torus or []
        made = nx.Graph()
        places = list(itertools.product(*(range(n) for n in size)))
        made.add_nodes_from(places)
        for place in places:
            for axis, n in enumerate(size):
                step = place[axis] + 1
                if step == n and (spec.mesh or n <= 2):
                    continue
                made.add_edge(place, (*place[:axis], step % n, *place[axis + 1 :]))
    elif spec.line:
        made = nx.path_graph(spec.line)
    elif spec.ring:
        made = nx.cycle_graph(spec.ring) if spec.ring > 2 else nx.path_graph(spec.ring)
    elif spec.full:
        made = nx.complete_graph(spec.full)
    else:
        bits = spec.hypercube or 1
        made = nx.Graph()
        made.add_nodes_from(range(2**bits))
        made.add_edges_from((n, n | 1 << b) for n in made for b in range(bits) if not n >> b & 1)
    return nx.relabel_nodes(made, _grid_name)


def build_network(request: Request) -> Network:
    """Build the network of a request. Raises ClusterFileError for invalid cabling."""
    spec = request.spec.topology
    network = Network()
    if spec.shape == "links":
        _from_links(request, network, spec.links or [])
    elif spec.shape == "cluster":
        _from_cluster(request, network)
    else:
        boards = _count(spec)
        if boards > BOARDS_MAX:
            text = f"{boards} boards are too many: at most {BOARDS_MAX}"
            raise ClusterFileError([request.problem(("topology", spec.shape), text)])
        shape = _shape(spec)
        for name in shape:
            network.add_board(name, spec.host_ports)
        for a, b in shape.edges:
            for _ in range(spec.parallel):
                network.add_cable(a, "", b, "", spec.delay)
    for board, needed in network.ports.items():
        if len(needed) > PORTS_MAX:
            text = f"the switch of `{board}` needs {len(needed)} ports; one has at most {PORTS_MAX}"
            raise ClusterFileError([request.problem(("topology", spec.shape), text)])
    return network


def _count(spec: TopologySpec) -> int:
    total = 1
    for n in spec.mesh or spec.torus or []:
        total *= n
    return total * (spec.line or spec.ring or spec.full or 2 ** (spec.hypercube or 0))


def _from_links(request: Request, network: Network, links: list[LinkSpec]) -> None:
    spec = request.spec.topology
    problems: list[Problem] = []
    # Cables with named ports first, so that "the next free port" cannot take their names.
    for named in (True, False):
        for index, link in enumerate(links):
            ends = [end.partition(".")[::2] for end in link.between]
            if any(port for _board, port in ends) != named:
                continue
            key: Key = ("topology", "links", index, "between")
            (a, a_port), (b, b_port) = ends
            if a == b:
                problems.append(request.problem(key, "both ends are at the same board"))
                continue
            for board in (a, b):
                network.add_board(board, spec.host_ports)
            delay = spec.delay if link.delay is None else link.delay
            for _ in range(spec.parallel if not named else 1):
                try:
                    network.add_cable(a, a_port, b, b_port, delay)
                except ValueError as problem:
                    problems.append(request.problem(key, str(problem)))
    if not links:
        problems.append(request.problem(("topology", "links"), "there is no cable"))
    if problems:
        raise ClusterFileError(problems)


def _from_cluster(request: Request, network: Network) -> None:
    """Cables of a cluster file whose ends are lanes: l<link>_<lane>, bundled as `lanes` says."""
    spec = request.spec
    name = str(spec.topology.cluster)
    key: Key = ("topology", "cluster")
    path = request.source.place(key).file.resolve().parent / name
    if not path.is_file():
        known = [p.name for p in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        text = f"there is no file `{name}`.{did_you_mean(path.name, known)}"
        raise ClusterFileError([request.problem(key, text)])
    loaded = load(path)
    seen: dict[str, Key] = {}
    problems: list[Problem] = []
    bundles: dict[tuple[str, str, str, str], dict[int, tuple[int, Key]]] = {}
    for index, cable in enumerate(loaded.spec.cables):
        ends = [end.partition(".")[::2] for end in cable.between]
        lanes = [_LANE.match(port) for _board, port in ends]
        where: Key = ("cables", index, "between")
        if not any(lanes):
            continue
        if not (lanes[0] and lanes[1]):
            problems.append(loaded.problem(where, "a lane port needs a lane port at the other end"))
            continue
        for text in cable.between:
            if text in seen:
                problems.append(loaded.problem(where, f"`{text}` already has a cable"))
            seen[text] = where
        if spec.lanes == 1:
            sides = (ends[0][0], ends[0][1], ends[1][0], ends[1][1])
            bundles[sides] = {0: (cable.latency, where)}
            continue
        if lanes[0][2] != lanes[1][2]:
            text = f"lane {lanes[0][2]} meets lane {lanes[1][2]}; in a bundle lanes go straight"
            problems.append(loaded.problem(where, text))
            continue
        far = (ends[1][0], f"l{lanes[1][1]}")
        near = (ends[0][0], f"l{lanes[0][1]}")
        sides = (*near, *far) if (*far, *near) not in bundles else (*far, *near)
        bundles.setdefault(sides, {})[int(lanes[0][2])] = (cable.latency, where)
    for sides, found in bundles.items():
        if sorted(found) != list(range(spec.lanes)):
            lacking = f"lanes {', '.join(map(str, sorted(found)))}"
            text = f"link {sides[0]}.{sides[1]} has {lacking}; the request bundles {spec.lanes}"
            problems.append(loaded.problem(next(iter(found.values()))[1], text))
    twice = Counter(end for s in bundles for end in ((s[0], s[1]), (s[2], s[3])))
    for (board, port), count in twice.items():
        if count > 1:
            text = f"link {board}.{port} goes to {count} other links; its lanes must stay together"
            problems.append(loaded.problem(("cables",), text))
    if not bundles and not problems:
        text = f"no cable of {name} joins lane ports (`l0_0`, ...)"
        problems.append(request.problem(key, text))
    if problems:
        raise ClusterFileError(problems)
    for board in loaded.spec.nodes:
        if any(board in (s[0], s[2]) for s in bundles):
            network.add_board(board, spec.topology.host_ports)
    order = sorted(bundles, key=lambda s: (_order(s[1]), _order(s[3]), s))
    for a, a_port, b, b_port in order:
        for board in (a, b):
            if board not in network.ports:
                hint = did_you_mean(board, loaded.spec.nodes)
                raise KumiError(f"{path}: there is no node called `{board}`.{hint}", code=2)
        latency = max(delay for delay, _key in bundles[a, a_port, b, b_port].values())
        network.add_cable(a, a_port, b, b_port, latency)
    for node, hosts in network.hosts.items():
        joined = [port for port in network.ports[node] if port not in hosts]
        joined += [port for port in _open_ports(joined) if port not in joined]
        network.ports[node] = [*hosts, *sorted(joined, key=_order)]


def _open_ports(joined: list[str]) -> list[str]:
    """Uncabled links below the last cabled one; a switch has these ports as well."""
    most = max((_order(port) for port in joined), default=())
    if len(most) == 1:
        return [f"l{i}" for i in range(most[0])]
    lane = most[1] if most else 0
    return [f"l{i}_{lane}" for i in range(most[0])] if most and lane == 0 else []


def _order(port: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", port))
