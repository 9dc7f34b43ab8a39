# SPDX-License-Identifier: Apache-2.0
"""Predicts how long a collective takes, from parameters that `fit` has found.

A message alone takes a time linear in a few features (`alone_features`). On a tree each of its
frames also queues behind those of others, first come first served, at every uplink, downlink and at
the receiver's line. A board sends in a round when the message of the round before has arrived, so
the times of all boards are worked out round by round, as arrays.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .network import Torus, Tree
from .program import FRAME_WORDS, RATE_GBPS, Combine, Program, Round

Times = NDArray[np.float64]
KEPT = Path(__file__).with_name("fitted.json")
TREE_NAMES = (
    *("message", "switch", "word", "further_word", "stored_word"),
    *("combine", "combined_word", "end", "last_word"),
)
LINK_NAMES = ("message", "word", "word_to_32", "word_to_128", "local", "local_word", "end")
WORD_BYTES = {"tree": 32, "torus": 8}
_LINE_OVERHEAD = 32 + 14 + 24  # header word, Ethernet header, preamble, FCS and gap
_MOST_PIECES = 8  # of a message, when its frames are followed one by one
_EXACT_ROUNDS = 256
_SAMPLES, _BURST = 48, 4


def _line_ns(words: float) -> float:
    """Time of a frame on a board's line."""
    return (32 * words + _LINE_OVERHEAD) * 8 / RATE_GBPS


@dataclass(frozen=True)
class Prediction:
    """A predicted time with its band: the largest error of the held-out runs, and sampling."""

    algorithm: str
    network: str
    boards: int
    ns: float
    low_ns: float
    high_ns: float


@dataclass(frozen=True)
class Model:
    """Parameters in nanoseconds, and the errors of the runs that they were not fitted to."""

    tree: Mapping[str, float]
    torus: Mapping[str, float]
    error: Mapping[str, float] = field(default_factory=dict)
    """Largest relative error against held-out runs: `tree`, `torus`."""

    @staticmethod
    def load(file: Path = KEPT) -> Model:
        """The parameters that were kept last."""
        data = json.loads(file.read_text(encoding="utf-8"))
        return Model(data["tree"], data["torus"], data["error"])

    def as_dict(self) -> dict[str, Any]:
        """What `load` reads."""
        return {"tree": dict(self.tree), "torus": dict(self.torus), "error": dict(self.error)}

    def predict(self, network: Tree | Torus, program: Program) -> Prediction:
        """How long the program takes on that network."""
        if isinstance(network, Torus):
            ns, spread, kind = self._on_torus(program), 0.0, "torus"
        else:
            ns, spread = _OnTree(self.tree, network).run(program)
            kind = "tree"
        band = self.error.get(kind, 0.0) * ns + spread
        name, label = program.name, network.label
        return Prediction(name, label, program.boards, ns, max(ns - band, 0.0), ns + band)

    def _on_torus(self, program: Program) -> float:
        """All boards do the same at the same time, on links that nobody shares."""
        values = np.array([self.torus[name] for name in LINK_NAMES])
        return float(torus_features(program) @ values)


def torus_features(program: Program) -> Times:
    """How often each of LINK_NAMES counts."""
    out = np.zeros(len(LINK_NAMES))
    for each in program.all():
        words = each.words
        if each.to is None:
            out += (0, 0, 0, 0, 1, words, 0)
        else:
            out += (1, words, min(words, 32), min(words, 128), 0, 0, 0)
    out[-1] = 1
    return out


class _OnTree:
    """A run of a program on a tree, in the model."""

    def __init__(self, values: Mapping[str, float], tree: Tree) -> None:
        self._p, self._tree = values, tree
        self._busy = np.zeros(tree.link_count)

    @cached_property
    def _stores(self) -> NDArray[np.float64]:
        """By meeting level: uplinks faster than what leads to them; frames are stored there."""
        rates = [1.0, *(self._tree.uplink(level) for level in range(1, len(self._tree.radix)))]
        faster = [float(b > a) for a, b in pairwise(rates)]
        return np.cumsum([0.0, 0.0, *faster])

    def _alone(self, round_: Round, meeting: NDArray[np.int64]) -> Times:
        p, words = self._p, round_.words
        first = min(words, FRAME_WORDS)
        ns = p["message"] + p["word"] * first + p["further_word"] * (words - first)
        if round_.combine != Combine.NOTHING:
            ns += p["combine"] + p["combined_word"] * words
        hops = 2.0 * (meeting - 1)
        stored: Times = p["stored_word"] * first * self._stores[meeting]
        return ns + p["switch"] * hops + stored

    def _step(self, round_: Round, ready: Times) -> Times:
        """When each board has its message of this round."""
        assert isinstance(round_.to, np.ndarray)
        boards = np.arange(len(ready))
        meeting = self._tree.meeting(boards, round_.to)
        pieces = min(-(-round_.words // FRAME_WORDS), _MOST_PIECES)
        size = round_.words / pieces
        gap = max(self._p["further_word"] * size, _line_ns(size)) if pieces > 1 else 0.0
        # Frames of all boards, board by board.
        source = np.repeat(boards, pieces)
        target = np.repeat(round_.to, pieces)
        at = np.repeat(ready, pieces) + np.tile(np.arange(pieces) * gap, len(boards))
        late = np.zeros(len(at))
        for users, link, rate in self._tree.links(source, target):
            if not len(users):
                continue
            here = at[users] + late[users]
            late[users] += self._queue(link, here, _line_ns(size) / rate)
            at[users] += self._p["switch"]
        delay = late.reshape(-1, pieces)[:, -1]
        arrived = np.empty(len(ready))
        arrived[round_.to] = ready + self._alone(round_, meeting) + delay
        return np.maximum(arrived, ready + gap * (pieces - 1))

    def _queue(self, link: NDArray[np.int64], at: Times, service: float) -> Times:
        """How long each frame waits for its link, first come first served."""
        order = np.lexsort((at, link))
        link, at = link[order], at[order]
        first = np.flatnonzero(np.r_[True, link[1:] != link[:-1]])
        length = np.diff(np.r_[first, len(link)])
        place = np.arange(len(link)) - np.repeat(first, length)
        # The k-th begins at k * service + the latest of (arrival j - j * service) for j <= k.
        key = np.maximum(at, self._busy[link]) - place * service
        lift = np.repeat(np.arange(len(first)), length) * (np.ptp(key) + 1.0)
        begin = np.maximum.accumulate(key + lift) - lift + place * service
        self._busy[link[first + length - 1]] = begin[first + length - 1] + service
        out = np.empty(len(at))
        out[order] = begin - at
        return out

    def run(self, program: Program) -> tuple[float, float]:
        """Nanoseconds, and the uncertainty where rounds were sampled."""
        p = self._p
        last = program.round(program.rounds - 1)
        end = p["end"] + p["last_word"] * last.words
        if program.rounds <= _EXACT_ROUNDS:
            ready = np.zeros(program.boards)
            for number in range(program.rounds - 1):
                ready = self._step(program.round(number), ready)
            return float(ready.max()) + end, 0.0
        if program.name == "ring":
            return self._around(program) + end, 0.0
        mean, spread = self._sampled(program)
        return mean + end, spread

    def _around(self, program: Program) -> float:
        """A ring's messages share no link: the slowest way round is a sum over its edges."""
        round_ = program.round(1)
        boards = np.arange(program.boards)
        assert isinstance(round_.to, np.ndarray)
        edges = self._alone(round_, self._tree.meeting(boards, round_.to))
        steps = program.rounds - 1
        whole, rest = divmod(steps, program.boards)
        total = np.cumsum(np.r_[0.0, edges, edges])
        return float(whole * edges.sum() + (total[rest:] - total[: len(total) - rest]).max())

    def _sampled(self, program: Program) -> tuple[float, float]:
        """The mean of some rounds in place of all, each after some that spread the boards."""
        rounds = program.rounds - 1
        costs = []
        for start in np.linspace(0, rounds - _BURST, _SAMPLES).astype(int):
            self._busy[:] = 0
            ready = self._step(program.round(int(start)), np.zeros(program.boards))
            before = ready.max()
            for number in range(int(start) + 1, int(start) + _BURST):
                ready = self._step(program.round(number), ready)
            costs.append((ready.max() - before) / (_BURST - 1))
        spread = 1.96 * float(np.std(costs)) / len(costs) ** 0.5 * rounds
        return float(np.mean(costs)) * rounds, spread
