// SPDX-License-Identifier: Apache-2.0
//
// Loss recovery of the RTP core: the transmit window with its tables, and the retransmission queue.
//
// acked, op_*, freed_*, probe, dead_*, waiting, ev_*: see kumi_eth_rtp_tx_window.
// conn_w, snd_nxt_w, slot_map_*, msg_open_*, tx_record_*: writes to the tables that it reads.
// tx_win_w: writes to its own table, for readers elsewhere.
// rtx: frames to retransmit, valid and ready.
// Latency: that of kumi_eth_rtp_tx_window, plus one cycle of the queue.
module kumi_eth_rtp_tx_recovery
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,
    parameter int TX_WINDOW = 16,
    parameter int TX_SLOTS  = 32,
    parameter int PEER_W    = 6,
    parameter int SLOT_W    = 5
) (
    input logic clk,
    input logic rst,
    input rtp_cfg_t cfg,
    input logic [23:0] tick,

    input  rtp_rx_ack_t acked,
    input  logic        acked_valid,
    output logic        acked_ready,

    input  logic              op_valid,
    input  logic              op_init,   // else flush
    input  logic [PEER_W-1:0] op_peer,
    input  logic [       6:0] op_limit,
    output logic              op_done,

    // Tables
    input  rtp_conn_wr_t                                   conn_w,
    input  rtp_snd_nxt_wr_t                                snd_nxt_w,
    input  logic                                           slot_map_wr,
    input  logic            [PEER_W+$clog2(TX_WINDOW)-1:0] slot_map_addr,
    input  logic            [                  SLOT_W-1:0] slot_map_data,
    input  logic                                           msg_open_wr,
    input  logic            [                  PEER_W-1:0] msg_open_peer,
    input  logic                                           msg_open_data,
    input  logic                                           tx_record_wr,
    input  logic            [                  SLOT_W-1:0] tx_record_slot,
    input  rtp_tx_record_t                                 tx_record_data,
    output rtp_tx_win_wr_t                                 tx_win_w,

    output logic     [7:0] freed_slot,
    output logic           freed_valid,
    output rtp_rtx_t       rtx,
    output logic           rtx_valid,
    input  logic           rtx_ready,

    output rtp_ack_req_t        probe,
    output logic                probe_valid,
    output logic         [11:0] dead_peer,
    output logic         [19:0] dead_gen,
    output logic                dead_valid,
    input  logic                dead_ready,

    output logic waiting,
    output logic ev_lost,
    output logic ev_timeout,
    output logic ev_spurious_rtx,
    output logic ev_bad_ack
);
  logic [PEER_W-1:0] rd_peer, tx_win_peer;
  rtp_conn_t conn;
  logic [31:0] snd_nxt;
  logic msg_open;
  logic [PEER_W+$clog2(TX_WINDOW)-1:0] map_rd;
  logic [SLOT_W-1:0] map, sent_rd;
  rtp_tx_record_t sent;
  rtp_rtx_t rtx_in;
  logic rtx_in_valid, rtx_in_ready;

  assign tx_win_w.peer = 12'(tx_win_peer);

  kumi_eth_rtp_tx_window #(
      .PEERS(PEERS),
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_window (
      .clk,
      .rst,
      .cfg,
      .tick,
      .acked,
      .acked_valid,
      .acked_ready,
      .op_valid,
      .op_init,
      .op_peer,
      .op_limit,
      .op_done,
      .rd_peer,
      .conn,
      .snd_nxt,
      .open(msg_open),
      .map_rd,
      .map,
      .sent_rd,
      .sent,
      .tx_win_wr(tx_win_w.en),
      .tx_win_peer,
      .tx_win_una(tx_win_w.una),
      .tx_win_limit(tx_win_w.limit),
      .free_slot(freed_slot),
      .free_valid(freed_valid),
      .rtx(rtx_in),
      .rtx_valid(rtx_in_valid),
      .rtx_ready(rtx_in_ready),
      .probe,
      .probe_valid,
      .dead_peer,
      .dead_gen,
      .dead_valid,
      .dead_ready,
      .waiting,
      .ev_lost,
      .ev_timeout,
      .ev_spurious_rtx,
      .ev_bad_ack
  );

  kumi_ram_sdp #(
      .W($bits(rtp_conn_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_conn (
      .clk,
      .wr_en  (conn_w.en),
      .wr_addr(PEER_W'(conn_w.peer)),
      .wr_data(conn_w.conn),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(conn)
  );

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_snd_nxt (
      .clk,
      .wr_en  (snd_nxt_w.en),
      .wr_addr(PEER_W'(snd_nxt_w.peer)),
      .wr_data(snd_nxt_w.data),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(snd_nxt)
  );

  kumi_ram_sdp #(
      .W(SLOT_W),
      .DEPTH((1 << PEER_W) * TX_WINDOW),
      .RDW(1),
      .STYLE(2)
  ) u_map (
      .clk,
      .wr_en  (slot_map_wr),
      .wr_addr(slot_map_addr),
      .wr_data(slot_map_data),
      .rd_en  (1'b1),
      .rd_addr(map_rd),
      .rd_data(map)
  );

  kumi_ram_sdp #(
      .W(1),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_msg_open (
      .clk,
      .wr_en  (msg_open_wr),
      .wr_addr(msg_open_peer),
      .wr_data(msg_open_data),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(msg_open)
  );

  kumi_ram_sdp #(
      .W($bits(rtp_tx_record_t)),
      .DEPTH(TX_SLOTS),
      .RDW(1),
      .STYLE(2)
  ) u_sent (
      .clk,
      .wr_en  (tx_record_wr),
      .wr_addr(tx_record_slot),
      .wr_data(tx_record_data),
      .rd_en  (1'b1),
      .rd_addr(sent_rd),
      .rd_data(sent)
  );

  logic [$clog2(TX_SLOTS)+1:0] rtx_depth;
  kumi_fifo #(
      .W($bits(rtp_rtx_t)),
      .DEPTH(2 * TX_SLOTS)
  ) u_rtx (
      .clk,
      .rst,
      .s_data (rtx_in),
      .s_valid(rtx_in_valid),
      .s_ready(rtx_in_ready),
      .m_data (rtx),
      .m_valid(rtx_valid),
      .m_ready(rtx_ready),
      .depth  (rtx_depth)
  );

  logic unused;
  assign unused = ^{rtx_depth, conn_w, snd_nxt_w};
endmodule
