# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of ranks; the node libraries are those of the engine's tests."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SIM = Path(__file__).resolve().parents[1] / "sim"
sys.path.insert(0, str(SIM))
from rankkit import Libraries  # noqa: E402

_spec = importlib.util.spec_from_file_location("sim_conftest", SIM / "conftest.py")
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
fake_node = _module.fake_node
lane_node = _module.lane_node


@pytest.fixture(scope="session")
def libraries(fake_node: str, lane_node: str) -> Libraries:
    """Nodes without RTL."""
    return Libraries(fake_node, lane_node)
