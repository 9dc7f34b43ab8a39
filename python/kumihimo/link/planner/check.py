# SPDX-License-Identifier: Apache-2.0
"""Verifies a plan independently of the planner, from its document alone.

Every word of a TDM frame is followed through the switches' tables from its source channel to its
destination. All errors are reported: two words at one output, a word without a table entry, an
entry whose word never arrives, a word at the wrong destination, late, or out of order. This module
imports nothing of the planner.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Place = tuple[str, int, int]  # board, port number, position

GUARD = (6, 16)
SLOTS = (1, 256)
PORTS_MAX = 17
OWNERS_MAX = 64
CHANNELS_MAX = 64
BEFORE_AND_AFTER = 4  # cycles from the port to the first crossing and from the last one to the port


@dataclass
class Verdict:
    """Result of a check. A plan is valid if `conflicts` is empty."""

    conflicts: list[str] = field(default_factory=list)
    words: int = 0
    crossings: int = 0


class _Replay:
    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.verdict = Verdict()
        self.slots, self.guard = int(data["slots"]), int(data["guard"])
        self.total = self.slots + self.guard
        self.number: dict[str, tuple[str, int]] = {}
        self.wire: dict[tuple[str, int], tuple[str, int, int, int]] = {}
        self.takers: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        self.pulls: dict[Place, int] = {}
        self.used: dict[Place, str] = {}

    def fail(self, text: str) -> None:
        self.verdict.conflicts.append(text)

    # ---- what is written ------------------------------------------------------------------

    def read(self) -> bool:
        """Read ports, links and tables; False if they are inconsistent."""
        if not SLOTS[0] <= self.slots <= SLOTS[1] or not GUARD[0] <= self.guard <= GUARD[1]:
            self.fail(f"{self.slots} slots and a guard of {self.guard} are not a legal TDM frame")
            return False
        for name, board in self.data["boards"].items():
            if not 0 < len(board["ports"]) <= PORTS_MAX:
                self.fail(f"{name} has {len(board['ports'])} ports; a switch has 1 to {PORTS_MAX}")
            for number, port in enumerate(board["ports"]):
                self.number[f"{name}.{port}"] = (name, number)
        inputs: set[tuple[str, int]] = set()
        for link in self.data["links"]:
            try:
                a, b = self.number[link["from"]], self.number[link["to"]]
            except KeyError as missing:
                self.fail(f"a link ends at {missing}, which does not exist")
                return False
            if not 0 <= link["offset"] < self.total or link["cycles"] < 1:
                self.fail(f"link {link['from']}: offset {link['offset']}, {link['cycles']} cycles")
            for end in (a, b):
                if end[1] < self.data["boards"][end[0]]["locals"]:
                    self.fail(f"link {link['from']} ends at a host port")
            if a in self.wire or b in inputs:
                self.fail(f"two links share an end of {link['from']} -> {link['to']}")
            self.wire[a] = (*b, int(link["offset"]), int(link["cycles"]))
            inputs.add(b)
        for name, board in self.data["boards"].items():
            for side, take in (("out", self._out), ("in", self._in)):
                for port in board["ports"]:
                    table = board[side][port]
                    if len(table) != self.total:
                        text = f"{len(table)} entries for {self.total} positions"
                        self.fail(f"{name}.{port}: {text}")
                        return False
                    if table.count(None) < len(table):
                        take(name, port, table)
        return True

    def _out(self, name: str, port: str, table: list[Any]) -> None:
        board = self.data["boards"][name]
        number = self.number[f"{name}.{port}"][1]
        local = number < board["locals"]
        where = f"{name}.{port}"
        for position, entry in enumerate(table):
            if entry is None:
                continue
            closed = position == self.total - 2 if local else position >= self.slots
            if closed:
                self.fail(f"{where}: position {position} may carry nothing")
            if entry == "free":
                if local or (name, number) not in self.wire:
                    self.fail(f"{where}: best effort at a port without a link")
                continue
            source, owner = entry
            if not 0 <= source < len(board["ports"]):
                self.fail(f"{where}: position {position} selects input {source}")
                continue
            if not 0 <= owner < (CHANNELS_MAX if local else OWNERS_MAX):
                self.fail(f"{where}: position {position} has owner {owner}")
            if not local and (name, number) not in self.wire:
                self.fail(f"{where}: position {position} goes to a port without a link")
                continue
            self.takers[name, source, position].append((number, owner))

    def _in(self, name: str, port: str, table: list[Any]) -> None:
        board = self.data["boards"][name]
        number = self.number[f"{name}.{port}"][1]
        for position, entry in enumerate(table):
            if entry is None:
                continue
            if number >= board["locals"]:
                if entry != "free":
                    self.fail(f"{name}.{port}: a link input has no channel {entry}")
            elif not 0 <= entry < CHANNELS_MAX:
                self.fail(f"{name}.{port}: position {position} pulls channel {entry}")
            else:
                self.pulls[name, number, position] = entry

    # ---- what happens ---------------------------------------------------------------------

    def run(self) -> None:
        """Follow the words of two TDM frames; compare with the circuits' guarantees."""
        givers: dict[tuple[str, int, int], dict[str, Any]] = {}
        for circuit in self.data["circuits"]:
            key = (*self.number[circuit["from"]], circuit["channels"][0])
            if key in givers:
                self.fail(f"{circuit['name']} and {givers[key]['name']} begin at one channel")
            givers[key] = circuit
        arrivals: dict[str, list[tuple[int, int]]] = defaultdict(list)
        getters: dict[tuple[str, int, int], str] = {}
        for (name, number, position), channel in sorted(self.pulls.items()):
            giver = givers.get((name, number, channel))
            if giver is None:
                self.fail(f"{name}: position {position} pulls channel {channel}, nobody's")
                continue
            end = self._follow(giver, name, number, position)
            if end is None:
                continue
            place, time = end
            label = giver["name"]
            if getters.setdefault(place, label) != label:
                self.fail(f"{label} and {getters[place]} end at one channel")
            if place[:2] != self.number[giver["to"]] or place[2] != giver["channels"][1]:
                self.fail(f"{label}: a word came out at {place}, not at {giver['to']}")
            arrivals[label] += [(position, time), (position + self.total, time + self.total)]
        for circuit in self.data["circuits"]:
            self._compare(circuit, sorted(arrivals[circuit["name"]]))
        for place, found in self.takers.items():
            for number, _owner in found:
                if (place[0], number, place[2]) not in self.used:
                    port = self.data["boards"][place[0]]["ports"][number]
                    self.fail(f"{place[0]}.{port}: position {place[2]} waits for no circuit's word")
        self._best_effort()

    def _follow(
        self, circuit: dict[str, Any], name: str, number: int, position: int
    ) -> tuple[tuple[str, int, int], int] | None:
        """Where and when a word that enters here leaves; None: never."""
        label = circuit["name"]
        time = position
        self.verdict.words += 1
        expected = [*circuit["route"], circuit["to"]]
        for hop in range(len(self.data["boards"]) + 1):
            found = self.takers.get((name, number, position), [])
            if len(found) != 1:
                self.fail(f"{label}: {len(found)} outputs of {name} take its word at {position}")
                return None
            output, owner = found[0]
            self.verdict.crossings += 1
            place = (name, output, position)
            port = f"{name}.{self.data['boards'][name]['ports'][output]}"
            if place in self.used:
                self.fail(f"{label} meets {self.used[place]} at {port}, position {position}")
            self.used[place] = label
            if hop >= len(expected) or port != expected[hop]:
                self.fail(f"{label}: a word leaves by {port}, which is not on its route")
            if (name, output) not in self.wire:
                return (name, output, owner), time
            name, number, offset, cycles = self.wire[name, output]
            position = (position + offset) % self.total
            time += cycles
        self.fail(f"{label}: a word that entered at {time} goes round for ever")
        return None

    def _compare(self, circuit: dict[str, Any], words: list[tuple[int, int]]) -> None:
        label = circuit["name"]
        entered = [start for start, _time in words]
        if len(entered) != 2 * circuit["slots"]:
            self.fail(f"{label}: {len(entered) // 2} words a TDM frame, not {circuit['slots']}")
            return
        if [p for p in entered if p < self.total] != sorted(circuit["positions"]):
            self.fail(f"{label}: its words do not enter at its positions")
        for start, time in words:
            if time - start + BEFORE_AND_AFTER != circuit["latency_cycles"]:
                took = time - start + BEFORE_AND_AFTER
                self.fail(f"{label}: a word takes {took} cycles, not {circuit['latency_cycles']}")
        if [time for _start, time in words] != sorted({time for _start, time in words}):
            self.fail(f"{label}: words come out of order")
        gaps = [b - a for a, b in pairwise(entered)]
        if max(gaps) != circuit["wait_cycles"]:
            self.fail(f"{label}: a word waits up to {max(gaps)} cycles for its slot")

    def _best_effort(self) -> None:
        """Check that both ends of a link agree on its best-effort positions."""
        for (name, number), (other, far, offset, _cycles) in self.wire.items():
            here = self.data["boards"][name]
            there = self.data["boards"][other]
            sent = here["out"][here["ports"][number]]
            taken = there["in"][there["ports"][far]]
            if "free" not in sent and "free" not in taken:
                continue
            for position in range(self.total):
                arrival = (position + offset) % self.total
                if (sent[position] == "free") != (taken[arrival] == "free"):
                    where = f"{name}.{here['ports'][number]}"
                    self.fail(f"{where}: its ends differ on best effort at position {position}")
                if sent[position] == "free" and arrival == self.total - 2:
                    self.fail(f"{name}: best effort would arrive at a position that may be skipped")


def check(data: dict[str, Any]) -> Verdict:
    """Check the document of a plan."""
    verdict = Verdict()
    try:
        replay = _Replay(data)
        verdict = replay.verdict
        if replay.read():
            replay.run()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
        verdict.conflicts.append(f"the document is malformed: {problem!r}")
    return verdict
