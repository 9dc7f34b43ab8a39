# SPDX-License-Identifier: Apache-2.0
"""An RDMA node and Linux's own soft-RoCE: ibv_rc_pingpong, perftest and rping, unmodified.

20 s of processor time: one guest. In the long run every cable, and 64 queue pairs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.guest.rdma import missing
from rxe import Form, meet

if missing():
    pytest.fail(f"this test needs the Debian packages {' '.join(missing())}")


def test_tools_of_linux_over_a_bad_cable(tmp_path: Path) -> None:
    meet(tmp_path, Form("loss: 1 %, reorder: 1 %"))


@pytest.mark.long(only=True)
@pytest.mark.parametrize(
    "wire", ["latency: 1 us", "loss: 0.1 %", "loss: 1 %", "reorder: 2 %"], ids=lambda wire: wire
)
def test_tools_of_linux(tmp_path: Path, wire: str) -> None:
    meet(tmp_path, Form(wire, count=100, size=20_000, pairs=1, ping=10_000))


@pytest.mark.long(only=True)
@pytest.mark.parametrize("wire", ["latency: 1 us", "loss: 1 %"], ids=lambda wire: wire)
def test_64_queue_pairs(tmp_path: Path, wire: str) -> None:
    meet(tmp_path, Form(wire, count=5, size=4096, pairs=63, timeout=18))
