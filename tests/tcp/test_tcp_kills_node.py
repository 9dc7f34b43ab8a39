# SPDX-License-Identifier: Apache-2.0
"""Connections opened and killed in every way: nothing of them is left; small form of the bench."""

from __future__ import annotations

from kumihimo.bench.tcp.aborts import kills
from kumihimo.bench.tcp.fuzz import Server


def test_nothing_leaks() -> None:
    """1,500 connections, then all of the node's sessions at once."""
    server = Server()
    row = kills(server, 1500, 64)
    assert row["connections"] >= 1500 and row["open_at_once_afterwards"] == 64
    assert row["reset"] > 1400
