# SPDX-License-Identifier: Apache-2.0
"""XGMII MAC against cocotbext-eth; see mac_xgmii_cocotb.py for the cases."""

from __future__ import annotations

from pathlib import Path

import pytest
from cocotb_build import run_cocotb

HERE = Path(__file__).parent


@pytest.mark.long
def test_mac_xgmii(tmp_path: Path) -> None:
    """One build, every case; every length in the long run."""
    run_cocotb(
        top="kumi_tb_mac_xgmii",
        sources=[HERE / "kumi_tb_mac_xgmii.sv"],
        module="mac_xgmii_cocotb",
        build_dir=tmp_path,
    )
