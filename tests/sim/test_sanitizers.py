# SPDX-License-Identifier: Apache-2.0
"""Engine, disks and storage array under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.testing.sizes import by_size
from sanitize_build import SANITIZERS, build, run

# Each is compiled anew in a fresh clone: in the short run one of the two sanitizers for either.
ENGINE = [pytest.param(SANITIZERS[0], marks=pytest.mark.long(only=True)), SANITIZERS[1]]
STORAGE = [SANITIZERS[0], pytest.param(SANITIZERS[1], marks=pytest.mark.long(only=True))]


@pytest.mark.parametrize("sanitizer", ENGINE)
def test_engine(sanitizer: str, tmp_path: Path) -> None:
    folder = build(sanitizer, "engine_stress", "fake_node", "lane_node")
    nodes = folder / "fake_node.so", folder / "lane_node.so"
    assert run(folder / "engine_stress", *nodes, tmp_path).count("replay: equal") == 2


@pytest.mark.long
def test_disks(tmp_path: Path) -> None:
    """Under the thread sanitizer there is nothing to see: a disk runs in its node's thread."""
    folder = build("address,undefined", "disk_stress")
    said = run(folder / "disk_stress", tmp_path, str(by_size(1, 6)))
    assert said.count("works") == 6 and "disks: equal" in said


@pytest.mark.parametrize("sanitizer", STORAGE)
def test_storage(sanitizer: str, tmp_path: Path) -> None:
    """Array, volume and NBD server."""
    folder = build(sanitizer, "storage_stress")
    # A long request holds more than 64 locks of stripes at once, in their order; the thread
    # sanitizer's own search for dead-locks ends at 64. Races are what it is here for.
    said = run(folder / "storage_stress", tmp_path, TSAN_OPTIONS="detect_deadlocks=0")
    assert "failures: 0" in said
