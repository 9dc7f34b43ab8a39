# SPDX-License-Identifier: Apache-2.0
"""Exports the published blocks to every target and elaborates what was written."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from kumihimo.build.compile import verilator_lint
from kumihimo.build.filelist import FileList, read_list
from kumihimo.build.scan import Elaboration
from kumihimo.common.errors import KumiError
from kumihimo.export.block import Block, load
from kumihimo.export.targets import TARGETS
from kumihimo.export.write import write

PUBLISHED = (
    "kumi_tcp",
    "kumi_axis_async_fifo",
    "kumi_mac_xgmii",
    "kumi_eth_10g",
    "kumi_eth_controller",
    "kumi_ip_stack",
    "kumi_tcp_toe",
    "kumi_serial_link",
    "kumi_dma",
    "kumi_sata_port",
)
# The file of each target that lists the sources.
LISTS = {
    "vivado": "{}.tcl",
    "quartus": "{}.qip",
    "fusesoc": "{}.core",
    "bender": "Bender.yml",
    "litex": "{}.py",
    "flist": "{}.f",
}


def listed_sources(target: str, module: str, folder: Path) -> list[str]:
    """The sources that a target's own file names, in its order."""
    text = (folder / LISTS[target].format(module)).read_text(encoding="utf-8")
    return [f for f in re.findall(r"rtl/[\w/]+\.s?vh?\b", text) if "/include/" not in f]


def verilate(folder: Path, sources: list[str], top: str) -> str:
    """What Verilator says of some sources of a folder; nothing when they elaborate."""
    listed = FileList([Path(s) for s in sources], [Path("rtl/include")])
    options = ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
    code, text = verilator_lint(top, listed, options, folder)
    return text if code else ""


def elaborate(folder: Path, sources: list[str], top: str) -> str:
    """What slang says; nothing when the sources elaborate."""
    include = folder / "rtl" / "include"
    files = FileList([folder / s for s in sources], [include] if include.is_dir() else [])
    try:
        return Elaboration(top, files, {}).errors
    except KumiError as problem:
        return str(problem)


def check_block(block: Block, folder: Path) -> list[str]:
    """Write a block for every target below a folder; what is wrong with the files."""
    wrong = []
    for target in TARGETS:
        place = folder / target
        write(block, target, place)
        sources = listed_sources(target, block.module, place)
        plain = [f"rtl/{p.name}" for p in block.sources] + [f"rtl/{block.top}.sv"]
        if [s for s in sources if not s.endswith(".v")] != plain:
            wrong.append(f"{block.module} for {target}: lists other sources than it needs")
        wrong += [
            f"{block.module} for {target}: {s} is missing"
            for s in sources
            if not (place / s).is_file()
        ]
    listed = read_list(folder / "flist" / f"{block.module}.f")
    if [f.name for f in listed.files] != [f.name for f in block.sources] + [f"{block.top}.sv"]:
        wrong.append(f"{block.module}: {block.module}.f names other files")
    place = folder / "vivado"
    sources = listed_sources("vivado", block.module, place)
    for name, tool in (("Verilator", verilate), ("slang", elaborate)):
        said = tool(place, sources, f"{block.module}_ip")
        if said:
            wrong.append(f"{block.module}: {name}: {said}")
    return wrong


def exports_ok() -> int:
    """How many published blocks elaborate from their exports to every target."""
    good = 0
    for name in PUBLISHED:
        with tempfile.TemporaryDirectory() as folder:
            try:
                good += not check_block(load(name), Path(folder))
            except KumiError:
                continue
    return good
