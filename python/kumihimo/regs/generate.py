# SPDX-License-Identifier: Apache-2.0
"""Generate RTL, C headers, Python maps and the register tables from the SystemRDL in regs/."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kumihimo.dev.wrap import wrap

from .model import BlockInfo, FieldInfo, RegInfo

ROOT = Path(__file__).resolve().parents[3]
RDL_DIR = ROOT / "regs"
COMMON = "kumi.rdl"
RTL_DIR = Path("hw/regs/generated")
C_DIR = Path("sim/include/kumi/regs")
PY_DIR = Path("python/kumihimo/regs/generated")
DOC_FILE = Path("docs/blocks/regs-generated.md")

_SPDX = "SPDX-License-Identifier: Apache-2.0"
_NOTE = "Generated from {source} by `python -m kumihimo.regs generate`; do not edit."
# What Verilator -Wall says about the register generator's style; none of it is an error.
_LINT_OFF = (
    "CMPCONST",
    "GENUNNAMED",
    "MULTIDRIVEN",
    "UNUSEDPARAM",
    "UNUSEDSIGNAL",
    "UNSIGNED",
    "WIDTHEXPAND",
)


def rdl_files(folder: Path = RDL_DIR) -> list[Path]:
    """The block descriptions of a folder, in a fixed order."""
    return sorted(path for path in folder.glob("*.rdl") if path.name != COMMON)


def compile_rdl(path: Path, top: str, common: Path):  # type: ignore[no-untyped-def]
    """The elaborated addrmap `top` of a file."""
    from peakrdl_regblock.udps import ALL_UDPS  # type: ignore[import-untyped]
    from systemrdl import RDLCompiler  # type: ignore[attr-defined]

    compiler = RDLCompiler()
    for udp in ALL_UDPS:
        compiler.register_udp(udp)
    compiler.compile_file(str(common))
    compiler.compile_file(str(path))
    return compiler.elaborate(top_def_name=top).top


def _compile(path: Path):  # type: ignore[no-untyped-def]
    return compile_rdl(path, f"kumi_{path.stem}_regs", RDL_DIR / COMMON)


def _text(node, name: str = "desc") -> str:  # type: ignore[no-untyped-def]
    value = node.get_property(name)
    return " ".join(str(value).split()) if value else ""


def _field(node) -> FieldInfo:  # type: ignore[no-untyped-def]
    access = ("r" if node.is_sw_readable else "") + ("w" if node.is_sw_writable else "")
    # A field that hardware drives and nothing stores has no reset value of its own.
    stored = node.implements_storage or not node.is_hw_writable
    reset = int(node.get_property("reset") or 0) if stored else None
    return FieldInfo(node.inst_name, node.lsb, node.width, access, reset, _text(node))


def _registers(node, base: int, group: str) -> Iterable[RegInfo]:  # type: ignore[no-untyped-def]
    from systemrdl.node import RegfileNode, RegNode

    for child in node.children(unroll=False):
        count = child.n_elements if child.is_array else 1
        stride = child.array_stride if child.is_array else 4
        at = base + child.raw_address_offset
        if isinstance(child, RegNode):
            fields = tuple(_field(f) for f in child.fields())
            yield RegInfo(child.inst_name, at, fields, count, stride, group, _text(child))
        elif isinstance(child, RegfileNode) and child.is_array:
            # A table: each column becomes an array of registers.
            for reg in _registers(child, at, child.inst_name):
                yield RegInfo(
                    f"{child.inst_name}_{reg.name}",
                    reg.offset,
                    reg.fields,
                    count,
                    stride,
                    child.inst_name,
                    reg.description,
                )
        elif isinstance(child, RegfileNode):
            yield from _registers(child, at, child.inst_name)
        else:
            raise TypeError(f"{child.get_path()}: only registers and register files are supported")


def block_info(path: Path) -> BlockInfo:
    """Description of the block in an .rdl file."""
    return describe(path, _compile(path))


def describe(path: Path, top) -> BlockInfo:  # type: ignore[no-untyped-def]
    """Description of a compiled addrmap, named after its file."""
    regs = tuple(_registers(top, 0, ""))
    names = [reg.name for reg in regs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{path}: register names used twice: {', '.join(sorted(twice))}")
    kind = str(top.get_property("kumi_type"))
    if len(kind) != 4 or not kind.isascii():
        raise ValueError(f"{path}: kumi_type must be four ASCII characters")
    version = int(top.get_property("kumi_version"))
    return BlockInfo(path.stem, kind, version, _text(top, "name"), regs, _text(top))


def _bus() -> type:
    """Register access through one `kumi_axil_if`, of whose addresses a block sees its window."""
    from peakrdl_regblock.cpuif.axi4lite import (  # type: ignore[import-untyped]
        AXI4Lite_Cpuif_flattened,
    )

    class KumiAxil(AXI4Lite_Cpuif_flattened):  # type: ignore[misc]
        @property
        def port_declaration(self) -> str:
            return "kumi_axil_if.slv s_axil"

        def signal(self, name: str, low: int = 0) -> str:
            window = f"[{self.addr_width - 1}:{low}]" if name.endswith("addr") else ""
            return f"s_axil.{name}{window}"

    return KumiAxil


def _bus_single() -> type:
    """As `_bus`, one access at a time: no buffers, and the address comes from a register."""

    class KumiAxilSingle(_bus()):  # type: ignore[misc]
        template_path = "axil_single.sv.tmpl"

    return KumiAxilSingle


_RANGE = re.compile(r"\((\w+) >= 12'h(\w+)\) &&? \(\1 <= 12'h\2 \+ 12'h(\w+)\)")


def _upper_bits(found: re.Match[str]) -> str:
    """An address range of an aligned power of two as a comparison of the upper bits."""
    name, base, last = found[1], int(found[2], 16), int(found[3], 16)
    if last & (last + 1) or base & last:
        return found[0]
    low = last.bit_length()
    return f"({name}[11:{low}] == {12 - low}'h{base >> low:x})"


def _shorten(text: str) -> str:
    """Shorter read path of a block that `_bus_single` serves: its address is always stable."""
    held = "rd_mux_addr = decoded_req ? decoded_addr : pending_rd_addr;"
    if "readback_data" in text and held not in text:
        raise ValueError("the register generator holds a read's address in another way than known")
    text = text.replace(held, "rd_mux_addr = decoded_addr;")
    return _RANGE.sub(_upper_bits, text)


def write_rtl(note: str, top, out: Path) -> None:  # type: ignore[no-untyped-def]
    """Register block and package of a compiled addrmap, with a note on where they are from."""
    from peakrdl_regblock import RegblockExporter  # type: ignore[import-untyped]

    fast = bool(top.get_property("kumi_fast", default=False))
    with tempfile.TemporaryDirectory() as temp:
        RegblockExporter().export(
            top,
            temp,
            cpuif_cls=_bus_single() if fast else _bus(),
            address_width=12,
            err_if_bad_addr=True,
            reuse_hwif_typedefs=False,
            retime_read_response=fast,
        )
        for made in sorted(Path(temp).glob("*.sv")):
            lines = [f"// {_SPDX}", f"// {note}"]
            lines += [f"// verilator lint_off {rule}" for rule in _LINT_OFF]
            text = _shorten(made.read_text()) if fast else made.read_text()
            lines += [line.rstrip() for line in text.splitlines()]
            lines += [f"// verilator lint_on {rule}" for rule in _LINT_OFF]
            (out / made.name).write_text("\n".join(lines) + "\n")


def _c_header(path: Path, top, out: Path) -> None:  # type: ignore[no-untyped-def]
    from peakrdl_cheader.c_standards import CStandard
    from peakrdl_cheader.exporter import CHeaderExporter

    target = out / f"kumi_{path.stem}_regs.h"
    CHeaderExporter().export(top, str(target), std=CStandard.gnu99, reuse_typedefs=False)
    note = _NOTE.format(source=f"regs/{path.name}")
    body = "\n".join(line.rstrip() for line in target.read_text().splitlines())
    target.write_text(f"/* {_SPDX} */\n/* {note} */\n/* clang-format off */\n{body}\n")


def _python(path: Path, info: BlockInfo, out: Path) -> None:
    lines = [
        f"# {_SPDX}",
        "# ruff: noqa: E501",
        "# fmt: off",
        f'"""Register map of `{info.name}`. {_NOTE.format(source=f"regs/{path.name}")}"""',
        "",
        "from ..model import BlockInfo, FieldInfo, RegInfo",
        "",
        "BLOCK = BlockInfo(",
        f"    {info.name!r},",
        f"    {info.kind!r},",
        f"    {info.version},",
        f"    {info.title!r},",
        "    (",
    ]
    for reg in info.regs:
        lines.append(f"        RegInfo({reg.name!r}, {reg.offset:#06x}, (")
        for f in reg.fields:
            args = f"{f.name!r}, {f.lsb}, {f.width}, {f.access!r}, {f.reset!r}, {f.description!r}"
            lines.append(f"            FieldInfo({args}),")
        tail = f"{reg.count}, {reg.stride}, {reg.group!r}, {reg.description!r}"
        lines.append(f"        ), {tail}),")
    lines += ["    ),", f"    {info.description!r},", ")", ""]
    (out / f"{info.name}.py").write_text("\n".join(lines))


def _package_rtl(infos: list[BlockInfo], out: Path) -> None:
    lines = [
        f"// {_SPDX}",
        f"// {_NOTE.format(source='regs/*.rdl')}",
        "//",
        "// Kind and version of every register block, for the block table of the identity block.",
        "// verilator lint_off UNUSEDPARAM",
        "package kumi_regs_pkg;",
        "",
        "  // An entry of the block table: four characters in memory order, and a version.",
        "  typedef struct packed {",
        "    logic [31:0] kind;",
        "    logic [11:0] version;",
        "  } block_t;",
        "",
        "  localparam block_t BLOCK_NONE = '{kind: 32'h0, version: 12'd0};",
    ]
    for info in infos:
        word = int.from_bytes(info.kind.encode(), "little")
        value = f"'{{kind: 32'h{word:08x}, version: 12'd{info.version}}}"
        lines.append(f"  localparam block_t BLOCK_{info.name.upper()} = {value};")
    lines += ["", "endpackage", "// verilator lint_on UNUSEDPARAM", ""]
    (out / "kumi_regs_pkg.sv").write_text("\n".join(lines))


def _package_python(infos: list[BlockInfo], out: Path) -> None:
    lines = [
        f"# {_SPDX}",
        f'"""All register maps. {_NOTE.format(source="regs/*.rdl")}"""',
        "",
        "from ..model import BlockInfo",
    ]
    lines += [f"from . import {i.name} as _{i.name}" for i in infos]
    lines += ["", "BLOCKS: dict[str, BlockInfo] = {"]
    lines += [f'    "{i.name}": _{i.name}.BLOCK,' for i in infos]
    lines += ["}", ""]
    (out / "__init__.py").write_text("\n".join(lines))


def _doc(infos: list[BlockInfo], out: Path) -> None:
    lines = [
        f"<!-- {_SPDX} -->",
        f"<!-- {_NOTE.format(source='regs/*.rdl')} -->",
        "# Registers, block by block",
        "",
        "Offsets are within the block's 4 KiB window. See [regs.md](regs.md) for how to use them.",
    ]
    for info in infos:
        lines += ["", f"## {info.name}: {info.title}", "", info.description, ""]
        lines += [f"Kind `{info.kind}`, version {info.version}.", ""]
        lines += ["| offset | register | bits | field | access | reset | meaning |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for reg in info.regs:
            name = reg.name if reg.count == 1 else f"{reg.name}[{reg.count}]"
            at = f"{reg.offset:#05x}"
            if reg.count > 1:
                at += f" + {reg.stride} i"
            if reg.description or len(reg.fields) > 1:
                lines.append(f"| {at} | `{name}` | | | {reg.access} | | {reg.description} |")
                at, name = "", ""
            for f in sorted(reg.fields, key=lambda field: field.lsb):
                bits = f"{f.lsb + f.width - 1}:{f.lsb}" if f.width > 1 else str(f.lsb)
                reset = "" if f.reset is None else f"{f.reset:#x}" if f.reset > 9 else str(f.reset)
                cell = f"`{name}`" if name else ""
                row = (at, cell, bits, f.name, f.access, reset, f.description)
                lines.append(f"| {' | '.join(row)} |")
                at, name = "", ""
    out.write_text(wrap("\n".join(lines) + "\n"))


def generate(root: Path = ROOT) -> list[Path]:
    """Write every generated file of the project; returns their paths relative to root."""
    with tempfile.TemporaryDirectory() as temp:
        made = _generate(Path(temp))
        for folder in (RTL_DIR, C_DIR, PY_DIR):
            shutil.rmtree(root / folder, ignore_errors=True)
        for path in made:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(temp) / path, root / path)
    return made


def _generate(target: Path) -> list[Path]:
    for folder in (RTL_DIR, C_DIR, PY_DIR, DOC_FILE.parent):
        (target / folder).mkdir(parents=True, exist_ok=True)
    infos = []
    for path in rdl_files():
        top = _compile(path)
        info = describe(path, top)
        infos.append(info)
        write_rtl(_NOTE.format(source=f"regs/{path.name}"), top, target / RTL_DIR)
        _c_header(path, top, target / C_DIR)
        _python(path, info, target / PY_DIR)
    _package_rtl(infos, target / RTL_DIR)
    _package_python(infos, target / PY_DIR)
    _doc(infos, target / DOC_FILE)
    made = [path for d in (RTL_DIR, C_DIR, PY_DIR) for path in (target / d).iterdir()]
    made.append(target / DOC_FILE)
    return sorted(path.relative_to(target) for path in made if path.is_file())


def stale(root: Path = ROOT) -> list[str]:
    """What differs between the committed files and what generate() would write."""
    problems = []
    with tempfile.TemporaryDirectory() as temp:
        fresh = _generate(Path(temp))
        for path in fresh:
            there = root / path
            if not there.exists():
                problems.append(f"{path}: missing")
            elif there.read_bytes() != (Path(temp) / path).read_bytes():
                problems.append(f"{path}: differs")
    known = set(fresh)
    for folder in (RTL_DIR, C_DIR, PY_DIR):
        if not (root / folder).exists():
            continue
        for path in (root / folder).iterdir():
            rel = path.relative_to(root)
            if path.is_file() and path.suffix != ".pyc" and rel not in known:
                problems.append(f"{rel}: has no source in regs/")
    return sorted(problems)
