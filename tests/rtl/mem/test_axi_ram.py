# SPDX-License-Identifier: Apache-2.0
"""kumi_axi_ram with cocotbext-axi as the master; see axi_ram_bench_cocotb.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cocotb_tools.runner import get_results, get_runner
from kumihimo.build.filelist import for_module
from kumihimo.build.toolchain import verilator_root
from kumihimo.common.paths import project_root


@pytest.mark.parametrize("width", [512])
def test_axi_ram(width: int, tmp_path: Path) -> None:
    """Every case, beat sizes from a byte to the port; test_tcp_*_mem.py has it at other widths."""
    files = for_module(Path(__file__).with_name("kumi_tb_axi_ram.sv"), project_root())
    root = verilator_root()
    before = dict(os.environ)
    try:
        os.environ["VERILATOR_ROOT"] = str(root)
        os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{before['PATH']}"
        os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"
        runner = get_runner("verilator")
        runner.build(
            sources=files.files,
            includes=files.incdirs,
            hdl_toplevel="kumi_tb_axi_ram",
            build_dir=tmp_path,
            parameters={"DATA_W": width},
            build_args=["-O3", "--x-assign", "fast", "--assert", "-CFLAGS", "-O0"],
            timescale=("1ps", "1ps"),
            always=True,
        )
        results = runner.test(
            hdl_toplevel="kumi_tb_axi_ram",
            hdl_toplevel_lang="verilog",
            test_module="axi_ram_bench_cocotb",
            build_dir=tmp_path,
            test_dir=tmp_path,
            extra_env={
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
                "COCOTB_LOG_LEVEL": "WARNING",
                "AXI_RAM_WIDTH": str(width),
            },
        )
    finally:
        os.environ.clear()
        os.environ.update(before)
    total, failed = get_results(results)
    assert total == 4 and failed == 0, f"{failed} of {total} cocotb tests failed"
