# SPDX-License-Identifier: Apache-2.0
"""The first frame in which two runs of one recording differ, told and traced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..capture.compare import Difference, first_difference
from ..capture.decode import bytes_that_differ, fields, fields_that_differ, short
from ..capture.pcapng import Capture, Packet
from ..clusterfile import Plan, units
from .console import err, out
from .replaying import AFTER_PS, BEFORE_PS

_KINDS = {
    "changed": "has other bytes",
    "moved": "comes at another time",
    "missing": "is missing",
    "extra": "is new",
}


def compare(one: Path, two: Path) -> Difference | None:
    """The first frame that differs between two capture files."""
    return first_difference(Capture(one), Capture(two))


def sender(plan: Plan, packet: Packet) -> str:
    """The node that sent a captured frame, or "" if a switch or Linux did."""
    owner = packet.interface.partition(".")[0]
    if packet.inbound is not False:
        for cable in plan.cables:
            ends = {str(cable.a): cable.b, str(cable.b): cable.a}
            if packet.interface in ends:
                owner = ends[packet.interface].name
    return owner if owner in plan.nodes else ""


def window(found: Difference) -> tuple[int, int]:
    """The span of simulated time around a difference that waveforms are written of."""
    times = [p.time_ns * 1000 for p in (found.first, found.second) if p is not None]
    return max(0, min(times) - BEFORE_PS), max(times) + AFTER_PS


def document(found: Difference, plan: Plan) -> dict[str, Any]:
    """For JSON."""

    def one(packet: Packet | None) -> dict[str, Any] | None:
        if packet is None:
            return None
        text = short(packet.data, packet.link)
        return {"time_ns": packet.time_ns, "frame": packet.data.hex(), "is": text}

    return {
        "kind": found.kind,
        "interface": found.packet.interface,
        "sender": sender(plan, found.packet),
        "first": one(found.first),
        "second": one(found.second),
    }


def show(found: Difference, plan: Plan, names: tuple[str, str] = ("recorded", "now")) -> None:
    """Say which frame it is, and print both decoded."""
    who = sender(plan, found.packet) or found.packet.interface
    at = units.format_time(found.packet.time_ns * 1000)
    err.print(
        f"[yellow]The first frame that differs[/] {_KINDS[found.kind]}: "
        f"sent by {who}, seen at {found.packet.interface} at {at}",
        soft_wrap=True,
    )
    for name, packet in zip(names, (found.first, found.second), strict=True):
        time = f"{packet.time_ns / 1000:.3f} us" if packet else "-"
        text = short(packet.data, packet.link) if packet else "no such frame"
        out.print(f"{name:>10}: {time:>14}  {text}", markup=False, soft_wrap=True)
    if found.first is not None and found.second is not None:
        one, two = found.first.data, found.second.data
        link = found.first.link
        lines = [*fields_that_differ(one, two, link), *bytes_that_differ(one, two)]
    else:
        lines = fields(found.packet.data, found.packet.link)
    for line in lines:
        style = {"- ": "red", "+ ": "green"}.get(line[:2])
        out.print(f"  {line}", markup=False, style=style, soft_wrap=True)
