# SPDX-License-Identifier: Apache-2.0
"""Template of `kumi new kernel`: a kernel, its node, a cluster file and a test."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from ..build.flat import write_beside
from ..clusterfile.designs import known_designs
from ..common.errors import KumiError
from ..common.paths import project_root

_NAME = re.compile(r"^[a-z][a-z0-9_]{0,23}$")
_TEMPLATES = Path(__file__).with_name("kernel")
# SystemVerilog keywords that could be chosen as a name.
_RESERVED = Path(__file__).with_name("reserved.txt")


def new_kernel(name: str, folder: Path) -> list[Path]:
    """Write a kernel's files into a new or empty folder; returns their paths."""
    if not _NAME.match(name):
        raise KumiError(
            f"`{name}` cannot be a kernel's name.",
            "Take lower-case letters, digits and underscores, a letter first, at most 24.",
            2,
        )
    if name in _RESERVED.read_text(encoding="utf-8").split():
        raise KumiError(f"`{name}` is a word of SystemVerilog.", "Take another name.", 2)
    if name in known_designs():
        raise KumiError(f"The project already has a node {name}.", "Take another name.", 2)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KumiError(f"{folder} exists and is not empty.", "Take another --folder.", 2)
    root = project_root()
    words = {
        "name": name,
        "hw": str(root / "hw"),
        "schema": str(root / "docs" / "cluster.schema.json"),
        "title": " ".join(name.split("_")),
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for template in sorted(_TEMPLATES.glob("*.tmpl")):
        file = folder / template.stem.replace("NAME", name)
        file.write_text(Template(template.read_text(encoding="utf-8")).substitute(words))
        written.append(file)
    written.append(write_beside(folder / f"kumi_node_{name}_core.sv"))
    return written
