# SPDX-License-Identifier: Apache-2.0
"""kumi_dma against cocotbext-axi's memory, streams and register master; see dma_cocotb.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from dma_cocotb_build import run_cocotb


@pytest.mark.long
def test_dma_axiram(tmp_path: Path) -> None:
    """One build, every case; test_dma_widths.py covers the other widths."""
    run_cocotb(
        top="kumi_dma_flat",
        module="dma_cocotb",
        folder=tmp_path,
        parameters={"DATA_W": 256},
    )
