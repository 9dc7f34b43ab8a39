// SPDX-License-Identifier: Apache-2.0
//
// Kernel at the end of a circuit that answers IP: ping and UDP echo on bare packets.
//
// s_packet, m_packet: IPv4 packets, tuser[0] with tlast: bad. s_axil_ip, s_axil_echo: registers of
// the IP stack and of the echo. Latency: kumi_ip_eth_shim, kumi_ip_stack, kumi_udp_echo.
module kumi_node_link_echo
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64  // bits of the data path: 64, 128, 256
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil_ip,
    kumi_axil_if.slv s_axil_echo,
    kumi_axis_if.snk s_packet,
    kumi_axis_if.src m_packet,
    output logic busy
);
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (s_packet.ID_W),
      .DEST_W(s_packet.DEST_W)
  ) eth_rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (s_packet.ID_W),
      .DEST_W(s_packet.DEST_W)
  ) eth_tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (s_packet.ID_W),
      .DEST_W(s_packet.DEST_W)
  ) eth_out ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_axis_if #(.DATA_W(DATA_W)) ip_rx ();
  kumi_axis_if #(.DATA_W(DATA_W)) ip_tx ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_rx_hdr ();
  kumi_rec_if #(.W(UDP_HDR_W)) udp_tx_hdr ();
  kumi_rec_if #(.W(IP_HDR_W)) ip_rx_hdr ();
  kumi_rec_if #(.W(IP_HDR_W)) ip_tx_hdr ();
  ip_cfg_t cfg;
  ip_events_t ev;
  ip_unresolved_t unresolved;
  udp_listen_t udp_listen;
  logic stack_busy, echo_busy, ev_tx_bad, ev_other, never_full;

  kumi_ip_eth_shim u_bare (
      .clk,
      .rst,
      .mac  (cfg.mac),
      .s_packet,
      .m_packet,
      .m_eth(eth_rx),
      .s_eth(eth_out),
      .ev_other
  );

  // A packet that the stack itself marks bad on its way out ends here, as in every node.
  kumi_node_buffer #(
      .BYTES(16384),
      .DROP_FULL(1'b0)
  ) u_tx_buffer (
      .clk,
      .rst,
      .s_axis (eth_tx),
      .m_axis (eth_out),
      .ev_full(never_full),
      .ev_bad (ev_tx_bad)
  );

  kumi_ip_stack #(
      .DATA_W(DATA_W)
  ) u_ip_stack (
      .clk,
      .rst,
      .cfg,
      .ev,
      .busy(stack_busy),
      .unresolved,
      .s_axis(eth_rx),
      .m_axis(eth_tx),
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .m_ip_hdr(ip_rx_hdr),
      .m_ip(ip_rx),
      .s_ip_hdr(ip_tx_hdr),
      .s_ip(ip_tx)
  );

  // No kernel here speaks another protocol than UDP.
  assign ip_rx_hdr.ready = 1'b1;
  assign ip_rx.tready = 1'b1;
  assign ip_tx_hdr.valid = 1'b0;
  assign ip_tx_hdr.data = '0;
  assign ip_tx.tvalid = 1'b0;
  assign ip_tx.tdata = '0;
  assign ip_tx.tkeep = '0;
  assign ip_tx.tlast = 1'b0;
  assign ip_tx.tuser = '0;
  assign ip_tx.tid = '0;
  assign ip_tx.tdest = '0;

  kumi_node_ip_regs u_ip_regs (
      .clk,
      .rst,
      .s_axil (s_axil_ip),
      .cfg,
      .udp_listen,
      .ev,
      .ev_node({ev_tx_bad, 2'b00})
  );

  kumi_udp_echo u_echo (
      .clk,
      .rst,
      .s_axil(s_axil_echo),
      .s_hdr (udp_rx_hdr),
      .s_axis(udp_rx),
      .m_hdr (udp_tx_hdr),
      .m_axis(udp_tx),
      .listen(udp_listen),
      .busy  (echo_busy)
  );

  assign busy = stack_busy || echo_busy;

  // The stack's own ARP frames have nowhere to go on a circuit and are dropped; the stack has
  // counted each of them as arp_request or arp_reply.
  logic unused;
  assign unused = ^{ev_other, never_full, unresolved};
endmodule
