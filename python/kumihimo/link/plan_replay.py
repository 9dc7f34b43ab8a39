# SPDX-License-Identifier: Apache-2.0
"""Runs a plan under full load in the cycle-exact models of the switches.

Every circuit's source always has a word. Words carry their circuit and number; the output of each
channel is compared, and its words per TDM frame. `planner.check` follows the tables; here models of
the switches, equal to the hardware in every cycle, process them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from .stdm_model import SwitchModel, Tables

FIFOS = 8  # cycles until the first words have passed the channels' FIFOs
NUMBER = 32  # bits of a word's number; above it the circuit


@dataclass
class Loaded:
    """Result of a run under load."""

    conflicts: list[str] = field(default_factory=list)
    words: int = 0
    cycles: int = 0


def phases(data: dict[str, Any]) -> dict[str, int]:
    """Phase of each board's TDM frame, from offsets and cycles along a tree of links."""
    total = data["slots"] + data["guard"]
    out: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for link in data["links"]:
        out[link["from"].split(".")[0]].append(link)
    found: dict[str, int] = {}
    for root in data["boards"]:
        if root in found:
            continue
        found[root] = 0
        waiting = deque([root])
        while waiting:
            board = waiting.popleft()
            for link in out[board]:
                far = link["to"].split(".")[0]
                if far not in found:
                    found[far] = (found[board] + link["cycles"] - link["offset"]) % total
                    waiting.append(far)
    return found


def load(data: dict[str, Any], tdm_frames: int = 2) -> Loaded:
    """Run a plan until every circuit is filled, then measure some TDM frames."""
    result = Loaded()
    total = data["slots"] + data["guard"]
    start = phases(data)
    for link in data["links"]:
        a, b = (link[end].split(".")[0] for end in ("from", "to"))
        if (link["offset"] - link["cycles"] - start[a] + start[b]) % total:
            result.conflicts.append(f"no phases of the boards give {link['from']} its offset")
            return result
    network = _Network(data, start)
    filled = max((c["latency_cycles"] for c in data["circuits"]), default=0) + total + FIFOS
    network.run(filled)
    before = {key: len(words) for key, words in network.got.items()}
    network.run(tdm_frames * total)
    result.cycles = network.now
    for index, circuit in enumerate(data["circuits"]):
        key = (circuit["to"], circuit["channels"][1])
        words = network.got[key]
        result.words += len(words)
        count = len(words) - before.get(key, 0)
        if count != tdm_frames * circuit["slots"]:
            text = f"{count} words in {tdm_frames} TDM frames of {circuit['slots']} slots"
            result.conflicts.append(f"{circuit['name']}: {text}")
        if words != [index << NUMBER | n for n in range(len(words))]:
            result.conflicts.append(f"{circuit['name']}: other words, or in another order")
    expected = {(c["to"], c["channels"][1]) for c in data["circuits"]}
    for key in network.got.keys() - expected:
        result.conflicts.append(f"{key[0]}: words at channel {key[1]}, which no circuit ends at")
    for name, switch in network.switches.items():
        for what, counts in (("lost", switch.counters.lost), ("stray", switch.counters.stray)):
            if sum(counts.values()):
                result.conflicts.append(f"{name}: {sum(counts.values())} words {what}")
    return result


class _Network:
    def __init__(self, data: dict[str, Any], start: dict[str, int]) -> None:
        self.now = 0
        self.got: dict[tuple[str, int], list[int]] = defaultdict(list)
        total = data["slots"] + data["guard"]
        self.boards = data["boards"]
        self.channels = dict.fromkeys(self.boards, 1)
        for circuit in data["circuits"]:
            for end, channel in zip(("from", "to"), circuit["channels"], strict=True):
                name = circuit[end].split(".")[0]
                self.channels[name] = max(self.channels[name], channel + 1)
        self.switches: dict[str, SwitchModel] = {}
        for name, board in self.boards.items():
            ports, tables = len(board["ports"]), Tables.of_plan(data, name)
            made = SwitchModel(ports, board["locals"], self.channels[name], tables)
            made.pos = -start[name] % total
            self.switches[name] = made
        # By board and output port: destination of its words, and words in flight.
        self.wires: list[tuple[str, int, deque[int | None]]] = []
        self.inputs: dict[str, list[deque[int | None] | None]] = {
            name: [None] * (len(b["ports"]) - b["locals"]) for name, b in self.boards.items()
        }
        for link in data["links"]:
            (a, out), (b, into) = (link[end].split(".") for end in ("from", "to"))
            # A word that crossed in the previous cycle is visible now, and crosses the next switch
            # `cycles` after it crossed this one.
            line: deque[int | None] = deque([None] * (link["cycles"] - 1))
            self.wires.append((a, self.boards[a]["ports"].index(out), line))
            number = self.boards[b]["ports"].index(into) - self.boards[b]["locals"]
            self.inputs[b][number] = line
        self.sources: dict[str, dict[int, int]] = {name: {} for name in self.boards}
        for index, circuit in enumerate(data["circuits"]):
            name, port = circuit["from"].split(".")
            at = self.boards[name]["ports"].index(port) * self.channels[name]
            self.sources[name][at + circuit["channels"][0]] = index << NUMBER

    def run(self, cycles: int) -> None:
        """Advance every switch."""
        for _ in range(cycles):
            self.now += 1
            seen: dict[str, list[int | None]] = {}
            for name, switch in self.switches.items():
                links = [line[0] if line is not None else None for line in self.inputs[name]]
                offers = self.sources[name]
                seen[name], taken, read = switch.cycle(links, offers)
                for channel in taken:
                    offers[channel] += 1
                for channel, word in read.items():
                    number, channel = divmod(channel, self.channels[name])
                    port = self.boards[name]["ports"][number]
                    self.got[f"{name}.{port}", channel].append(word)
            for name, out, line in self.wires:
                line.popleft()
                line.append(seen[name][out])
