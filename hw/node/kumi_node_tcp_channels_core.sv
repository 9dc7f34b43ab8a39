// SPDX-License-Identifier: Apache-2.0
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
module kumi_node_tcp_channels_core
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

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    kumi_axi_if.mst m_axi_rx,
    kumi_axi_if.mst m_axi_tx,

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
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_axil_if axil[1] ();
  logic [63:0] now;
  logic [31:0] now_us;
  kumi_ip_pkg::ip_unresolved_t unresolved;
  logic notify_skip;
  logic share_busy, toe_busy, sock_busy;

  // ---- engine ---------------------------------------------------------------------------------
  kumi_tcp_app_if #(.DATA_W(DATA_W)) app ();

  kumi_node_tcp_shell #(
      .DATA_W(DATA_W),
      .NAME("tcp_channels"),
      .BLOCKS(1),
      .KINDS('0),
      .BUILD(BUILD),
      .SESSIONS(SESSIONS),
      .TX_RING(RING),
      .RX_RING(RING),
      .CUBIC(CUBIC),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE)
  ) u_shell (
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .s_app(app),
      .m_axil(axil),
      .now,
      .now_us,
      .unresolved,
      .udp_listen('0),
      .notify_skip,
      .kernel_busy(share_busy || toe_busy || sock_busy),
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  // ---- one engine, two faces ------------------------------------------------------------------
  localparam int CLIENTS = 2;

  kumi_tcp_app_if #(.DATA_W(DATA_W)) k_app[CLIENTS] ();

  kumi_tcp_app_mux #(
      .DATA_W  (DATA_W),
      .CLIENTS (CLIENTS),
      .SESSIONS(SESSIONS)
  ) u_share (
      .clk,
      .rst,
      .s_app(k_app),
      .m_eng(app),
      .notify_skip,
      .busy (share_busy)
  );

  // ---- the twelve channels ---------------------------------------------------------------------
  logic [15:0] toe_sessions;

  kumi_tcp_toe_flat #(
      .DATA_W  (DATA_W),
      .SESSIONS(SESSIONS)
  ) u_toe (
      .session_count(toe_sessions),
      .m_hdr_listen_data(k_app[0].listen.data),
      .m_hdr_listen_valid(k_app[0].listen.valid),
      .m_hdr_listen_ready(k_app[0].listen.ready),
      .s_hdr_listen_rsp_data(k_app[0].listen_rsp.data),
      .s_hdr_listen_rsp_valid(k_app[0].listen_rsp.valid),
      .s_hdr_listen_rsp_ready(k_app[0].listen_rsp.ready),
      .m_hdr_open_data(k_app[0].open.data),
      .m_hdr_open_valid(k_app[0].open.valid),
      .m_hdr_open_ready(k_app[0].open.ready),
      .s_hdr_open_rsp_data(k_app[0].open_rsp.data),
      .s_hdr_open_rsp_valid(k_app[0].open_rsp.valid),
      .s_hdr_open_rsp_ready(k_app[0].open_rsp.ready),
      .m_hdr_close_data(k_app[0].close.data),
      .m_hdr_close_valid(k_app[0].close.valid),
      .m_hdr_close_ready(k_app[0].close.ready),
      .s_hdr_notify_data(k_app[0].notify.data),
      .s_hdr_notify_valid(k_app[0].notify.valid),
      .s_hdr_notify_ready(k_app[0].notify.ready),
      .m_hdr_read_data(k_app[0].read.data),
      .m_hdr_read_valid(k_app[0].read.valid),
      .m_hdr_read_ready(k_app[0].read.ready),
      .s_hdr_read_data(k_app[0].read_rsp.data),
      .s_hdr_read_valid(k_app[0].read_rsp.valid),
      .s_hdr_read_ready(k_app[0].read_rsp.ready),
      .m_hdr_write_data(k_app[0].write.data),
      .m_hdr_write_valid(k_app[0].write.valid),
      .m_hdr_write_ready(k_app[0].write.ready),
      .s_hdr_write_data(k_app[0].write_rsp.data),
      .s_hdr_write_valid(k_app[0].write_rsp.valid),
      .s_hdr_write_ready(k_app[0].write_rsp.ready),
      .s_axis_eng_tdata(k_app[0].rx.tdata),
      .s_axis_eng_tkeep(k_app[0].rx.tkeep),
      .s_axis_eng_tvalid(k_app[0].rx.tvalid),
      .s_axis_eng_tready(k_app[0].rx.tready),
      .s_axis_eng_tlast(k_app[0].rx.tlast),
      .m_axis_eng_tdata(k_app[0].tx.tdata),
      .m_axis_eng_tkeep(k_app[0].tx.tkeep),
      .m_axis_eng_tvalid(k_app[0].tx.tvalid),
      .m_axis_eng_tready(k_app[0].tx.tready),
      .m_axis_eng_tlast(k_app[0].tx.tlast),
      .busy(toe_busy),
      .*  // clk, rst, the channels
  );
  assign k_app[0].tx.tuser = '0;
  assign k_app[0].tx.tid   = '0;
  assign k_app[0].tx.tdest = '0;

  // ---- streams of bytes ------------------------------------------------------------------------
  kumi_rec_if #(.W(LISTEN_W)) sock_listen ();
  assign sock_listen.data = s_hdr_sock_listen_data;
  assign sock_listen.valid = s_hdr_sock_listen_valid;
  assign s_hdr_sock_listen_ready = sock_listen.ready;

  kumi_rec_if #(.W(LISTEN_RSP_W)) sock_listened ();
  assign m_hdr_sock_listened_data = sock_listened.data;
  assign m_hdr_sock_listened_valid = sock_listened.valid;
  assign sock_listened.ready = m_hdr_sock_listened_ready;

  kumi_rec_if #(.W(OPEN_W)) sock_open ();
  assign sock_open.data = s_hdr_sock_open_data;
  assign sock_open.valid = s_hdr_sock_open_valid;
  assign s_hdr_sock_open_ready = sock_open.ready;

  kumi_rec_if #(.W(OPEN_RSP_W)) sock_opened ();
  assign m_hdr_sock_opened_data = sock_opened.data;
  assign m_hdr_sock_opened_valid = sock_opened.valid;
  assign sock_opened.ready = m_hdr_sock_opened_ready;

  kumi_rec_if #(.W(80)) sock_accept ();
  assign m_hdr_sock_accept_data = sock_accept.data;
  assign m_hdr_sock_accept_valid = sock_accept.valid;
  assign sock_accept.ready = m_hdr_sock_accept_ready;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W),
      .USER_W(4)
  ) sock_rx ();
  assign m_hdr_sock_bytes_data = {
    sock_rx.tlast, sock_rx.tuser, sock_rx.tid, sock_rx.tkeep, sock_rx.tdata
  };
  assign m_hdr_sock_bytes_valid = sock_rx.tvalid;
  assign sock_rx.tready = m_hdr_sock_bytes_ready;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(SID_W)
  ) sock_tx ();
  logic [3:0] sock_why;
  assign {sock_tx.tlast, sock_why, sock_tx.tdest, sock_tx.tkeep, sock_tx.tdata} =
      s_hdr_sock_bytes_data;
  assign sock_tx.tuser = sock_why[0];
  assign sock_tx.tid = '0;
  assign sock_tx.tvalid = s_hdr_sock_bytes_valid;
  assign s_hdr_sock_bytes_ready = sock_tx.tready;

  logic [15:0] sock_sessions;
  logic sock_drop;

  kumi_tcp_app_if #(.DATA_W(DATA_W)) sock ();
  kumi_tcp_app_join u_join (
      .s_app(sock),
      .m_app(k_app[1])
  );

  kumi_tcp_sockets #(
      .SESSIONS (SESSIONS),
      .CHUNK    (CHUNK),
      .RX_BUFFER(8 * CHUNK)
  ) u_sockets (
      .clk,
      .rst,
      .s_listen(sock_listen),
      .m_listen_rsp(sock_listened),
      .s_open(sock_open),
      .m_open_rsp(sock_opened),
      .m_accept(sock_accept),
      .m_axis(sock_rx),
      .s_axis(sock_tx),
      .open_count(sock_sessions),
      .ev_drop(sock_drop),
      .m_eng(sock),
      .busy(sock_busy)
  );

  kumi_axil_err_slv u_none (
      .clk,
      .rst,
      .s_axil(axil[0])
  );

  // No kernel here speaks UDP.
  assign udp_rx_hdr.ready = 1'b1;
  assign udp_rx.tready = 1'b1;
  assign udp_tx_hdr.valid = 1'b0;
  assign udp_tx_hdr.data = '0;
  assign udp_tx.tvalid = 1'b0;
  assign udp_tx.tdata = '0;
  assign udp_tx.tkeep = '0;
  assign udp_tx.tlast = 1'b0;
  assign udp_tx.tuser = '0;
  assign udp_tx.tid = '0;
  assign udp_tx.tdest = '0;

  logic unused;
  assign unused = ^{now, now_us, unresolved, toe_sessions, sock_sessions, sock_drop, sock_why,
      sock_rx.tdest,
                    k_app[0].rx.tuser, k_app[0].rx.tid, k_app[0].rx.tdest};
endmodule
