# SPDX-License-Identifier: Apache-2.0
"""`kumi storage`."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from .. import _storage
from ..common import ending
from ..common.errors import KumiError
from ..storage import arrays, control
from ..storage.arrays import Speed, WidthOption
from .console import err, out, progress

FLUSH_S = 120.0
NO_REDUNDANCY = 3  # exit status: done, but stripes lack redundancy
NOTES_SHOWN = 8


def bars(speeds: Sequence[Speed]) -> Table:
    """Bar chart of disk speeds."""
    most = max((max(s.read_mbs, s.write_mbs) for s in speeds), default=1.0) or 1.0
    table = Table(title="speed test", title_justify="left", box=None)
    for heading in ("disk", "read MB/s", "write MB/s", ""):
        table.add_column(heading, justify="right" if "MB/s" in heading else "left")
    for s in speeds:
        bar = "█" * max(1, round(40 * s.write_mbs / most))
        table.add_row(s.path.name, f"{s.read_mbs:.0f}", f"{s.write_mbs:.0f}", bar)
    read, write = sum(s.read_mbs for s in speeds), sum(s.write_mbs for s in speeds)
    table.add_row("sum", f"{read:.0f}", f"{write:.0f}", "", style="bold")
    return table


def widths(options: Sequence[WidthOption]) -> Table:
    """Capacity and rate for each stripe width; the default one is marked."""
    best = arrays.best_option(options)
    table = Table(title="stripe width", title_justify="left", box=None)
    for heading in ("width", "capacity", "write MB/s", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for o in options:
        chosen = ("copies" if o.k == 1 else "") + (" default" if o is best else "")
        table.add_row(str(o.width), _size(o.size), f"{o.mbs:.0f}", chosen.strip())
    return table


def run_create(
    disks: list[Path],
    redundancy: str,
    size: str | None,
    width: int,
    chunk: str,
    spares: int,
    policy: str,
    name: str,
    test: str,
    force: bool,
    as_json: bool,
) -> int:
    """Create an array."""
    if policy not in ("static", "dynamic"):
        raise KumiError("A policy is static or dynamic.", code=2)
    if size:
        arrays.create_files(disks, arrays.parse_size(size))
    arrays.check_paths(disks)
    if not force:
        arrays.require_unused(disks)
    speeds: list[Speed] = []
    amount = arrays.parse_size(test)
    if amount:
        with err.status(f"testing the speed of {len(disks)} disks"):
            speeds = arrays.measure(arrays.devices(disks), amount)
        err.print(bars(speeds))
    sizes = [arrays.size_of(path) for path in disks]
    chunk_bytes = arrays.parse_size(chunk) or arrays.default_chunk(sizes)
    arrays.chunk_log2(chunk_bytes)  # raises if it is none
    k, p = arrays.REDUNDANCY.get(redundancy, (1, 0))
    if k == 0 and not width:
        rates = [s.write_mbs for s in speeds] or [500.0] * len(disks)
        options = arrays.width_options(sizes, rates, p, chunk_bytes, spares)
        if options:
            err.print(widths(options))
            if arrays.best_option(options).k == 1:
                err.print("copies hold more than parity on disks of such different sizes")
    unused = arrays.out_of_reach(sizes, chunk_bytes)
    if unused:
        err.print(
            f"[red]{_size(unused)} of the disks cannot be used:[/] a disk has at most "
            f"{arrays.MOST_SLOTS:,} chunks, here of {_size(chunk_bytes)}"
        )
    arrays.create(
        disks,
        redundancy=redundancy,
        width=width,
        chunk=chunk_bytes,
        spares=spares,
        dynamic=policy == "dynamic",
        name=name,
        speeds=speeds,
        force=force,
    )
    return _show(control.describe(arrays.open_array(disks, read_only=True), None), as_json)


def _stop_signals() -> threading.Event:
    """SIGINT, SIGTERM and SIGHUP set an event; what is to be written may take its time."""
    stop = threading.Event()
    ending.allow(FLUSH_S)
    for number in ending.SIGNALS:
        signal.signal(number, lambda *_: stop.set())
    return stop


def run_serve(
    disks: list[Path],
    unix: Path | None,
    port: int | None,
    degraded: bool,
    read_only: bool,
    timeout: float,
    late: float,
    node: bool = False,
    ports: int = 0,
    force: bool = False,
) -> int:
    """Serve until Ctrl-C."""
    if unix is None and port is None:
        port = 10809
    if node:
        if read_only or force:
            raise KumiError(
                "A node rewrites the logs at every start and cannot serve read-only.", code=2
            )
        return _serve_node(disks, unix, port, degraded, ports)
    if ports:
        raise KumiError("Only a node has ports: --ports goes with --node.", code=2)
    service = control.Service(
        disks,
        unix=unix,
        port=port,
        degraded=degraded,
        read_only=read_only,
        salvage=force,
        timeout_s=timeout,
        late_s=late,
    )
    stop = _stop_signals()
    info = service.array.info()
    _warn_lost(control.describe(service.array, None))
    told = _tell_notes(service.array, 0)
    err.print(f"serving {info['name']}, {_size(info['bytes'])}; Ctrl-C ends it")
    print(service.uri(unix), flush=True)
    try:
        while not stop.wait(1):
            told = _tell_notes(service.array, told)
    finally:
        with err.status("writing what is left"):
            service.close()
        _tell_notes(service.array, told)
    return 0


def _tell_notes(array: _storage.Array, first: int) -> int:
    """Print what has happened to devices and data since note `first`; the next one's number."""
    following, notes = array.notes(first)
    for note in notes:
        err.print(note, soft_wrap=True, highlight=False)
    return following


def _serve_node(
    disks: list[Path], unix: Path | None, port: int | None, degraded: bool, ports: int
) -> int:
    from ..storage.node.serve import NodeService
    from ..storage.node.simulated import build_node

    arrays.check_paths(disks)
    with progress("reading the node's design") as say:
        wanted = max(ports, len(disks))
        built = build_node(wanted, lambda step: say(f"building the node: {step}"))
    if not built.cached:
        err.print(f"built the node in {built.seconds:.0f} s")
    with err.status("starting the disks"):
        service = NodeService(disks, unix=unix, port=port, degraded=degraded, ports=ports)
    stop = _stop_signals()
    err.print(f"serving {_size(service.volume.size)} through the node; Ctrl-C ends it")
    print(service.uri(unix), flush=True)
    try:
        while not stop.wait(0.2):
            pass
    finally:
        with err.status("writing what is left"):
            service.close()
    return 0


def run_status(disks: list[Path], degraded: bool, as_json: bool) -> int:
    """Show an array, served or not."""
    client = control.find(disks)
    if client:
        return _show(client.call(op="status"), as_json)
    array = arrays.open_array(disks, degraded=degraded, read_only=True, salvage=True)
    return _show(control.describe(array, None), as_json)


def run_assemble(disks: list[Path], force: bool, yes: bool, as_json: bool) -> int:
    """Say whether an array can start; by force make what is left of it one that can."""
    if control.find(disks):
        raise KumiError("The array is being served.", "Stop the server first.")
    if not force:
        array = arrays.open_array(disks, degraded=True, read_only=True)
        return _show(control.describe(array, None), as_json)
    plan = control.describe(arrays.open_array(disks, read_only=True, force=True), None)
    for note in plan["notes"]:
        err.print(note, soft_wrap=True, highlight=False)
    lost = plan["lost"]
    total = sum(length for _, length in lost)
    stripes = total // (plan["array"]["k"] * plan["array"]["chunk"])
    if lost:
        err.print(
            f"[red]lost for good:[/] {_size(total)} in {stripes} stripes, at bytes {_spans(lost)}",
            soft_wrap=True,
        )
    else:
        err.print("nothing is lost")
    if not yes and not (sys.stdin.isatty() and typer.confirm("Go on?")):
        raise KumiError("Nothing was changed.", "--yes goes on without asking.")
    array = arrays.open_array(disks, force=True)
    state = control.describe(array, None)
    _show(state, as_json)
    return _code(state)


def run_fail(disks: list[Path], device: int, degraded: bool, force: bool, as_json: bool) -> int:
    """Mark a device as failed."""
    client = control.find(disks)
    if client:
        state = client.call(op="fail", device=device, force=force)
    else:
        array = arrays.open_array(disks, degraded=degraded)
        array.fail(device, force)
        state = control.describe(array, None)
    _show(state, as_json)
    return _code(state)


def run_add(
    disks: list[Path],
    new: Path,
    size: str | None,
    limit: float,
    degraded: bool,
    force: bool,
    as_json: bool,
) -> int:
    """One more disk."""
    if size:
        arrays.create_files([new], arrays.parse_size(size))
    arrays.check_paths([new])
    client = control.find(disks)
    if client:
        client.call(op="add", path=str(new.absolute()), limit=limit, force=force)
        return _follow("rebuild", lambda: client.call(op="status"), as_json)
    array = arrays.open_array(disks, degraded=degraded)
    volume = _storage.Volume(array)
    control.add(array, new, force=force)
    if array.degraded_stripes():
        volume.start_rebuild(False, limit)
    return _follow("rebuild", lambda: control.describe(array, volume), as_json)


def run_replace(
    disks: list[Path],
    device: int,
    new: Path,
    size: str | None,
    limit: float,
    degraded: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Replace a device's disk and rebuild its content."""
    if size:
        arrays.create_files([new], arrays.parse_size(size))
    arrays.check_paths([new])
    client = control.find(disks)
    if client:
        client.call(op="replace", device=device, path=str(new.absolute()), limit=limit, force=force)
        return _follow("rebuild", lambda: client.call(op="status"), as_json)
    array = arrays.open_array(disks, degraded=degraded)
    volume = _storage.Volume(array)
    control.replace(array, device, new, force=force)
    volume.start_rebuild(False, limit)
    return _follow("rebuild", lambda: control.describe(array, volume), as_json)


def run_scrub(disks: list[Path], limit: float, degraded: bool, as_json: bool) -> int:
    """Read, verify and repair all data."""
    client = control.find(disks)
    if client:
        client.call(op="scrub", limit=limit)
        return _follow("scrub", lambda: client.call(op="status"), as_json)
    array = arrays.open_array(disks, degraded=degraded)
    volume = _storage.Volume(array)
    volume.start_rebuild(True, limit)
    return _follow("scrub", lambda: control.describe(array, volume), as_json)


def _follow(what: str, look: Callable[[], dict[str, Any]], as_json: bool) -> int:
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=err) as progress:
        task = progress.add_task(what)
        while True:
            state = look()
            rebuild = state["rebuild"]
            if rebuild is None:
                break
            progress.update(task, total=max(1, rebuild["total"]), completed=rebuild["done"])
            if not rebuild["running"]:
                break
            time.sleep(0.2)
    _show(state, as_json)
    if rebuild and rebuild["problem"]:
        raise KumiError(f"{what}: {rebuild['problem']}")
    return _code(state)


def _code(state: dict[str, Any]) -> int:
    """Exit status of a command that has changed an array."""
    return NO_REDUNDANCY if state["degraded_stripes"] or state.get("lost") else 0


def _warn_lost(state: dict[str, Any]) -> None:
    lost = state.get("lost", [])
    if lost:
        total = sum(length for _, length in lost)
        err.print(f"[red]{_size(total)} are lost and read as errors:[/] {_spans(lost)}")


def _spans(lost: Sequence[Sequence[int]]) -> str:
    shown = ", ".join(f"{offset}+{length}" for offset, length in lost[:8])
    return f"{shown} and {len(lost) - 8} more ranges" if len(lost) > 8 else shown


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def _show(state: dict[str, Any], as_json: bool) -> int:
    if as_json:
        print(json.dumps(state))
        return 0
    info = state["array"]
    k, p = info["k"], info["p"]
    kind = {(1, 0): "no redundancy", (1, 1): "mirror", (1, 2): "mirror of three"}.get(
        (k, p), f"{k} data and {p} parity chunks a stripe"
    )
    out.print(
        f"{info['name']} ({info['uuid']}): {_size(info['bytes'])}, {kind}, "
        f"chunks of {_size(info['chunk'])}, {info['policy']}",
        soft_wrap=True,
    )
    table = Table()
    for heading in ("device", "disk", "state"):
        table.add_column(heading)
    for heading in ("read MB/s", "write MB/s", "used", "errors"):
        table.add_column(heading, justify="right")
    for d in state["devices"]:
        colour = {"active": "green", "failed": "red"}.get(d["state"], "yellow")
        errors = ("read_errors", "write_errors", "checksum_errors", "timeouts")
        wrong = [d[x] for x in errors if x in d]  # a node does not count them
        table.add_row(
            str(d["index"]),
            d["name"] or "not here",
            f"[{colour}]{d['state']}[/]",
            f"{d['read_mbs']:.0f}",
            f"{d['write_mbs']:.0f}",
            f"{100 * d['chunks'] / max(1, d['slots']):.1f} %",
            str(sum(wrong)) if wrong else "-",
        )
    out.print(table)
    if state["degraded_stripes"]:
        out.print(f"{state['degraded_stripes']} of {info['stripes']} stripes lack redundancy")
    if state.get("lost"):
        total = sum(length for _, length in state["lost"])
        out.print(f"[red]lost:[/] {_size(total)} at bytes {_spans(state['lost'])}", soft_wrap=True)
    healed = sum(d.get("healed", 0) for d in state["devices"])
    if healed:
        out.print(f"{healed} damaged superblocks and logs were written again")
    if state.get("suspended"):
        out.print("[red]suspended:[/] more disks are lost than the redundancy covers")
    writes = state.get("writes")
    if writes and writes["problem"]:
        out.print(f"[red]not all could be written:[/] {writes['problem']}")
    if writes and writes["dropped"]:
        out.print(f"[red]{writes['dropped']} writes lost:[/] {writes['dropped_problem']}")
    for note in state.get("notes", [])[-NOTES_SHOWN:]:
        out.print(note, soft_wrap=True, highlight=False)
    rebuild = state["rebuild"]
    if rebuild and rebuild["running"]:
        what = "scrub" if rebuild["verify"] else "rebuild"
        out.print(f"{what}: {rebuild['done']} of {rebuild['total']} stripes")
    return 0
