# SPDX-License-Identifier: Apache-2.0
"""Writes the folder of an export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kumihimo import __version__
from kumihimo.common.errors import KumiError, did_you_mean
from kumihimo.common.paths import project_root
from kumihimo.export import constraints, instances
from kumihimo.export.block import Block, load
from kumihimo.export.litex import class_name
from kumihimo.export.targets import NEXT, TARGETS, file_list

MARK = "Exported by Kumihimo"


def export(
    name: str,
    target: str,
    folder: Path,
    params: Mapping[str, str] | None = None,
    mhz: Mapping[str, float] | None = None,
    force: bool = False,
) -> Block:
    """Write a block for a tool into a folder that is new, empty, or an earlier export."""
    if target not in TARGETS:
        raise KumiError(f"There is no target {target}.{did_you_mean(target, TARGETS)}", code=2)
    _check_folder(folder, force)
    block = load(name, params, mhz)
    write(block, target, folder)
    return block


def _check_folder(folder: Path, force: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise KumiError(f"{folder} is not a folder.", code=2)
    if force or not folder.is_dir() or not any(folder.iterdir()):
        return
    readme = folder / "README.md"
    if not readme.is_file() or MARK not in readme.read_text(encoding="utf-8", errors="replace"):
        raise KumiError(
            f"{folder} is not empty and no earlier export.", "Take another, or add --force.", 2
        )


def write(block: Block, target: str, folder: Path) -> list[Path]:
    """Write the files; returns their paths in the folder."""
    root = project_root()
    files: dict[str, str] = {}
    sources = []
    for path in block.sources:
        place = f"rtl/{path.name}"
        sources.append(place)
        files[place] = path.read_text(encoding="utf-8")
    for path in block.headers:
        files[f"rtl/include/{path.name}"] = path.read_text(encoding="utf-8")
    sources.append(f"rtl/{block.top}.sv")
    files[sources[-1]] = block.text
    for name in block.registers:
        header = root / "sim" / "include" / "kumi" / "regs" / f"{name}_regs.h"
        description = root / "regs" / f"{name.removeprefix('kumi_')}.rdl"
        for path in (header, description):
            if path.is_file():
                files[f"registers/{path.name}"] = path.read_text(encoding="utf-8")
    stem = block.module
    files[f"{stem}.f"] = file_list(block, sources)
    files[f"constraints/{stem}.xdc"] = constraints.xdc(block)
    files[f"constraints/{stem}_ooc.xdc"] = constraints.ooc_xdc(block)
    files[f"constraints/{stem}.sdc"] = constraints.sdc(block)
    files["templates/instance.sv"] = instances.systemverilog(block)
    files["templates/instance.v"] = instances.verilog(block)
    files["templates/instance.vhd"] = instances.vhdl(block)
    files |= TARGETS[target](block, sources)
    files["LICENSE"] = (root / "LICENSE").read_text(encoding="utf-8")
    files["README.md"] = _readme(block, target)
    written = []
    for name, text in files.items():
        target_file = folder / name
        target_file.parent.mkdir(parents=True, exist_ok=True)
        target_file.write_text(text, encoding="utf-8")
        written.append(target_file)
    return written


def _readme(block: Block, target: str) -> str:
    words = {"module": block.module, "top": block.top, "cls": class_name(block.module)}
    lines = [
        f"# {block.module}",
        "",
        block.summary,
        "",
        f"{MARK} {__version__} for {target}: `kumi export {block.module} --to {target} DIR"
        + "".join(f" --param {k}={v}" for k, v in block.params.items())
        + "`.",
        "",
        NEXT[target].format(**words),
        "",
        f"- `rtl/`: sources in the order of `{block.module}.f`; the flat top is `{block.top}`.",
        "- `constraints/`: clock crossings as XDC (scoped to the flat top) and as SDC for Quartus;",
        "  `*_ooc.xdc` has the clocks of a synthesis of the block alone.",
        "- `templates/`: an instance in SystemVerilog, Verilog and VHDL.",
    ]
    if block.registers:
        lines.append("- `registers/`: C headers and SystemRDL of the register blocks.")
    lines += ["", "## Clocks", "", "| clock | reset | MHz in the constraints | buses |"]
    lines.append("|---|---|---|---|")
    for clock in block.clocks:
        buses = ", ".join(f"`{b.prefix}`" for b in block.buses if b.clock == clock.name)
        lines.append(f"| `{clock.name}` | `{clock.reset or '-'}` | {clock.mhz:g} | {buses} |")
    lines += ["", "Resets are synchronous to their clock and active high.", ""]
    if block.crossings:
        lines += ["## Clock crossings", "", *constraints.table(block), ""]
    if block.unsynchronised:
        lines += ["## Read by another clock without a synchroniser", ""]
        lines += [*(f"- `{row}`" for row in block.unsynchronised), ""]
        lines += ["These are not constrained: they must be constant while that clock runs.", ""]
    lines += ["Licence: Apache-2.0, see `LICENSE`.", ""]
    return "\n".join(lines)
