// SPDX-License-Identifier: Apache-2.0
//
// Node: the Ethernet transport with its messages as ports, for software or an external kernel.
//
// clk: s_hdr_send_to: number of a peer, one per message, before its data; s_axis_send_data:
//   messages. m_axis_receive_data: one frame per received frame, tuser with tlast: its message was
//   aborted; m_hdr_receive_info: msg_source_t, one per frame, before its data. m_hdr_status:
//   rtp_status_t.
// Other ports and registers as in kumi_node_eth_shell, the transport's at 0x2000. Frames of one
// peer are in order; those of others may interleave.
// One cycle more than the transport for a message out, and for a frame in.
module kumi_node_eth_messages_core #(
    parameter int DATA_W = 256,  // bits of the data path: 64, 128, 256, 512
    parameter int PEERS = 16,  // entries of the peer table, a power of two
    parameter int WINDOW = 16,  // receive window of each peer in frames
    parameter int TX_WINDOW = 16,  // frames in flight to one peer
    parameter int TX_SLOTS = 64,  // frames that wait for acknowledgement
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst, (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0" *)
    input logic eth_clk,
    input logic eth_rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    input logic [15:0] s_hdr_send_to_data,
    input logic s_hdr_send_to_valid,
    output logic s_hdr_send_to_ready,
    input logic [DATA_W-1:0] s_axis_send_data_tdata,
    input logic [DATA_W/8-1:0] s_axis_send_data_tkeep,
    input logic s_axis_send_data_tvalid,
    output logic s_axis_send_data_tready,
    input logic s_axis_send_data_tlast,
    input logic s_axis_send_data_tuser,
    output logic [DATA_W-1:0] m_axis_receive_data_tdata,
    output logic [DATA_W/8-1:0] m_axis_receive_data_tkeep,
    output logic m_axis_receive_data_tvalid,
    input logic m_axis_receive_data_tready,
    output logic m_axis_receive_data_tlast,
    output logic m_axis_receive_data_tuser,
    output kumi_msg_pkg::msg_source_t m_hdr_receive_info_data,
    output logic m_hdr_receive_info_valid,
    input logic m_hdr_receive_info_ready,
    output kumi_eth_rtp_pkg::rtp_status_t m_hdr_status_data,
    output logic m_hdr_status_valid,
    input logic m_hdr_status_ready,

    output logic busy
);
  import kumi_eth_rtp_pkg::*;

  localparam int PEER_W = $clog2(PEERS);

  kumi_axis_if #(.DATA_W(DATA_W)) to_mac ();
  kumi_axis_if #(.DATA_W(DATA_W)) from_mac ();
  kumi_rec_if #(.W(48)) source_addr ();
  kumi_rec_if #(.W(64)) peer_addr ();
  kumi_axil_if axil[1] ();
  logic [63:0] now;
  logic [13:0] mtu;
  logic broadcast, kernel_busy, port_busy;
  rtp_filter_events_t filter_ev;

  kumi_node_eth_shell #(
      .NAME  ("eth_messages"),
      .BLOCKS(1),
      .KINDS (kumi_regs_pkg::BLOCK_ETH_RTP),
      .BUILD (BUILD),
      .DATA_W(DATA_W)
  ) u_shell (
      .m_mac(to_mac),
      .s_mac(from_mac),
      .set_source_addr(source_addr),
      .set_peer(peer_addr),
      .m_axil(axil),
      .now,
      .mtu,
      .broadcast,
      .ev('0),
      .eth_ev({
        2'b00,
        filter_ev.no_room,
        1'b0,
        filter_ev.foreign,
        filter_ev.not_ours,
        1'b0,
        1'b0,
        filter_ev.ok
      }),
      .kernel_busy,
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  // ---- messages out --------------------------------------------------------------------------
  // A number beyond the table goes through as one that is in no table, so that the transport says
  // that its message failed.
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(16)
  ) tx ();
  logic send_q;
  logic [15:0] to_q;

  assign s_hdr_send_to_ready = !send_q;
  assign tx.tvalid = send_q && s_axis_send_data_tvalid;
  assign tx.tdata = s_axis_send_data_tdata;
  assign tx.tkeep = s_axis_send_data_tkeep;
  assign tx.tlast = s_axis_send_data_tlast;
  assign tx.tuser = s_axis_send_data_tuser;
  assign tx.tdest = to_q;
  assign tx.tid = '0;
  assign s_axis_send_data_tready = send_q && tx.tready;

  always_ff @(posedge clk) begin
    if (tx.tvalid && tx.tready && tx.tlast) send_q <= 1'b0;
    if (s_hdr_send_to_valid && s_hdr_send_to_ready) begin
      send_q <= 1'b1;
      to_q   <= s_hdr_send_to_data;
    end
    if (rst) send_q <= 1'b0;
  end

  // ---- frames in -----------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (PEER_W)
  ) rx ();
  logic info_sent_q;  // the record of the frame at the input has gone

  assign m_hdr_receive_info_valid = rx.tvalid && !info_sent_q;
  assign m_hdr_receive_info_data = '{peer: 16'(rx.tid), last: rx.tuser[2], first: rx.tuser[1]};
  assign m_axis_receive_data_tvalid = rx.tvalid && info_sent_q;
  assign m_axis_receive_data_tdata = rx.tdata;
  assign m_axis_receive_data_tkeep = rx.tkeep;
  assign m_axis_receive_data_tlast = rx.tlast;
  assign m_axis_receive_data_tuser = rx.tlast && rx.tuser[0];
  assign rx.tready = info_sent_q && m_axis_receive_data_tready;

  always_ff @(posedge clk) begin
    if (rx.tvalid && rx.tready && rx.tlast) info_sent_q <= 1'b0;
    if (m_hdr_receive_info_valid && m_hdr_receive_info_ready) info_sent_q <= 1'b1;
    if (rst) info_sent_q <= 1'b0;
  end

  // ---- transport -----------------------------------------------------------------------------
  kumi_rec_if #(.W(60)) peer ();
  kumi_rec_if #(.W(16)) status ();
  kumi_rec_if #(.W(16)) status_copy ();
  rtp_cfg_t cfg;
  rtp_events_t tp_ev;
  logic credit_up, room;

  assign peer.valid = peer_addr.valid;
  assign peer.data = peer_addr.data[59:0];
  assign peer_addr.ready = peer.ready;

  // The record goes to the port, and to the register that keeps the last ones.
  assign m_hdr_status_valid = status.valid;
  assign m_hdr_status_data = rtp_status_t'(status.data);
  assign status.ready = m_hdr_status_ready;
  assign status_copy.valid = status.valid && m_hdr_status_ready;
  assign status_copy.data = status.data;

  kumi_eth_rtp_port #(
      .PEERS(PEERS),
      .WINDOW(WINDOW),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS)
  ) u_transport (
      .clk,
      .rst,
      .tx_clk(eth_clk),
      .tx_rst(eth_rst),
      .rx_clk(eth_clk),
      .rx_rst(eth_rst),
      .set_source_addr(source_addr),
      .set_peer(peer),
      .s_msg(tx),
      .m_msg(rx),
      .m_status(status),
      .m_frame(to_mac),
      .s_frame(from_mac),
      .cfg_addr(48'h0200_0000_0001),
      .cfg,
      .credit_peer('0),
      .credit_up,
      .credit(room),
      .busy(port_busy),
      .ev(tp_ev),
      .rx_ev(filter_ev)
  );

  kumi_node_eth_rtp_regs u_tp_regs (
      .clk,
      .rst,
      .s_axil(axil[0]),
      .s_status(status_copy),
      .mtu,
      .cfg,
      .ev(tp_ev)
  );

  assign kernel_busy = port_busy || s_axis_send_data_tvalid || send_q || rx.tvalid;

  logic unused;
  assign unused = ^{now, broadcast, credit_up, room, peer_addr.data, status_copy.ready};
endmodule
