# SPDX-License-Identifier: Apache-2.0
"""Networks of the model: a tree of Ethernet switches, and a torus of serial links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from .program import Numbers


@dataclass(frozen=True)
class Tree:
    """Switches of switches of boards.

    radix:            boards of a leaf switch, leaf switches of the next, ...
    oversubscription: what the boards below a switch can send, relative to its uplink.

    The uplink stands for the parallel uplinks of a fat tree whose traffic is spread evenly.
    """

    radix: tuple[int, ...]
    oversubscription: float = 1.0

    @property
    def boards(self) -> int:
        """Number of boards."""
        return prod(self.radix)

    @property
    def label(self) -> str:
        """Short name."""
        over = f", {self.oversubscription:g}:1" if self.oversubscription != 1 else ""
        return f"tree {' x '.join(map(str, self.radix))}{over}"

    def below(self, level: int) -> int:
        """Boards below a switch of a level, from 1."""
        return prod(self.radix[:level])

    def meeting(self, a: Numbers, b: Numbers) -> Numbers:
        """Level of the lowest switch above both boards."""
        level = np.ones(len(a), np.int64)
        for step in range(1, len(self.radix)):
            level += a // self.below(step) != b // self.below(step)
        return level

    def uplink(self, level: int) -> float:
        """Rate of a switch's uplink, relative to a board's line."""
        return self.below(level) / self.oversubscription

    def links(self, a: Numbers, b: Numbers) -> Iterator[tuple[Numbers, Numbers, float]]:
        """Shared links in the order of the way: who uses it, its number, its relative rate.

        Up to the meeting level, down from there, and the line of the receiving board.
        """
        meeting, top = self.meeting(a, b), len(self.radix) - 1
        number = 0
        for level in range(1, top + 1):
            users = np.flatnonzero(meeting > level)
            yield users, number + a[users] // self.below(level), self.uplink(level)
            number += self.boards // self.below(level)
        for level in range(top, 0, -1):
            users = np.flatnonzero(meeting > level)
            yield users, number + b[users] // self.below(level), self.uplink(level)
            number += self.boards // self.below(level)
        yield np.arange(len(a)), number + b, 1.0

    @property
    def link_count(self) -> int:
        """Numbers that `links` gives are below this."""
        inner = sum(self.boards // self.below(level) for level in range(1, len(self.radix)))
        return 2 * inner + self.boards


@dataclass(frozen=True)
class Torus:
    """Boards in rows and columns, each joined to its neighbours by serial links of one lane."""

    shape: tuple[int, int]

    @property
    def boards(self) -> int:
        """Number of boards."""
        return prod(self.shape)

    @property
    def label(self) -> str:
        """Short name."""
        return f"torus {self.shape[0]} x {self.shape[1]}"


def tree_of(boards: int, ports: int = 32, oversubscription: float = 1.0) -> Tree:
    """The tree of switches with `ports` downlinks for that many boards."""
    radix: list[int] = []
    left = boards
    while left > ports:
        if left % ports:
            raise ValueError(f"{boards} boards do not fill switches of {ports}")
        radix.append(ports)
        left //= ports
    return Tree((*radix, left), oversubscription)


def torus_of(boards: int) -> Torus:
    """The torus nearest to a square."""
    across = next(n for n in range(int(boards**0.5), 0, -1) if boards % n == 0)
    return Torus((boards // across, across))
