# SPDX-License-Identifier: Apache-2.0
"""Block diagrams: `docs/diagrams/NAME.yaml` to `docs/diagrams/NAME.svg`.

A diagram is a grid. `rows` is a list of rows; a row has a `label` and `boxes`; a box is a name, a
list [name, note], or null for an empty place. `flow: right` (or `left`, `both`, `none`) draws an
arrow between neighbours of the row. `links` are further arrows: [from, to] or [from, to, label],
between boxes by name; they run straight when the boxes share a row or a column, else with one bend.
`colours` maps the names of boxes to a class: wire, protocol, kernel, memory, host.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

BOX_W, BOX_H, GAP_X, GAP_Y, LEFT, TOP = 148, 54, 34, 34, 16, 52
_COLOURS = {
    "wire": ("#fff8e6", "#bf8700"),
    "protocol": ("#eaf2ff", "#0969da"),
    "kernel": ("#e9f9ee", "#1a7f37"),
    "memory": ("#f4eefe", "#8250df"),
    "host": ("#ffeef0", "#cf222e"),
    "": ("#ffffff", "#57606a"),
}
_HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" \
font-family="system-ui,Helvetica,Arial,sans-serif" font-size="14" fill="#1f2328">
<title>{title}</title>
<style>.s{{font-size:11px;fill:#57606a}}.l{{stroke:#57606a;stroke-width:1.4;fill:none}}</style>
<defs><marker id="a" markerWidth="9" markerHeight="9" refX="8" refY="4" \
orient="auto-start-reverse"><path d="M0,0 L8,4 L0,8 z" fill="#57606a"/></marker></defs>
<rect width="{w}" height="{h}" fill="#ffffff"/>
<text x="16" y="28" font-size="16" font-weight="600">{title}</text>"""


def render(spec: dict[str, Any]) -> str:
    """The SVG of a diagram."""
    rows = spec["rows"]
    labelled = any(row.get("label") for row in rows)
    left = LEFT + (88 if labelled else 0)
    columns = max(len(row["boxes"]) for row in rows)
    width = left + columns * (BOX_W + GAP_X) - GAP_X + LEFT
    height = TOP + len(rows) * (BOX_H + GAP_Y) - GAP_Y + 18
    out = [_HEAD.format(w=width, h=height, title=escape(spec["title"]))]
    places: dict[str, tuple[int, int]] = {}
    colours = spec.get("colours", {})
    arrows: list[str] = []
    for r, row in enumerate(rows):
        y = TOP + r * (BOX_H + GAP_Y)
        if row.get("label"):
            out.append(f'<text x="16" y="{y + 31}" class="s">{escape(row["label"])}</text>')
        before: int | None = None
        for c, box in enumerate(row["boxes"]):
            if box is None:
                continue
            name, note = (box, "") if isinstance(box, str) else (box[0], box[1])
            x = left + c * (BOX_W + GAP_X)
            places[name] = (x, y)
            out.append(_box(x, y, name, note, colours.get(name, "")))
            if before is not None:
                arrows.append(_straight(before + BOX_W, x, y, row.get("flow", "none")))
            before = x
    for link in spec.get("links", []):
        arrows.append(_link(places[link[0]], places[link[1]], link[2] if len(link) > 2 else ""))
    return "\n".join([*out, *(a for a in arrows if a), "</svg>"]) + "\n"


def _box(x: int, y: int, name: str, note: str, kind: str) -> str:
    fill, stroke = _COLOURS[kind]
    middle = x + BOX_W // 2
    head = y + (24 if note else 32)
    size = min(14.0, (BOX_W - 8) / (0.63 * len(name)))
    text = f'<text x="{middle}" y="{head}" text-anchor="middle" font-weight="600"'
    text += f' font-size="{size:.1f}">{escape(name)}</text>'
    if note:
        text += f'<text x="{middle}" y="{y + 42}" text-anchor="middle" class="s">{escape(note)}'
        text += "</text>"
    box = f'<rect x="{x}" y="{y}" width="{BOX_W}" height="{BOX_H}" rx="8"'
    return f'{box} fill="{fill}" stroke="{stroke}"/>{text}'


def _straight(x0: int, x1: int, y: int, flow: str) -> str:
    if flow == "none":
        return ""
    middle = y + BOX_H // 2
    start = ' marker-start="url(#a)"' if flow in ("left", "both") else ""
    end = ' marker-end="url(#a)"' if flow in ("right", "both") else ""
    return f'<path class="l" d="M{x0 + 3},{middle} L{x1 - 3},{middle}"{start}{end}/>'


def _link(a: tuple[int, int], b: tuple[int, int], label: str) -> str:
    (ax, ay), (bx, by) = a, b
    half_w, half_h = BOX_W // 2, BOX_H // 2
    if ax == bx:
        down = by > ay
        y0, y1 = (ay + BOX_H + 3, by - 3) if down else (ay - 3, by + BOX_H + 3)
        path = f"M{ax + half_w},{y0} L{bx + half_w},{y1}"
        tx, ty = ax + half_w + 6, (y0 + y1) // 2 + 4
    elif ay == by:
        x0, x1 = (ax + BOX_W + 3, bx - 3) if bx > ax else (ax - 3, bx + BOX_W + 3)
        path = f"M{x0},{ay + half_h} L{x1},{by + half_h}"
        tx, ty = (x0 + x1) // 2, ay + half_h - 6
    else:
        y0 = ay + BOX_H + 3 if by > ay else ay - 3
        x1 = bx - 3 if bx > ax else bx + BOX_W + 3
        path = f"M{ax + half_w},{y0} L{ax + half_w},{by + half_h} L{x1},{by + half_h}"
        tx, ty = ax + half_w + 6, by + half_h - 6
    text = f'<text x="{tx}" y="{ty}" class="s">{escape(label)}</text>' if label else ""
    return f'<path class="l" d="{path}" marker-end="url(#a)"/>{text}'


def stale(root: Path) -> list[tuple[Path, str]]:
    """Diagrams whose picture is missing or not the one of their description, with the picture."""
    from ruamel.yaml import YAML

    found = []
    for path in sorted((root / "docs/diagrams").glob("*.yaml")):
        text = render(YAML(typ="safe").load(path.read_text()))
        picture = path.with_suffix(".svg")
        if not picture.is_file() or picture.read_text() != text:
            found.append((picture, text))
    return found


def write_all(root: Path) -> list[Path]:
    """Draw every diagram that is not current; returns the pictures written."""
    written = stale(root)
    for picture, text in written:
        picture.write_text(text)
    return [picture for picture, _ in written]
