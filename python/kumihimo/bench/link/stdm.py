# SPDX-License-Identifier: Apache-2.0
"""`kumi bench stdm`: circuits under full load, best effort in the slots between them, and swaps.

Random plans of the circuit planner on a ring of four boards, a mesh and a torus of 4 x 4, filled up
with more circuits until none fits. Every circuit's source always has a word. `engine` of a row says
what ran: `rtl` the Verilated switches of the whole network, with the delay of lanes and cables
between them, and the exact model (`model_agrees`); `model` the exact model alone.

rate error: largest difference between the share of a link that a circuit had and slots/S.
jitter: longest less shortest time of a word from its first crossing to its port, the worst circuit.
free slot use: slots that carried best-effort packets over slots without a circuit, all links.
swap lost: words that were lost, doubled or out of order while tables changed under load.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.link.stdm_fill import fill_up
from kumihimo.bench.link.stdm_net import Board, Net
from kumihimo.bench.setup import Setup
from kumihimo.link.planner import plan
from kumihimo.link.planner.network import build_network
from kumihimo.link.planner.plan_doc import Plan
from kumihimo.link.planner.reasons import NoPlan
from kumihimo.link.planner.request import Request, parse_request
from kumihimo.link.stdm_replay import drain_cycles, replay, swap_steps

SHAPES = {"ring-4": "ring: 4", "mesh-4x4": "mesh: [4, 4]", "torus-4x4": "torus: [4, 4]"}
BOARDS = {"ring-4": 4, "mesh-4x4": 16, "torus-4x4": 16}
CHANNELS = 8
LOAD = 0.4  # of the boards' ports, by circuits that the planner is asked for
SWAP_LOAD = 0.6
HOLD = 17  # words that a channel of the switch holds
REVOLUTIONS = 4  # measured
FRAME_WORDS = 64  # of best-effort packets, without head and tail
GOALS = {
    "max_rate_error": ("==", 0.0),
    "max_jitter_cycles": ("==", 0.0),
    "hybrid_free_slot_use": (">=", 0.95),
    "swap_lost": ("==", 0.0),
}


def request(
    shape: str,
    slots: int,
    circuits: Sequence[tuple[int | str, int | str, int]],
    hosts: int = 1,
    best_effort: bool = False,
    delay_ns: int = 50,
) -> Request:
    """A plan request for circuits (from, to, slots); ends are numbers, or `board.port`."""
    lines = [
        f"topology: {{{SHAPES[shape]}, host_ports: {hosts}, delay: {delay_ns} ns}}",
        f"slots: {slots}",
        f"channels: {CHANNELS}",
        f"best_effort: {'true' if best_effort else 'false'}",
        "time_limit: 0.3",
        "circuits:",
    ]
    names = _names(shape)
    for a, b, count in circuits:
        ends = [names[x] if isinstance(x, int) else x for x in (a, b)]
        lines.append(f"- {{from: {ends[0]}, to: {ends[1]}, slots: {count}}}")
    if not circuits:
        lines[-1] = "circuits: []"
    return parse_request("\n".join(lines) + "\n")


def _names(shape: str) -> list[str]:
    return list(build_network(parse_request(f"topology: {{{SHAPES[shape]}}}\n")).ports)


def random_circuits(
    rng: random.Random, boards: int, slots: int, load: float
) -> list[tuple[int, int, int]]:
    """Random pairs and bandwidths, about `load` of what the boards' ports can give."""
    circuits: list[tuple[int, int, int]] = []
    sent, taken = [0] * boards, [0] * boards
    begun, ended = [0] * boards, [0] * boards
    for _ in range(boards * 40):
        a, b = rng.sample(range(boards), 2)
        count = rng.randint(1, max(1, slots // 3))
        full = sent[a] + count > slots * load or taken[b] + count > slots * load
        if full or begun[a] == CHANNELS or ended[b] == CHANNELS:
            continue
        circuits.append((a, b, count))
        sent[a] += count
        taken[b] += count
        begun[a] += 1
        ended[b] += 1
    return circuits


def random_plan(
    rng: random.Random, shape: str, slots: int, load: float = LOAD, **more: Any
) -> tuple[Plan, list[tuple[int, int, int]], Request]:
    """A random plan that exists: circuits are taken away until the planner finds one."""
    circuits = random_circuits(rng, BOARDS[shape], slots, load)
    while True:
        wanted = request(shape, slots, circuits, **more)
        try:
            return plan(wanted), circuits, wanted
        except NoPlan:
            if not circuits:
                raise BenchError("no plan for nothing") from None
            circuits = circuits[: len(circuits) * 2 // 3]


def _ends(net: Net, data: dict[str, Any]) -> list[tuple[dict[str, Any], Board, int, Board, int]]:
    """Each circuit with the channels where it begins and ends."""
    out = []
    for circuit in data["circuits"]:
        places = []
        for end, channel in zip(("from", "to"), circuit["channels"], strict=True):
            name, port = circuit[end].split(".")
            board = net.boards[name]
            places += [board, board.end(board.ports.index(port), channel)]
        out.append((circuit, *places))
    return out


def start_sources(net: Net, data: dict[str, Any]) -> None:
    """Let every circuit's source offer words."""
    on = dict.fromkeys(net.boards, 0)
    for _circuit, board, index, _to, _at in _ends(net, data):
        on[board.name] |= 1 << index
    for name, board in net.boards.items():
        board.dut.set("on", on[name])


def measure(net: Net, data: dict[str, Any], tdm_frames: int) -> dict[str, Any]:
    """Rates and times of all circuits of a network that runs under load."""
    total = data["slots"] + data["guard"]
    net.set("clear", 1)
    net.step(1)
    net.set("clear", 0)
    net.step(tdm_frames * total + 1)
    error, jitter, wrong, misses, words = 0.0, 0, 0, 0, 0
    for circuit, _from, _index, board, at in _ends(net, data):
        got = board.stat("words", at)
        words += got
        want = tdm_frames * circuit["slots"]
        error = max(error, abs(got - want) / (tdm_frames * data["slots"]))
        least, most = board.stat("least", at), board.stat("most", at)
        wrong += board.stat("errors", at)
        if got > HOLD:
            jitter = max(jitter, most - least)
            # The plan counts from the port, one cycle before the first crossing.
            misses += least != circuit["latency_cycles"] - 1
    return {
        "words": words,
        "rate_error": error,
        "jitter_cycles": jitter,
        "words_wrong": wrong,
        "latency_not_as_planned": misses,
    }


def fill(net: Net, data: dict[str, Any]) -> None:
    """Run until every circuit is full and its first words are out."""
    net.step(drain_cycles(data) + 40)


def _load(data: dict[str, Any], links: int) -> float:
    used = sum(int(c["slots"]) * len(c["route"]) for c in data["circuits"])
    return used / (links * int(data["slots"]))


def run_plan_rtl(net: Net, data: dict[str, Any]) -> dict[str, Any]:
    """One plan on the Verilated network; enough TDM frames that every circuit's times count."""
    net.start(data)
    start_sources(net, data)
    fill(net, data)
    least = min((c["slots"] for c in data["circuits"]), default=1)
    return measure(net, data, max(REVOLUTIONS, HOLD // least + 3))


def _plans(shape: str, count: int, rtl: int, progress: Progress, result: BenchResult) -> None:
    rng = random.Random(shape)
    net: Net | None = None
    for number in range(count):
        progress.step(f"{shape}: plan {number + 1} of {count}", number, count)
        slots = rng.choice((16, 24, 32, 48, 64, 128))
        found, _circuits, wanted = random_plan(rng, shape, slots, hosts=2)
        data = fill_up(found.data, build_network(wanted), rng, CHANNELS)
        row: dict[str, Any] = {
            "topology": shape,
            "plan": number,
            "slots": slots,
            "circuits": len(data["circuits"]),
            "circuits_by_planner": len(found.circuits),
            "link_load": round(_load(data, len(data["links"])), 3),
        }
        exact = replay(data, REVOLUTIONS)
        model = {
            "words": sum(f.words for f in exact.flows.values()),
            "rate_error": exact.rate_error,
            "jitter_cycles": exact.jitter,
            "words_wrong": exact.astray,
            "latency_not_as_planned": sum(
                f.latencies != {c["latency_cycles"] - 1}
                for c, f in zip(data["circuits"], exact.flows.values(), strict=True)
            ),
        }
        if number < rtl:
            if net is None:
                net = Net(build_network(wanted), CHANNELS, hybrid=False)
            found_rtl = run_plan_rtl(net, data)
            agrees = all(found_rtl[key] == model[key] for key in model if key != "words")
            found_rtl["model_agrees"] = agrees
            result.rows.append({"engine": "rtl", **row, **found_rtl})
            result.rtl[f"kumi_stdm {shape}"] = net.design
        else:
            result.rows.append({"engine": "model", **row, **model})


def _be_on(net: Net, on: bool) -> None:
    """Each local port sends to the neighbour behind the link of the same number."""
    for board in net.boards.values():
        dests, mask = 0, 0
        for link in net.network.out[board.name]:
            port = board.ports.index(link.a_port) - board.locals
            far = net.boards[link.b]
            into = far.ports.index(link.b_port) - far.locals
            dests |= (into << 8 | far.number) << 12 * port
            mask |= 1 << port
        board.dut.set("be_dest", dests)
        board.dut.set("be_length", FRAME_WORDS)
        board.dut.set("be_on", mask if on else 0)


def _be_total(net: Net) -> tuple[int, int, int]:
    """Words with heads and tails, frames, and errors at all sinks."""
    words = frames = errors = 0
    for board in net.boards.values():
        for port in range(board.locals):
            words += board.best_effort("words", port)
            frames += board.best_effort("frames", port)
            errors += board.best_effort("errors", port)
    return words + 2 * frames, frames, errors


def hybrid(
    shape: str, load: float, tdm_frames: int, seed: int = 1, profile: str = "fast"
) -> tuple[dict[str, Any], str]:
    """Circuits alone, then with best effort in all free slots."""
    rng = random.Random(f"{shape} {load} {seed}")
    hosts = 2 if shape == "ring-4" else 4
    slots = 64
    found, _circuits, wanted = random_plan(
        rng, shape, slots, load, hosts=hosts, best_effort=True, delay_ns=20
    )
    data = found.data
    network = build_network(wanted)
    net = Net(network, CHANNELS, hybrid=True, profile=profile)
    alone = run_plan_rtl(net, data)
    _be_on(net, True)
    total = data["slots"] + data["guard"]
    net.step(20 * total)
    before, _frames, _errors = _be_total(net)
    both = measure(net, data, tdm_frames)
    after, frames, errors = _be_total(net)
    taken = sum(c["slots"] * len(c["route"]) for c in data["circuits"])
    free = len(data["links"]) * slots - taken
    cycles = tdm_frames * total + 2
    row = {
        "engine": "rtl",
        "topology": shape,
        "what": "hybrid",
        "slots": slots,
        "circuits": len(data["circuits"]),
        "link_load": round(_load(data, len(data["links"])), 3),
        "free_slots": free,
        "free_slot_use": (after - before) / (free * cycles / total),
        "be_frames": frames,
        "be_errors": errors,
        "circuits_alone": alone,
        "rate_error": both["rate_error"],
        "jitter_cycles": both["jitter_cycles"],
        "words_wrong": both["words_wrong"],
        "latency_not_as_planned": both["latency_not_as_planned"],
    }
    return row, net.design


def swap_under_load(
    shape: str, times: int, seed: int = 1, profile: str = "fast", net: Net | None = None
) -> dict[str, Any]:
    """Plans for the same circuits with other bandwidths, ways and slots, changed under load."""
    rng = random.Random(f"{shape} swap {seed}")
    slots = 32
    first, _circuits, wanted = random_plan(rng, shape, slots, SWAP_LOAD, hosts=2, delay_ns=20)
    net = net or Net(build_network(wanted), CHANNELS, hybrid=False, profile=profile)
    plans = [first]
    while len(plans) <= times:
        # Some circuits keep their bandwidth; the planner may well leave these where they are.
        # Ports stay, since the words that wait in a channel must go where they were meant to go.
        other = [
            (c["from"], c["to"], rng.choice((c["slots"], rng.randint(1, c["slots"]))))
            for c in first.circuits
        ]
        try:
            plans.append(plan(request(shape, slots, other, hosts=2, delay_ns=20)))
        except NoPlan:
            continue
    net.start(first.data)
    start_sources(net, first.data)
    fill(net, first.data)
    kept = 0
    for old, new in itertools.pairwise(plans):
        for tables in swap_steps(old.data, new.data):
            net.swap(tables)
            net.step(drain_cycles(old.data) + drain_cycles(new.data))
        kept += sum(
            a["positions"] == b["positions"] and a["route"] == b["route"]
            for a, b in zip(old.circuits, new.circuits, strict=True)
        )
    net.set("on", 0)
    net.step(drain_cycles(first.data) + 2 * HOLD * (slots + 6))
    sent = got = wrong = 0
    for board in net.boards.values():
        for index in range(board.locals * board.switch.channels):
            sent += board.stat("sent", index)
            got += board.stat("words", index)
            wrong += board.stat("errors", index)
    lost = sum(
        board.switch.counters(port)["lost"] + board.switch.counters(port)["stray"]
        for board in net.boards.values()
        for port in range(board.switch.ports)
    )
    return {
        "engine": "rtl",
        "topology": shape,
        "what": "swap under load",
        "plan_changes": times,
        "table_swaps_per_board": 3 * times,
        "circuits": len(first.data["circuits"]),
        "circuits_left_in_place": kept,
        "words_sent": sent,
        "swap_lost": abs(sent - got) + wrong + lost,
    }


def run(progress: Progress, quick: bool) -> BenchResult:
    """All shapes; `quick` runs fewer plans and leaves the torus to the model for best effort."""
    result = BenchResult("stdm")
    result.goals = dict(GOALS)
    result.origins = dict.fromkeys(GOALS, Origin.REQUIREMENT)
    result.setup = Setup("kumi_stdm", {"CHANNELS": CHANNELS}, note="4 and 16 boards, full load")
    for shape in SHAPES:
        _plans(shape, 10 if quick else 100, 2 if quick else 100, progress, result)
    loads = (0.0, 0.6) if quick else (0.0, 0.3, 0.6, 1.0)
    for shape in ("ring-4",) if quick else ("ring-4", "torus-4x4"):
        for i, load in enumerate(loads):
            progress.step(f"{shape}: best effort, load {load}", i, len(loads))
            row, digest = hybrid(shape, load, 20 if quick else 60)
            result.rows.append(row)
            result.rtl[f"kumi_stdm {shape} hybrid"] = digest
    for shape in ("ring-4",) if quick else ("ring-4", "mesh-4x4"):
        progress.step(f"{shape}: swaps under load", 0, 1)
        result.rows.append(swap_under_load(shape, 3 if quick else 10))

    def worst(key: str) -> float:
        return max(float(r[key]) for r in result.rows if key in r)

    wrong = [
        r
        for r in result.rows
        if r.get("words_wrong")
        or r.get("latency_not_as_planned")
        or not r.get("model_agrees", True)
    ]
    if wrong:
        raise BenchError(f"words went astray or took another time than planned: {wrong[0]}")
    uses = [r["free_slot_use"] for r in result.rows if "free_slot_use" in r]
    result.summary["max_rate_error"] = worst("rate_error")
    result.summary["max_jitter_cycles"] = int(worst("jitter_cycles"))
    result.summary["hybrid_free_slot_use"] = min(uses)
    result.summary["swap_lost"] = int(sum(r["swap_lost"] for r in result.rows if "swap_lost" in r))
    result.summary["plans"] = sum("plan" in r for r in result.rows)
    result.summary["plans_rtl"] = sum(r["engine"] == "rtl" and "plan" in r for r in result.rows)
    return result
