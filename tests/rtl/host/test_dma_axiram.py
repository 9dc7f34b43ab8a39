# SPDX-License-Identifier: Apache-2.0
"""kumi_dma against cocotbext-axi's memory, streams and register master; see dma_cocotb.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from dma_cocotb_build import run_cocotb


@pytest.mark.parametrize("width", [64, 256])
def test_dma_axiram(tmp_path: Path, width: int) -> None:
    """One build a width, every case."""
    run_cocotb(
        top="kumi_dma_flat",
        filelist="hw/host/kumi_dma_flat.f",
        module="dma_cocotb",
        folder=tmp_path,
        parameters={"DATA_W": width},
    )
