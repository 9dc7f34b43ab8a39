// SPDX-License-Identifier: Apache-2.0
//
// Node: ping-pong, both sides. Measures round trips to a peer, and echoes the probes of others;
// answers ARP and ping.
//
// Ports and registers as in kumi_node_udp_shell; the initiator's registers are at 0x2000 (its local
// port receives the replies), those of the echo, which gets every other datagram, at 0x3000.
module kumi_node_pingpong_core #(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit RX_STORE = 1'b0,  // 1: show a payload only when its checksum is right
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    output logic busy
);
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx ();
  kumi_axil_if axil[2] ();
  logic [63:0] now;
  kumi_ip_pkg::udp_listen_t udp_listen, echo_listen;
  logic kernel_busy;

  kumi_node_udp_shell #(
      .DATA_W(DATA_W),
      .NAME("pingpong"),
      .BLOCKS(2),
      .KINDS({kumi_regs_pkg::BLOCK_ECHO, kumi_regs_pkg::BLOCK_PINGPONG}),
      .BUILD(BUILD),
      .TX_STORE(TX_STORE),
      .RX_STORE(RX_STORE),
      .RX_BYTES(RX_BYTES)
  ) u_shell (
      .m_udp_hdr(rx_hdr),
      .m_udp(rx),
      .s_udp_hdr(tx_hdr),
      .s_udp(tx),
      .m_axil(axil),
      .udp_listen,
      .now,
      .kernel_busy,
      .*  // clk, rst, the Ethernet port, the register port, busy
  );

  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) in_hdr[2] ();
  kumi_axis_if #(.DATA_W(DATA_W)) in[2] ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) out_hdr[2] ();
  kumi_axis_if #(.DATA_W(DATA_W)) out[2] ();
  logic [15:0] own_port;
  logic ping_busy, echo_busy, closed;
  assign kernel_busy = ping_busy || echo_busy;

  // The echo's ports and the initiator's own.
  always_comb begin
    udp_listen = echo_listen;
    udp_listen.ports[1] = '{valid: 1'b1, port: own_port};
  end

  // The echo takes every port but the initiator's own.
  kumi_ip_pkg::udp_hdr_t rx_record;
  assign rx_record = kumi_ip_pkg::udp_hdr_t'(rx_hdr.data);

  kumi_udp_demux #(
      .PORTS(2)
  ) u_demux (
      .clk,
      .rst,
      .ports({rx_record.local_port, own_port}),
      .port_valid(2'b11),
      .s_hdr(rx_hdr),
      .s_axis(rx),
      .m_hdr(in_hdr),
      .m_axis(in),
      .ev_closed(closed)
  );

  kumi_pingpong u_pingpong (
      .clk,
      .rst,
      .now,
      .s_axil(axil[0]),
      .s_hdr (in_hdr[0]),
      .s_axis(in[0]),
      .m_hdr (out_hdr[0]),
      .m_axis(out[0]),
      .own_port,
      .busy  (ping_busy)
  );

  kumi_udp_echo u_echo (
      .clk,
      .rst,
      .s_axil(axil[1]),
      .s_hdr (in_hdr[1]),
      .s_axis(in[1]),
      .m_hdr (out_hdr[1]),
      .m_axis(out[1]),
      .listen(echo_listen),
      .busy  (echo_busy)
  );

  kumi_udp_mux #(
      .PORTS(2)
  ) u_mux (
      .clk,
      .rst,
      .s_hdr (out_hdr),
      .s_axis(out),
      .m_hdr (tx_hdr),
      .m_axis(tx)
  );

  logic unused;
  assign unused = ^{rx_record, closed};
endmodule
