# SPDX-License-Identifier: Apache-2.0
"""The cables that ibnetdiscover has found, and those of a cluster file, to compare."""

from __future__ import annotations

import re

from ..clusterfile.plans import Plan
from .topology import End

_NODE = re.compile(r'^(?:Switch|Ca|Rt)\s+\d+\s+"([SHR]-[0-9a-f]+)"\s+# "([^"]*)"')
_PORT = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SHR]-[0-9a-f]+)"\[(\d+)\]')


def links(text: str) -> set[frozenset[End]]:
    """Every link in what ibnetdiscover printed, by names and port numbers of both ends."""
    names: dict[str, str] = {}
    rows: list[tuple[str, int, str, int]] = []
    here = ""
    for line in text.splitlines():
        if node := _NODE.match(line):
            here = node.group(1)
            names[here] = node.group(2)
        elif port := _PORT.match(line):
            rows.append((here, int(port.group(1)), port.group(2), int(port.group(3))))
    return {frozenset({(names.get(a, a), p), (names.get(b, b), q)}) for a, p, b, q in rows}


def plan_links(plan: Plan) -> set[frozenset[End]]:
    """The InfiniBand cables of a cluster file in the same form."""
    return {
        frozenset((end.name, int(end.port.lstrip("p"))) for end in (cable.a, cable.b))
        for cable in plan.lanes
        if cable.a.kind == "ib"
    }
