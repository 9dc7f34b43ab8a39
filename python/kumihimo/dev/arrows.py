# SPDX-License-Identifier: Apache-2.0
"""Import cycles between packages: which package names which, and the rings among them.

Every import counts, also one inside a function or under `TYPE_CHECKING`: a reader follows it too.
Packages are compared with their siblings, so a package and its own sub-packages are one.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx


@dataclass(frozen=True)
class Arrow:
    """One import statement: where it stands, the importing package and the imported module."""

    file: Path
    line: int
    package: str
    target: str


def arrows(root: Path) -> list[Arrow]:
    """Every import of the package at `root` from within itself."""
    return [arrow for file in sorted(root.rglob("*.py")) for arrow in _imports(root, file)]


def _imports(root: Path, file: Path) -> Iterator[Arrow]:
    package = [root.name, *file.parent.relative_to(root).parts]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            # `from package import name`: the name may be a module or a package itself.
            targets = [f"{stem}.{alias.name}" for alias in node.names]
        else:
            continue
        for target in targets:
            if target.split(".")[0] == root.name:
                yield Arrow(file, node.lineno, ".".join(package), target)


def package_cycles(root: Path) -> list[str]:
    """Findings: one line for each ring of packages that import each other; none means clean.

    Args:
        root: folder of the package (`python/kumihimo`).
    """
    packages = {
        ".".join([root.name, *file.parent.relative_to(root).parts])
        for file in root.rglob("__init__.py")
    }
    graphs: dict[str, nx.DiGraph] = defaultdict(nx.DiGraph)
    for arrow in arrows(root):
        source, target = arrow.package.split("."), arrow.target.split(".")
        depth = next(
            (i for i, (a, b) in enumerate(zip(source, target, strict=False)) if a != b), None
        )
        if depth is None:
            continue  # a package and its own sub-package
        ends = ".".join(source[: depth + 1]), ".".join(target[: depth + 1])
        if ends[0] in packages and ends[1] in packages:
            graph = graphs[".".join(source[:depth])]
            if not graph.has_edge(*ends):
                graph.add_edge(*ends, at=arrow)
    findings = []
    for parent in sorted(graphs):
        graph = graphs[parent]
        for ring in nx.strongly_connected_components(graph):
            if len(ring) > 1:
                names = sorted(ring)
                edges = sorted(e for e in graph.subgraph(ring).edges)
                where = ", ".join(_place(root, graph.edges[e]["at"], e) for e in edges)
                findings.append(f"{', '.join(names)} import each other: {where}")
    return findings


def _place(root: Path, arrow: Arrow, edge: tuple[str, str]) -> str:
    file = arrow.file.relative_to(root.parent)
    return f"{edge[0]} -> {edge[1]} ({file}:{arrow.line})"
