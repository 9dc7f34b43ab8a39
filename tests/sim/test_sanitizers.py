# SPDX-License-Identifier: Apache-2.0
"""Engine, disks and storage array under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.testing.sizes import by_size
from sanitize_build import SANITIZERS, build, run


def by(short: str) -> pytest.MarkDecorator:
    """Each sanitizer compiles all anew, so the short run has one of them for each program."""
    marks = {name: [] if name == short else [pytest.mark.long(only=True)] for name in SANITIZERS}
    found = [pytest.param(name, marks=marks[name]) for name in SANITIZERS]
    return pytest.mark.parametrize("sanitizer", found)


@by("thread")
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


@by("address,undefined")
def test_storage(sanitizer: str, tmp_path: Path) -> None:
    """Array, volume and NBD server."""
    folder = build(sanitizer, "storage_stress")
    # A long request holds more than 64 locks of stripes at once, in their order; the thread
    # sanitizer's own search for dead-locks ends at 64. Races are what it is here for.
    said = run(folder / "storage_stress", tmp_path, TSAN_OPTIONS="detect_deadlocks=0")
    assert "failures: 0" in said
