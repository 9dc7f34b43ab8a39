# SPDX-License-Identifier: Apache-2.0
"""The node and segments that nobody should send: no hang, no leak, and the counters add up."""

from __future__ import annotations

import pytest
from kumihimo.bench.tcp.fuzz import Server, fuzz


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long(only=True))])
def test_fuzz(seed: int) -> None:
    """Thousands of segments, right, nearly right and wrong; then an honest client is answered."""
    server = Server()
    row = fuzz(server, 2500, seed)
    assert row["opened"] >= 20 and row["answers"] > 300
    assert row["honest_bytes"] == 1000
