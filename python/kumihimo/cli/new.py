# SPDX-License-Identifier: Apache-2.0
"""`kumi new`."""

from __future__ import annotations

from pathlib import Path

from ..scaffold import new_kernel
from .console import out


def run(name: str, folder: Path | None) -> int:
    """Write the files and say what to do with them."""
    place = folder or Path(name)
    for file in new_kernel(name, place):
        out.print(f"wrote {file}")
    cluster = place / f"{name}.yaml"
    out.print(
        f"Now:\n"
        f"  kumi shell {cluster} -- ping -c 3 {name}\n"
        f"  python -m pytest {place}\n"
        f"  edit {place / f'{name}.sv'} and run them again",
        soft_wrap=True,
    )
    return 0
