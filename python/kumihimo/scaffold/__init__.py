# SPDX-License-Identifier: Apache-2.0
"""Templates of `kumi new`: folders that hold all that they need, with relative paths only."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from ..build.flat import write_beside
from ..clusterfile.designs import known_designs
from ..clusterfile.schema import schema_text
from ..common.errors import KumiError
from ..regs import BLOCKS

_NAME = re.compile(r"^[a-z][a-z0-9_]{0,23}$")
_HERE = Path(__file__).parent
# SystemVerilog keywords that could be chosen as a name.
_RESERVED = _HERE / "reserved.txt"
SCHEMA = "cluster.schema.json"
KERNELS = {
    "udp": ("kernel",),
    "buffered": ("kernel", "buffered"),
    "regs": ("kernel", "regs"),
    "tcp": ("tcp",),
}
"""Folders of templates by kind of kernel."""


def _check(what: str, name: str, folder: Path) -> None:
    if not _NAME.match(name):
        raise KumiError(
            f"`{name}` cannot be {what}'s name.",
            "Take lower-case letters, digits and underscores, a letter first, at most 24.",
            2,
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KumiError(f"{folder} exists and is not empty.", "Take another --folder.", 2)


def _write(folder: Path, words: dict[str, str], *templates: str) -> list[Path]:
    """Fill templates in; a later folder's file replaces an earlier one of the same name."""
    files = {t.stem: t for place in templates for t in sorted((_HERE / place).glob("*.tmpl"))}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SCHEMA).write_text(schema_text(), encoding="utf-8")
    written = [folder / SCHEMA]
    for name, template in sorted(files.items()):
        file = folder / name.replace("NAME", words["name"])
        text = template.read_text(encoding="utf-8")
        file.write_text(Template(text).substitute(words), encoding="utf-8")
        written.append(file)
    return written


def _check_design(name: str) -> None:
    if name in _RESERVED.read_text(encoding="utf-8").split():
        raise KumiError(f"`{name}` is a word of SystemVerilog.", "Take another name.", 2)
    if name in known_designs():
        raise KumiError(f"The project already has a node {name}.", "Take another name.", 2)


def _words(name: str) -> dict[str, str]:
    return {"name": name, "title": " ".join(name.split("_"))}


def new_kernel(name: str, folder: Path, kind: str = "udp") -> list[Path]:
    """Write a kernel's files into a new or empty folder; returns their paths.

    Args:
        name: of the kernel.
        folder: new or empty.
        kind: one of KERNELS: `udp`, a datagram at a time as it streams through; `buffered`, each
            held until it is complete; `regs`, with a register block of its own, generated from
            `NAME.rdl`; `tcp`, the bytes of connections.
    """
    _check("a kernel", name, folder)
    _check_design(name)
    words = _words(name)
    if kind != "regs":
        written = _write(folder, words, *KERNELS[kind])
    else:
        from ..regs.own import free_kind, generate_block, need_generator

        if name in BLOCKS:
            raise KumiError(f"The project already has registers {name}.", "Take another name.", 2)
        need_generator()
        words["kind"] = free_kind(name)
        written = _write(folder, words, *KERNELS[kind])
        written += generate_block(folder / f"{name}.rdl")
    written.append(write_beside(folder / f"kumi_node_{name}_core.sv"))
    return written


def new_node(name: str, folder: Path) -> list[Path]:
    """Write a node with an Ethernet port, its cluster file and its test; returns their paths."""
    _check("a node", name, folder)
    _check_design(name)
    written = _write(folder, _words(name), "node")
    written.append(write_beside(folder / f"kumi_node_{name}_core.sv"))
    return written


def new_card(name: str, folder: Path) -> list[Path]:
    """Write a network card with a module between it and the wire; returns the files' paths."""
    _check("a card", name, folder)
    _check_design(name)
    written = _write(folder, _words(name), "card")
    written.append(write_beside(folder / f"kumi_node_{name}_core.sv"))
    return written


def new_experiment(name: str, folder: Path) -> list[Path]:
    """Write a cluster file, a measurement, its test and a notebook; returns their paths."""
    _check("an experiment", name, folder)
    return _write(folder, _words(name), "experiment")
