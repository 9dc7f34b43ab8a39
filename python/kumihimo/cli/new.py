# SPDX-License-Identifier: Apache-2.0
"""`kumi new`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from ..scaffold import new_kernel
from .console import out


def _command(name: str) -> str:
    """How to call a program of this installation: by its name if it is on the path."""
    here = Path(sys.executable).with_name(name)
    found = shutil.which(name)
    if found and Path(found).parent == here.parent:
        return name
    return os.path.relpath(here) if here.is_relative_to(Path.cwd()) else str(here)


def run(name: str, folder: Path | None) -> int:
    """Write the files and print the next commands."""
    place = folder or Path(name)
    for file in new_kernel(name, place):
        out.print(f"wrote {file}")
    cluster = place / f"{name}.yaml"
    out.print(
        f"Now:\n"
        f"  {_command('kumi')} shell {cluster} -- ping -c 3 {name}\n"
        f"  {_command('python')} -m pytest {place}\n"
        f"  edit {place / f'{name}.sv'} and run them again",
        soft_wrap=True,
    )
    return 0
