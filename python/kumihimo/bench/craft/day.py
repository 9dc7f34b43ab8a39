# SPDX-License-Identifier: Apache-2.0
"""`kumi bench craft`: what a designer meets in a day, in numbers.

Mistakes that are named, signals that end commands, seconds from an edit to a ping, the cost of 64
nodes of one design and of a retroactive trace, frames that no counter explains. Times are wall
time on this machine; the rows say how busy it was meanwhile.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.craft.signals import trials
from kumihimo.bench.sim.retrace import retrace_cost
from kumihimo.bench.sim.wall import idle_ping
from kumihimo.build import cache_root
from kumihimo.cluster import Cluster
from kumihimo.common import tools
from kumihimo.common.paths import project_root
from kumihimo.ledger import Ledger
from kumihimo.scaffold import new_kernel

TRIALS, QUICK_TRIALS = 200, 15
EDITS, QUICK_EDITS = 3, 1
BUILDS, QUICK_BUILDS = 2, 1
MISTAKE_S = 30.0  # within which a mistake must be named
# Tests of tests/mistakes that are not about a mistake.
_OTHER = re.compile(r"quiet|clean|not_reported|the_command|right")
_BUILD = """
import sys, time
from kumihimo.cluster import Cluster
start = time.monotonic()
Cluster(sys.argv[1]).build()
print(time.monotonic() - start)
"""


def _load() -> dict[str, float]:
    """How busy the machine is: a wall time is worth little without it."""
    return {"load": os.getloadavg()[0], "cores": len(os.sched_getaffinity(0))}


def _spent_s() -> float:
    """Processor time of all programs that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _mistakes(result: BenchResult, folder: Path) -> None:
    """The tests of mistakes: how many there are, and how many are named as they must be, in time.

    A test's time includes the build that the first test of its file makes.
    """
    report = folder / "mistakes.xml"
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--junitxml={report}"]
    done = tools.run([*words, "tests/mistakes"], cwd=project_root(), timeout=900)
    if not report.is_file():
        raise BenchError(f"the mistakes were not tried: {done.stdout[-1000:]}")
    cases = [c for c in ElementTree.parse(report).iter("testcase")]
    cases = [c for c in cases if not _OTHER.search(str(c.get("name")))]
    took = [float(c.get("time", "0")) for c in cases]
    failed = [c.find("failure") is not None or c.find("error") is not None for c in cases]
    named = [not f and s <= MISTAKE_S for f, s in zip(failed, took, strict=True)]
    result.summary["mistakes"] = len(cases)
    result.summary["mistakes_named"] = sum(named)
    missed = [str(c.get("name")) for c, well in zip(cases, named, strict=True) if not well]
    row = {"figure": "mistakes", "not_named": missed, "slowest_s": max(took)}
    result.rows.append(row | _load())


def _signals(result: BenchResult, folder: Path, count: int, progress: Progress) -> None:
    tried = 0

    def say(text: str) -> None:
        nonlocal tried
        tried += 1
        progress.step(text, tried, count)

    found = trials(folder, count, 1, say=say)
    asked = [t for t in found if t.number != signal.SIGKILL]
    for command in dict.fromkeys(t.command for t in found):
        of = [t for t in found if t.command == command]
        row: dict[str, Any] = {
            "figure": "signals",
            "command": command.replace(f"{folder}/", ""),
            "tried": len(of),
            "slowest_stop_s": max((t.stop_s for t in of if t in asked), default=0.0),
            "slowest_gone_after_kill_s": max((t.stop_s for t in of if t not in asked), default=0.0),
            "left": [name for t in of for name in t.left],
        }
        result.rows.append(row)
    result.rows.append({"figure": "signals", "seed": 1} | _load())
    result.summary["signals_tried"] = len(found)
    result.summary["signals_left_behind"] = sum(len(t.left) for t in found)
    result.summary["slowest_stop_s"] = max(t.stop_s for t in asked)


def _edit_to_ping(result: BenchResult, folder: Path, count: int) -> None:
    """The kernel of the template: change a line, and wait for the answer to a ping."""
    new_kernel("edited", folder / "edited")
    kernel = folder / "edited/edited.sv"
    good = kernel.read_text(encoding="utf-8")
    line = "hdr.cks = CKS_GENERATE;"
    if line not in good:
        raise BenchError(f"the template has changed: there is no line '{line}'")
    spent, processor = [], []
    for number in range(count + 1):  # the first one compiles headers that all designs share
        value = (int(time.time()) + number) % 65536
        text = good.replace(line, f"{line} hdr.peer_port = hdr.peer_port ^ 16'd{value};")
        kernel.write_text(text, encoding="utf-8")
        start, before = time.monotonic(), _spent_s()
        words = [sys.executable, "-m", "kumihimo.cli", "shell", str(folder / "edited/edited.yaml")]
        done = tools.run([*words, "--", "ping", "-c", "1", "-W", "20", "edited"], timeout=600)
        if done.returncode != 0:
            raise BenchError(f"the edited kernel did not answer: {done.stdout}{done.stderr}")
        spent.append(time.monotonic() - start)
        processor.append(_spent_s() - before)
    row = {"figure": "edit_to_ping", "seconds": spent[1:], "processor_s": processor[1:]}
    result.rows.append(row | _load())
    result.summary["edit_to_ping_s"] = min(spent[1:])


def _build_64(result: BenchResult, folder: Path, count: int) -> None:
    """Clusters with 1 and with 64 nodes of one design, built from empty caches by turns."""
    shared = cache_root() / "pch"
    spent: dict[int, list[float]] = {1: [], 64: []}
    for turn in range(count):
        for nodes, times in spent.items():
            place = folder / f"nodes{nodes}-{turn}"
            (place / "cache").mkdir(parents=True)
            (place / "cache/pch").symlink_to(shared)
            design = "{design: udp_echo, open_ports: [eth0]}"
            text = "".join(f"  n{i}: {design}\n" for i in range(nodes))
            file = place / "many.yaml"
            file.write_text(f"nodes:\n{text}", encoding="utf-8")
            env = {**os.environ, "KUMI_CACHE": str(place / "cache")}
            done = tools.run([sys.executable, "-c", _BUILD, str(file)], env=env, timeout=900)
            if done.returncode != 0:
                raise BenchError(f"the build failed: {done.stderr[-1000:]}")
            times.append(float(done.stdout))
    result.rows.append({"figure": "build_64", "one_s": spent[1], "many_s": spent[64]} | _load())
    result.summary["build_64_over_1"] = min(spent[64]) / min(spent[1])


def _demo(result: BenchResult, folder: Path, quick: bool) -> None:
    """The demo's ledger, and an idle ping of its cluster."""
    words = [sys.executable, "-m", "kumihimo.cli", "demo", "--quick", "--out", str(folder / "demo")]
    done = tools.run(words, timeout=900)
    if done.returncode != 0:
        raise BenchError(f"the demo failed: {done.stdout}{done.stderr}")
    ledger = Ledger.of(json.loads((folder / "demo/demo.json").read_text(encoding="utf-8")))
    result.rows.append({"figure": "ledger", "accounts": len(ledger.accounts)})
    result.summary["ledger_unexplained"] = ledger.unexplained
    with Cluster(project_root() / "examples/demo.yaml") as cluster, cluster.serving():
        row = idle_ping(cluster, str(cluster["alice"].ip), quick)
    result.rows.append(row | _load())
    result.summary["idle_ping_ms"] = row["mean_ms"]


def run(progress: Progress, quick: bool) -> BenchResult:
    """All figures; `quick` tries fewer signals and edits."""
    result = BenchResult("craft")
    with tempfile.TemporaryDirectory(prefix="kumi-craft-") as name:
        folder = Path(name)
        progress.step("mistakes", 0, 6)
        _mistakes(result, folder)
        progress.step("edit to ping", 1, 6)
        _edit_to_ping(result, folder, QUICK_EDITS if quick else EDITS)
        progress.step("64 nodes of one design", 2, 6)
        _build_64(result, folder, QUICK_BUILDS if quick else BUILDS)
        progress.step("the demo", 3, 6)
        _demo(result, folder, quick)
        progress.step("retroactive trace", 4, 6)
        result.summary["retrace_cost"] = retrace_cost(quick)
        progress.step("signals", 5, 6)
        _signals(result, folder, QUICK_TRIALS if quick else TRIALS, progress)
    result.goals = {
        "mistakes": (">=", 40),
        "mistakes_named": ("==", float(result.summary["mistakes"] or 0)),
        "signals_tried": (">=", 1 if quick else TRIALS),
        "signals_left_behind": ("==", 0),
        "slowest_stop_s": ("<=", 2),
        "edit_to_ping_s": ("<=", 15),
        "idle_ping_ms": ("<", 2),
        "build_64_over_1": ("<=", 1.2),
        "retrace_cost": ("<=", 1.1),
        "ledger_unexplained": ("==", 0),
    }
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    return result
