# SPDX-License-Identifier: Apache-2.0
"""Drops of boards with serial links and of disk ports are named by `kumi why`."""

from __future__ import annotations

import sys
from pathlib import Path

import link_drops
import pytest
from kumihimo.cluster import Cluster
from kumihimo.cluster.snapshot import snapshot
from kumihimo.ledger.drops import reason
from kumihimo.link.planner import plan_file
from kumihimo.manager.board import MmioBoard
from kumihimo.manager.configure import configure
from kumihimo.manager.setup import setups
from kumihimo.regs import BLOCKS, RegisterMap
from kumihimo.testing.books import stats_of
from ledgerkit import Rig, named, told

sys.path.insert(0, str(Path(__file__).parents[1] / "rtl/sata"))
import node_bench

CLUSTERS = Path(__file__).parents[1] / "cluster"


@pytest.mark.parametrize("counter", link_drops.CAUSES)
def test_drop_of_a_circuit_is_named(counter: str, tmp_path: Path) -> None:
    shown, cause = link_drops.CAUSES[counter]
    plan = plan_file(CLUSTERS / "link_boards_plan.yaml")
    with Cluster(CLUSTERS / "link_boards.yaml") as cluster:
        cluster.run("100 us")  # links train
        boards = [MmioBoard(n.name, n.mmio) for n in cluster.values()]
        reports = configure(boards, setups([b.name for b in boards], plan), 300, parallel=1)
        assert [r.problem for r in reports] == ["", ""]
        cause(cluster)
        stats = snapshot(cluster)
    document, text = told(stats, tmp_path)
    block, _, name = counter.partition(".")
    why = reason(BLOCKS[block].reg(name).description)
    assert set(named(document)) == {shown} and named(document)[shown][1] == why, text
    (account,) = (a for a in document["accounts"] if a["kind"] == "circuits")
    assert account["counted"] and account["inside"] == 0 and document["balanced"], text
    assert f"{shown} ({why})" in text


@pytest.mark.parametrize("counter", link_drops.DISK)
def test_drop_of_a_disk_port_is_named(counter: str, tmp_path: Path) -> None:
    rig = Rig(
        "sata",
        {**node_bench.QUICK, "DATA_W": 64},
        profile="soak",
        periods_ps={"clk": node_bench.CORE_PS, "sata_clk": node_bench.WORD_PS},
    )
    rig.regs = RegisterMap(rig)
    link_drops.DISK[counter](rig)
    document, text = told(stats_of(rig.dut), tmp_path)
    assert set(named(document)) == {counter}, text
    assert f"{counter} (Non-data FISes received with errors" in text
