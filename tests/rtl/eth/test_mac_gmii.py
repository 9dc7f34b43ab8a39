# SPDX-License-Identifier: Apache-2.0
"""GMII MAC against cocotbext-eth; see mac_gmii_cocotb.py for the cases."""

from __future__ import annotations

from pathlib import Path

from cocotb_build import run_cocotb


def test_mac_gmii(tmp_path: Path) -> None:
    """One build, every case."""
    run_cocotb(
        top="kumi_mac_gmii_flat",
        module="mac_gmii_cocotb",
        build_dir=tmp_path,
    )
