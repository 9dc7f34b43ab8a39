# SPDX-License-Identifier: Apache-2.0
"""The network card under test."""

from __future__ import annotations

import pytest
from kumihimo.testing import Dut
from nic_bench import MAC, PAIRS


@pytest.fixture(scope="module")
def nic() -> Dut:
    """A node with two pairs of queues."""
    return Dut("nic", {"PAIRS": PAIRS}, pins={"mac": MAC}, periods_ps={"clk": 4000})


@pytest.fixture(params=[False, True], ids=["split", "packed"])
def packed(request: pytest.FixtureRequest) -> bool:
    """Whether the rings of the card are packed."""
    return bool(request.param)
