// SPDX-License-Identifier: Apache-2.0
//
// Node: an RDMA adapter. Reliable connections and datagrams (kumi_rc) over RoCEv2, ARP and ping
// beside them, and a memory that peers read and write.
//
// Ports and registers as in kumi_node_ip_shell; those of RDMA (regs/rdma.rdl) are at 0x2000.
// m_axi_mem: the memory; addresses of work requests and regions are addresses there.
module kumi_node_roce_endpoint_core
  import kumi_rc_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int QPS = 64,  // queue pairs
    parameter int REGIONS = 64,  // memory regions
    parameter int SQ = 16,  // send requests per queue pair
    parameter int RQ = 16,  // receive requests per queue pair
    parameter int WINDOW = 128,  // packets under way per queue pair
    parameter int RX_BYTES = 32768,  // receive buffer that drops when full, a power of two
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,
    kumi_axi_if.mst  m_axi_mem,    // ADDR_W=64 ID_W=1

    output logic busy
);
  // ---- wire -------------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) eth_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) ip_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) ip_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::IP_HDR_W)) ip_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) ip_tx ();
  kumi_rec_if #(.W(RC_PKT_W)) rx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx ();
  kumi_rec_if #(.W(RC_PKT_W)) tx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx ();
  kumi_axil_if axil[1] ();

  logic [31:0] own_ip;
  kumi_ip_pkg::udp_listen_t udp_listen;
  kumi_ip_pkg::ip_unresolved_t unresolved;
  logic [63:0] now;
  logic tx_busy, bad_icrc, sent, engine_busy_q;
  kumi_roce_pkg::roce_rx_events_t ev_rx, ev_wire;

  kumi_roce_icrc_check u_icrc_check (
      .clk,
      .rst,
      .s_axis(s_axis_eth0),
      .m_axis(eth_rx),
      .ev_bad(bad_icrc)
  );

  kumi_node_ip_shell #(
      .DATA_W(DATA_W),
      .NAME("roce_endpoint"),
      .BLOCKS(1),
      .KINDS({kumi_regs_pkg::BLOCK_RDMA}),
      .BUILD(BUILD),
      .RX_STORE(1'b1),
      .RX_BYTES(RX_BYTES),
      .PENDING_BYTES(8192),  // a packet at the largest path MTU
      .DONT_FRAGMENT(1'b1),
      .IDLE_CYCLES(255)
  ) u_shell (
      .clk,
      .rst,
      .s_axis_eth0(eth_rx),
      .m_axis_eth0,
      .s_axil,
      .busy,
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .m_ip_hdr(ip_rx_hdr),
      .m_ip(ip_rx),
      .s_ip_hdr(ip_tx_hdr),
      .s_ip(ip_tx),
      .m_axil(axil),
      .udp_listen,
      .own_ip,
      .unresolved,
      .now,
      .kernel_busy(engine_busy_q || tx_busy)
  );

  always_comb begin
    udp_listen = '0;
    udp_listen.ports[0] = '{valid: 1'b1, port: 16'(ROCE_UDP_PORT)};
  end

  // No packets but UDP.
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

  kumi_roce_rx #(
      .DATA_W(DATA_W)
  ) u_rx (
      .clk,
      .rst,
      .s_hdr (udp_rx_hdr),
      .s_axis(udp_rx),
      .m_pkt (rx_pkt),
      .m_axis(rx),
      .ev    (ev_rx)
  );

  kumi_roce_tx #(
      .DATA_W(DATA_W)
  ) u_tx (
      .clk,
      .rst,
      .own_ip,
      .s_pkt(tx_pkt),
      .s_axis(tx),
      .m_hdr(udp_tx_hdr),
      .m_axis(udp_tx),
      .busy(tx_busy),
      .ev_packet(sent)
  );

  always_comb begin
    ev_wire = ev_rx;
    ev_wire.bad_icrc = bad_icrc;
  end

  // ---- engine -----------------------------------------------------------------------------------
  logic active;
  kumi_node_rdma #(
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW)
  ) u_rdma (
      .clk,
      .rst,
      .s_axil (axil[0]),
      .s_hdr  (rx_pkt),
      .s_axis (rx),
      .m_hdr  (tx_pkt),
      .m_axis (tx),
      .m_axi  (m_axi_mem),
      .ev_wire,
      .ev_sent(sent),
      .active
  );

  // What no stream of the stack shows.
  always_ff @(posedge clk) begin
    engine_busy_q <= active || udp_rx.tvalid || udp_rx_hdr.valid;
    if (rst) engine_busy_q <= 1'b0;
  end

  logic unused;
  assign unused = ^{now, unresolved};
endmodule
