# SPDX-License-Identifier: Apache-2.0
"""One run of a sweep, in a process of its own: `python -m kumihimo.sweep.worker FOLDER`.

Reads `run.json` in the folder and leaves there:

- `result.json`: `ok`, `problem`, `wall_s`, `simulated_us`, and the numbers by name in `values`
- `recording.kumirec`: for `kumi replay`
- `output.txt`: what the command wrote, where there is one

Numbers are every counter of `kumi up --stats` (`nodes.alice.ports.eth0.rx_frames`), what the
command printed as a JSON object on its last line (`output.NAME`), and what `values` in `run.json`
found in its output by regular expression.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..cluster import Cluster
from ..cluster.snapshot import snapshot
from ..clusterfile import plan
from ..common import tools
from ..common.errors import KumiError

RUN, RESULT, OUTPUT, RECORDING = "run.json", "result.json", "output.txt", "recording.kumirec"


def numbers(tree: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Every number of nested mappings and lists, by its dotted name."""
    items = tree.items() if isinstance(tree, Mapping) else enumerate(tree)
    for name, value in items:
        path = f"{prefix}{name}"
        if isinstance(value, Mapping | list):
            yield from numbers(value, f"{path}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield path, value


def found_in(text: str, patterns: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """Numbers in the output of a command: a JSON object on its last line, and by pattern.

    Raises KumiError when a pattern is not found, or its first group is not a number.
    """
    lines = text.strip().splitlines()
    if lines and lines[-1].startswith("{"):
        with contextlib.suppress(ValueError):  # it may only look like JSON
            yield from numbers(json.loads(lines[-1]), "output.")
    for name, pattern in patterns.items():
        match = re.search(pattern, text)
        if match is None:
            raise KumiError(f"--value {name}: the output has no match for {pattern}.")
        try:
            yield name, float(match[1])
        except (ValueError, IndexError):
            raise KumiError(f"--value {name}: the first group is not a number.") from None


def _simulate(folder: Path, order: Mapping[str, Any], result: dict[str, Any]) -> None:
    settings = [(str(path), str(value)) for path, value in order["settings"]]
    resolved = plan(order["file"], settings)
    command = order["command"]
    if command and not resolved.taps:
        hint = "Add `taps: {host0: {}}` and a cable for it."
        raise KumiError(f"{order['file']} has no TAP, so no command can reach it.", hint, 2)
    values: dict[str, float] = result["values"]
    cluster = Cluster(resolved, threads=order["threads"], record=folder / RECORDING)
    with cluster:
        if not command:
            cluster.run(order["until"])
        else:
            with cluster.serving():
                assert cluster.namespace is not None
                done = tools.run(cluster.namespace.inside.command(command), on_line=_nothing)
            (folder / OUTPUT).write_text(done.stdout, encoding="utf-8")
            if done.returncode:
                raise KumiError(f"The command ended with {done.returncode}; see {OUTPUT}.")
            values.update(found_in(done.stdout, order["values"]))
        result["simulated_us"] = cluster.now_ps / 1e6
        ended = cluster.stats()  # reading registers below takes simulated time
        values.update(numbers({**snapshot(cluster), **ended}))


def _nothing(_line: str) -> None:
    """Standard error is part of the output when somebody listens."""


def main(folder: Path) -> int:
    """Run what the folder asks for; the exit status is 0 when it went well."""
    order = json.loads((folder / RUN).read_text(encoding="utf-8"))
    result: dict[str, Any] = {"ok": False, "problem": "", "values": {}}
    began = time.monotonic()
    try:
        _simulate(folder, order, result)
        result["ok"] = True
    except KumiError as problem:
        result["problem"] = str(problem)
    result["wall_s"] = round(time.monotonic() - began, 3)
    (folder / RESULT).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
