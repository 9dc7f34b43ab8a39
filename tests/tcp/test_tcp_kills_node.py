# SPDX-License-Identifier: Apache-2.0
"""Connections opened and killed in every way: nothing of them is left; small form of the bench."""

from __future__ import annotations

import pytest
from kumihimo.bench.tcp.aborts import kills
from kumihimo.bench.tcp.fuzz import Server
from kumihimo.testing.sizes import by_size


@pytest.mark.long
def test_nothing_leaks() -> None:
    """Several times as many connections as sessions, then all of the node's sessions at once."""
    server, count = Server(), by_size(400, 1500)
    row = kills(server, count, 64)
    assert row["connections"] >= count and row["open_at_once_afterwards"] == 64
    assert row["reset"] > 0.93 * count
