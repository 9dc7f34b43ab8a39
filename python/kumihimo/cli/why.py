# SPDX-License-Identifier: Apache-2.0
"""`kumi why`: where every frame of a run is, and which counter dropped it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..clusterfile.units import format_time
from ..common.errors import KumiError
from ..ledger import Ledger, sentences
from ..manager.agent import stats_of
from ..manager.board import AccessError, BoardError
from ..net.session import find
from .console import err, out


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KumiError(
            f"There is no file {file}.", "`kumi up --stats FILE` writes one.", 2
        ) from None
    except ValueError as problem:
        raise KumiError(f"{file} is not JSON: {problem}.", code=2) from None
    if not isinstance(found, dict) or "nodes" not in found or "cables" not in found:
        raise KumiError(
            f"{file} has no counters of a cluster.", "`kumi up --stats` writes them.", 2
        )
    return found


def _stats(what: str | None) -> tuple[str, dict[str, Any]]:
    if what is not None and what.endswith(".json"):
        return Path(what).name, _read(Path(what))
    found = find(what)
    try:
        return found.name, stats_of(found)
    except (BoardError, AccessError) as problem:
        raise KumiError(f"{found.name} does not answer: {problem}.") from None


def run(what: str | None, as_json: bool) -> int:
    """Print the ledger of a running cluster, or of a file."""
    name, stats = _stats(what)
    ledger = Ledger.of(stats)
    if as_json:
        print(json.dumps({"cluster": name, **ledger.document()}))
        return 0
    out.print(f"{name} at {format_time(ledger.now_ps)}:", markup=False)
    for text in sentences(ledger):
        out.print(f"  {text}", markup=False, soft_wrap=True)
    if not ledger.registers:
        err.print("The file does not have the nodes' registers; newer files do.")
    return 0
