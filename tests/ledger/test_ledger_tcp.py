# SPDX-License-Identifier: Apache-2.0
"""Each drop of the TCP engine, caused by segments in a node, is named by `kumi why`."""

from __future__ import annotations

from pathlib import Path

import pytest
import tcp_drops
from ledgerkit import Rig, check


@pytest.fixture(scope="module")
def server() -> Rig:
    """As in tests/tcp: one build serves both."""
    params = {"DATA_W": 64, "SESSIONS": tcp_drops.SESSIONS, "RING": tcp_drops.RING}
    return Rig("tcp_server", params, profile="soak")


@pytest.fixture(scope="module")
def channels() -> Rig:
    """As in tests/cluster."""
    params = {"DATA_W": 64, "SESSIONS": tcp_drops.CHANNEL_SESSIONS}
    return Rig("tcp_channels", params, profile="fast")


@pytest.mark.parametrize("counter", tcp_drops.CAUSES)
def test_drop_is_named(server: Rig, counter: str, tmp_path: Path) -> None:
    check(server, tcp_drops.CAUSES[counter], counter, tmp_path, tcp_drops.ALSO.get(counter, ()))


@pytest.mark.parametrize("counter", tcp_drops.CHANNELS)
def test_drop_of_a_write_is_named(channels: Rig, counter: str, tmp_path: Path) -> None:
    check(channels, tcp_drops.CHANNELS[counter], counter, tmp_path)
