# SPDX-License-Identifier: Apache-2.0
"""The published rows: what docs/figures/rows.toml lists, measured into synth.json."""

from __future__ import annotations

import json
import threading
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kumihimo.build.defaults import defaults, literal
from kumihimo.common.errors import KumiError
from kumihimo.common.paths import project_root
from kumihimo.synth.flow import TARGETS, Options, measure
from kumihimo.synth.sources import source_hashes
from kumihimo.synth.tools import versions

ROWS = "docs/figures/rows.toml"
RESULT = "docs/figures/synth.json"

# Called with a row's title and its stage ("done", "failed: ..." at the end).
Report = Callable[[str, str], None]


@dataclass
class Row:
    """One line of the table: a module with parameters, and a peer's figures beside it."""

    title: str
    module: str
    group: str
    params: dict[str, str] = field(default_factory=dict)
    targets: tuple[str, ...] = TARGETS
    peers: list[dict[str, Any]] = field(default_factory=list)
    keep_hierarchy: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes this row."""
        words = ["kumi", "synth", self.module]
        words += [f"--param {k}={v}" for k, v in self.params.items()]
        if self.targets != TARGETS:
            words += [f"--target {t}" for t in self.targets]
        words += [f"--keep-hierarchy {name}" for name in self.keep_hierarchy]
        return " ".join(words)


def load_rows(path: Path) -> list[Row]:
    """Read the list of rows; unknown keys are errors."""
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as problem:
        raise KumiError(f"{path}: {problem}") from problem
    peers = data.get("peer", {})
    rows: list[Row] = []
    for entry in data.get("row", []):
        known = ("module", "title", "group", "params", "targets", "peers", "keep_hierarchy")
        if set(entry) - set(known) or "module" not in entry:
            raise KumiError(f"{path}: row {entry}: a row has {', '.join(known)}.")
        for name in entry.get("peers", []):
            if name not in peers:
                raise KumiError(f'{path}: no peer "{name}".')
        params = {k: str(v) for k, v in entry.get("params", {}).items()}
        rows.append(
            Row(
                title=entry.get("title", entry["module"]),
                module=entry["module"],
                group=entry.get("group", ""),
                params=params,
                targets=tuple(entry.get("targets", TARGETS)),
                peers=[peers[n] for n in entry.get("peers", [])],
                keep_hierarchy=tuple(entry.get("keep_hierarchy", ())),
            )
        )
    return rows


def _known(path: Path) -> dict[str, dict[str, Any]]:
    if not path.is_file():
        return {}
    rows = json.loads(path.read_text()).get("rows", [])
    # By title too: a port that got another name changes a row's command, not what it is.
    return {r["title"]: r for r in rows} | {r["command"]: r for r in rows}


def run_rows(
    only: list[str] | None = None,
    options: Options | None = None,
    report: Report = lambda title, stage: None,
    root: Path | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Measure all rows (or those whose module or title holds a word of `only`); write synth.json.

    Returns the document and the failures. A row that was not asked for, or that an interrupted run
    did not reach, keeps its last figures; one that failed has none. The file is written after each
    row.
    """
    root = root or project_root()
    options = options or Options()
    rows = load_rows(root / ROWS)
    before = _known(root / RESULT)
    named = [word.lower() for word in only or ()]
    wanted = [r for r in rows if any(w in f"{r.module} {r.title.lower()}" for w in named or [""])]
    if only and not wanted:
        raise KumiError(f"no row matches {' '.join(only)}.", f"Rows are listed in {ROWS}.")
    failures: list[str] = []
    done: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    guard = threading.Lock()

    def save() -> dict[str, Any]:
        kept = []
        for row in rows:
            entry = done.get(row.command)
            if entry is None and row.command not in failed:
                entry = before.get(row.command, before.get(row.title))
            if entry is not None:
                now = {"title": row.title, "group": row.group, "peers": row.peers}
                kept.append(entry | now | {"command": row.command})
        document = {"tools": _tools_of(kept), "rows": kept}
        (root / RESULT).write_text(json.dumps(document, indent=1) + "\n")
        return document

    def work(row: Row) -> None:
        mine = replace(
            options,
            keep_hierarchy=row.keep_hierarchy,
            progress=lambda stage: report(row.title, stage),
        )
        try:
            result = measure(row.module, row.params, row.targets, mine, root)
        except KumiError as problem:
            with guard:
                failures.append(f"{row.title}: {problem}")
                failed.add(row.command)
            report(row.title, "failed")
            return
        with guard:
            done[row.command] = _document(row, result)
            save()
        report(row.title, "done")

    with ThreadPoolExecutor(max_workers=max(1, options.jobs)) as pool:
        list(pool.map(work, wanted))
    return save(), failures


def _tools_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Versions of the tools that made the rows; of one that changed between rows, all of them."""
    found: dict[str, list[str]] = {}
    for each in [versions(), *(row["tools"] for row in rows)]:
        for tool, version in each.items():
            if version not in found.setdefault(tool, []):
                found[tool].append(version)
    return {tool: " and ".join(each) for tool, each in found.items()}


def ships_so(module: str, params: dict[str, str]) -> bool:
    """Whether all of a module's own parameters have their default values."""
    usual = defaults(module) or {}
    own = {name: value for name, value in params.items() if name in usual}
    return all(literal(value) == usual[name] for name, value in own.items())


def is_older(row: dict[str, Any], root: Path | None = None) -> bool:
    """Whether a row of synth.json was measured with other sources than the present ones."""
    try:
        return bool(row.get("sources") != source_hashes(row["module"], root))
    except KumiError:  # the module is no more
        return True


def stale_rows(root: Path | None = None) -> list[str]:
    """Titles of the published rows that are of an older tree or missing."""
    root = root or project_root()
    known = _known(root / RESULT)
    out = []
    for row in load_rows(root / ROWS):
        entry = known.get(row.command, known.get(row.title))
        if entry is None or is_older(entry, root):
            out.append(row.title)
    return out


def _document(row: Row, result: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "title": row.title,
        "group": row.group,
        "module": result["module"],
        "params": result["params"],
        "shipped": ships_so(result["module"], result["params"]),
        "command": row.command,
        "sources": result["sources"],
        "tools": result["tools"],
    }
    for target in row.targets:
        entry[target] = result[target]
    return entry
