# SPDX-License-Identifier: Apache-2.0
"""Timing of the circuit switches, as the planner uses it.

A board counts positions 0 .. R-1, one per cycle, R = S + G: S slots and G guard cycles. A word that
crosses the switch of board b at position x to a link crosses the next switch at position
(x + offset) mod R; the offset belongs to the link and its direction. A link output may carry a word
at positions below S; a local output at all but R-2, where a board that follows another's clock may
skip a cycle. A hop takes the same number of cycles at every position, so a circuit's latency is a
constant: the sum over its links, one cycle before and three after.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from .network import Network

HOP_FIXED = 3  # of a switch, apart from its margin
LANE_CYCLES = 3  # sender and receiver of a link of one lane
BUNDLE_CYCLES = 6  # the same with several lanes and no skew between them
PORT_CYCLES = 4  # from the port to the first crossing, and from the last crossing to the port


@dataclass(frozen=True)
class Timing:
    """Timing of one table size, in cycles of the word clock.

    slots, guard: S and G.
    period_ps:    one cycle.
    offset:       by link: what is added to a word's position when it crosses the link (mod R).
    hop:          by link: cycles between crossings.
    follow:       by board: the link whose TDM frames it follows.
    """

    slots: int
    guard: int
    period_ps: float
    offset: tuple[int, ...]
    hop: tuple[int, ...]
    follow: Mapping[str, int]

    @property
    def frame_cycles(self) -> int:
        """R: cycles of a TDM frame, and positions of a table."""
        return self.slots + self.guard

    @property
    def link_mask(self) -> int:
        """Positions at which a link output may carry a word."""
        return (1 << self.slots) - 1

    @property
    def output_mask(self) -> int:
        """Positions at which a local output may take a word."""
        return self.input_mask & ~(1 << (self.frame_cycles - 2))

    @property
    def input_mask(self) -> int:
        """Positions at which a local input may give a word."""
        return (1 << self.frame_cycles) - 1

    def cycles(self, links: tuple[int, ...]) -> int:
        """Cycles of a circuit over these links, from port to port."""
        return PORT_CYCLES + sum(self.hop[n] for n in links)


def timing(
    network: Network,
    slots: int,
    guard: int,
    clock_hz: float,
    lanes: int = 1,
    margin: int = 1,
    root: str | None = None,
    measured: Mapping[tuple[str, str], int] | None = None,
) -> Timing:
    """Compute the timing of a network.

    Args:
        network: boards and links.
        slots: S.
        guard: G.
        clock_hz: word clock.
        lanes: lanes bundled in a link.
        margin: cycles that the switches add to a hop for late words.
        root: board to which all others align, along the fewest hops; None: all boards are aligned.
        measured: measured offsets, by board and output port.
    """
    core = LANE_CYCLES if lanes == 1 else BUNDLE_CYCLES
    period_ps = 1e12 / clock_hz
    hop = tuple(
        HOP_FIXED + margin + core + math.ceil(link.delay_ps / period_ps - 1e-9)
        for link in network.links
    )
    phase = dict.fromkeys(network.ports, 0)
    follow: dict[str, int] = {}
    if root is not None:
        first = {(link.b, link.a): link.index for link in reversed(network.links)}
        for parent, child in nx.bfs_edges(network.graph(), root):
            follow[child] = first[child, parent]
            phase[child] = phase[parent] + hop[follow[child]]
    frame_cycles = slots + guard
    offset = tuple(
        (measured or {}).get(
            (link.a, link.a_port), (hop[link.index] + phase[link.a] - phase[link.b]) % frame_cycles
        )
        for link in network.links
    )
    return Timing(slots, guard, period_ps, offset, hop, follow)
