# SPDX-License-Identifier: Apache-2.0
"""Runs a cocotb module on a file list, in a process of its own (cocotb changes the environment)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner
from kumihimo.build.filelist import for_module, unit_file
from kumihimo.build.toolchain import verilator_root
from kumihimo.common.paths import project_root


def run_cocotb(top: str, module: str, folder: Path, parameters: Mapping[str, int]) -> None:
    """Build `top` and run every cocotb test of `module`; fails if one fails."""
    files = for_module(unit_file(top, project_root()), project_root())
    root = verilator_root()
    here = str(Path(__file__).parent)
    before = dict(os.environ)
    try:
        os.environ["VERILATOR_ROOT"] = str(root)
        os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{before['PATH']}"
        os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
        runner = get_runner("verilator")
        runner.build(
            sources=files.files,
            includes=files.incdirs,
            hdl_toplevel=top,
            build_dir=folder,
            parameters=dict(parameters),
            build_args=["-O3", "--x-assign", "fast", "--assert", "-CFLAGS", "-O0"],
            timescale=("1ps", "1ps"),
            always=True,
        )
        results = runner.test(
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            test_module=module,
            build_dir=folder,
            test_dir=folder,
            extra_env={
                "PYTHONPATH": os.pathsep.join([here, *sys.path]),
                "COCOTB_LOG_LEVEL": "WARNING",
            },
        )
    finally:
        os.environ.clear()
        os.environ.update(before)
    total, failed = get_results(results)
    assert total > 0 and failed == 0, f"{failed} of {total} cocotb tests failed"
