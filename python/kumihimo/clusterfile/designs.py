# SPDX-License-Identifier: Apache-2.0
"""Finds node designs, and reads their ports from the source text without elaboration."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from ..build.flat import FLAT, REMOTE_MAP
from ..common.paths import project_root

_PREFIX = "kumi_node_"


def node_folders() -> tuple[Path, Path]:
    """Where the flat tops of the project's own nodes are: written by hand, and generated."""
    return project_root() / "hw" / "node", project_root() / FLAT


def _is_top(file: Path) -> bool:
    """Whether a file holds a module whose ports are all flat."""
    text = file.read_text(encoding="utf-8")
    start = re.search(r"^module\s", text, re.M)
    return start is not None and "_if." not in text[start.start() :].split("\n);", 1)[0]


def known_designs(*folders: Path) -> dict[str, Path]:
    """Design names and their top files, in the given folders and of the project's own nodes."""
    files = [f for folder in (*node_folders(), *folders) for f in folder.glob(f"{_PREFIX}*.sv")]
    tops = {file.stem.removeprefix(_PREFIX): file for file in files if _is_top(file)}
    return dict(sorted(tops.items()))


def find_design(name: str, folder: Path) -> Path | None:
    """The top file of a design: a path to a .sv file, else a name beside the file or in hw/node.

    For a .cl file the node of its OpenCL kernels, which is made if need be.
    """
    if name.endswith(".cl"):
        from ..hls.node import cached_node  # the compiler of kernels takes long to import

        source = Path(name) if Path(name).is_absolute() else folder / name
        return cached_node(source) if source.is_file() else None
    if name.endswith((".sv", ".v")):
        file = Path(name) if Path(name).is_absolute() else folder / name
        return file if file.is_file() else None
    for place in (folder, folder / "hw", *node_folders()):
        for stem in (f"{_PREFIX}{name}", name):
            if (place / f"{stem}.sv").is_file():
                return place / f"{stem}.sv"
    return None


@dataclass(frozen=True)
class RemoteChannel:
    """A channel of OpenCL kernels that leads to kernels of another node."""

    name: str
    reads: bool  # the node's kernels read it
    number: int
    bits: int
    register: str  # that says where it leads; of those that are written


def _remote(file: Path) -> tuple[RemoteChannel, ...]:
    listed = file.with_name(REMOTE_MAP)
    if not listed.is_file():
        return ()
    found = json.loads(listed.read_text(encoding="utf-8"))
    return tuple(RemoteChannel(name, **fields) for name, fields in found.items())


@dataclass(frozen=True)
class DesignSketch:
    """Module, parameters and ports of a top file, by kind."""

    file: Path
    top: str
    params: tuple[str, ...]
    eth: tuple[str, ...]
    clocks: tuple[str, ...]
    has_registers: bool
    lanes: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    ib: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    remote: tuple[RemoteChannel, ...] = ()

    def bundles(self) -> dict[str, tuple[str, ...]]:
        """Lanes grouped into links: l0_0, l0_1, ... as l0, in numeric order."""
        out: dict[str, list[str]] = {}
        for lane in self.lanes:
            stem, _, number = lane.rpartition("_")
            if stem and number.isdigit():
                out.setdefault(stem, []).append(lane)
        return {
            stem: tuple(sorted(lanes, key=lambda lane: int(lane.rpartition("_")[2])))
            for stem, lanes in out.items()
        }


def sketch(file: Path) -> DesignSketch:
    """Read the port list of a top from its text, as a check before any build."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", file.read_text(encoding="utf-8"), flags=re.S)
    top = re.search(rf"\bmodule\s+({re.escape(file.stem)}|\w+)", text)
    header = text[top.start() :] if top else text
    header = header.split(");", 1)[0] if top else header
    eth = sorted(set(re.findall(r"\b[sm]_axis_(eth\d+)_tdata\b", header)))
    clocks = re.findall(r"\binput\s+(?:wire|logic)?\s*(clk|\w+_clk)\b", header)
    params = re.findall(r"\bparameter\s+(?:[\w:]+\s+)*?(?:\[[^\]]*\]\s*)?(\w+)\s*=", header)
    return DesignSketch(
        file=file,
        top=top.group(1) if top else file.stem,
        params=tuple(dict.fromkeys(params)),
        eth=tuple(eth),
        clocks=tuple(dict.fromkeys(clocks)) or ("clk",),
        has_registers="s_axil_awaddr" in header,
        lanes=tuple(dict.fromkeys(re.findall(r"\bs_lane_(\w+)_data\b", header))),
        memories=tuple(dict.fromkeys(re.findall(r"\bm_axi_(?:(\w+)_)?awaddr\b", header))),
        disks=tuple(dict.fromkeys(re.findall(r"\bs_sata_(\w+?)_data\b", header))),
        ib=tuple(dict.fromkeys(re.findall(r"\bs_ib_(\w+?)_data\b", header))),
        hosts=tuple(dict.fromkeys(re.findall(r"\bm_hdr_(\w+)_irq_data\b", header))),
        remote=_remote(file),
    )
