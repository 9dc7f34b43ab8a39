# SPDX-License-Identifier: Apache-2.0
"""Helpers for the tests of the TCP core's rules."""

from __future__ import annotations

from tcp_core_bench import Bench, Peer

TS = {"ts_valid": 1, "ts_val": 100, "ts_ecr": 0}


def start(**cfg: int) -> tuple[Bench, Peer]:
    """A core with one connection."""
    b = Bench(4, **cfg)
    b.listen(80)
    p = Peer(b)
    return b, p


def drain(b: Bench, cycles: int = 400) -> list[dict[str, int]]:
    """All segments sent."""
    b.run(cycles)
    out = list(b.wire)
    b.wire.clear()
    return out
