# SPDX-License-Identifier: Apache-2.0
"""Each drop of an RDMA node is named by `kumi why`. 15 s, most of them to build the node."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdma_drops
from ledgerkit import Rig, check


@pytest.fixture(scope="module")
def rig() -> Rig:
    return Rig("roce_endpoint", {"QPS": 4, "REGIONS": 4})


@pytest.mark.parametrize("counter", rdma_drops.CAUSES)
def test_drop_of_an_rdma_node_is_named(rig: Rig, counter: str, tmp_path: Path) -> None:
    also = rdma_drops.ALSO.get(counter, ())
    check(rig, rdma_drops.CAUSES[counter], counter, tmp_path, also)
