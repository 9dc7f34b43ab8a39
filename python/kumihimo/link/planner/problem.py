# SPDX-License-Identifier: Apache-2.0
"""A request as integers: resources with slots, demands, and the timing of each hop.

A resource serves one circuit at each position of a TDM frame: a link (the switch output that feeds
it), a host port as an input, a host port as an output. Positions are those of the resource's board;
`timing` translates them from board to board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import networkx as nx

from ...clusterfile import ClusterFileError, Problem
from ...clusterfile.source import Key
from ...common.errors import did_you_mean
from .network import Network, Ways
from .request import CircuitSpec, Request
from .slots import rotated
from .timing import PORT_CYCLES, Timing, timing

WORD_BITS = 64


@dataclass(frozen=True)
class Demand:
    """A requested circuit: its ports as resource numbers, slots, and bounds in cycles."""

    index: int
    name: str
    source: str
    target: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    count: int
    latency: int | None
    gap: int
    key: Key

    def __str__(self) -> str:
        return f"{self.name} ({self.source} to {self.target}, {plural(self.count, 'slot')})"


@dataclass(frozen=True)
class Route:
    """A route between host ports, and the positions of a circuit's words along it.

    `stops` holds (resource, offset): a word that enters at position x uses the resource at position
    x + offset (mod R). `legal` is the set of positions x that are allowed at every stop. `cycles`
    is the time from port to port.
    """

    links: tuple[int, ...]
    stops: tuple[tuple[int, int], ...]
    legal: int
    cycles: int


@dataclass
class Instance:
    """Resources, demands and timing for one size of the table."""

    network: Network
    timing: Timing
    demands: list[Demand]
    host_input: dict[tuple[str, str], int]
    host_output: dict[tuple[str, str], int]
    names: list[str]
    channels: int

    @property
    def ways(self) -> Ways:
        """Cached paths of the network for this timing."""
        return self.network.ways_for(self.timing.hop)

    def part(self, wanted: list[int]) -> Instance:
        """The instance restricted to some demands."""
        some = [replace(self.demands[n], index=i) for i, n in enumerate(wanted)]
        return replace(self, demands=some)

    @property
    def slots(self) -> int:
        """Slots of a table."""
        return self.timing.slots

    @property
    def resources(self) -> int:
        """Number of resources; the links are the first of them."""
        return len(self.names)

    @property
    def frame_cycles(self) -> int:
        """Positions of a table."""
        return self.timing.frame_cycles

    def mask(self, resource: int) -> int:
        """Positions at which a resource can serve."""
        if resource < len(self.network.links):
            return self.timing.link_mask
        if resource < len(self.network.links) + len(self.host_input):
            return self.timing.input_mask
        return self.timing.output_mask

    def route(self, source: int, links: tuple[int, ...], target: int) -> Route:
        """The route through these links, with its offsets and latency."""
        times = self.timing
        period, open_ = times.frame_cycles, times.link_mask
        stops = [(source, 0)]
        offset = 0
        legal = times.input_mask
        for number in links:
            stops.append((number, offset))
            legal &= rotated(open_, offset, period)
            offset = (offset + times.offset[number]) % period
        stops.append((target, offset))
        legal &= rotated(times.output_mask, offset, period)
        return Route(links, tuple(stops), legal, self.timing.cycles(links))

    def shortest(self, source: str, target: str) -> int | None:
        """Minimum latency between two boards in cycles; None: unreachable."""
        far = self.towards(target).get(source)
        return None if far is None else far + PORT_CYCLES

    def towards(self, target: str) -> dict[str, int]:
        """Link cycles to `target` from every board that can reach it."""
        ways = self.ways
        if target not in ways.distances:
            found = nx.single_source_dijkstra_path_length(ways.back, target, weight="cost")
            ways.distances[target] = dict(found)
        return ways.distances[target]


def plural(count: int, word: str) -> str:
    """`1 slot`, `2 slots`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def instance(request: Request, network: Network, slots: int) -> Instance:
    """A request with tables of `slots` slots. ClusterFileError names unknown ends."""
    spec = request.spec
    measured = _measured(request, network)
    times = timing(
        network,
        slots,
        spec.guard,
        spec.clock,
        spec.lanes,
        spec.margin,
        spec.follow,
        measured,
    )
    names = [str(link) for link in network.links]
    host_input: dict[tuple[str, str], int] = {}
    host_output: dict[tuple[str, str], int] = {}
    for table, way in ((host_input, "into"), (host_output, "out of")):
        for board, hosts in network.hosts.items():
            for port in hosts:
                table[board, port] = len(names)
                names.append(f"{way} {board}.{port}")
    made = Instance(network, times, [], host_input, host_output, names, spec.channels)
    problems: list[Problem] = []
    seen: dict[str, Key] = {}
    for index, circuit in enumerate(spec.circuits):
        key: Key = ("circuits", index)
        name = circuit.name or f"c{index}"
        ends = [(circuit.source, "from"), (circuit.target, "to")]
        found = [_end(request, network, text, (*key, where), problems) for text, where in ends]
        if found[0] is None or found[1] is None:
            continue
        ways = [(name, found[0], found[1])]
        if circuit.both_ways:
            ways.append((f"{name}_back", found[1], found[0]))
        for label, source, target in ways:
            if label in seen:
                first = request.source.place(seen[label])
                text = f"the name `{label}` is used twice (also {first})"
                problems.append(request.problem(key, text))
            seen[label] = key
            made.demands.append(_demand(made, circuit, label, source, target, key, spec.lanes))
    if problems:
        raise ClusterFileError(problems)
    return made


def _measured(request: Request, network: Network) -> dict[tuple[str, str], int]:
    """Offsets of the request by board and output port; the names are checked."""
    spec = request.spec
    problems: list[Problem] = []
    if spec.follow is not None and spec.follow not in network.ports:
        hint = did_you_mean(spec.follow, network.ports)
        text = f"there is no board called `{spec.follow}`.{hint}"
        problems.append(request.problem(("follow",), text))
    known = {f"{link.a}.{link.a_port}": (link.a, link.a_port) for link in network.links}
    measured = {}
    for name, value in spec.offsets.items():
        key: Key = ("offsets", name)
        if name not in known:
            text = f"there is no link that leaves from here.{did_you_mean(name, known)}"
            problems.append(request.problem(key, text))
        elif not 0 <= value < spec.slots + spec.guard:
            text = f"expected 0 to {spec.slots + spec.guard - 1}, found `{value}`"
            problems.append(request.problem(key, text))
        else:
            measured[known[name]] = value
    if spec.offsets and spec.minimise == "slots":
        text = "measured offsets belong to one size of the table; take `minimise: slots` away"
        problems.append(request.problem(("offsets",), text))
    if problems:
        raise ClusterFileError(problems)
    return measured


End = tuple[str, tuple[str, ...]]


def _end(
    request: Request, network: Network, text: str, key: Key, problems: list[Problem]
) -> End | None:
    board, _, port = text.partition(".")
    if board not in network.ports:
        hint = did_you_mean(board, network.ports)
        problems.append(request.problem(key, f"there is no board called `{board}`.{hint}"))
        return None
    hosts = network.hosts[board]
    if port and port not in hosts:
        known = did_you_mean(port, hosts)
        problems.append(request.problem(key, f"`{board}` has no host port `{port}`.{known}"))
        return None
    return board, (port,) if port else tuple(hosts)


def _demand(
    made: Instance, spec: CircuitSpec, name: str, source: End, target: End, key: Key, lanes: int
) -> Demand:
    times = made.timing
    count = 1
    if spec.slots is not None:
        count = spec.slots
    elif spec.share is not None:
        count = math.ceil(spec.share * times.slots)
    elif spec.rate is not None:
        slot_bps = WORD_BITS * lanes * 1e12 / times.period_ps / times.frame_cycles
        count = max(1, math.ceil(spec.rate / slot_bps - 1e-9))
    latency = None if spec.latency is None else math.floor(spec.latency / times.period_ps + 1e-9)
    gap = times.frame_cycles
    if spec.wait is not None:
        gap = min(gap, math.floor(spec.wait / times.period_ps + 1e-9))
    inputs = tuple(made.host_input[source[0], port] for port in source[1])
    outputs = tuple(made.host_output[target[0], port] for port in target[1])
    index = len(made.demands)
    return Demand(index, name, source[0], target[0], inputs, outputs, count, latency, gap, key)
