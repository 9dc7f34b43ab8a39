# SPDX-License-Identifier: Apache-2.0
"""Routes of best-effort packets: shortest up*/down* routes over a spanning tree's order.

Packets hold a link while they wait for the next, so routes must not form a cyclic dependency.
Boards are ordered by their distance from a root (then by name); a link is up if it leads towards
the root in that order. Routes that never go up after going down are free of deadlock, and one
exists between any two boards.
"""

from __future__ import annotations

from collections import deque

import networkx as nx

from .network import Link, Network

NO_ROUTE = 31
BOARDS_MOST = 256


def order(network: Network) -> dict[str, int]:
    """Order of boards: by hops from the first board of their connected component."""
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
    """By board and whether a packet may still go up: the next link of its shortest route."""
    step: dict[tuple[str, bool], Link] = {}
    done = {(target, True), (target, False)}
    waiting = deque([(target, True), (target, False)])
    while waiting:
        board, may_go_up = waiting.popleft()
        for link in network.into[board]:
            up = _up(place, link)
            # After going up a packet may go up again; after going down it may not.
            if up != may_go_up:
                continue
            for before in (True,) if up else (True, False):
                state = (link.a, before)
                if state not in done:
                    done.add(state)
                    step[state] = link
                    waiting.append(state)
    return step
