# SPDX-License-Identifier: Apache-2.0
"""Serial links whose ends are channels: link0_send and link0_receive, to link3.

A channel of 64, 128 or 256 bits makes a link of 1, 2 or 4 lanes, in the node's clock.
"""

from __future__ import annotations

from .errors import HlsError
from .print_borders import Blocks, Border, Bound, Ends, NodeReg, join

_BITS = (64, 128, 256)
_MOST = 4  # links of a node


def _links(bound: Bound) -> dict[int, int]:
    """Numbers of the links, and their lanes."""
    out: dict[int, int] = {}
    for name, port in sorted(bound.items()):
        number, lanes = int(name[4]), port.channel.bits // 64
        if out.setdefault(number, lanes) != lanes:
            text = f"{name} and the other direction of the link have words of different widths."
            raise HlsError(port.channel.place, text, "Give both channels one type.")
    return out


def ports(bound: Bound) -> list[str]:
    """Lanes of the links."""
    out = []
    for number, lanes in _links(bound).items():
        for lane in range(lanes):
            stem = f"lane_l{number}_{lane}"
            out += [
                f"output logic [63:0] m_{stem}_data",
                f"output logic [1:0] m_{stem}_head",
                f"input logic [63:0] s_{stem}_data",
                f"input logic [1:0] s_{stem}_head",
                f"output logic s_{stem}_slip",
            ]
    return out


def kinds(bound: Bound) -> list[str]:
    """One register block a link."""
    return ["kumi_regs_pkg::BLOCK_LANES" for _ in _links(bound)]


def regs(bound: Bound) -> list[NodeReg]:
    """State of each link."""
    text = "bit 0: open; bit 1: the other board was reset, words are lost, both channels are closed"
    return [NodeReg(f"link{n}", f"Link {n}: {text}.", False) for n in _links(bound)]


def body(name: str, bound: Bound, blocks: Blocks, first: int) -> list[str]:
    """The links; an end that no kernel uses is closed."""
    del name, blocks
    lines = []
    for index, (number, lanes) in enumerate(_links(bound).items()):
        link = f"link{number}"
        lines.append(f"\n  // ---- link {number}")
        for way, into in (("send", False), ("receive", True)):
            channel = f"{link}_{way}"
            lines.append(f"  kumi_rec_if #(.W({64 * lanes})) {channel} ();")
            if channel in bound:
                lines += join(channel, channel, into)
            elif into:
                lines.append(f"  assign {channel}.ready = 1'b1;")
            else:
                lines += [f"  assign {channel}.valid = 1'b0;", f"  assign {channel}.data = '0;"]
        lines.append(f"  logic [{lanes - 1}:0][63:0] {link}_tx_data, {link}_rx_data;")
        lines.append(f"  logic [{lanes - 1}:0][1:0] {link}_tx_head, {link}_rx_head;")
        lines.append(f"  logic [{lanes - 1}:0] {link}_slip;")
        for lane in range(lanes):
            stem = f"lane_l{number}_{lane}"
            for signal in ("data", "head"):
                lines.append(f"  assign m_{stem}_{signal} = {link}_tx_{signal}[{lane}];")
                lines.append(f"  assign {link}_rx_{signal}[{lane}] = s_{stem}_{signal};")
            lines.append(f"  assign s_{stem}_slip = {link}_slip[{lane}];")
        lines.append(f"  logic [1:0] {link}_state;\n  assign io_{link} = 32'({link}_state);")
        lines.append(
            f"  kumi_node_hls_link #(\n      .LANES({lanes})\n  ) u_{link} (\n      .clk,\n"
            f"      .rst,\n      .m_lane_data({link}_tx_data),\n"
            f"      .m_lane_head({link}_tx_head),\n      .s_lane_data({link}_rx_data),\n"
            f"      .s_lane_head({link}_rx_head),\n      .s_lane_slip({link}_slip),\n"
            f"      .s_axil(axil[{first + index}]),\n      .s_word({link}_send),\n"
            f"      .m_word({link}_receive),\n      .state({link}_state)\n  );"
        )
    return lines


BORDER = Border(
    "serial links",
    {
        f"link[0-{_MOST - 1}]_send": Ends(False, _BITS),
        f"link[0-{_MOST - 1}]_receive": Ends(True, _BITS),
    },
    ports,
    body,
    kinds=kinds,
    regs=regs,
)
