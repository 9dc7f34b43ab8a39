// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_tcp_channels_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: the TCP engine with both of its other interfaces as ports, for software or external
// kernels: the twelve channels of EasyNet (kumi_tcp_toe_flat) and byte streams (kumi_tcp_sockets).
//
//   eth0 <-> kumi_node_tcp_shell <-> kumi_tcp_app_mux <-> channels
//                                                   \-> sockets
//
// The channels have the names and fields of kumi_tcp_toe_flat.
// s_hdr_sock_listen, m_hdr_sock_listened, s_hdr_sock_open, m_hdr_sock_opened: as the engine's.
// m_hdr_sock_accept: {session, tcp_tuple_t}. m_hdr_sock_bytes, s_hdr_sock_bytes: one record per
//   beat of the byte stream, {last, why (4 bits), session (16), keep, data}, least significant
//   last; see kumi_tcp_sockets.
// A port belongs to the interface that listened on it. Other ports as in kumi_node_tcp_shell; no
//   kernel has registers here.
module kumi_node_tcp_channels
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256
    parameter int SESSIONS = 16,  // connections at a time, a power of two, 4..16384
    parameter int RING = 16384,  // bytes that wait, each way and connection, a power of two
    parameter int CHUNK = 1024,  // bytes of a read or write of the streams, a power of two
    parameter int MTU = 1500,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b1,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

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
    input logic [31:0] s_axil_awaddr,
    input logic [2:0] s_axil_awprot,
    input logic s_axil_awvalid,
    output logic s_axil_awready,
    input logic [31:0] s_axil_wdata,
    input logic [3:0] s_axil_wstrb,
    input logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input logic s_axil_bready,
    input logic [31:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready,

    output logic [0:0] m_axi_rx_awid,
    output logic [31:0] m_axi_rx_awaddr,
    output logic [7:0] m_axi_rx_awlen,
    output logic [2:0] m_axi_rx_awsize,
    output logic [1:0] m_axi_rx_awburst,
    output logic m_axi_rx_awvalid,
    input logic m_axi_rx_awready,
    output logic [DATA_W-1:0] m_axi_rx_wdata,
    output logic [DATA_W/8-1:0] m_axi_rx_wstrb,
    output logic m_axi_rx_wlast,
    output logic m_axi_rx_wvalid,
    input logic m_axi_rx_wready,
    input logic [0:0] m_axi_rx_bid,
    input logic [1:0] m_axi_rx_bresp,
    input logic m_axi_rx_bvalid,
    output logic m_axi_rx_bready,
    output logic [0:0] m_axi_rx_arid,
    output logic [31:0] m_axi_rx_araddr,
    output logic [7:0] m_axi_rx_arlen,
    output logic [2:0] m_axi_rx_arsize,
    output logic [1:0] m_axi_rx_arburst,
    output logic m_axi_rx_arvalid,
    input logic m_axi_rx_arready,
    input logic [0:0] m_axi_rx_rid,
    input logic [DATA_W-1:0] m_axi_rx_rdata,
    input logic [1:0] m_axi_rx_rresp,
    input logic m_axi_rx_rlast,
    input logic m_axi_rx_rvalid,
    output logic m_axi_rx_rready,
    output logic [0:0] m_axi_tx_awid,
    output logic [31:0] m_axi_tx_awaddr,
    output logic [7:0] m_axi_tx_awlen,
    output logic [2:0] m_axi_tx_awsize,
    output logic [1:0] m_axi_tx_awburst,
    output logic m_axi_tx_awvalid,
    input logic m_axi_tx_awready,
    output logic [DATA_W-1:0] m_axi_tx_wdata,
    output logic [DATA_W/8-1:0] m_axi_tx_wstrb,
    output logic m_axi_tx_wlast,
    output logic m_axi_tx_wvalid,
    input logic m_axi_tx_wready,
    input logic [0:0] m_axi_tx_bid,
    input logic [1:0] m_axi_tx_bresp,
    input logic m_axi_tx_bvalid,
    output logic m_axi_tx_bready,
    output logic [0:0] m_axi_tx_arid,
    output logic [31:0] m_axi_tx_araddr,
    output logic [7:0] m_axi_tx_arlen,
    output logic [2:0] m_axi_tx_arsize,
    output logic [1:0] m_axi_tx_arburst,
    output logic m_axi_tx_arvalid,
    input logic m_axi_tx_arready,
    input logic [0:0] m_axi_tx_rid,
    input logic [DATA_W-1:0] m_axi_tx_rdata,
    input logic [1:0] m_axi_tx_rresp,
    input logic m_axi_tx_rlast,
    input logic m_axi_tx_rvalid,
    output logic m_axi_tx_rready,

    input logic [15:0] s_axis_listen_port_tdata,
    input logic s_axis_listen_port_tvalid,
    output logic s_axis_listen_port_tready,
    output logic [7:0] m_axis_listen_port_status_tdata,
    output logic [0:0] m_axis_listen_port_status_tkeep,
    output logic m_axis_listen_port_status_tlast,
    output logic m_axis_listen_port_status_tvalid,
    input logic m_axis_listen_port_status_tready,
    input logic [47:0] s_axis_open_connection_tdata,
    input logic s_axis_open_connection_tvalid,
    output logic s_axis_open_connection_tready,
    output logic [71:0] m_axis_open_status_tdata,
    output logic [8:0] m_axis_open_status_tkeep,
    output logic m_axis_open_status_tlast,
    output logic m_axis_open_status_tvalid,
    input logic m_axis_open_status_tready,
    input logic [15:0] s_axis_close_connection_tdata,
    input logic s_axis_close_connection_tvalid,
    output logic s_axis_close_connection_tready,
    output logic [87:0] m_axis_notifications_tdata,
    output logic [10:0] m_axis_notifications_tkeep,
    output logic m_axis_notifications_tlast,
    output logic m_axis_notifications_tvalid,
    input logic m_axis_notifications_tready,
    input logic [31:0] s_axis_read_package_tdata,
    input logic s_axis_read_package_tvalid,
    output logic s_axis_read_package_tready,
    output logic [15:0] m_axis_rx_metadata_tdata,
    output logic [1:0] m_axis_rx_metadata_tkeep,
    output logic m_axis_rx_metadata_tlast,
    output logic m_axis_rx_metadata_tvalid,
    input logic m_axis_rx_metadata_tready,
    input logic [31:0] s_axis_tx_metadata_tdata,
    input logic s_axis_tx_metadata_tvalid,
    output logic s_axis_tx_metadata_tready,
    output logic [63:0] m_axis_tx_status_tdata,
    output logic [7:0] m_axis_tx_status_tkeep,
    output logic m_axis_tx_status_tlast,
    output logic m_axis_tx_status_tvalid,
    input logic m_axis_tx_status_tready,
    output logic [DATA_W-1:0] m_axis_rx_data_tdata,
    output logic [DATA_W/8-1:0] m_axis_rx_data_tkeep,
    output logic m_axis_rx_data_tvalid,
    input logic m_axis_rx_data_tready,
    output logic m_axis_rx_data_tlast,
    input logic [DATA_W-1:0] s_axis_tx_data_tdata,
    input logic [DATA_W/8-1:0] s_axis_tx_data_tkeep,
    input logic s_axis_tx_data_tvalid,
    output logic s_axis_tx_data_tready,
    input logic s_axis_tx_data_tlast,

    input tcp_listen_t s_hdr_sock_listen_data,
    input logic s_hdr_sock_listen_valid,
    output logic s_hdr_sock_listen_ready,
    output tcp_listen_rsp_t m_hdr_sock_listened_data,
    output logic m_hdr_sock_listened_valid,
    input logic m_hdr_sock_listened_ready,
    input tcp_open_t s_hdr_sock_open_data,
    input logic s_hdr_sock_open_valid,
    output logic s_hdr_sock_open_ready,
    output tcp_open_rsp_t m_hdr_sock_opened_data,
    output logic m_hdr_sock_opened_valid,
    input logic m_hdr_sock_opened_ready,
    output logic [79:0] m_hdr_sock_accept_data,
    output logic m_hdr_sock_accept_valid,
    input logic m_hdr_sock_accept_ready,
    input logic [DATA_W+DATA_W/8+20:0] s_hdr_sock_bytes_data,
    input logic s_hdr_sock_bytes_valid,
    output logic s_hdr_sock_bytes_ready,
    output logic [DATA_W+DATA_W/8+20:0] m_hdr_sock_bytes_data,
    output logic m_hdr_sock_bytes_valid,
    input logic m_hdr_sock_bytes_ready,

    output logic busy
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_eth0 ();
  assign s_axis_eth0.tdata = s_axis_eth0_tdata;
  assign s_axis_eth0.tkeep = s_axis_eth0_tkeep;
  assign s_axis_eth0.tvalid = s_axis_eth0_tvalid;
  assign s_axis_eth0_tready = s_axis_eth0.tready;
  assign s_axis_eth0.tlast = s_axis_eth0_tlast;
  assign s_axis_eth0.tuser = s_axis_eth0_tuser;
  assign s_axis_eth0.tid = '0;
  assign s_axis_eth0.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_eth0 ();
  assign m_axis_eth0_tdata = m_axis_eth0.tdata;
  assign m_axis_eth0_tkeep = m_axis_eth0.tkeep;
  assign m_axis_eth0_tvalid = m_axis_eth0.tvalid;
  assign m_axis_eth0.tready = m_axis_eth0_tready;
  assign m_axis_eth0_tlast = m_axis_eth0.tlast;
  assign m_axis_eth0_tuser = m_axis_eth0.tuser;

  kumi_axil_if s_axil ();
  assign s_axil.awaddr = s_axil_awaddr;
  assign s_axil.awprot = s_axil_awprot;
  assign s_axil.awvalid = s_axil_awvalid;
  assign s_axil_awready = s_axil.awready;
  assign s_axil.wdata = s_axil_wdata;
  assign s_axil.wstrb = s_axil_wstrb;
  assign s_axil.wvalid = s_axil_wvalid;
  assign s_axil_wready = s_axil.wready;
  assign s_axil_bresp = s_axil.bresp;
  assign s_axil_bvalid = s_axil.bvalid;
  assign s_axil.bready = s_axil_bready;
  assign s_axil.araddr = s_axil_araddr;
  assign s_axil.arprot = s_axil_arprot;
  assign s_axil.arvalid = s_axil_arvalid;
  assign s_axil_arready = s_axil.arready;
  assign s_axil_rdata = s_axil.rdata;
  assign s_axil_rresp = s_axil.rresp;
  assign s_axil_rvalid = s_axil.rvalid;
  assign s_axil.rready = s_axil_rready;

  kumi_axi_if #(.DATA_W(DATA_W)) m_axi_rx ();
  assign m_axi_rx_awid = m_axi_rx.awid;
  assign m_axi_rx_awaddr = m_axi_rx.awaddr;
  assign m_axi_rx_awlen = m_axi_rx.awlen;
  assign m_axi_rx_awsize = m_axi_rx.awsize;
  assign m_axi_rx_awburst = m_axi_rx.awburst;
  assign m_axi_rx_awvalid = m_axi_rx.awvalid;
  assign m_axi_rx.awready = m_axi_rx_awready;
  assign m_axi_rx_wdata = m_axi_rx.wdata;
  assign m_axi_rx_wstrb = m_axi_rx.wstrb;
  assign m_axi_rx_wlast = m_axi_rx.wlast;
  assign m_axi_rx_wvalid = m_axi_rx.wvalid;
  assign m_axi_rx.wready = m_axi_rx_wready;
  assign m_axi_rx.bid = m_axi_rx_bid;
  assign m_axi_rx.bresp = m_axi_rx_bresp;
  assign m_axi_rx.bvalid = m_axi_rx_bvalid;
  assign m_axi_rx_bready = m_axi_rx.bready;
  assign m_axi_rx_arid = m_axi_rx.arid;
  assign m_axi_rx_araddr = m_axi_rx.araddr;
  assign m_axi_rx_arlen = m_axi_rx.arlen;
  assign m_axi_rx_arsize = m_axi_rx.arsize;
  assign m_axi_rx_arburst = m_axi_rx.arburst;
  assign m_axi_rx_arvalid = m_axi_rx.arvalid;
  assign m_axi_rx.arready = m_axi_rx_arready;
  assign m_axi_rx.rid = m_axi_rx_rid;
  assign m_axi_rx.rdata = m_axi_rx_rdata;
  assign m_axi_rx.rresp = m_axi_rx_rresp;
  assign m_axi_rx.rlast = m_axi_rx_rlast;
  assign m_axi_rx.rvalid = m_axi_rx_rvalid;
  assign m_axi_rx_rready = m_axi_rx.rready;

  kumi_axi_if #(.DATA_W(DATA_W)) m_axi_tx ();
  assign m_axi_tx_awid = m_axi_tx.awid;
  assign m_axi_tx_awaddr = m_axi_tx.awaddr;
  assign m_axi_tx_awlen = m_axi_tx.awlen;
  assign m_axi_tx_awsize = m_axi_tx.awsize;
  assign m_axi_tx_awburst = m_axi_tx.awburst;
  assign m_axi_tx_awvalid = m_axi_tx.awvalid;
  assign m_axi_tx.awready = m_axi_tx_awready;
  assign m_axi_tx_wdata = m_axi_tx.wdata;
  assign m_axi_tx_wstrb = m_axi_tx.wstrb;
  assign m_axi_tx_wlast = m_axi_tx.wlast;
  assign m_axi_tx_wvalid = m_axi_tx.wvalid;
  assign m_axi_tx.wready = m_axi_tx_wready;
  assign m_axi_tx.bid = m_axi_tx_bid;
  assign m_axi_tx.bresp = m_axi_tx_bresp;
  assign m_axi_tx.bvalid = m_axi_tx_bvalid;
  assign m_axi_tx_bready = m_axi_tx.bready;
  assign m_axi_tx_arid = m_axi_tx.arid;
  assign m_axi_tx_araddr = m_axi_tx.araddr;
  assign m_axi_tx_arlen = m_axi_tx.arlen;
  assign m_axi_tx_arsize = m_axi_tx.arsize;
  assign m_axi_tx_arburst = m_axi_tx.arburst;
  assign m_axi_tx_arvalid = m_axi_tx.arvalid;
  assign m_axi_tx.arready = m_axi_tx_arready;
  assign m_axi_tx.rid = m_axi_tx_rid;
  assign m_axi_tx.rdata = m_axi_tx_rdata;
  assign m_axi_tx.rresp = m_axi_tx_rresp;
  assign m_axi_tx.rlast = m_axi_tx_rlast;
  assign m_axi_tx.rvalid = m_axi_tx_rvalid;
  assign m_axi_tx_rready = m_axi_tx.rready;

  kumi_node_tcp_channels_core #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .RING(RING),
      .CHUNK(CHUNK),
      .MTU(MTU),
      .ON_CHIP(ON_CHIP),
      .CUBIC(CUBIC),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .s_axis_eth0,
      .m_axis_eth0,
      .s_axil,
      .m_axi_rx,
      .m_axi_tx,
      .s_axis_listen_port_tdata,
      .s_axis_listen_port_tvalid,
      .s_axis_listen_port_tready,
      .m_axis_listen_port_status_tdata,
      .m_axis_listen_port_status_tkeep,
      .m_axis_listen_port_status_tlast,
      .m_axis_listen_port_status_tvalid,
      .m_axis_listen_port_status_tready,
      .s_axis_open_connection_tdata,
      .s_axis_open_connection_tvalid,
      .s_axis_open_connection_tready,
      .m_axis_open_status_tdata,
      .m_axis_open_status_tkeep,
      .m_axis_open_status_tlast,
      .m_axis_open_status_tvalid,
      .m_axis_open_status_tready,
      .s_axis_close_connection_tdata,
      .s_axis_close_connection_tvalid,
      .s_axis_close_connection_tready,
      .m_axis_notifications_tdata,
      .m_axis_notifications_tkeep,
      .m_axis_notifications_tlast,
      .m_axis_notifications_tvalid,
      .m_axis_notifications_tready,
      .s_axis_read_package_tdata,
      .s_axis_read_package_tvalid,
      .s_axis_read_package_tready,
      .m_axis_rx_metadata_tdata,
      .m_axis_rx_metadata_tkeep,
      .m_axis_rx_metadata_tlast,
      .m_axis_rx_metadata_tvalid,
      .m_axis_rx_metadata_tready,
      .s_axis_tx_metadata_tdata,
      .s_axis_tx_metadata_tvalid,
      .s_axis_tx_metadata_tready,
      .m_axis_tx_status_tdata,
      .m_axis_tx_status_tkeep,
      .m_axis_tx_status_tlast,
      .m_axis_tx_status_tvalid,
      .m_axis_tx_status_tready,
      .m_axis_rx_data_tdata,
      .m_axis_rx_data_tkeep,
      .m_axis_rx_data_tvalid,
      .m_axis_rx_data_tready,
      .m_axis_rx_data_tlast,
      .s_axis_tx_data_tdata,
      .s_axis_tx_data_tkeep,
      .s_axis_tx_data_tvalid,
      .s_axis_tx_data_tready,
      .s_axis_tx_data_tlast,
      .s_hdr_sock_listen_data,
      .s_hdr_sock_listen_valid,
      .s_hdr_sock_listen_ready,
      .m_hdr_sock_listened_data,
      .m_hdr_sock_listened_valid,
      .m_hdr_sock_listened_ready,
      .s_hdr_sock_open_data,
      .s_hdr_sock_open_valid,
      .s_hdr_sock_open_ready,
      .m_hdr_sock_opened_data,
      .m_hdr_sock_opened_valid,
      .m_hdr_sock_opened_ready,
      .m_hdr_sock_accept_data,
      .m_hdr_sock_accept_valid,
      .m_hdr_sock_accept_ready,
      .s_hdr_sock_bytes_data,
      .s_hdr_sock_bytes_valid,
      .s_hdr_sock_bytes_ready,
      .m_hdr_sock_bytes_data,
      .m_hdr_sock_bytes_valid,
      .m_hdr_sock_bytes_ready,
      .busy
  );
endmodule
