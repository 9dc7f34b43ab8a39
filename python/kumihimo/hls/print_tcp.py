# SPDX-License-Identifier: Apache-2.0
"""TCP sockets, beside UDP ones, for nodes whose channels are bound to them: streams of bytes.

A word of a stream is a ulong2: eight bytes; then the session (bits 15..0), how many of the bytes
count (31..16) and whether the stream ends behind them (32). tcp_listen takes the port that peers
connect to (uint), tcp_open an address and a port (uint2); tcp_opened tells session and reason, 0:
it is open (uint2).
"""

from __future__ import annotations

from . import print_udp
from .print_borders import Blocks, Border, Bound, Ends, join

_W = 64  # bits of the data path


def ports(bound: Bound) -> list[str]:
    """Ports of the node."""
    return [
        f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={_W}",
        f"kumi_axis_if.src m_axis_eth0,  // DATA_W={_W}",
        f"kumi_axi_if.mst m_axi_rx,  // DATA_W={_W}",
        f"kumi_axi_if.mst m_axi_tx,  // DATA_W={_W}",
    ]


def body(name: str, bound: Bound, blocks: Blocks, first: int) -> list[str]:
    """The engine with its streams, and the shell of TCP nodes."""
    del first
    lines = [*print_udp.sockets(bound), _INTERFACES]
    for channel, ends in _NAMES.items():
        bits = ends.bits[0]
        lines.append(f"  kumi_rec_if #(.W({bits})) {channel} ();")
        if channel not in bound:
            absent = (f"{channel}.ready = 1'b1",) if ends.into else (
                f"{channel}.valid = 1'b0", f"{channel}.data = '0")  # fmt: skip
            lines += [f"  assign {text};" for text in absent]
            continue
        lines += join(channel, channel, bool(ends.into))
    return [*lines, blocks.fill(_SOCKETS.replace("NAME_", name))]


_INTERFACES = """
  // ---- TCP sockets
  kumi_tcp_app_if #(.DATA_W(64)) app ();
  logic tcp_busy;
"""
_SOCKETS = """
  kumi_tcp_words u_tcp (
      .clk,
      .rst,
      .s_listen(tcp_listen),
      .s_open(tcp_open),
      .m_opened(tcp_opened),
      .m_word(tcp_receive),
      .s_word(tcp_send),
      .m_eng(app),
      .busy(tcp_busy)
  );

  logic [31:0] now_us;
  kumi_ip_pkg::ip_unresolved_t unresolved;

  kumi_node_tcp_shell #(
      .DATA_W(64),
      .NAME("NAME_"),
      .BLOCKS(BLOCKS_),
      .KINDS(KINDS_),
      .BUILD(BUILD),
      .SESSIONS(16),
      .TX_RING(16384),
      .RX_RING(16384),
      .ON_CHIP(1'b1),
      .MTU(1500),
      .TX_STORE(1'b1)
  ) u_shell (
      .m_udp_hdr(rx_hdr),
      .m_udp(rx),
      .s_udp_hdr(tx_hdr),
      .s_udp(tx),
      .s_app(app),
      .m_axil(axil),
      .now,
      .now_us,
      .unresolved,
      .udp_listen,
      .notify_skip(1'b0),
      .kernel_busy(kernel_busy || tcp_busy || rx_busy || tx_busy),
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  logic unused;
  assign unused = ^{now, now_us, unresolved};
"""
_NAMES = {
    "tcp_listen": Ends(False, (32,)),
    "tcp_open": Ends(False, (64,)),
    "tcp_opened": Ends(True, (64,)),
    "tcp_receive": Ends(True, (128,)),
    "tcp_send": Ends(False, (128,)),
}
BORDER = Border(
    "TCP and UDP sockets",
    {**_NAMES, **{name: Ends(ends.into, ends.bits[:1]) for name, ends in print_udp.NAMES.items()}},
    ports,
    body,
    together=(*print_udp.TOGETHER, frozenset({"tcp_open", "tcp_opened"})),
)
