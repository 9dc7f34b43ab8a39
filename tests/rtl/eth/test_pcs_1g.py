# SPDX-License-Identifier: Apache-2.0
"""1000BASE-X PCS; see pcs_1g_cocotb.py for the cases."""

from __future__ import annotations

from pathlib import Path

from cocotb_build import run_cocotb


def test_pcs_1g(tmp_path: Path) -> None:
    """One build, every case."""
    run_cocotb(
        top="kumi_pcs_1g_flat",
        module="pcs_1g_cocotb",
        build_dir=tmp_path,
    )
