# SPDX-License-Identifier: Apache-2.0
"""`kumi bench opencl`: what becomes of kernels in OpenCL, beside shipped RTL and the paper.

The kernels, their clusters and the generator of random ones are those of tests/hls:

- the evaluation of the paper on FPGA-to-FPGA Ethernet (`paper`);
- random kernels and kernels of known suites as RTL against emulation;
- five blocks of hw/kernel written again as kernels: look-up tables of both, and the clock (`cost`);
- a request to the key-value store of the examples, from the edit of its source to the answer.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.opencl import cost, paper
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.common.paths import project_root
from kumihimo.hls.compile import compile_file, designs
from kumihimo.hls.frontend import load
from kumihimo.hls.report import report

STEPS = 8
LONG_WORDS = 1_000_000
LONG_BYTES = 16 << 20


def _folder() -> Path:
    folder = project_root() / "tests" / "hls"
    if not folder.is_dir():
        raise BenchError(f"{folder} is missing: run the bench in a clone.")
    return folder


def _module(name: str) -> ModuleType:
    if str(_folder()) not in sys.path:
        sys.path.insert(0, str(_folder()))
    return importlib.import_module(name)


def random_kernels(progress: Progress, quick: bool) -> tuple[int, list[str]]:
    """How many were compared, and what differs; models that were compared before are kept."""
    models = _module("random_models")
    last = 4 if quick else models.MODELS
    count, wrong = 0, []
    for seed, outcome in models.compare_all(range(1, last + 1)):
        progress.step(f"random kernels, model {seed} of {last}", 4, STEPS)
        count += outcome.kernels
        wrong += outcome.different
    return count, wrong


def suite() -> tuple[int, int]:
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
    return count, sum(case.find("failure") is not None or case.find("error") is not None
                      for case in cases)  # fmt: skip


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


def run(progress: Progress, quick: bool) -> BenchResult:
    """Everything; `quick` takes 40 random kernels, shorter messages, no clocks, and no edit."""
    result = BenchResult("opencl", command=f"kumi bench opencl{' --quick' * quick} --json")
    progress.step("compile times", 0, STEPS)
    times = compile_times()
    edit = None if quick else edit_to_answer()
    progress.step("figure 8", 1, STEPS)
    figure8 = paper.figure_8(_folder(), 0 if quick else LONG_WORDS)
    lossy = paper.with_loss(_folder(), 0 if quick else LONG_WORDS)
    progress.step("latency and bandwidth", 2, STEPS)
    one_way = paper.direct_ns(_folder())
    most = 1 << 17 if quick else LONG_BYTES
    via_switch, sizes, half = paper.through_switch(_folder(), most)
    programs, wrong = random_kernels(progress, quick)
    progress.step("suite", 5, STEPS)
    kernels, failures = suite()
    blocks = cost.rows(_folder() / "shipped.cl", progress, (6, STEPS), clocks=not quick)
    loops = [
        loop for kernel in report(designs(load(_folder() / "shipped.cl"))) for loop in kernel.loops
    ]
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
        {"random": programs, "different": wrong},
        *blocks,
        *({"file": name, "compile_s": seconds} for name, seconds in times.items()),
        *({"edit_to_answer_s": edit} for _ in range(edit is not None)),
    ]  # fmt: skip
    result.summary = {
        "paper_share": figure8["line_share"],
        "paper_bytes_wrong": figure8["bytes_wrong"] + lossy["bytes_wrong"],
        "ii_channel_loop": max(loop.ii for loop in loops),
        "random_programs": programs,
        "random_mismatches": len(wrong),
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
    result.origins = dict.fromkeys(result.goals, Origin.REQUIREMENT)
    line = "two nodes, 40 Gb/s, frames of 9,216 bytes, memory 100 ns with jitter, reordering"
    result.setups = {
        name: Setup("", note=line) for name in ("paper_share", "paper_bytes_wrong", "peak_share")
    }
    result.setups["direct_ns"] = Setup("", note="messages of one word, 472 ns of it the cable")
    return result
