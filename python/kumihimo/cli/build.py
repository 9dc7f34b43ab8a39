# SPDX-License-Identifier: Apache-2.0
"""`kumi build`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from ..build import BuildResult, build
from ..clusterfile import plan
from ..clusterfile.designs import find_design, known_designs
from ..common.errors import KumiError, did_you_mean
from ..common.pairs import parameters
from .console import err, out, progress


def _requests(designs: list[str], params: dict[str, Any]) -> list[tuple[str, Path, dict[str, Any]]]:
    known = known_designs(Path.cwd())
    out_: list[tuple[str, Path, dict[str, Any]]] = []
    for text in designs or list(known):
        if text.endswith((".yaml", ".yml")):
            for node in plan(text).nodes.values():
                out_.append((node.spec.design, node.design.file, {**node.spec.params, **params}))
            continue
        file = find_design(text, Path.cwd())
        if file is None:
            raise KumiError(f"There is no design {text}.{did_you_mean(text, known)}", code=2)
        out_.append((text, file, params))
    return out_


def run(designs: list[str], params: list[str], profile: str, as_json: bool) -> int:
    """Build what is asked for and show where it is."""
    results: list[tuple[str, BuildResult]] = []
    seen: set[str] = set()
    with progress("reading") as say:
        for name, file, values in _requests(designs, parameters(params)):
            key = json.dumps([str(file), values], sort_keys=True)
            if key in seen:
                continue
            seen.add(key)

            def step(text: str, name: str = name) -> None:
                say(f"{name}: {text}")

            results.append((name, build(file, params=values, profile=profile, progress=step)))
    for warning in dict.fromkeys(w for _, result in results for w in result.warnings):
        err.print(warning, style="yellow", markup=False, soft_wrap=True)
    if as_json:
        rows = [
            {
                "design": n,
                "hash": r.hash,
                "path": str(r.path),
                "cached": r.cached,
                "seconds": r.seconds,
            }
            for n, r in results
        ]
        print(json.dumps(rows))
        return 0
    table = Table()
    for heading in ("design", "ports", "clocks", "time", "hash"):
        table.add_column(heading)
    for name, result in results:
        ports = ", ".join(f"{p.name or 's_axil'} ({p.kind})" for p in result.info.ports)
        clocks = ", ".join(c.name for c in result.info.clocks)
        spent = "cached" if result.cached else f"{result.seconds:.1f} s"
        table.add_row(name, ports, clocks, spent, result.hash[:12])
    out.print(table)
    return 0
