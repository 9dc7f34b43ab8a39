# SPDX-License-Identifier: Apache-2.0
"""`kumi regs`: registers of a running cluster, read and written by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from ..common.errors import KumiError, did_you_mean
from ..manager.agent import boards_of
from ..manager.board import AccessError, BoardError
from ..net.session import find
from ..regs import Block, Reg, RegisterError, RegisterMap
from ..regs.own import register_folder
from .console import err, out


def _number(text: str, where: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise KumiError(f"{where}: {text} is not a number.", "Write 9, 0x1f or 0b11.", 2) from None


def _blocks(table: RegisterMap) -> list[str]:
    return [name for name in table if name != "kernel"]


def _element(reg: Reg, text: str) -> int:
    index = _number(text.rstrip("]"), reg.info.name)
    if not 0 <= index < len(reg):
        raise KumiError(f"{reg.info.name} has elements 0 to {len(reg) - 1}.", code=2)
    return index


def _values(reg: Reg) -> dict[str, Any]:
    if "r" not in reg.info.access:
        return {"value": None}
    words = reg.read_all()
    row: dict[str, Any] = {"value": words if len(words) > 1 else words[0]}
    if len(words) == 1 and len(reg.info.fields) > 1:
        row["fields"] = {f.name: f.extract(words[0]) for f in reg.info.fields if "r" in f.access}
    return row


def _row(reg: Reg) -> dict[str, Any]:
    return {
        "register": reg.info.name,
        "address": reg.addr,
        "access": reg.info.access,
        **_values(reg),
        "description": reg.info.description,
    }


def _show(title: str, block: Block) -> None:
    table = Table(title=title, title_justify="left")
    for heading in ("register", "address", "access", "value", "fields", "description"):
        table.add_column(heading)
    for reg in block:
        row = _row(reg)
        value = row["value"]
        if isinstance(value, list):
            text = " ".join(f"{v:#x}" for v in value[:4]) + (" ..." if len(value) > 4 else "")
        else:
            text = "" if value is None else f"{value:#x}" if value > 9 else str(value)
        fields = " ".join(f"{k}={v:#x}" for k, v in row.get("fields", {}).items())
        access = {"r": "read", "w": "write", "rw": "read/write"}.get(reg.info.access, "")
        table.add_row(reg.info.name, f"{reg.addr:#06x}", access, text, fields, reg.info.description)
    out.print(table)


def run(what: str | None, cluster: str | None, as_json: bool) -> int:
    """Print a node's blocks, a block, a register, or write `NODE.BLOCK.REGISTER[.FIELD]=VALUE`."""
    path, assign, text = (what or "").partition("=")
    parts = [part for part in path.split(".") if part]
    running = find(cluster)
    for folder in (Path(running.file).parent, Path(running.file).parent / "hw"):
        register_folder(folder)
    boards = {board.name: board for board in boards_of(running)}
    if parts and parts[0] not in boards:
        hint = did_you_mean(parts[0], boards).strip() or f"Nodes: {', '.join(boards)}."
        raise KumiError(f"The cluster has no node {parts[0]} with registers.", hint, 2)
    if assign and len(parts) < 3:
        raise KumiError(f"{path} is not a register.", "Write NODE.BLOCK.REGISTER=VALUE.", 2)
    try:
        if len(parts) < 2:
            return _list(parts[:1] or list(boards), boards, as_json)
        block = RegisterMap(boards[parts[0]])[parts[1]]
        if len(parts) == 2:
            if as_json:
                print(json.dumps([_row(reg) for reg in block]))
            else:
                _show(f"{parts[0]}.{parts[1]}: {block.spec.title}", block)
            return 0
        name, bracket, index_text = parts[2].partition("[")
        reg = block[name]
        index = _element(reg, index_text) if bracket else 0
        if assign:
            value = _number(text, path)
            if len(parts) > 3:
                reg.set(index, **{parts[3]: value})
            else:
                reg.write(value, index)
            # A read makes sure that the write has arrived.
            err.print(f"{path} = {value:#x}")
            boards[parts[0]].read(reg.addr if "r" in reg.info.access else 0)
            return 0
        if len(parts) > 3:
            print(reg.get(parts[3], index))
        elif as_json:
            print(json.dumps(_row(reg)))
        else:
            print(reg.read(index) if bracket or len(reg) == 1 else reg.read_all())
        return 0
    except (RegisterError, ValueError) as problem:
        raise KumiError(str(problem), code=2) from None
    except (BoardError, AccessError) as problem:
        raise KumiError(f"{path or 'The cluster'}: {problem}.") from None


def _list(names: list[str], boards: dict[str, Any], as_json: bool) -> int:
    found: dict[str, Any] = {}
    for name in names:
        table = RegisterMap(boards[name])
        found[name] = {
            "design": table.design,
            "blocks": {block: table[block].base for block in _blocks(table)},
        }
    if as_json:
        print(json.dumps(found))
        return 0
    grid = Table()
    for heading in ("node", "design", "blocks"):
        grid.add_column(heading)
    for name, row in found.items():
        grid.add_row(name, row["design"], ", ".join(row["blocks"]))
    out.print(grid)
    err.print("One block: kumi regs NODE.BLOCK")
    return 0
