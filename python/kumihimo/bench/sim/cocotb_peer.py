# SPDX-License-Identifier: Apache-2.0
"""The UDP echo node under cocotb, with a driver and a monitor that look at every cycle.

It is the usual way to test such a design; `kumi bench sim-speed` compares with it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from kumihimo.bench.core import BenchError
from kumihimo.build import build, cache_root, scan
from kumihimo.build.toolchain import verilator_root
from kumihimo.common import tools

RUN = """\
import sys
from pathlib import Path
from cocotb_tools.runner import get_runner
spec = __import__("json").loads(sys.argv[1])
runner = get_runner("verilator")
runner.build(
    sources=[Path(f) for f in spec["files"]],
    includes=spec["includes"],
    hdl_toplevel=spec["top"],
    parameters={"DATA_W": 64},
    build_args=["-O3", "--x-assign", "fast", "-Wno-fatal"],
    build_dir=spec["folder"],
    timescale=("1ns", "1ns"),
)
runner.test(
    hdl_toplevel=spec["top"],
    test_module="kumihimo.bench.sim.cocotb_test",
    build_dir=spec["folder"],
    test_dir=spec["folder"],
)
"""


def measure(cycles: int) -> float:
    """KHz of the node under cocotb. Builds once; the build is kept beside the node libraries."""
    try:
        import cocotb  # noqa: F401
    except ImportError as problem:
        raise BenchError(
            "This bench compares with cocotb, which is not installed. Run: make setup-test"
        ) from problem
    info = scan("udp_echo", params={"DATA_W": 64})
    digest = build("udp_echo", params={"DATA_W": 64}).design_hash
    folder = cache_root() / "cocotb" / digest
    folder.mkdir(parents=True, exist_ok=True)
    root = verilator_root()
    answer = folder / "speed.json"
    answer.unlink(missing_ok=True)
    spec = {
        "files": [str(f) for f in info.files],
        "includes": [str(d) for d in info.incdirs],
        "top": info.top,
        "folder": str(folder),
    }
    env = {
        **os.environ,
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}:{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
        "KUMI_COCOTB_CYCLES": str(cycles),
        "KUMI_COCOTB_RESULT": str(answer),
        "COCOTB_LOG_LEVEL": "WARNING",
        # The wheel's makefile leaves out how a precompiled header is included.
        "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include",
    }
    words = [sys.executable, "-c", RUN, json.dumps(spec)]
    done = tools.run(words, env=env, cwd=folder, timeout=900)
    if done.returncode != 0 or not answer.is_file():
        raise BenchError(f"cocotb did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return float(json.loads(answer.read_text(encoding="utf-8"))["khz"])
