# SPDX-License-Identifier: Apache-2.0
"""`kumi bench opencl`: what becomes of kernels in OpenCL, beside hand-written RTL and the paper.

The kernels, their clusters and the generator of random ones are those of tests/hls:

- figure 8 of the paper through two controllers on a 40 Gb/s line: every byte, and the share of the
  time that its frames take on the line; a word there and back for the latency of one way, of which
  472 ns are the cable;
- random kernels and kernels of known suites as RTL against emulation;
- five data paths that exist by hand as well: look-up tables (UltraScale+, mapped), and the clock
  of the generated ones (ECP5, speed grade 8, placed and routed).
"""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType
from typing import Any

from kumihimo.bench.core import BenchError, BenchResult, Origin, Progress
from kumihimo.bench.setup import Setup
from kumihimo.cluster import Cluster
from kumihimo.common.paths import project_root
from kumihimo.hls.compile import compile_file, designs, write
from kumihimo.hls.frontend import load
from kumihimo.hls.report import report
from kumihimo.synth.flow import Options, measure

CLOCK_HZ = 316.666667e6
LINE_BPS = 40e9
FRAME_BYTES = 9216 + 24  # on the line
FRAME_WORDS = 287
FRAMES = (14, 70)  # of two messages: the difference leaves out how a message begins and ends
FROM, TO = 0x1_0000, 0x1000_0000
SIZES = (0, 1, 2, 287, 1000, 4000)
HAND = ("echo", "add", "gen", "check", "combine")
PER_MODEL = 40
STEPS = 6
LONG_MS = "1 s"


def _folder() -> Path:
    folder = project_root() / "tests" / "hls"
    if not folder.is_dir():
        raise BenchError(f"{folder} is missing: run the bench in a clone.")
    return folder


def _module(name: str) -> ModuleType:
    if str(_folder()) not in sys.path:
        sys.path.insert(0, str(_folder()))
    return importlib.import_module(name)


def _send(cluster: Cluster, words: int) -> tuple[int, int]:
    """Send words from alice to bob; bytes that differ, and the receiver's cycles."""
    alice, bob = cluster["alice"], cluster["bob"]
    data = random.Random(words).randbytes(32 * words)
    alice.memory().write(FROM, data)
    receiver = bob.kernel("receiver")
    receiver.start(TO, words)
    alice.kernel("sender").run(FROM, words, 0xA, 0xB, timeout=LONG_MS)
    cycles = receiver.wait(LONG_MS)
    found = bob.memory().read(TO, 32 * words)
    bob.memory().write(TO, bytes(32 * words))
    return sum(a != b for a, b in zip(data, found, strict=True)), cycles


def paper() -> dict[str, float]:
    """Figure 8: bytes that differ, shares of the line."""
    with Cluster(_folder() / "figure8.yaml") as cluster:
        wrong = sum(_send(cluster, words)[0] for words in SIZES)
        spans = []
        for frames in FRAMES:
            bad, cycles = _send(cluster, FRAME_WORDS * frames)
            wrong += bad
            spans.append(cycles)
    seconds = (spans[1] - spans[0]) / CLOCK_HZ
    bits = 8 * (FRAMES[1] - FRAMES[0])
    return {
        "bytes_wrong": wrong,
        "line_share": bits * FRAME_BYTES / LINE_BPS / seconds,
        "peak_share": bits * FRAME_WORDS * 32 / LINE_BPS / seconds,
    }


def latency(turns: int = 50) -> float:
    """Nanoseconds of one way, kernel to kernel."""
    with Cluster(_folder() / "latency.yaml") as cluster:
        ping = cluster["alice"].kernel("ping")
        cluster["bob"].kernel("ping").start(own=0xB, peer=0xA, n=turns, first=0)
        cycles = ping.run(own=0xA, peer=0xB, n=turns, first=1, timeout=LONG_MS)
    return float(cycles / CLOCK_HZ * 1e9 / (2 * turns))


def random_kernels(progress: Progress, models: int) -> tuple[int, list[str]]:
    """How many were compared, and what differs."""
    tests = _module("test_hls_random")
    wrong: list[str] = []
    for seed in range(1, models + 1):
        progress.step(f"random kernels, model {seed} of {models}", 3, STEPS)
        with tempfile.TemporaryDirectory() as folder:
            try:
                tests.check(Path(folder), PER_MODEL, seed, tests.CLOCKS[seed % len(tests.CLOCKS)])
            except AssertionError as problem:
                wrong += str(problem).splitlines()
    return models * PER_MODEL, wrong


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


def cost(progress: Progress, clocks: bool) -> list[dict[str, Any]]:
    """Look-up tables of each kernel, generated and by hand; with `clocks` the generated one's."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(compile_file(_folder() / "hand.cl"), folder)
        for name in HAND:
            progress.step(f"cost of {name}", 5, STEPS)
            targets = ("xcup", "ecp5") if clocks else ("xcup",)
            file = f"hand_{name}.sv"
            made = measure(str(folder / file), {}, targets, Options())
            hand = measure(str(_folder() / "hand" / file), {}, ("xcup",), Options())
            rows.append(
                {
                    "kernel": name,
                    "lut": made["xcup"]["lut"],
                    "ff": made["xcup"]["ff"],
                    "hand_lut": hand["xcup"]["lut"],
                    "hand_ff": hand["xcup"]["ff"],
                    "lut_over_hand": made["xcup"]["lut"] / hand["xcup"]["lut"],
                    "fmax_mhz": made["ecp5"]["fmax_mhz"] if clocks else None,
                }
            )
    return rows


def compile_times() -> dict[str, float]:
    """Wall seconds from a file to SystemVerilog, of the second time."""
    out = {}
    for file in sorted((project_root() / "examples" / "opencl").glob("*.cl")):
        for _ in range(2):
            start = time.monotonic()
            compile_file(file)
            out[file.stem] = time.monotonic() - start
    return out


def run(progress: Progress, quick: bool) -> BenchResult:
    """Everything; `quick` takes 40 random kernels instead of 2,000 and no clocks."""
    result = BenchResult("opencl", command=f"kumi bench opencl{' --quick' * quick} --json")
    progress.step("compile times", 0, STEPS)
    times = compile_times()
    progress.step("figure 8", 1, STEPS)
    figure8 = paper()
    progress.step("latency", 2, STEPS)
    one_way = latency()
    programs, wrong = random_kernels(progress, 1 if quick else 50)
    progress.step("suite", 4, STEPS)
    kernels, failures = suite()
    rows = cost(progress, clocks=not quick)
    loops = [
        loop for kernel in report(designs(load(_folder() / "hand.cl"))) for loop in kernel.loops
    ]
    clocks = [row["fmax_mhz"] for row in rows if row["fmax_mhz"] is not None]
    result.rows = [
        {"figure_8": figure8, "one_way_ns": one_way},
        {"random": programs, "different": wrong},
        *rows,
        *({"file": name, "compile_s": seconds} for name, seconds in times.items()),
    ]
    result.summary = {
        "paper_share": figure8["line_share"],
        "paper_bytes_wrong": figure8["bytes_wrong"],
        "ii_channel_loop": max(loop.ii for loop in loops),
        "random_programs": programs,
        "random_mismatches": len(wrong),
        "suite_programs": kernels,
        "suite_mismatches": failures,
        "lut_over_hand_max": max(row["lut_over_hand"] for row in rows),
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
    line = "two nodes, 40 Gb/s, frames of 9,216 bytes, memory 100 ns with jitter"
    result.setups = {
        name: Setup("", note=line) for name in ("paper_share", "paper_bytes_wrong", "peak_share")
    }
    result.setups["direct_ns"] = Setup("", note="messages of one word, 472 ns of it the cable")
    return result
