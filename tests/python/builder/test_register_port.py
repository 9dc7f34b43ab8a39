# SPDX-License-Identifier: Apache-2.0
"""Which of a node's AXI4-Lite ports has its registers."""

from __future__ import annotations

import pytest
from kumihimo.build.design import DesignInfo, Port


@pytest.mark.parametrize(
    ("ports", "wanted"),
    [
        ([], None),
        ([("axil", "")], ""),
        ([("axil", "host")], "host"),
        ([("axil", "host"), ("axi", "host"), ("hdr", "host_irq")], None),
        ([("axil", "host"), ("hdr", "host_irq"), ("axil", "")], ""),
        ([("axil", "one"), ("axil", "two"), ("hdr", "one_irq")], "two"),
    ],
)
def test_a_guests_registers_are_not_the_nodes(
    ports: list[tuple[str, str]], wanted: str | None
) -> None:
    made = [Port(name, kind, "clk") for kind, name in ports]
    assert DesignInfo("d", "kumi_node_d", "", {}, [], made, []).register_port == wanted
