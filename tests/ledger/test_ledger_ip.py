# SPDX-License-Identifier: Apache-2.0
"""Each drop of the IP stack, caused by a frame in a node, is named by `kumi why`."""

from __future__ import annotations

from pathlib import Path

import ip6_drops
import ip_drops
import pytest
from ledgerkit import Rig, check


@pytest.fixture(scope="module")
def plain() -> Rig:
    return Rig("udp_echo", {"DATA_W": 64})


@pytest.fixture(scope="module")
def buffered() -> Rig:
    params = {"DATA_W": 64, "RX_BYTES": 2048, "RX_STORE": True, "TX_STORE": False}
    return Rig("udp_echo", params)


@pytest.fixture(scope="module")
def stored() -> Rig:
    return Rig("udp_echo", {"DATA_W": 64, "RX_STORE": True})


@pytest.fixture(scope="module")
def traffic() -> Rig:
    return Rig("traffic", {"DATA_W": 64, "IPV6": True})


@pytest.fixture(scope="module")
def nameless() -> Rig:
    return Rig("traffic", {"DATA_W": 64, "DHCP": True})


@pytest.mark.parametrize("counter", ip_drops.CAUSES)
def test_drop_is_named(plain: Rig, counter: str, tmp_path: Path) -> None:
    also = ip_drops.ALSO.get(counter, ())
    check(plain, ip_drops.CAUSES[counter], counter, tmp_path, also)


@pytest.mark.parametrize("counter", ip_drops.BUFFERED)
def test_drop_of_a_buffer_is_named(buffered: Rig, counter: str, tmp_path: Path) -> None:
    check(buffered, ip_drops.BUFFERED[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", ip_drops.STORED)
def test_drop_of_a_store_is_named(stored: Rig, counter: str, tmp_path: Path) -> None:
    check(stored, ip_drops.STORED[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", ip_drops.TRAFFIC)
def test_drop_of_a_checker_is_named(traffic: Rig, counter: str, tmp_path: Path) -> None:
    check(traffic, ip_drops.TRAFFIC[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", ip_drops.NAMELESS)
def test_drop_without_an_address_is_named(nameless: Rig, counter: str, tmp_path: Path) -> None:
    check(nameless, ip_drops.NAMELESS[counter], counter, tmp_path)


@pytest.mark.parametrize("counter", ip6_drops.CAUSES)
def test_drop_of_ipv6_is_named(traffic: Rig, counter: str, tmp_path: Path) -> None:
    check(traffic, ip6_drops.CAUSES[counter], counter, tmp_path)


def test_drop_that_an_ipv6_peer_is_told_of(traffic: Rig, tmp_path: Path) -> None:
    """The port unreachable is one frame, though the stack and IPv6 both count it."""
    check(traffic, ip6_drops.CLOSED, "traffic_check.other_port", tmp_path)
    assert traffic.regs.ip6.counters()["tx_unreachable"]
