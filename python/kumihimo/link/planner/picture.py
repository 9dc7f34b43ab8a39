# SPDX-License-Identifier: Apache-2.0
"""Draws a plan: boards with each circuit in its own colour, and the slot tables."""

from __future__ import annotations

import colorsys
import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import networkx as nx

from ...common.errors import KumiError
from .plan_doc import Plan

Point = tuple[float, float]
SUFFIXES = (".svg", ".png", ".pdf")
ROWS_MOST = 120
NAMED_MOST = 24
GOLDEN = 0.618033988749895


def colours(plan: Plan) -> dict[str, tuple[float, float, float]]:
    """A colour for each circuit; neighbours in the list are far apart in hue."""
    out = {}
    for index, circuit in enumerate(plan.circuits):
        hue = (0.58 + index * GOLDEN) % 1
        light = (0.45, 0.6, 0.35)[index // 7 % 3]
        out[circuit["name"]] = colorsys.hls_to_rgb(hue, light, 0.75)
    return out


def owners(plan: Plan) -> dict[tuple[str, int], str]:
    """Circuit at each used position of each output."""
    total = plan.frame_cycles
    offsets = {link["from"]: link["offset"] for link in plan.links}
    out = {}
    for circuit in plan.circuits:
        shift = 0
        for port in [*circuit["route"], circuit["to"]]:
            for position in circuit["positions"]:
                out[port, (position + shift) % total] = circuit["name"]
            shift += offsets.get(port, 0)
    return out


def layout(plan: Plan) -> dict[str, Point]:
    """Positions of boards: a grid for names like n2_3, else a circle or a spring layout."""
    places: dict[str, Point] = {}
    shape = plan.data.get("shape")
    for name in plan.boards:
        numbers = [int(n) for n in re.findall(r"\d+", name)]
        if shape in ("mesh", "torus") and len(numbers) in (1, 2, 3):
            x, y, z = (*numbers, 0, 0, 0)[:3]
            places[name] = (x + 0.28 * z, -y - 0.22 * z) if len(numbers) > 1 else (x, 0.0)
        elif shape == "line" and len(numbers) == 1:
            places[name] = (float(numbers[0]), 0.0)
    if len(places) == len(plan.boards):
        return places
    graph = nx.Graph()
    graph.add_nodes_from(plan.boards)
    graph.add_edges_from(
        (link["from"].split(".")[0], link["to"].split(".")[0]) for link in plan.links
    )
    if shape in ("ring", "full") or len(graph) <= 8:
        spots = nx.circular_layout(graph)
    else:
        spots = nx.spring_layout(graph, seed=1, method="force", iterations=200)
    scale = max(1.0, math.sqrt(len(graph)) * 0.9)
    return {name: (float(x) * scale, float(y) * scale) for name, (x, y) in spots.items()}


def check_name(file: Path) -> None:
    """Reject a file name without a known picture suffix."""
    if file.suffix not in SUFFIXES:
        endings = ", ".join(SUFFIXES)
        raise KumiError(f"{file}: expected a name that ends in one of {endings}.", code=2)


def picture(plan: Plan, file: Path) -> None:
    """Draw a plan; the file's suffix selects the format."""
    check_name(file)
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "kumihimo"  # reproducible file content
    from matplotlib import pyplot

    rows = _rows(plan)
    places = layout(plan)
    tall = max(4.5, min(14.0, 0.16 * len(rows) + 1.5))
    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(14, tall), layout="constrained", width_ratios=(1, 1.25)
    )
    _topology(plan, left, places)
    _tables(plan, right, rows)
    if len(plan.circuits) <= NAMED_MOST:
        _legend(plan, figure)
    figure.savefig(
        file, metadata={"Date": None} if file.suffix == ".svg" else None, bbox_inches="tight"
    )
    pyplot.close(figure)


def _legend(plan: Plan, figure: Any) -> None:
    from matplotlib.patches import Patch

    colour = colours(plan)
    marks = [
        Patch(color=colour[c["name"]], label=f"{c['name']}: {c['from']} to {c['to']}, {c['slots']}")
        for c in plan.circuits
    ]
    columns = min(6, max(1, len(marks)))
    figure.legend(handles=marks, loc="outside lower center", ncols=columns, fontsize=7)


# ---- boards and circuits ----------------------------------------------------------------------


def _path(a: Point, b: Point, number: int, count: int) -> list[Point]:
    """A curve from a to b, bent to the right; long cables bend more, to clear boards between."""
    (ax, ay), (bx, by) = a, b
    far = math.hypot(bx - ax, by - ay) or 1.0
    nx_, ny_ = (by - ay) / far, -(bx - ax) / far
    bend = (0.16 if far < 1.6 else 0.3) * min(far, 3.0) * (number + 1) / (count + 1)
    trim = min(0.15, 0.15 / far)
    points = []
    for k in range(13):
        t = trim + (1 - 2 * trim) * k / 12
        side = bend * 4 * t * (1 - t)
        points.append((ax + (bx - ax) * t + nx_ * side, ay + (by - ay) * t + ny_ * side))
    return points


def _topology(plan: Plan, axes: Any, places: dict[str, Point]) -> None:
    ends = {link["from"]: link["to"].split(".")[0] for link in plan.links}
    for start, board in ends.items():
        xs, ys = zip(*_path(places[start.split(".")[0]], places[board], 0, 8), strict=True)
        axes.plot(xs, ys, color="0.75", linewidth=0.8, zorder=1)
    riders: dict[str, list[str]] = defaultdict(list)
    for circuit in plan.circuits:
        for start in circuit["route"]:
            riders[start].append(circuit["name"])
    colour = colours(plan)
    width = {c["name"]: 0.8 + 3 * c["slots"] / plan.slots for c in plan.circuits}
    for start, names in riders.items():
        a, b = places[start.split(".")[0]], places[ends[start]]
        for number, name in enumerate(names):
            points = _path(a, b, number, len(names))
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, color=colour[name], linewidth=width[name], zorder=2)
            if len(names) <= 6:
                arrow = {"arrowstyle": "-|>", "color": colour[name], "shrinkA": 0, "shrinkB": 0}
                axes.annotate("", points[-1], points[-2], arrowprops=arrow, zorder=3)
    size = 9 if len(places) <= 20 else 6
    for name, (x, y) in places.items():
        box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": "0.2"}
        axes.text(x, y, name, ha="center", va="center", fontsize=size, bbox=box, zorder=4)
    axes.set_title(f"{plan.name}: {len(plan.circuits)} circuits on {len(places)} boards")
    axes.set_aspect("equal")
    axes.margins(0.12)
    axes.set_axis_off()


# ---- tables -----------------------------------------------------------------------------------


def _rows(plan: Plan) -> list[str]:
    """Outputs in use; the fullest ones if there are too many."""
    load: dict[str, int] = defaultdict(int)
    for port, _position in owners(plan):
        load[port] += 1
    every = [f"{b}.{p}" for b, board in plan.boards.items() for p in board["ports"]]
    used = [port for port in every if load[port]]
    if len(used) > ROWS_MOST:
        full = sorted(used, key=lambda p: -load[p])[:ROWS_MOST]
        used = [port for port in used if port in set(full)]
    return used


def _tables(plan: Plan, axes: Any, rows: list[str]) -> None:
    colour = colours(plan)
    who = owners(plan)
    hosts = {f"{b}.{p}" for b, d in plan.boards.items() for p in d["ports"][: d["locals"]]}
    image = []
    for port in rows:
        line = []
        for position in range(plan.frame_cycles):
            name = who.get((port, position))
            if name is not None:
                line.append(colour[name])
            elif (position == plan.frame_cycles - 2) if port in hosts else position >= plan.slots:
                line.append((0.8, 0.8, 0.8))
            else:
                line.append((0.97, 0.97, 0.97))
        image.append(line)
    axes.set_title("tables: who has which position of which output (grey: closed)")
    axes.set_xlabel("position of a TDM frame")
    if not image:
        axes.text(0.5, 0.5, "no circuits", ha="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    axes.imshow(image, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(rows)), rows, fontsize=7 if len(rows) <= 60 else 4)
    if plan.frame_cycles <= 80 and len(rows) <= 60:
        axes.set_xticks([x - 0.5 for x in range(plan.frame_cycles)], minor=True)
        axes.set_yticks([y - 0.5 for y in range(len(rows))], minor=True)
        axes.grid(which="minor", color="white", linewidth=0.6)
        axes.tick_params(which="minor", length=0)
