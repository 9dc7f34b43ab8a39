# SPDX-License-Identifier: Apache-2.0
"""Replays plans on networks of circuit switches, and computes changes between plans.

`replay` runs a plan with all sources always ready, by the tables that the exact model compiles, and
measures the circuits at their ends. `swap_steps` computes the tables that take a running network
from one plan to another without losing a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kumihimo.link.plan_replay import phases
from kumihimo.link.stdm_model import OUT_BE, InEntry, OutEntry, SwitchModel, Tables


@dataclass
class Flow:
    """Result of one circuit in a replay.

    words:     received in the measured TDM frames.
    slots:     slots in the plan.
    latencies: all observed latencies, in cycles from the first crossing to the port at the end.
    """

    slots: int
    words: int = 0
    latencies: set[int] = field(default_factory=set)

    @property
    def jitter(self) -> int:
        """Longest minus shortest latency."""
        return max(self.latencies) - min(self.latencies) if self.latencies else 0


@dataclass
class Replay:
    """Result of a replay: flows by circuit, and misrouted words (0 for a valid plan)."""

    flows: dict[str, Flow]
    tdm_frames: int
    slots: int
    astray: int = 0

    @property
    def rate_error(self) -> float:
        """Largest difference between a circuit's measured and its planned share of a link."""
        errors = [
            abs(f.words / (self.slots * self.tdm_frames) - f.slots / self.slots)
            for f in self.flows.values()
        ]
        return max(errors, default=0.0)

    @property
    def jitter(self) -> int:
        """Largest jitter of a circuit."""
        return max((f.jitter for f in self.flows.values()), default=0)


EXIT_CYCLES = 3  # from the last crossing to the port
PORT_CYCLES = EXIT_CYCLES + 1  # and from the port to the first crossing


def replay(data: Mapping[str, Any], tdm_frames: int = 4) -> Replay:
    """Run a finished plan (`Plan.data`) with all sources always ready.

    Every crossing follows the tables alone, as in `SwitchModel`; the plan's routes and positions
    are not used. Words are measured at the ends.
    """
    boards = {
        name: SwitchModel(len(own["ports"]), own["locals"], 1, Tables.of_plan(data, name))
        for name, own in data["boards"].items()
    }
    ports = {name: list(own["ports"]) for name, own in data["boards"].items()}
    total = int(data["slots"]) + int(data["guard"])
    flows = {c["name"]: Flow(c["slots"]) for c in data["circuits"]}
    source: dict[tuple[str, int, int], str] = {}
    target: dict[tuple[str, int, int], str] = {}
    for circuit in data["circuits"]:
        for end, table, channel in (
            ("from", source, circuit["channels"][0]),
            ("to", target, circuit["channels"][1]),
        ):
            board, port = circuit[end].split(".")
            table[board, ports[board].index(port), channel] = circuit["name"]
    lines: dict[tuple[str, int], tuple[str, int, int]] = {}
    phase = phases(data)  # type: ignore[arg-type]
    for link in data["links"]:
        a, a_port = link["from"].split(".")
        b, b_port = link["to"].split(".")
        lines[a, ports[a].index(a_port)] = (b, ports[b].index(b_port), link["cycles"])
    longest = max((cycles for _b, _p, cycles in lines.values()), default=1) + 1
    arrivals: list[dict[tuple[str, int], tuple[str, int]]] = [{} for _ in range(longest)]
    deepest = max((c["latency_cycles"] for c in data["circuits"]), default=0)
    begin = (deepest // total + 2) * total
    result = Replay(flows, tdm_frames, int(data["slots"]))
    for now in range(begin + tdm_frames * total):
        here = arrivals[now % longest]
        for name, board in boards.items():
            pos = (now - phase[name]) % total
            moves, expected = board.crossings[pos]
            words: dict[int, tuple[str, int]] = {}
            for port, channel in board.pulls[pos]:
                words[port] = (source[name, port, channel], now)
            for port in range(board.locals, board.ports):
                found = here.pop((name, port), None)
                if found is not None:
                    words[port] = found
                    result.astray += port not in expected
            for port, src, owner in moves:
                word = words.get(src)
                if word is None:
                    continue
                if port >= board.locals:
                    to, to_port, cycles = lines[name, port]
                    arrivals[(now + cycles) % longest][to, to_port] = word
                elif target.get((name, port, owner)) != word[0]:
                    result.astray += 1
                elif now >= begin:
                    flow = flows[word[0]]
                    flow.words += 1
                    flow.latencies.add(now - word[1] + EXIT_CYCLES)
    return result


def swap_steps(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Tables]]:
    """Tables by board for the three swaps from one plan to another in a running network.

    Circuits that are equal in both are not interrupted. The others stop at their sources, then the
    new routes are set up, then the sources start. Between two swaps wait until words and packets in
    flight have arrived (`drain_cycles`); boards need not swap together.
    """

    def identity(circuit: Mapping[str, Any]) -> str:
        keys = ("from", "to", "channels", "route", "owners", "positions")
        return repr([circuit[k] for k in keys])

    kept = {identity(c) for c in old["circuits"]} & {identity(c) for c in new["circuits"]}
    pulls: set[tuple[str, str, int]] = set()
    for circuit in old["circuits"]:
        if identity(circuit) in kept:
            board, port = circuit["from"].split(".")
            pulls |= {(board, port, pos) for pos in circuit["positions"]}
    steps: list[dict[str, Tables]] = [{}, {}, {}]
    for board, own in old["boards"].items():
        before, after = Tables.of_plan(old, board), Tables.of_plan(new, board)
        middle = []
        for index, port in enumerate(own["ports"]):
            row = []
            for pos, (a, b) in enumerate(zip(before.into[index], after.into[index], strict=True)):
                local = index < own["locals"]
                stays = (board, port, pos) in pulls if local else a.on and b.on
                row.append(a if stays else InEntry())
            middle.append(row)
        both = [
            [
                (x if x.kind != OUT_BE or y.kind == OUT_BE else OutEntry())
                for x, y in zip(row_a, row_b, strict=True)
            ]
            for row_a, row_b in zip(before.out, after.out, strict=True)
        ]
        laid = [
            [
                (y if y.kind != OUT_BE or x.kind == OUT_BE else OutEntry())
                for x, y in zip(row_a, row_b, strict=True)
            ]
            for row_a, row_b in zip(before.out, after.out, strict=True)
        ]
        steps[0][board] = Tables(before.slots, before.guard, both, middle)
        steps[1][board] = Tables(after.slots, after.guard, laid, middle)
        steps[2][board] = after
    return steps


def drain_cycles(data: Mapping[str, Any]) -> int:
    """Cycles after which no word of a stopped circuit is in flight."""
    total = int(data["slots"]) + int(data["guard"])
    return 2 * total + max((c["latency_cycles"] for c in data["circuits"]), default=0)
