# SPDX-License-Identifier: Apache-2.0
"""Every drop counter of the register maps is caused by a test of this folder, or excused."""

from __future__ import annotations

import eth_drops
import ip6_drops
import ip_drops
import link_drops
import rdma_drops
import rtp_drops
import tcp_drops
from kumihimo.ledger.drops import drop_counters
from kumihimo.regs import BLOCKS

CAUSED = (
    *(ip_drops.CAUSES, ip_drops.BUFFERED, ip_drops.STORED, ip_drops.TRAFFIC, ip_drops.NAMELESS),
    *(eth_drops.CAUSES, eth_drops.CHANNELS, rtp_drops.CAUSES),
    *(tcp_drops.CAUSES, tcp_drops.CHANNELS, link_drops.CAUSES, link_drops.DISK),
    *(rdma_drops.CAUSES, ip6_drops.CAUSES),
)
EXCUSED = {**ip_drops.EXCUSED, **tcp_drops.EXCUSED, **link_drops.EXCUSED, **rdma_drops.EXCUSED}
EXCUSED |= ip6_drops.EXCUSED


def test_the_list_is_complete() -> None:
    listed = [name for table in CAUSED for name in table]
    assert len(listed) == len(set(listed)), "each is caused in one place"
    every = set(drop_counters())
    assert set(listed) | set(EXCUSED) == every
    assert not set(listed) & set(EXCUSED)
    assert all(len(why.split()) > 4 for why in EXCUSED.values())


def test_counters_of_all_kinds_are_found() -> None:
    """By name, by description, outside the counters' files, in arrays; settings are not."""
    every = drop_counters()
    assert {"ip.drop_mac", "stdm.be_full", "traffic_check.other_port", "circuit.full"} <= set(every)
    assert not any(name.startswith(("tcp_echo.", "id.")) for name in every)
    assert len({name.partition(".")[0] for name in every}) > len(BLOCKS) // 3
