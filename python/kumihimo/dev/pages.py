# SPDX-License-Identifier: Apache-2.0
"""Documentation: the generated list of modules, and the check of every link between pages."""

from __future__ import annotations

import re
from pathlib import Path

from kumihimo.build.derive import library
from kumihimo.dev.files import project_files

MODULES_PAGE = Path("docs/modules.md")
# What each room of hw/ holds, in the order of the data path.
ROOMS = {
    "axi": "AXI4 and AXI4-Lite interfaces and interconnect",
    "cdc": "Clock domain crossing",
    "dma": "DMA and memory-mapped FIFOs to a host",
    "mem": "Memories and their helpers",
    "net": "Header records that protocols share",
    "pcs64b66b": "64b/66b line code",
    "regs": "Register access and counters",
    "stream": "Streams: FIFOs, arbiters, width conversion, checksums",
    "eth": "Ethernet: MAC, PCS, controller, reliable transport",
    "ip": "ARP, IPv4, ICMP, UDP",
    "tcp": "TCP offload engine",
    "link": "Serial links and the circuit switch",
    "ib": "InfiniBand link layer",
    "sata": "Serial ATA host",
    "storage": "Array controller",
    "hls": "Library cells of kernels generated from OpenCL",
    "kernel": "Programs behind the engines",
    "node": "Complete nodes",
}
_UNIT = re.compile(r"^\s*(module|package|interface)\s", re.M)
# Initials ("C. E. Cummings") and abbreviations do not end a sentence.
_SENTENCE = re.compile(r".*?(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.:](?=\s|$)")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
_CODE = re.compile(r"`[^`\n]*`")


def summary_of(path: Path) -> tuple[str, str]:
    """(kind, first sentence of the header comment) of a unit's file."""
    text = path.read_text()
    kind = _UNIT.search(text)
    words: list[str] = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        comment = line[2:].strip()
        if comment.startswith("SPDX") or (not comment and not words):
            continue
        if not comment:
            break
        words.append(comment)
    sentence = _SENTENCE.match(" ".join(words))
    what = sentence.group(0) if sentence else " ".join(words)
    return kind.group(1) if kind else "", what.rstrip(".:")


def modules_page(root: Path) -> str:
    """The text of docs/modules.md: every hand-written unit of hw/, a line each, by room."""
    rooms: dict[str, list[Path]] = {}
    for path in library(root).values():
        where = path.relative_to(root / "hw")
        if "generated" not in where.parts:
            rooms.setdefault(where.parts[0], []).append(path)
    lines = [
        "# Modules",
        "",
        "Every module, package and interface of `hw/`, generated from the headers of the files by",
        "`python -m kumihimo.dev pages`. Ports, timing and limits are in each file's header;",
        "the pages of the [blocks](README.md#blocks) show how they fit together.",
    ]
    order = [*ROOMS, *sorted(set(rooms) - set(ROOMS))]
    for room in order:
        if room not in rooms:
            continue
        lines += ["", f"## hw/{room}", "", f"{ROOMS.get(room, room)}.", ""]
        lines += ["| name | | purpose |", "|---|---|---|"]
        for path in sorted(rooms[room], key=lambda p: (p.parent, p.stem)):
            kind, what = summary_of(path)
            short = {"module": "", "package": "package", "interface": "interface"}.get(kind, kind)
            link = "../" + path.relative_to(root).as_posix()
            what = what.replace("|", "\\|")
            lines.append(f"| [`{path.stem}`]({link}) | {short} | {what} |")
    return "\n".join(lines) + "\n"


def write_modules(root: Path) -> bool:
    """Renew docs/modules.md; whether it changed."""
    page = root / MODULES_PAGE
    text = modules_page(root)
    if page.is_file() and page.read_text() == text:
        return False
    page.write_text(text)
    return True


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site name them."""
    found: set[str] = set()
    for line in _FENCE.sub("", text).splitlines():
        if match := re.match(r"#{1,6}\s+(.*)", line):
            heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).strip().lower()
            slug = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
            number = 0
            while (name := slug if not number else f"{slug}-{number}") in found:
                number += 1
            found.add(name)
    return found


def pages(root: Path) -> list[Path]:
    """Every Markdown page that git tracks or would track."""
    return [path for path in project_files(root) if path.suffix == ".md"]


def link_findings(root: Path) -> list[str]:
    """Every link to a file that is not there, or to a heading that its page lacks."""
    found = []
    known: dict[Path, set[str]] = {}
    for page in pages(root):
        text = page.read_text()
        body = _CODE.sub("", _FENCE.sub("", text))
        for match in _LINK.finditer(body):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            place = (page.parent / name).resolve() if name else page
            where = f"{page.relative_to(root)}: link {target}"
            if not place.exists():
                found.append(f"{where}: no such file")
            elif anchor and place.suffix == ".md":
                if place not in known:
                    known[place] = anchors(place.read_text())
                if anchor not in known[place]:
                    found.append(f"{where}: the page has no such heading")
    return found
