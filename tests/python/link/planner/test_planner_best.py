# SPDX-License-Identifier: Apache-2.0
"""Routes of best-effort packets: they arrive, and no circle of links can wait for itself."""

from __future__ import annotations

import networkx as nx
import pytest
from kumihimo.link.planner.best_effort import NO_ROUTE, best_routes
from kumihimo.link.planner.network import Network, build_network
from kumihimo.link.planner.request import parse_request
from planning import request

SHAPES = ["line: 4", "ring: 5", "mesh: [4, 3]", "torus: [4, 4]", "hypercube: 4", "full: 6"]


def _walk(network: Network, source: str, target: str) -> list[int]:
    """The links of a packet, by the tables alone."""
    tables = best_routes(network)
    number = list(network.ports).index(target)
    wire = {(link.a, link.a_port): link for link in network.links}
    board, port, taken = source, "host0", []
    while board != target:
        out = tables[board][port][number]
        assert out != NO_ROUTE, (source, target, board, port)
        link = wire[board, network.ports[board][out]]
        taken.append(link.index)
        assert len(taken) <= len(network.ports)
        board, port = link.b, link.b_port
    return taken


@pytest.mark.parametrize("shape", SHAPES)
def test_every_packet_arrives_and_nothing_waits_in_a_circle(shape: str) -> None:
    network = build_network(parse_request(request(shape, 16)))
    waits = nx.DiGraph()
    hops = direct = 0
    lengths = dict(nx.all_pairs_shortest_path_length(nx.Graph(network.graph())))
    for source in network.ports:
        for target in network.ports:
            if source != target:
                taken = _walk(network, source, target)
                nx.add_path(waits, taken)
                hops += len(taken)
                direct += lengths[source][target]
    assert nx.is_directed_acyclic_graph(waits)
    assert hops <= 1.5 * direct


def test_shortest_ways_alone_would_wait_in_a_circle() -> None:
    """The reference can fail: on a torus the shortest ways do close circles."""
    network = build_network(parse_request(request("ring: 5", 16)))
    by_ends = {(link.a, link.b): link.index for link in network.links}
    waits = nx.DiGraph()
    for _source, paths in nx.all_pairs_shortest_path(nx.Graph(network.graph())):
        for path in paths.values():
            nx.add_path(waits, [by_ends[a, b] for a, b in nx.utils.pairwise(path)])
    assert not nx.is_directed_acyclic_graph(waits)


def test_parts_that_are_not_joined() -> None:
    links = "links: [{between: [a, b]}, {between: [c, d]}]"
    network = build_network(parse_request(request(links, 16)))
    tables = best_routes(network)
    names = list(network.ports)
    assert tables["a"]["host0"][names.index("b")] == 1
    assert tables["a"]["host0"][names.index("c")] == NO_ROUTE
