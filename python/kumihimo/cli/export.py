# SPDX-License-Identifier: Apache-2.0
"""`kumi export`."""

from __future__ import annotations

from pathlib import Path

from ..common.errors import KumiError
from ..common.pairs import pairs
from .console import err, out


def _frequencies(texts: list[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, text in pairs(texts, "--clock").items():
        try:
            values[name] = float(text.lower().removesuffix("mhz"))
        except ValueError as problem:
            raise KumiError(
                f"--clock {name}={text}: expected a number of MHz.", code=2
            ) from problem
        if values[name] <= 0:
            raise KumiError(f"--clock {name}={text}: must be more than 0 MHz.", code=2)
    return values


def run(
    module: str, target: str, folder: Path, params: list[str], clocks: list[str], force: bool
) -> int:
    """Write the folder and say what is in it."""
    from ..export import export
    from ..export.litex import class_name
    from ..export.targets import NEXT

    values, mhz = pairs(params), _frequencies(clocks)
    with err.status(f"elaborating {module}"):
        block = export(module, target, folder, values, mhz, force)
    kinds = {k: sum(c.kind == k for c in block.crossings) for k in ("sync", "bus", "held")}
    crossings = ", ".join(f"{n} {k}" for k, n in kinds.items() if n) or "none"
    out.print(
        f"{folder}: {len(block.sources) + 1} sources, flat top {block.top}, "
        f"{len(block.ports)} ports, clocks {', '.join(c.name for c in block.clocks)}; "
        f"clock crossings: {crossings}",
        soft_wrap=True,
    )
    for row in block.unsynchronised:
        err.print(f"[yellow]not synchronised[/]: {row}", soft_wrap=True)
    words = {"module": block.module, "top": block.top, "cls": class_name(block.module)}
    out.print(
        NEXT[target].format(**words).replace("DIR", str(folder)), soft_wrap=True, markup=False
    )
    return 0
