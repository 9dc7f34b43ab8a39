# SPDX-License-Identifier: Apache-2.0
"""`kumi bench opencl`: what becomes of kernels in OpenCL, beside shipped RTL and the paper.

The kernels, their clusters and the generator of random ones are those of tests/hls:

- the evaluation of the paper on FPGA-to-FPGA Ethernet (`paper`);
- random kernels and kernels of known suites as RTL against emulation;
- five blocks of hw/kernel written again as kernels: look-up tables of both, and the clock (`cost`);
- a request to the key-value store of the examples, from the edit of its source to the answer.

    python -m kumihimo.bench.opencl.kernels FOLDER [PART...]

runs parts of it, all that need long by default, and keeps each in FOLDER. With
$KUMI_OPENCL_PARTS=FOLDER the bench takes parts of the same sources from there, and of the random
kernels and placements those that are kept (`python tests/hls/random_models.py FIRST LAST` compares
models; `--placements N` says how many placements a kernel's clock is the median of).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.freshness import rtl_files, sources
from kumihimo.bench.opencl import cost, paper
from kumihimo.bench.setup import Setup
from kumihimo.build.cache import digest
from kumihimo.build.tokens import token_hash
from kumihimo.cluster import Cluster
from kumihimo.common.paths import project_root
from kumihimo.hls.compile import compile_file, designs
from kumihimo.hls.frontend import load
from kumihimo.hls.report import report

STEPS = 8
LONG_WORDS = 1_000_000
LONG_BYTES = 16 << 20
RTL = ("kumi_hls_load", "kumi_hls_store", "kumi_eth_controller", "kumi_node_hls_rtp")
"""What generated kernels and their nodes instantiate in the evaluation of the paper."""


def _folder() -> Path:
    folder = project_root() / "tests" / "hls"
    if not folder.is_dir():
        raise BenchError(f"{folder} is missing: run the bench in a clone.")
    return folder


def _module(name: str) -> ModuleType:
    if str(_folder()) not in sys.path:
        sys.path.insert(0, str(_folder()))
    return importlib.import_module(name)


def random_kernels(progress: Progress, quick: bool, kept_only: bool) -> dict[str, Any]:
    """How many were compared, of which seeds, and what differs or is refused."""
    models = _module("random_models")
    seeds = [*range(1, 3), *range(models.PLAIN + 1, models.PLAIN + 3)]
    if not quick:
        seeds = list(range(1, models.MODELS + 1))
    row: dict[str, Any] = {"random": 0, "scalars": 0, "models": [], "different": [], "refused": []}
    for seed, outcome in models.compare_all(seeds, kept_only=kept_only):
        progress.step(f"random kernels, model {seed} of {seeds[-1]}", 4, STEPS)
        row["random"] += outcome.kernels
        row["scalars"] += outcome.kernels if seed <= models.PLAIN else 0
        row["models"].append(seed)
        row["different"] += outcome.different
        row["refused"] += outcome.refused
    row["models"] = _ranges(row["models"])
    return row


def _ranges(numbers: list[int]) -> str:
    """Numbers as people write them: 1-4, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{p[0]}-{p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)


def suite() -> list[int]:
    """Kernels of suite.cl, and how many of its tests fail."""
    count = len(load(_folder() / "suite.cl").kernels)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "suite.xml"
        words = ["-q", "-p", "no:cacheprovider", f"--junitxml={out}"]
        file = str(_folder() / "test_hls_suite.py")
        subprocess.run(
            [sys.executable, "-m", "pytest", *words, file],
            capture_output=True,
            check=False,
            timeout=1800,
            cwd=project_root(),
        )
        if not out.is_file():
            raise BenchError(f"{file} did not run.")
        found = ET.parse(out).getroot()
    cases = list(found.iter("testcase"))
    failed = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    return [count, len(failed)]


def compile_times() -> dict[str, float]:
    """Wall seconds from a file to SystemVerilog, of the second time."""
    out = {}
    for file in sorted((project_root() / "examples" / "opencl").glob("*.cl")):
        for _ in range(2):
            start = time.monotonic()
            compile_file(file)
            out[file.stem] = time.monotonic() - start
    return out


def edit_to_answer() -> float:
    """Wall seconds from a changed source of the key-value store to its first answered request."""
    examples = project_root() / "examples" / "opencl"
    spec = importlib.util.spec_from_file_location("store_example", examples / "store.py")
    if spec is None or spec.loader is None:
        raise BenchError(f"{examples}/store.py is missing: run the bench in a clone.")
    store = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(store)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        text = (examples / "store.cl").read_text(encoding="utf-8")
        missing = 3 + time.time_ns() % 250  # another answer to what is missing
        edited = text.replace("MISSING,", f"MISSING = {missing},", 1)
        (folder / "store.cl").write_text(edited, encoding="utf-8")
        cluster = (examples / "store.yaml").read_text(encoding="utf-8")
        (folder / "store.yaml").write_text(cluster, encoding="utf-8")
        start = time.monotonic()
        with Cluster(folder / "store.yaml") as running, running.serving():
            answers = store.ask(running, [(store.GET, 1, 0)])
        spent = time.monotonic() - start
    if answers != [(missing, 0)]:
        raise BenchError(f"the store answered {answers}.")
    return spent


def _switch(quick: bool) -> list[Any]:
    return list(paper.through_switch(_folder(), 1 << 17 if quick else LONG_BYTES))


PARTS: dict[str, Callable[[bool], Any]] = {
    "compile": lambda quick: compile_times(),
    "edit": lambda quick: None if quick else edit_to_answer(),
    "figure_8": lambda quick: paper.figure_8(_folder(), 0 if quick else LONG_WORDS),
    "loss": lambda quick: paper.with_loss(_folder(), 0 if quick else LONG_WORDS),
    "direct": lambda quick: paper.direct_ns(_folder()),
    "switch": _switch,
    "suite": lambda quick: suite(),
}
"""Name to what measures it; `quick`: with shorter messages."""


SIMULATED = {
    "figure_8": "figure8.cl",
    "loss": "figure8.cl",
    "direct": "latency.cl",
    "switch": "exchange.cl",
}
"""Parts that are the same as long as the SystemVerilog of a file is."""


def _stamp(name: str) -> dict[str, str]:
    """What a part depends on: of the compiler, where that is enough, what it makes of the file."""
    stamp = sources("opencl", RTL)
    stamp.pop("bench/opencl/cost.py")
    if name in SIMULATED:
        stamp.pop("bench/opencl/kernels.py")
        made = compile_file(_folder() / SIMULATED[name])
        stamp = {file: hash_ for file, hash_ in stamp.items() if not file.startswith("hls/")}
        stamp["made"] = digest(*(f"{module}\n{text}" for module, text in made.modules.items()))
    return stamp


def part(name: str, quick: bool, folder: Path | None) -> Any:
    """A part's figures: of the folder if they are of the same sources, else measured now."""
    if folder is None:
        return PARTS[name](quick)
    file = folder / f"{name}{'_quick' * quick}.json"
    stamp = _stamp(name)
    if file.is_file():
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["sources"] == stamp:
            return kept["figures"]
    figures = PARTS[name](quick)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"sources": stamp, "figures": figures}, indent=1)
    file.write_text(text, encoding="utf-8")
    return figures


def run(progress: Progress, quick: bool) -> BenchResult:
    """Everything; `quick` takes 40 random kernels, shorter messages, no clocks, and no edit."""
    result = BenchResult("opencl", command=f"kumi bench opencl{' --quick' * quick} --json")
    named = os.environ.get("KUMI_OPENCL_PARTS")
    folder = Path(named) if named else None
    found = {}
    for number, name in enumerate(PARTS):
        progress.step(name.replace("_", " "), number // 2, STEPS)
        found[name] = part(name, quick, folder)
    times, edit, figure8, lossy = (found[n] for n in ("compile", "edit", "figure_8", "loss"))
    one_way, (via_switch, sizes, half) = found["direct"], found["switch"]
    kernels, failures = found["suite"]
    programs = random_kernels(progress, quick, folder is not None)
    file = _folder() / "shipped.cl"
    placements = 0 if quick else len(cost.SEEDS)
    blocks = cost.rows(file, progress, (6, STEPS), placements, kept_only=folder is not None)
    loops = [loop for kernel in report(designs(load(file))) for loop in kernel.loops]
    clocks = [row["fmax_mhz"] for row in blocks if row["fmax_mhz"] is not None]
    result.rows = [
        {"figure_8": figure8, "with_loss": lossy},
        {"bar": "direct", "ours": {"mean_ns": one_way},
         "paper": {"mean_ns": paper.PAPER_NS["direct"]},
         "note": "ours is from kernel to kernel, the paper's from MAC to MAC"},
        {"bar": "via_switch_controller", "ours": {"mean_ns": via_switch},
         "paper": {"mean_ns": paper.PAPER_NS["via_switch_controller"]}},
        *({**row, "share_of_line": row["gb_s"] * 8e9 / paper.LINE_BPS} for row in sizes),
        {"bandwidth": "peak", "ours": {"gb_s": figure8["peak_share"] * paper.LINE_BPS / 8e9},
         "paper": {"gb_s": paper.PAPER_PEAK_GB_S}},
        {"bandwidth": "half of the peak at bytes", "ours": half,
         "paper": paper.PAPER_NS["via_switch_controller"] * paper.PAPER_PEAK_GB_S},
        programs,
        *blocks,
        *({"file": name, "compile_s": seconds} for name, seconds in times.items()),
        *({"edit_to_answer_s": edit} for _ in range(edit is not None)),
    ]  # fmt: skip
    result.summary = {
        "paper_share": figure8["line_share"],
        "paper_bytes_wrong": figure8["bytes_wrong"] + lossy["bytes_wrong"],
        "ii_channel_loop": max(loop.ii for loop in loops),
        "random_programs": programs["random"],
        "random_mismatches": len(programs["different"]),
        "suite_programs": kernels,
        "suite_mismatches": failures,
        "lut_over_hand_max": max(row["lut_over_hand"] for row in blocks),
        "fmax_min_mhz": min(clocks) if clocks else None,
        "compile_s_max": max(times.values()),
        "direct_ns": one_way,
        "peak_share": figure8["peak_share"],
    }
    result.goals = {
        "paper_share": (">=", 0.99),
        "paper_bytes_wrong": ("==", 0),
        "ii_channel_loop": ("==", 1),
        "random_mismatches": ("==", 0),
        "suite_programs": (">=", 20),
        "suite_mismatches": ("==", 0),
        "lut_over_hand_max": ("<=", 1.3),
        "compile_s_max": ("<", 2),
    }
    if not quick:
        result.goals |= {"random_programs": (">=", 2000), "fmax_min_mhz": (">=", 125)}
    for module in (*RTL, *(block.module for block in cost.BLOCKS.values())):
        files = rtl_files([module], project_root())
        result.rtl[module] = digest(*map(token_hash, files))[:40]
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    line = "two nodes, 40 Gb/s, frames of 9,216 bytes, memory 100 ns with jitter, reordering"
    result.setups = {
        name: Setup("", note=line) for name in ("paper_share", "paper_bytes_wrong", "peak_share")
    }
    placed = ", ".join(f"{row['kernel']} {len(row['fmax_seeds_mhz'])}" for row in blocks)
    note = f"median of {len(cost.SEEDS)} placements; measured: {placed}"
    result.setups["fmax_min_mhz"] = Setup("", note=note)
    note = f"models of ten, with the units of random_units.sv: {programs['models']}"
    result.setups["random_programs"] = Setup("", note=note)
    result.setups["direct_ns"] = Setup("", note="messages of one word, 472 ns of it the cable")
    return result


def main() -> None:
    """Parts of the bench; their figures go to a folder."""
    parser = argparse.ArgumentParser(description="Parts of `kumi bench opencl`.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", nargs="*", choices=[*PARTS, *cost.BLOCKS, []])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--placements", type=int, default=len(cost.SEEDS))
    options = parser.parse_args()
    for name in options.part or PARTS:
        if name in cost.BLOCKS:  # kept with all other results of synthesis
            file = _folder() / "shipped.cl"
            placements = 0 if options.quick else options.placements
            figures = cost.rows(file, Progress.silent(), (0, 1), placements, [name])
        else:
            figures = part(name, options.quick, options.folder)
        print(name, json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
