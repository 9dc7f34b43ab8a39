# SPDX-License-Identifier: Apache-2.0
"""Each drop of the Ethernet controller and its transport is named by `kumi why`."""

from __future__ import annotations

from pathlib import Path

import eth_drops
import pytest
import rtp_drops
from ledgerkit import Rig, check

CLOCKS = {"clk": 3158, "eth_clk": 3200}


@pytest.fixture(scope="module")
def messages() -> Rig:
    return Rig("eth_bench", {"DATA_W": 128}, periods_ps=CLOCKS)


@pytest.fixture(scope="module")
def channels() -> Rig:
    return Rig("eth_channels", {"DATA_W": 64}, periods_ps=CLOCKS)


@pytest.fixture(scope="module")
def transport() -> Rig:
    return Rig("eth_messages", profile="fast", periods_ps=CLOCKS)


@pytest.mark.parametrize("counter", eth_drops.CAUSES)
def test_drop_of_the_controller(messages: Rig, counter: str, tmp_path: Path) -> None:
    check(messages, eth_drops.CAUSES[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", eth_drops.CHANNELS)
def test_drop_of_a_channel(channels: Rig, counter: str, tmp_path: Path) -> None:
    check(channels, eth_drops.CHANNELS[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", rtp_drops.CAUSES)
def test_drop_of_the_transport(transport: Rig, counter: str, tmp_path: Path) -> None:
    check(transport, rtp_drops.CAUSES[counter], counter, tmp_path)
