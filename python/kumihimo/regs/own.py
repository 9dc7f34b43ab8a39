# SPDX-License-Identifier: Apache-2.0
"""Register blocks of a user's design: generated from SystemRDL, found beside the design.

`NAME.rdl` holds one addrmap, `NAME_regs`. From it come `NAME_regs.sv`, `NAME_regs_pkg.sv` (with
`BLOCK`, the entry of the node's block table) and `NAME_regs.json`, the map that software reads.
"""

from __future__ import annotations

import importlib.util
import json
import re
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..common.errors import KumiError
from ..common.paths import project_root
from .generated import BLOCKS
from .map import register_block
from .model import BlockInfo, FieldInfo, RegInfo

_SUFFIX = "_regs.json"
# Declared by the register generator whether it is used or not.
_UNUSED = re.compile(r"automatic logic is_valid_\w+;")


def to_json(info: BlockInfo) -> str:
    """A block's description as JSON text."""
    return json.dumps(asdict(info), indent=1) + "\n"


def from_json(text: str) -> BlockInfo:
    """The inverse of to_json."""
    data: dict[str, Any] = json.loads(text)
    regs = [
        RegInfo(**{**reg, "fields": tuple(FieldInfo(**field) for field in reg["fields"])})
        for reg in data["regs"]
    ]
    return BlockInfo(**{**data, "regs": tuple(regs)})


def register_folder(folder: Path) -> list[BlockInfo]:
    """Make the blocks known whose maps are in a folder; returns them."""
    found = []
    for file in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            info = from_json(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, KeyError, TypeError):
            hint = f"Generate it again: kumi new regs {file.name.removesuffix(_SUFFIX)}.rdl"
            raise KumiError(f"{file} is not a map of registers.", hint, 2) from None
        register_block(info)
        found.append(info)
    return found


def free_kind(name: str) -> str:
    """Four characters for a block of that name that no block of the project has."""
    taken = {info.kind for info in BLOCKS.values()}
    letters = name.replace("_", "").upper()
    for kind in (f"{letters[:4]:4}", *(f"{letters[:3]:3}{i}" for i in range(10))):
        if kind not in taken:
            return kind
    raise KumiError(f"No four characters are free for a block {name}.", "Take another name.", 2)


def need_generator() -> None:
    """Raise if PeakRDL is not installed."""
    if importlib.util.find_spec("peakrdl_regblock") is None:
        hint = "Install it: pip install peakrdl (in a clone: make setup-test)."
        raise KumiError("PeakRDL, which generates registers, is not installed.", hint, 3)


def generate_block(path: Path) -> list[Path]:
    """Write RTL and map of a description beside it; returns the files."""
    need_generator()
    from systemrdl import RDLCompileError  # type: ignore[attr-defined]

    from . import generate

    if path.suffix != ".rdl" or not path.is_file():
        raise KumiError(f"There is no register description {path}.", "It ends in .rdl.", 2)
    name = f"{path.stem}_regs"
    note = f"Generated from {path.name} by `kumi new regs {path.name}`; do not edit."
    with tempfile.TemporaryDirectory() as temp:
        try:
            top = generate.compile_rdl(path, name, project_root() / "regs" / generate.COMMON)
            info = generate.describe(path, top)
        except RDLCompileError as problem:
            hint = f"It needs one addrmap called {name}; the compiler's messages are above."
            raise KumiError(f"{path} has errors: {problem}.", hint, 2) from None
        except (ValueError, TypeError) as problem:
            raise KumiError(str(problem), code=2) from None
        generate.write_rtl(note, top, Path(temp))
        package = Path(temp) / f"{name}_pkg.sv"
        text = package.read_text(encoding="utf-8")
        word = int.from_bytes(info.kind.encode(), "little")
        entry = f"'{{kind: 32'h{word:08x}, version: 12'd{info.version}}}"
        line = f"    localparam kumi_regs_pkg::block_t BLOCK = {entry};  // of the block table\n\n"
        package.write_text(text.replace("endpackage", f"{line}endpackage"), encoding="utf-8")
        (Path(temp) / f"{path.stem}{_SUFFIX}").write_text(to_json(info), encoding="utf-8")
        made = []
        for file in sorted(Path(temp).iterdir()):
            target = path.with_name(file.name)
            text = _UNUSED.sub(r"\g<0>  // kumi: allow unused", file.read_text(encoding="utf-8"))
            target.write_text(text, encoding="utf-8")
            made.append(target)
    return made
