// SPDX-License-Identifier: Apache-2.0
//
// kumi_ip_stack with flat ports: for synthesis of the block alone, tests, and designs without
//   interfaces. Wiring only; see kumi_ip_stack for handshakes, latency and bad input. cfg and ev
//   are the packed structs ip_cfg_t and ip_events_t, header data udp_hdr_t and ip_hdr_t of
//   kumi_ip_pkg.
module kumi_ip_stack_flat
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W          = 64,     // bits of a beat: 64, 128, 256, 512
    parameter bit RX_STORE        = 0,      // 1: store and forward, deliver only verified packets
    parameter int RX_STORE_BYTES  = 16384,  // of payload buffered with RX_STORE, a power of two
    parameter int MTU             = 9000,   // longest IPv4 packet sent
    parameter int TX_FIFO_BYTES   = 16384,  // of UDP payload buffered, a power of two
    parameter int ICMP_FIFO_BYTES = 16384,  // of echo requests buffered, a power of two
    parameter int ARP_ENTRIES     = 512,    // of the cache, a power of two, 64..4096
    parameter int PENDING_SLOTS   = 4,      // frames waiting for ARP: 2, 4, 8, 16
    parameter int PENDING_BYTES   = 2048    // longest such frame, a power of two
) (
    input logic clk,
    input logic rst,
    input ip_cfg_t cfg,
    output ip_events_t ev,
    output logic busy,
    input logic [DATA_W-1:0] s_axis_eth0_tdata,
    input logic [DATA_W/8-1:0] s_axis_eth0_tkeep,
    input logic s_axis_eth0_tvalid,
    output logic s_axis_eth0_tready,
    input logic s_axis_eth0_tlast,
    input logic s_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_eth0_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth0_tkeep,
    output logic m_axis_eth0_tvalid,
    input logic m_axis_eth0_tready,
    output logic m_axis_eth0_tlast,
    output logic m_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_udp_tdata,
    output logic [DATA_W/8-1:0] m_axis_udp_tkeep,
    output logic m_axis_udp_tvalid,
    input logic m_axis_udp_tready,
    output logic m_axis_udp_tlast,
    output logic m_axis_udp_tuser,
    input logic [DATA_W-1:0] s_axis_udp_tdata,
    input logic [DATA_W/8-1:0] s_axis_udp_tkeep,
    input logic s_axis_udp_tvalid,
    output logic s_axis_udp_tready,
    input logic s_axis_udp_tlast,
    input logic s_axis_udp_tuser,
    output logic [DATA_W-1:0] m_axis_ip_tdata,
    output logic [DATA_W/8-1:0] m_axis_ip_tkeep,
    output logic m_axis_ip_tvalid,
    input logic m_axis_ip_tready,
    output logic m_axis_ip_tlast,
    output logic m_axis_ip_tuser,
    input logic [DATA_W-1:0] s_axis_ip_tdata,
    input logic [DATA_W/8-1:0] s_axis_ip_tkeep,
    input logic s_axis_ip_tvalid,
    output logic s_axis_ip_tready,
    input logic s_axis_ip_tlast,
    input logic s_axis_ip_tuser,
    output logic [UDP_HDR_W-1:0] m_hdr_udp_data,
    output logic m_hdr_udp_valid,
    input logic m_hdr_udp_ready,
    input logic [UDP_HDR_W-1:0] s_hdr_udp_data,
    input logic s_hdr_udp_valid,
    output logic s_hdr_udp_ready,
    output logic [IP_HDR_W-1:0] m_hdr_ip_data,
    output logic m_hdr_ip_valid,
    input logic m_hdr_ip_ready,
    input logic [IP_HDR_W-1:0] s_hdr_ip_data,
    input logic s_hdr_ip_valid,
    output logic s_hdr_ip_ready
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_axis ();
  assign s_axis.tdata = s_axis_eth0_tdata;
  assign s_axis.tkeep = s_axis_eth0_tkeep;
  assign s_axis.tvalid = s_axis_eth0_tvalid;
  assign s_axis_eth0_tready = s_axis.tready;
  assign s_axis.tlast = s_axis_eth0_tlast;
  assign s_axis.tuser = s_axis_eth0_tuser;
  assign s_axis.tid = '0;
  assign s_axis.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis ();
  assign m_axis_eth0_tdata = m_axis.tdata;
  assign m_axis_eth0_tkeep = m_axis.tkeep;
  assign m_axis_eth0_tvalid = m_axis.tvalid;
  assign m_axis.tready = m_axis_eth0_tready;
  assign m_axis_eth0_tlast = m_axis.tlast;
  assign m_axis_eth0_tuser = m_axis.tuser;

  kumi_axis_if #(.DATA_W(DATA_W)) m_udp ();
  assign m_axis_udp_tdata = m_udp.tdata;
  assign m_axis_udp_tkeep = m_udp.tkeep;
  assign m_axis_udp_tvalid = m_udp.tvalid;
  assign m_udp.tready = m_axis_udp_tready;
  assign m_axis_udp_tlast = m_udp.tlast;
  assign m_axis_udp_tuser = m_udp.tuser;

  kumi_axis_if #(.DATA_W(DATA_W)) s_udp ();
  assign s_udp.tdata = s_axis_udp_tdata;
  assign s_udp.tkeep = s_axis_udp_tkeep;
  assign s_udp.tvalid = s_axis_udp_tvalid;
  assign s_axis_udp_tready = s_udp.tready;
  assign s_udp.tlast = s_axis_udp_tlast;
  assign s_udp.tuser = s_axis_udp_tuser;
  assign s_udp.tid = '0;
  assign s_udp.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_ip ();
  assign m_axis_ip_tdata = m_ip.tdata;
  assign m_axis_ip_tkeep = m_ip.tkeep;
  assign m_axis_ip_tvalid = m_ip.tvalid;
  assign m_ip.tready = m_axis_ip_tready;
  assign m_axis_ip_tlast = m_ip.tlast;
  assign m_axis_ip_tuser = m_ip.tuser;

  kumi_axis_if #(.DATA_W(DATA_W)) s_ip ();
  assign s_ip.tdata = s_axis_ip_tdata;
  assign s_ip.tkeep = s_axis_ip_tkeep;
  assign s_ip.tvalid = s_axis_ip_tvalid;
  assign s_axis_ip_tready = s_ip.tready;
  assign s_ip.tlast = s_axis_ip_tlast;
  assign s_ip.tuser = s_axis_ip_tuser;
  assign s_ip.tid = '0;
  assign s_ip.tdest = '0;

  kumi_rec_if #(.W(UDP_HDR_W)) m_udp_hdr ();
  assign m_hdr_udp_data  = m_udp_hdr.data;
  assign m_hdr_udp_valid = m_udp_hdr.valid;
  assign m_udp_hdr.ready = m_hdr_udp_ready;

  kumi_rec_if #(.W(UDP_HDR_W)) s_udp_hdr ();
  assign s_udp_hdr.data  = s_hdr_udp_data;
  assign s_udp_hdr.valid = s_hdr_udp_valid;
  assign s_hdr_udp_ready = s_udp_hdr.ready;

  kumi_rec_if #(.W(IP_HDR_W)) m_ip_hdr ();
  assign m_hdr_ip_data  = m_ip_hdr.data;
  assign m_hdr_ip_valid = m_ip_hdr.valid;
  assign m_ip_hdr.ready = m_hdr_ip_ready;

  kumi_rec_if #(.W(IP_HDR_W)) s_ip_hdr ();
  assign s_ip_hdr.data  = s_hdr_ip_data;
  assign s_ip_hdr.valid = s_hdr_ip_valid;
  assign s_hdr_ip_ready = s_ip_hdr.ready;

  ip_unresolved_t unresolved;
  logic unused;
  assign unused = ^unresolved;

  kumi_ip_stack #(
      .DATA_W(DATA_W),
      .RX_STORE(RX_STORE),
      .RX_STORE_BYTES(RX_STORE_BYTES),
      .MTU(MTU),
      .TX_FIFO_BYTES(TX_FIFO_BYTES),
      .ICMP_FIFO_BYTES(ICMP_FIFO_BYTES),
      .ARP_ENTRIES(ARP_ENTRIES),
      .PENDING_SLOTS(PENDING_SLOTS),
      .PENDING_BYTES(PENDING_BYTES)
  ) u_stack (
      .clk,
      .rst,
      .cfg,
      .ev,
      .busy,
      .unresolved,
      .s_axis,
      .m_axis,
      .m_udp_hdr,
      .m_udp,
      .s_udp_hdr,
      .s_udp,
      .m_ip_hdr,
      .m_ip,
      .s_ip_hdr,
      .s_ip
  );
endmodule
