# SPDX-License-Identifier: Apache-2.0
"""10GBASE-R PCS; see pcs_10g_cocotb.py for the cases."""

from __future__ import annotations

from pathlib import Path

from cocotb_build import run_cocotb


def test_pcs_10g(tmp_path: Path) -> None:
    """One build, every case."""
    run_cocotb(
        top="kumi_pcs_10g_flat",
        module="pcs_10g_cocotb",
        build_dir=tmp_path,
        parameters={"SLIP_WAIT": 8, "BER_WINDOW": 500},
    )
