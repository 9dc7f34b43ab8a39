# SPDX-License-Identifier: Apache-2.0
"""Builds every design of a plan; nodes that ask for the same share a library."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ..clusterfile import Plan

if TYPE_CHECKING:
    from ..build import BuildResult


def build_designs(
    plan: Plan, traced: Collection[str], progress: Callable[[str, str], None] | None
) -> dict[str, BuildResult]:
    """The library of each node; `traced` are built with waveforms, as those that say so."""
    from ..build import build
    from ..build.model import build_model
    from ..regs.own import register_folder

    for folder in {node.design.file.parent for node in plan.nodes.values()}:
        register_folder(folder)
    same: dict[str, BuildResult] = {}
    built: dict[str, BuildResult] = {}
    for name, node in plan.nodes.items():
        profile = "trace" if node.spec.trace or name in traced else "fast"
        modelled = node.spec.detail == "model"
        request = json.dumps(
            [str(node.design.file), profile, node.spec.params, modelled], sort_keys=True
        )
        if request not in same:
            label = node.spec.design
            say = (lambda step, label=label: progress(label, step)) if progress else None
            if modelled:
                same[request] = build_model(node.design.file, node.spec.params, say)
            else:
                same[request] = build(
                    node.design.file, params=node.spec.params, profile=profile, progress=say
                )
        built[name] = same[request]
    return built
