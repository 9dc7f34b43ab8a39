# SPDX-License-Identifier: Apache-2.0
"""The Serial ATA port: what is recognised, the patterns, the line's delay, no disk, wrong tops."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.build import BuildError, scan
from kumihimo.testing import Dut

WIRES = Path(__file__).parent / "hw/kumi_node_sata_wires.sv"
ALIGN = 0x7B4A4ABC
SYNC = 0xB5B5957C
PERIODS = {"clk": 6667, "sata_clk": 6667}


@pytest.fixture
def dut() -> Dut:
    made = Dut(WIRES, periods_ps=PERIODS, profile="fast")
    made.set("tx_idle", 1)
    return made


def test_what_a_node_has(dut: Dut) -> None:
    port = next(p for p in dut.node.info["ports"] if p["name"] == "p0")
    assert (port["kind"], port["rx_bits"], port["tx_bits"]) == ("sata", 32, 32)
    assert port["clock"] == "sata_clk" and port["to_node"] and port["from_node"]
    dut.drain()
    dut.stall_all(0.5, 0.5)
    with pytest.raises(KeyError, match="no port p1"):
        dut.disk("p1")
    with pytest.raises(RuntimeError, match="no disk"):
        dut.node.disk_stats("s_sata_p0")


def test_nothing_plugged_in(dut: Dut) -> None:
    """Dark for ever; a pattern is still long enough at some time, and again."""
    dut.set("tx_cominit", 1)
    start = dut.cycle
    dut.run_until(lambda: dut.get("oob_done"), 500)
    assert 2_560_000 <= (dut.cycle - start) * 6667 < 2_600_000
    dut.set("tx_cominit", 0)
    dut.run(500)
    assert dut.get("dones") == 1 and dut.get("rx_idle") == 1 and dut.get("rx_data") == 0
    dut.set("tx_comwake", 1)
    start = dut.cycle
    dut.run_until(lambda: dut.get("oob_done"), 500)
    assert 1_280_000 <= (dut.cycle - start) * 6667 < 1_320_000


def test_start_by_hand(dut: Dut) -> None:
    """COMINIT, COMWAKE, ALIGN, and SYNC one line's delay after our ALIGN."""
    dut.disk("p0", line_ps=20 * 6667, ready_ps=10**9)
    dut.set("tx_cominit", 1)
    dut.run(400)
    dut.set("tx_cominit", 0)
    for pattern in ("rx_cominit", "rx_comwake"):
        dut.run_until(lambda name=pattern: dut.get(name), 1000)
        began = dut.cycle
        dut.run_until(lambda name=pattern: not dut.get(name), 1000)
        length = {"rx_cominit": 2_560_000, "rx_comwake": 1_280_000}[pattern]
        assert abs((dut.cycle - began) * 6667 - length) < 2 * 6667
        if pattern == "rx_cominit":
            dut.set("tx_comwake", 1)
            dut.run(200)
            dut.set("tx_comwake", 0)
    dut.run_until(lambda: not dut.get("rx_idle"), 100)
    dut.run(50)
    assert (dut.get("rx_data"), dut.get("rx_k")) == (ALIGN, 1)
    dut.set("tx_idle", 0)
    dut.set("tx_data", ALIGN)
    dut.set("tx_k", 1)
    start = dut.cycle
    dut.run_until(lambda: dut.get("rx_data") == SYNC, 100)
    assert 40 <= dut.cycle - start <= 48
    dut.set("tx_idle", 1)  # silent for more than a microsecond
    dut.run(220)
    assert dut.get("rx_idle") == 1


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("input logic [31:0] s_sata_p0_data", "output logic [31:0] s_sata_p0_data", "direction"),
        ("input logic [31:0] s_sata_p0_data", "input logic [15:0] s_sata_p0_data", "32 bits"),
        ("input logic [3:0] s_sata_p0_k", "input logic s_sata_p0_k", "4 bits"),
        ("s_sata_p0_idle", "other_idle", "lacks s_sata_p0_idle"),
        ("m_sata_p0_idle", "m_sata_p0_valid", "direction"),
        ("m_sata_p0", "m_sata_p1", "has both"),
        ("s_sata_p0:m_sata_p0", "s_sata_p0", "different clocks"),
    ],
)
def test_wrong_tops(tmp_path: Path, old: str, new: str, why: str) -> None:
    text = WIRES.read_text()
    assert old in text
    path = tmp_path / "kumi_node_wrong.sv"
    path.write_text(text.replace(old, new).replace("kumi_node_sata_wires", "kumi_node_wrong"))
    with pytest.raises(BuildError, match=why):
        scan(path)
