# SPDX-License-Identifier: Apache-2.0
"""State of a cluster's boards: lanes, errors and circuits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..link.planner.plan_doc import Plan
from ..link.stdm import Stdm
from ..regs import Block, RegisterMap
from .board import AccessError, Board, Guarded
from .parallel import on_all


@dataclass
class BoardStatus:
    """State of one board; `problem` if it did not answer."""

    name: str
    problem: str = ""
    design: str = ""
    blocks: list[str] = field(default_factory=list)
    switch: dict[str, int] = field(default_factory=dict)
    """slots, guard, run, TDM frames; empty without a switch."""
    links: list[dict[str, Any]] = field(default_factory=list)
    """By link port: port, up, locked, offset."""
    lanes: list[dict[str, Any]] = field(default_factory=list)
    """By link core: block, up, used (a bit a lane), built."""
    errors: dict[str, int] = field(default_factory=dict)
    """Counters that are not zero, `block.counter`."""
    owners: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By `port.owner` of the plan's circuits: slots with a word, slots that passed empty."""


def status(
    boards: Sequence[Board], plan: Plan | None = None, timeout: float = 10.0, parallel: int = 64
) -> list[BoardStatus]:
    """Query all boards in parallel."""
    wanted = _owners(plan)
    made = []
    for outcome in on_all(boards, lambda b: _ask(b, wanted), timeout, parallel):
        found = outcome.result or BoardStatus(outcome.name)
        found.problem = outcome.problem
        made.append(found)
    return made


def _owners(plan: Plan | None) -> dict[str, list[tuple[int, int]]]:
    """By board: (port, owner) of every crossing of a circuit."""
    out: dict[str, list[tuple[int, int]]] = {}
    for circuit in plan.circuits if plan is not None else ():
        owners = [*circuit["owners"], circuit["channels"][1]]
        for end, owner in zip([*circuit["route"], circuit["to"]], owners, strict=True):
            board, port = end.split(".")
            assert plan is not None
            number = plan.boards[board]["ports"].index(port)
            out.setdefault(board, []).append((number, owner))
    return out


def _ask(board: Guarded, wanted: dict[str, list[tuple[int, int]]]) -> BoardStatus:
    name = board.board.name
    board.step = "it was connected to"
    board.board.start()
    board.step = "its identity was read"
    regs = RegisterMap(board)
    found = BoardStatus(name, design=regs.design, blocks=list(regs))
    board.step = "its state was read"
    seen: set[int] = set()
    for key in regs:
        block = regs[key]
        if block.base in seen:
            continue  # `kernel` is another name of a block
        seen.add(block.base)
        if block.spec.name == "lanes":
            state = block["status"].fields()
            found.lanes.append({"block": key, **state})
        if block.spec.name != "stdm":
            found.errors |= _errors(key, block)
    if "stdm" in regs:
        _switch(board, regs, found, wanted.get(name, []))
    return found


def _errors(key: str, block: Block) -> dict[str, int]:
    """Error counters that are not zero. A node may lack optional counters of a block."""
    out: dict[str, int] = {}
    for reg in block:
        if reg.info.group != "counters" or not _is_error(reg.info.name):
            continue
        for index in range(len(reg)):
            try:
                value = reg.read(index)
            except (AccessError, RuntimeError):
                break
            name = f"{key}.{reg.info.name}" + (f"[{index}]" if len(reg) > 1 else "")
            if value:
                out[name] = value
    return out


# Counters with these names count errors; the others count ordinary events.
_BAD = ("bad", "drop", "lost", "fail", "down", "broken", "stray", "error", "overflow")


def _is_error(name: str) -> bool:
    return any(part in name for part in _BAD)


def _switch(
    board: Guarded, regs: RegisterMap, found: BoardStatus, wanted: list[tuple[int, int]]
) -> None:
    block = regs.stdm
    stdm = Stdm(board, block.base)
    size = block["size"].fields()
    found.switch = {
        **size,
        "run": int(stdm.running),
        "tdm_frames": block["tdm_frames"].read(),
        "refused": block["refused"].get("reason"),
    }
    for port in range(stdm.ports):
        if port >= stdm.locals:
            found.links.append({"port": port, **stdm.link(port)})
        bad = {k: v for k, v in stdm.counters(port).items() if v}
        found.errors |= {f"stdm.{k}[{port}]": v for k, v in bad.items()}
    for port, owner in wanted:
        found.owners[f"{port}.{owner}"] = stdm.owner(port, owner)


def circuit_rows(plan: Plan, found: Sequence[BoardStatus]) -> list[dict[str, Any]]:
    """By circuit: words and empty slots at its last switch, and whether all its links are up."""
    states = {board.name: board for board in found}
    rows = []
    for circuit in plan.circuits:
        board, port = circuit["to"].split(".")
        last = states.get(board)
        number = plan.boards[board]["ports"].index(port)
        words = last.owners.get(f"{number}.{circuit['channels'][1]}") if last else None
        down = []
        for start in circuit["route"]:
            name, out = start.split(".")
            at = plan.boards[name]["ports"].index(out)
            links = states[name].links if name in states else []
            if not any(link["port"] == at and link["up"] and link["locked"] for link in links):
                down.append(start)
        rows.append(
            {
                "name": circuit["name"],
                "from": circuit["from"],
                "to": circuit["to"],
                "slots": circuit["slots"],
                "words": words[0] if words else None,
                "empties": words[1] if words else None,
                "down": down,
            }
        )
    return rows


def offsets(plan: Plan | None, found: Sequence[BoardStatus]) -> dict[str, int]:
    """Measured offsets by output, as a plan request takes them.

    A switch measures at the input; the offset belongs to the output that feeds it, which the plan's
    wiring identifies.
    """
    if plan is None:
        return {}
    states = {board.name: board for board in found}
    out = {}
    for link in plan.links:
        board, port = link["to"].split(".")
        number = plan.boards[board]["ports"].index(port)
        for state in states[board].links if board in states else []:
            if state["port"] == number and state["locked"]:
                out[link["from"]] = int(state["offset"])
    return out
