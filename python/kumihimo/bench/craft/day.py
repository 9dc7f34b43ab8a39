# SPDX-License-Identifier: Apache-2.0
"""`kumi bench craft`: what a designer meets in a day, in numbers.

Mistakes that are named, signals that end commands, seconds from an edit to a ping, the cost of 64
nodes of one design and of a retroactive trace, frames that no counter explains. Times are wall
time on this machine.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
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
# Tests of tests/mistakes that are not about a mistake.
_OTHER = re.compile(r"quiet|clean|not_reported|the_command|right")
_BUILD = """
import sys, time
from kumihimo.cluster import Cluster
start = time.monotonic()
Cluster(sys.argv[1]).build()
print(time.monotonic() - start)
"""


def _mistakes(result: BenchResult, folder: Path) -> None:
    """The tests of mistakes: how many there are, and how many are named as they must be."""
    report = folder / "mistakes.xml"
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", f"--junitxml={report}"]
    done = tools.run([*words, "tests/mistakes"], cwd=project_root(), timeout=900)
    if not report.is_file():
        raise BenchError(f"the mistakes were not tried: {done.stdout[-1000:]}")
    cases = [c for c in ElementTree.parse(report).iter("testcase")]
    cases = [c for c in cases if not _OTHER.search(str(c.get("name")))]
    named = [c for c in cases if c.find("failure") is None and c.find("error") is None]
    result.summary["mistakes"] = len(cases)
    result.summary["mistakes_named"] = len(named)
    missed = [str(c.get("name")) for c in cases if c not in named]
    result.rows.append({"figure": "mistakes", "not_named": missed})


def _signals(result: BenchResult, folder: Path, count: int, progress: Progress) -> None:
    tried = 0

    def say(text: str) -> None:
        nonlocal tried
        tried += 1
        progress.step(text, tried, count)

    found = trials(folder, count, 1, say=say)
    result.rows += [
        {
            "figure": "signal",
            "command": t.command.replace(str(folder), "."),
            "signal": t.number,
            "after_s": t.after_s,
            "stop_s": t.stop_s,
            "left": list(t.left),
        }
        for t in found
    ]
    result.summary["signals_tried"] = len(found)
    result.summary["signals_left_behind"] = sum(len(t.left) for t in found)
    result.summary["slowest_stop_s"] = max(t.stop_s for t in found)


def _edit_to_ping(result: BenchResult, folder: Path, count: int) -> None:
    """The kernel of the template: change a line, and wait for the answer to a ping."""
    new_kernel("edited", folder / "edited")
    kernel = folder / "edited/edited.sv"
    good = kernel.read_text(encoding="utf-8")
    line = "hdr.cks = CKS_GENERATE;"
    if line not in good:
        raise BenchError(f"the template has changed: there is no line '{line}'")
    spent = []
    for number in range(count + 1):  # the first one compiles headers that all designs share
        value = (int(time.time()) + number) % 65536
        text = good.replace(line, f"{line} hdr.peer_port = hdr.peer_port ^ 16'd{value};")
        kernel.write_text(text, encoding="utf-8")
        start = time.monotonic()
        words = [sys.executable, "-m", "kumihimo.cli", "shell", str(folder / "edited/edited.yaml")]
        done = tools.run([*words, "--", "ping", "-c", "1", "-W", "20", "edited"], timeout=600)
        if done.returncode != 0:
            raise BenchError(f"the edited kernel did not answer: {done.stdout}{done.stderr}")
        spent.append(time.monotonic() - start)
    result.rows.append({"figure": "edit_to_ping", "seconds": spent[1:]})
    result.summary["edit_to_ping_s"] = min(spent[1:])


def _build_64(result: BenchResult, folder: Path) -> None:
    """Builds of clusters with 1 and with 64 nodes of one design, each from empty caches."""
    shared = cache_root() / "pch"
    spent = {}
    for count in (1, 64):
        place = folder / f"nodes{count}"
        (place / "cache").mkdir(parents=True)
        (place / "cache/pch").symlink_to(shared)
        nodes = "".join(f"  n{i}: {{design: udp_echo, open_ports: [eth0]}}\n" for i in range(count))
        file = place / "many.yaml"
        file.write_text(f"nodes:\n{nodes}", encoding="utf-8")
        env = {**os.environ, "KUMI_CACHE": str(place / "cache"), "KUMI_BUILD": "quick"}
        done = tools.run([sys.executable, "-c", _BUILD, str(file)], env=env, timeout=900)
        if done.returncode != 0:
            raise BenchError(f"the build failed: {done.stderr[-1000:]}")
        spent[count] = float(done.stdout)
    result.rows.append({"figure": "build_64", "one_s": spent[1], "many_s": spent[64]})
    result.summary["build_64_over_1"] = spent[64] / spent[1]


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
    result.rows.append(row)
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
        _build_64(result, folder)
        progress.step("the demo", 3, 6)
        _demo(result, folder, quick)
        progress.step("retroactive trace", 4, 6)
        result.summary["retrace_cost"] = retrace_cost(quick)
        progress.step("signals", 5, 6)
        _signals(result, folder, QUICK_TRIALS if quick else TRIALS, progress)
    result.goals = {
        "mistakes": (">=", 40),
        "mistakes_named": ("==", float(result.summary["mistakes"] or 0)),
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
