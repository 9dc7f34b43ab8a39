# SPDX-License-Identifier: Apache-2.0
"""Flat tops of nodes are generated: current in hw/node, and refused where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from kumihimo.build.errors import BuildError
from kumihimo.build.flat import NODES, flat_top, stale, write_beside
from kumihimo.build.scan import scan
from kumihimo.common.paths import project_root

CORE = """\
// SPDX-License-Identifier: Apache-2.0
//
// A node for this test.
module kumi_node_tiny_core
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64,  // bits
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,  // back
    kumi_axil_if.slv s_axil,
    kumi_axi_if.mst m_axi_ring,

    kumi_rec_if.src m_hdr_done,  // W=$bits(udp_hdr_t)
    kumi_axi_if.mst m_axi_wide,  // DATA_W=4*DATA_W ID_W=5

    input udp_hdr_t s_hdr_extra_data,
    input logic s_hdr_extra_valid,
    output logic s_hdr_extra_ready,
    output logic [DATA_W+DATA_W/8-1:0] seen
);
endmodule
"""


def test_the_nodes_of_the_project_are_current() -> None:
    assert stale() == []


def test_a_change_of_a_core_is_seen(tmp_path: Path) -> None:
    (tmp_path / NODES).mkdir(parents=True)
    core = tmp_path / NODES / "kumi_node_tiny_core.sv"
    core.write_text(CORE)
    assert "differs from its core" in stale(tmp_path)[0]


def test_every_port_is_there(tmp_path: Path) -> None:
    core = tmp_path / "kumi_node_tiny_core.sv"
    core.write_text(CORE)
    info = scan(write_beside(core), {"DATA_W": 128})
    kinds = {(p.name, p.kind) for p in info.ports}
    buses = {("eth0", "eth"), ("", "axil"), ("ring", "axi"), ("wide", "axi")}
    assert kinds == buses | {("extra", "hdr"), ("done", "hdr")}
    eth = info.port("eth0")
    assert eth.rx is not None and eth.rx.bits == 128 and eth.tx is not None
    assert info.port("extra").rx.fields  # the record's struct
    wide = info.port("wide")
    assert wide.tx is not None and wide.tx.bits == 512
    assert {p.name: p.bits for p in info.pins} == {"seen": 144}
    assert set(info.all_params) == {"DATA_W", "BUILD"}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "kumi_axi_if.mst m_axi_ring",
            "kumi_link_if.mst m_axi_ring",
            "m_axi_ring: .* no flat form",
        ),
        ("  // W=$bits(udp_hdr_t)", "", "m_hdr_done: W: a kumi_rec_if has parameters W"),
        ("ID_W=5", "USER_W=5", "m_axi_wide: USER_W: a kumi_axi_if has parameters DATA_W, ADDR_W"),
    ],
)
def test_what_has_no_flat_form_is_refused(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    core = tmp_path / "kumi_node_tiny_core.sv"
    core.write_text(CORE.replace(old, new))
    with pytest.raises(BuildError, match=sentence):
        flat_top(core)


def test_only_a_core_has_a_flat_top() -> None:
    with pytest.raises(BuildError, match="kumi_node_NAME_core"):
        flat_top(project_root() / NODES / "kumi_node_id.sv")


def test_equal_ports_are_declared_once(tmp_path: Path) -> None:
    """An array of ports becomes p1 to pN, port by port, and goes to the core in one piece."""
    text = CORE.replace(
        "    output logic [DATA_W+DATA_W/8-1:0] seen\n",
        "    output logic [2:1][DATA_W-1:0] m_ib_p_data,\n"
        "    output logic [2:1] m_ib_p_quiet,\n"
        "    input logic [2:1][DATA_W-1:0] s_ib_p_data,\n"
        "\n"
        "    output logic seen\n",
    )
    core = tmp_path / "kumi_node_tiny_core.sv"
    core.write_text(text)
    flat = flat_top(core)
    assert (
        "    output logic [DATA_W-1:0] m_ib_p1_data,\n"
        "    output logic m_ib_p1_quiet,\n"
        "    input logic [DATA_W-1:0] s_ib_p1_data,\n"
        "    output logic [DATA_W-1:0] m_ib_p2_data,\n"
        "    output logic m_ib_p2_quiet,\n"
        "    input logic [DATA_W-1:0] s_ib_p2_data,\n"
    ) in flat
    assert "      .m_ib_p_data({m_ib_p2_data, m_ib_p1_data}),\n" in flat
    assert "      .m_ib_p_quiet({m_ib_p2_quiet, m_ib_p1_quiet}),\n" in flat
