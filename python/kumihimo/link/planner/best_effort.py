# SPDX-License-Identifier: Apache-2.0
"""Routes of best-effort packets: the shortest that go up and then down a spanning tree's order.

Packets hold a link while they wait for the next, so routes must never wait for each other in a
circle. Boards are ordered by their distance from a root (then by name); a link is up when it leads
towards the root's side of that order. A route that never goes up after it went down cannot close a
circle, and there is one between any two boards.
"""

from __future__ import annotations

from collections import deque

import networkx as nx

from .network import Link, Network

NO_ROUTE = 31
BOARDS_MOST = 256


def order(network: Network) -> dict[str, int]:
    """Place of each board: by hops from the first board of its part of the network."""
    graph = nx.Graph(network.graph())
    places: list[tuple[int, str]] = []
    for part in nx.connected_components(graph):
        root = min(part, key=list(network.ports).index)
        far = nx.single_source_shortest_path_length(graph, root)
        places += [(far[board], board) for board in part]
    return {board: i for i, (_far, board) in enumerate(sorted(places))}


def best_routes(network: Network) -> dict[str, dict[str, list[int]]]:
    """By board and input port: the output port for each destination, boards numbered in order."""
    place = order(network)
    boards = list(network.ports)
    tables = {
        board: {port: [NO_ROUTE] * len(boards) for port in network.ports[board]} for board in boards
    }
    for number, target in enumerate(boards):
        step = _towards(network, place, target)
        for board in boards:
            if board == target:
                continue
            came = {port: True for port in network.hosts[board]}
            came |= {link.b_port: _up(place, link) for link in network.into[board]}
            for port, may_go_up in came.items():
                link = step.get((board, may_go_up))
                if link is not None:
                    out = network.ports[board].index(link.a_port)
                    tables[board][port][number] = out
    return tables


def _up(place: dict[str, int], link: Link) -> bool:
    return place[link.b] < place[link.a]


def _towards(network: Network, place: dict[str, int], target: str) -> dict[tuple[str, bool], Link]:
    """By board and whether a packet there may still go up: the link of its shortest way."""
    step: dict[tuple[str, bool], Link] = {}
    done = {(target, True), (target, False)}
    waiting = deque([(target, True), (target, False)])
    while waiting:
        board, may_go_up = waiting.popleft()
        for link in network.into[board]:
            up = _up(place, link)
            # After a way up a packet may still go up, after a way down no more.
            if up != may_go_up:
                continue
            for before in (True,) if up else (True, False):
                state = (link.a, before)
                if state not in done:
                    done.add(state)
                    step[state] = link
                    waiting.append(state)
    return step
