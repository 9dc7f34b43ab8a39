# SPDX-License-Identifier: Apache-2.0
"""UDP sockets, for nodes whose channels are bound to them: a record a datagram, and its words.

A record is a uint4: address of the peer, its port, the port here, bytes. The words follow, as many
as the bytes fill; they are 64 to 512 bits wide, and the node's data path is as wide.
"""

from __future__ import annotations

from .print_borders import Blocks, Border, Bound, Ends, join

_RECORD_W = 128
_WIDTHS = (64, 128, 256, 512)


def width(bound: Bound) -> int:
    """Bits of a word."""
    return next((p.channel.bits for n, p in bound.items() if n.endswith("_data")), _WIDTHS[0])


def ports(bound: Bound) -> list[str]:
    """Ports of the node."""
    bits = width(bound)
    return [
        f"kumi_axis_if.snk s_axis_eth0,  // DATA_W={bits}",
        f"kumi_axis_if.src m_axis_eth0,  // DATA_W={bits}",
    ]


def sockets(bound: Bound) -> list[str]:
    """The units between kernels and IP stack, or what stands for those that nobody uses."""
    bits = width(bound)
    lines = [
        "",
        "  // ---- UDP sockets",
        "  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) rx_hdr ();",
        f"  kumi_axis_if #(.DATA_W({bits})) rx ();",
        "  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) tx_hdr ();",
        f"  kumi_axis_if #(.DATA_W({bits})) tx ();",
        "  logic rx_busy, tx_busy;",
        "  kumi_ip_pkg::udp_listen_t udp_listen;",
    ]
    for name in ("udp_receive", "udp_send"):
        if f"{name}_header" not in bound:
            continue
        lines.append(f"  kumi_rec_if #(.W({_RECORD_W})) {name} ();")
        lines.append(f"  kumi_rec_if #(.W({bits})) {name}_word ();")
        lines += join(f"{name}_header", name, name == "udp_receive")
        lines += join(f"{name}_data", f"{name}_word", name == "udp_receive")
    lines.append(_RECEIVE if "udp_receive_header" in bound else _NO_RECEIVE)
    lines.append(_SEND if "udp_send_header" in bound else _NO_SEND)
    return lines


def body(name: str, bound: Bound, blocks: Blocks, first: int) -> list[str]:
    """The sockets and the shell of UDP nodes."""
    del first
    text = _SHELL.replace("NAME_", name).replace("BITS_", str(width(bound)))
    return [*sockets(bound), blocks.fill(text)]


_RECEIVE = """
  assign udp_listen = kumi_ip_pkg::UDP_EVERY_PORT;
  kumi_hls_udp_rx u_udp_rx (
      .clk,
      .rst,
      .s_hdr(rx_hdr),
      .s_axis(rx),
      .m_record(udp_receive),
      .m_word(udp_receive_word),
      .busy(rx_busy)
  );
"""
_NO_RECEIVE = """
  assign udp_listen = '0;
  assign rx_hdr.ready = 1'b1;
  assign rx.tready = 1'b1;
  assign rx_busy = 1'b0;
"""
_SEND = """
  kumi_hls_udp_tx u_udp_tx (
      .clk,
      .rst,
      .s_record(udp_send),
      .s_word(udp_send_word),
      .m_hdr(tx_hdr),
      .m_axis(tx),
      .busy(tx_busy)
  );
"""
_NO_SEND = """
  assign tx_hdr.valid = 1'b0;
  assign tx_hdr.data = '0;
  assign tx.tvalid = 1'b0;
  assign tx.tdata = '0;
  assign tx.tkeep = '0;
  assign tx.tlast = 1'b0;
  assign tx.tuser = '0;
  assign tx.tid = '0;
  assign tx.tdest = '0;
  assign tx_busy = 1'b0;
"""
_SHELL = """
  kumi_node_udp_shell #(
      .DATA_W(BITS_),
      .NAME("NAME_"),
      .BLOCKS(BLOCKS_),
      .KINDS(KINDS_),
      .BUILD(BUILD),
      .RX_STORE(1'b1)
  ) u_shell (
      .m_udp_hdr(rx_hdr),
      .m_udp(rx),
      .s_udp_hdr(tx_hdr),
      .s_udp(tx),
      .m_axil(axil),
      .udp_listen,
      .now,
      .kernel_busy(kernel_busy || rx_busy || tx_busy),
      .*  // clk, rst, the Ethernet port, the register port, busy
  );

  logic unused;
  assign unused = ^now;
"""
NAMES = {
    "udp_receive_header": Ends(True, (_RECORD_W,)),
    "udp_receive_data": Ends(True, _WIDTHS),
    "udp_send_header": Ends(False, (_RECORD_W,)),
    "udp_send_data": Ends(False, _WIDTHS),
}
TOGETHER = (
    frozenset({"udp_receive_header", "udp_receive_data"}),
    frozenset({"udp_send_header", "udp_send_data"}),
)
BORDER = Border(
    "UDP sockets",
    NAMES,
    ports,
    body,
    together=TOGETHER,
    same=frozenset({"udp_receive_data", "udp_send_data"}),
)
