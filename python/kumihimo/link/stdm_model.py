# SPDX-License-Identifier: Apache-2.0
"""Word- and cycle-exact models of circuit switches and the links between them.

`SwitchModel` models `kumi_stdm_core`: same tables, same cycles, at its word ports and links. A test
drives both with random tables and compares every output in every cycle. `stdm_replay` connects
switches and measures plans.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kumihimo.link.planner.plan_doc import FREE

MIN_GUARD, MAX_GUARD, MAX_SLOTS = 6, 16, 256
OUT_NONE, OUT_CIRCUIT, OUT_BE = range(3)


@dataclass(frozen=True)
class OutEntry:
    """Table entry of an output at one position."""

    kind: int = OUT_NONE
    src: int = 0
    owner: int = 0

    def encode(self) -> int:
        """Encoding for the register `data`."""
        return self.kind | self.src << 8 | self.owner << 16


@dataclass(frozen=True)
class InEntry:
    """Table entry of an input at one position: read a channel (local), or best effort (link)."""

    on: bool = False
    channel: int = 0

    def encode(self) -> int:
        """Encoding for the register `data`."""
        return int(self.on) | self.channel << 16


@dataclass
class Tables:
    """Tables of one board, by port and position."""

    slots: int
    guard: int
    out: list[list[OutEntry]]
    into: list[list[InEntry]]

    @property
    def frame_cycles(self) -> int:
        """R: positions of a TDM frame."""
        return self.slots + self.guard

    @classmethod
    def empty(cls, ports: int, slots: int, guard: int = MIN_GUARD) -> Tables:
        """Tables without connections."""
        total = slots + guard
        return cls(
            slots,
            guard,
            [[OutEntry()] * total for _ in range(ports)],
            [[InEntry()] * total for _ in range(ports)],
        )

    def padded(self, ports: int) -> Tables:
        """The tables for a switch with more ports."""
        total, missing = self.frame_cycles, ports - len(self.out)
        out = self.out + [[OutEntry()] * total for _ in range(missing)]
        into = self.into + [[InEntry()] * total for _ in range(missing)]
        return Tables(self.slots, self.guard, out, into)

    @classmethod
    def of_plan(cls, data: Mapping[str, Any], board: str) -> Tables:
        """Tables of a board of a finished plan (`Plan.data`)."""
        own = data["boards"][board]
        out, into = [], []
        for index, port in enumerate(own["ports"]):
            row = []
            for entry in own["out"][port]:
                if entry is None:
                    row.append(OutEntry())
                elif entry == FREE:
                    row.append(OutEntry(OUT_BE))
                else:
                    row.append(OutEntry(OUT_CIRCUIT, entry[0], entry[1]))
            out.append(row)
            local = index < own["locals"]
            into.append(
                [
                    InEntry() if e is None else InEntry(True, e if local else 0)
                    for e in own["in"][port]
                ]
            )
        return cls(data["slots"], data["guard"], out, into)


class WordFifo:
    """`kumi_fifo` in LUT RAM: two cycles of latency, capacity DEPTH + 1 words."""

    def __init__(self, depth: int = 16) -> None:
        self.depth = depth
        self.memory: deque[int] = deque()
        self.out: int | None = None

    @property
    def ready(self) -> bool:
        """Whether a word would be accepted in this cycle."""
        return len(self.memory) < self.depth

    def clock(self, word: int | None, take: bool) -> None:
        """End of a cycle: push `word` (if `ready`), pop the head."""
        fetched = self.memory[0] if self.memory else None
        if take or self.out is None:
            self.out = fetched
            if fetched is not None:
                self.memory.popleft()
        if word is not None:
            self.memory.append(word)


@dataclass
class Counters:
    """Counters of a board."""

    words: dict[tuple[int, int], int] = field(default_factory=dict)
    empties: dict[tuple[int, int], int] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)
    stray: dict[int, int] = field(default_factory=dict)


class SwitchModel:
    """`kumi_stdm_core` with circuits only; one call of `cycle` per clock cycle."""

    def __init__(
        self,
        ports: int,
        local_ports: int,
        channels: int,
        tables: Tables,
        in_depth: int = 16,
        out_depth: int = 16,
    ) -> None:
        self.ports, self.locals, self.channels = ports, local_ports, channels
        self.inputs = [WordFifo(in_depth) for _ in range(local_ports * channels)]
        self.outputs = [WordFifo(out_depth) for _ in range(local_ports * channels)]
        self.counters = Counters()
        self.pos = 0
        self.next_tables: Tables | None = None
        self._load(tables)
        self._local: list[int | None] = [None] * local_ports
        self._actions = self._nothing
        self.out: list[int | None] = [None] * ports
        self._out_owner: list[int | None] = [None] * ports

    _nothing: tuple[tuple[tuple[int, int, int], ...], frozenset[int]] = ((), frozenset())

    def _load(self, tables: Tables) -> None:
        """Compile the tables into the actions of each position, by the hardware's rules."""
        self.tables = tables
        total = tables.frame_cycles
        self.crossings: list[tuple[tuple[tuple[int, int, int], ...], frozenset[int]]] = []
        self.pulls: list[tuple[tuple[int, int], ...]] = []
        for pos in range(total):
            elastic = pos == total - 2
            moves = []
            for port, row in enumerate(tables.out):
                entry = row[pos]
                legal = not elastic and (port < self.locals or pos < tables.slots)
                if entry.kind == OUT_CIRCUIT and legal:
                    moves.append((port, entry.src, entry.owner))
            used = {src for _port, src, _owner in moves}
            if not elastic:
                used |= {i for i, row in enumerate(tables.into) if i >= self.locals and row[pos].on}
            self.crossings.append((tuple(moves), frozenset(used)))
            pulls = [
                (port, row[pos].channel)
                for port, row in enumerate(tables.into[: self.locals])
                if row[pos].on and not elastic
            ]
            self.pulls.append(tuple(pulls))

    def swap(self, tables: Tables) -> None:
        """Activate these tables at the next position 0."""
        self.next_tables = tables

    def cycle(
        self,
        links: Sequence[int | None],
        offers: Mapping[int, int] | None = None,
        takes: Iterable[int] | None = None,
    ) -> tuple[list[int | None], list[int], dict[int, int]]:
        """One clock cycle; `pos` is the position at stage C, the one before it crosses.

        Args:
            links: by link, the word at stage T in this cycle.
            offers: by local channel, a word that is valid.
            takes: local channels whose output is ready; None: all.

        Returns:
            By port the word at stage X in this cycle; the channels whose offer was taken; by
            channel the word that was read.
        """
        seen = list(self.out)
        moves, expected = self._actions
        # Stage X: local words enter their FIFOs; circuits are counted.
        push: dict[int, int] = {}
        for port, owner in enumerate(self._out_owner):
            if owner is None:
                continue
            word = self.out[port]
            table = self.counters.words if word is not None else self.counters.empties
            table[port, owner] = table.get((port, owner), 0) + 1
            if word is not None and port < self.locals and owner < self.channels:
                channel = port * self.channels + owner
                if self.outputs[channel].ready:
                    push[channel] = word
                else:
                    self.counters.lost[port] = self.counters.lost.get(port, 0) + 1
        # Stage T: words cross.
        words = [*self._local, *links]
        out: list[int | None] = [None] * self.ports
        owners: list[int | None] = [None] * self.ports
        for port, src, owner in moves:
            out[port] = words[src]
            owners[port] = owner
        for link, word in enumerate(links):
            if word is not None and link + self.locals not in expected:
                port = link + self.locals
                self.counters.stray[port] = self.counters.stray.get(port, 0) + 1
        # Stage C: local inputs are read.
        local: list[int | None] = [None] * self.locals
        pulled = set()
        for port, channel in self.pulls[self.pos]:
            if channel < self.channels:
                index = port * self.channels + channel
                local[port] = self.inputs[index].out
                pulled.add(index)
        accepted, read = [], {}
        for index, fifo in enumerate(self.inputs):
            offer = None if offers is None else offers.get(index)
            if offer is not None and not fifo.ready:
                offer = None
            if offer is not None:
                accepted.append(index)
            fifo.clock(offer, index in pulled)
        ready = None if takes is None else set(takes)
        for index, fifo in enumerate(self.outputs):
            taken = fifo.out is not None and (ready is None or index in ready)
            if taken and fifo.out is not None:
                read[index] = fifo.out
            fifo.clock(push.get(index), taken)
        self._actions = self.crossings[self.pos]
        self._local, self.out, self._out_owner = local, out, owners
        self.pos += 1
        if self.pos == self.tables.frame_cycles:
            self.pos = 0
            if self.next_tables is not None:
                self._load(self.next_tables)
                self.next_tables = None
        return seen, accepted, read
