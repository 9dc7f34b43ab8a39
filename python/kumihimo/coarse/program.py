# SPDX-License-Identifier: Apache-2.0
"""Collectives as rounds: who sends which words to whom, for boards and for the model alike.

In a round every board sends at most one message, once what the round before sent to it has arrived;
a round without destinations only combines what has arrived with the board's own words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
FRAME_WORDS = 256
"""Words of a frame, as FRAME in exchange.cl."""
RATE_GBPS = 40
"""Of a board's Ethernet line."""


class Combine(IntEnum):
    """What becomes of the words that have arrived, where this round sends."""

    NOTHING = 0
    ADD = 1
    REPLACE = 2


@dataclass(frozen=True)
class Round:
    """One round of all boards.

    to:      destination of each board; on a torus the dimension along which all send; None: a round
             in which nobody sends.
    words:   of each message, or that are combined.
    source:  first word of each board's data.
    combine: with what the last round in which somebody sent has brought.
    skip:    words of that message that are left out in front.
    """

    to: Numbers | int | None
    words: int
    source: Numbers
    combine: Combine = Combine.NOTHING
    skip: int = 0


@dataclass(frozen=True)
class Program:
    """A collective of all boards: its rounds, made when they are asked for."""

    name: str
    boards: int
    rounds: int
    round: Callable[[int], Round]

    def all(self) -> list[Round]:
        """Every round, for a run of real boards."""
        return [self.round(number) for number in range(self.rounds)]


def _ranks(boards: int) -> Numbers:
    return np.arange(boards, dtype=np.int64)


def ring_all_reduce(boards: int, words: int) -> Program:
    """Reduce-scatter and all-gather round a ring; each message has 1/boards of the vector."""
    ranks, part = _ranks(boards), -(-words // boards)
    last = 2 * (boards - 1)

    def make(number: int) -> Round:
        how = Combine.ADD if number < boards else Combine.REPLACE
        source = (ranks - number) % boards * part
        to = None if number == last else (ranks + 1) % boards
        return Round(to, part, source, how if number else Combine.NOTHING)

    return Program("ring", boards, last + 1, make)


def doubling_all_reduce(boards: int, words: int) -> Program:
    """Recursive doubling: whole vectors, to the board whose number differs in one bit."""
    ranks, last = _ranks(boards), boards.bit_length() - 1
    if boards != 1 << last:
        raise ValueError(f"recursive doubling takes a power of two of boards, not {boards}")

    def make(number: int) -> Round:
        to = None if number == last else ranks ^ (1 << number)
        return Round(to, words, ranks * 0, Combine.ADD if number else Combine.NOTHING)

    return Program("doubling", boards, last + 1, make)


def all_to_all(boards: int, words: int) -> Program:
    """Pairwise exchange: in round r each board sends `words` to the board r + 1 further."""
    ranks, last = _ranks(boards), boards - 1

    def make(number: int) -> Round:
        if number == last:
            return Round(None, 0, ranks * 0)
        to = (ranks + number + 1) % boards
        return Round(to, words, to * words)

    return Program("all-to-all", boards, last + 1, make)


def torus_all_reduce(shape: tuple[int, int], words: int) -> Program:
    """Reduce-scatter along x, then y, all-gather along y, then x; only neighbours talk."""
    across, down = shape
    ranks = _ranks(across * down)
    x, y = ranks % across, ranks // across
    part, small = -(-words // across), -(-words // across // down)
    mine = (x + 1) % across * part  # where the part that a row has left to this board begins
    rounds: list[Round] = []

    def scatter(to: int, size: int, at: Numbers, length: int, base: Numbers) -> None:
        for r in range(length - 1):
            how = Combine.ADD if r else Combine.NOTHING
            rounds.append(Round(to, size, base + (at - r) % length * size, how))
        if length > 1:
            rounds.append(Round(None, size, base + (at + 1) % length * size, Combine.ADD))

    def gather(to: int, size: int, at: Numbers, length: int, base: Numbers) -> None:
        for r in range(length - 1):
            how = Combine.REPLACE if r else Combine.NOTHING
            rounds.append(Round(to, size, base + (at + 1 - r) % length * size, how))
        if length > 1:
            rounds.append(Round(None, size, base + (at + 2) % length * size, Combine.REPLACE))

    scatter(0, part, x, across, ranks * 0)
    scatter(1, small, y, down, mine)
    gather(1, small, y, down, mine)
    gather(0, part, x, across, ranks * 0)
    return Program("torus all-reduce", across * down, len(rounds), rounds.__getitem__)


def torus_all_to_all(shape: tuple[int, int], words: int) -> Program:
    """Blocks for whole columns go along x, each board taking its own out; then the same along y."""
    across, down = shape
    ranks = _ranks(across * down)
    rounds: list[Round] = []
    for to, length, block in ((0, across, down * words), (1, down, across * words)):
        for r in range(length - 1):
            # The first block of what has arrived is this board's, the rest goes on.
            how, skip = (Combine.REPLACE, block) if r else (Combine.NOTHING, 0)
            rounds.append(Round(to, (length - 1 - r) * block, ranks * 0, how, skip))
    rounds.append(Round(None, 0, ranks * 0))
    return Program("torus all-to-all", across * down, len(rounds), rounds.__getitem__)


ALGORITHMS = {
    "ring": ring_all_reduce,
    "doubling": doubling_all_reduce,
    "all-to-all": all_to_all,
}
TORUS = {"all-reduce": torus_all_reduce, "all-to-all": torus_all_to_all}
