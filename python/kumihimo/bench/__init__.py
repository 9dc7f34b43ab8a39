# SPDX-License-Identifier: Apache-2.0
"""Benches: each reproduces one table of figures and prints it as a single JSON object.

A bench is a module with ``run(progress, quick) -> BenchResult``, listed in `registry`. Modules are
grouped by domain: udp, eth, tcp, link, storage, gzip, sim.
"""

from __future__ import annotations

import importlib

from kumihimo.bench.core import BenchError, BenchResult, Progress
from kumihimo.bench.corpus import set_corpus
from kumihimo.bench.registry import REGISTRY, Bench


def run(name: str, progress: Progress | None = None, quick: bool = False) -> BenchResult:
    """Run the bench `name`; raises `BenchError` for an unknown name or a run that failed."""
    if name not in REGISTRY:
        raise BenchError(f"no bench called '{name}'; there are: {', '.join(sorted(REGISTRY))}")
    module = importlib.import_module(REGISTRY[name].module)
    result: BenchResult = module.run(progress or Progress.silent(), quick)
    return result


__all__ = ["REGISTRY", "Bench", "BenchError", "BenchResult", "Progress", "run", "set_corpus"]
