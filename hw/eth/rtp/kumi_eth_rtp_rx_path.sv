// SPDX-License-Identifier: Apache-2.0
//
// Receive path of the RTP core: checks frames, keeps the receive windows, and delivers messages.
//
// s_frame, m_msg: see kumi_eth_rtp. conn_w, snd_nxt_w, advertised_w: writes to the tables read
//   here.
// rcv_w, delivered_w, msg_open_*: writes to the tables owned here.
// op_*: commands of the association engine (kumi_eth_rtp_rx). drained, init_done: its answers
//   (kumi_eth_rtp_rx_deliver). assoc_event: events for it, queued.
// acked: received acknowledgements, coalesced. ack_req: an immediate ACK is due; window_update: the
//   limit has advanced. Both are pulses.
// Latency: that of kumi_eth_rtp_rx, one cycle, and that of kumi_eth_rtp_rx_deliver.
module kumi_eth_rtp_rx_path
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS  = 64,
    parameter int WINDOW = 16,
    parameter int WORDS  = 288,   // words of a slot of the window
    parameter int BYTES  = 9186,  // longest payload of a frame
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_frame,
    kumi_axis_if.src m_msg,

    // Tables
    input  rtp_conn_wr_t                    conn_w,
    input  rtp_snd_nxt_wr_t                 snd_nxt_w,
    input  rtp_advertised_wr_t              advertised_w,
    output rtp_rcv_wr_t                     rcv_w,
    output rtp_delivered_wr_t               delivered_w,
    output logic                            msg_open_wr,
    output logic               [PEER_W-1:0] msg_open_peer,
    output logic                            msg_open_data,

    // Association engine
    input  logic                          op_valid,
    output logic                          op_ready,
    input  rtp_deliver_cmd_e              op_kind,
    input  logic             [PEER_W-1:0] op_peer,
    output logic             [PEER_W-1:0] drained,
    output logic                          drained_valid,
    input  logic                          drained_ready,
    output logic                          init_done,
    output rtp_assoc_event_t              assoc_event,
    output logic                          assoc_event_valid,
    input  logic                          assoc_event_ready,

    output rtp_rx_ack_t  acked,
    output logic         acked_valid,
    input  logic         acked_ready,
    output rtp_ack_req_t ack_req,
    output logic         ack_req_valid,
    output rtp_ack_req_t window_update,
    output logic         window_update_valid,

    output rtp_events_t ev  // only rx_*
);
  localparam int DATA_W = s_frame.DATA_W;
  localparam int SLOT_W = PEER_W + $clog2(WINDOW);
  localparam int DEPTH = (1 << SLOT_W) * WORDS;  // words of the window buffer
  localparam int COUNT_W = 15 - $clog2(s_frame.KEEP_W);

  logic [PEER_W-1:0] rd_peer, rcv_peer, delivered_peer, advertised_rd;
  rtp_tags_t tags;
  logic [31:0] snd_nxt;
  logic [7:0] delivered, advertised;
  logic [WINDOW-1:0] rcv_sack;
  logic info_wr;
  logic [SLOT_W-1:0] info_addr, info_rd;
  logic [15:0] info_data, info;
  logic w_en, start, start_ready, rd_valid, rd_ready;
  logic [$clog2(DEPTH)-1:0] w_addr;
  logic [DATA_W-1:0] w_data, rd_data;
  logic [31:0] start_base;
  logic [13:0] start_words;
  rtp_deliver_cmd_t deliver_in, deliver;
  logic deliver_in_valid, deliver_in_ready, deliver_valid, deliver_ready;
  rtp_rx_ack_t acked_in;
  logic acked_in_valid, acked_in_ready;
  rtp_assoc_event_t assoc_event_in;
  logic assoc_event_in_valid, assoc_event_in_ready;
  logic [4:0] assoc_event_depth;

  assign rcv_w.peer = 12'(rcv_peer);
  assign rcv_w.sack = 64'(rcv_sack);
  assign delivered_w.peer = 12'(delivered_peer);

  // ---- Frames -----------------------------------------------------------------------------------
  kumi_eth_rtp_rx #(
      .PEERS (PEERS),
      .WINDOW(WINDOW),
      .WORDS (WORDS),
      .BYTES (BYTES),
      .DEPTH (DEPTH),
      .PEER_W(PEER_W)
  ) u_rx (
      .clk,
      .rst,
      .s_frame,
      .rd_peer,
      .tags,
      .delivered,
      .snd_nxt,
      .rcv_wr(rcv_w.en),
      .rcv_peer,
      .rcv_nxt(rcv_w.nxt),
      .rcv_sack,
      .info_wr,
      .info_addr,
      .info_data,
      .w_en,
      .w_addr,
      .w_data,
      .op_valid,
      .op_ready,
      .op_kind,
      .op_peer,
      .deliver(deliver_in),
      .deliver_valid(deliver_in_valid),
      .deliver_ready(deliver_in_ready),
      .acked(acked_in),
      .acked_valid(acked_in_valid),
      .acked_ready(acked_in_ready),
      .assoc_event(assoc_event_in),
      .assoc_event_valid(assoc_event_in_valid),
      .assoc_event_ready(assoc_event_in_ready),
      .ack_req,
      .ack_req_valid,
      .ev
  );

  kumi_ram_sdp #(
      .W($bits(rtp_tags_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_tags (
      .clk,
      .wr_en  (conn_w.en),
      .wr_addr(PEER_W'(conn_w.peer)),
      .wr_data(conn_w.tags),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(tags)
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
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_delivered (
      .clk,
      .wr_en  (delivered_w.en),
      .wr_addr(PEER_W'(delivered_w.peer)),
      .wr_data(delivered_w.count),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(delivered)
  );

  kumi_ram_sdp #(
      .W(16),
      .DEPTH(1 << SLOT_W),
      .RDW(1),
      .STYLE(2)
  ) u_info (
      .clk,
      .wr_en  (info_wr),
      .wr_addr(info_addr),
      .wr_data(info_data),
      .rd_en  (1'b1),
      .rd_addr(info_rd),
      .rd_data(info)
  );

  kumi_eth_rtp_ack_coalesce u_ack_coalesce (
      .clk,
      .rst,
      .s(acked_in),
      .s_valid(acked_in_valid),
      .s_ready(acked_in_ready),
      .m(acked),
      .m_valid(acked_valid),
      .m_ready(acked_ready)
  );

  kumi_fifo #(
      .W($bits(rtp_assoc_event_t)),
      .DEPTH(16)
  ) u_assoc_event (
      .clk,
      .rst,
      .s_data (assoc_event_in),
      .s_valid(assoc_event_in_valid),
      .s_ready(assoc_event_in_ready),
      .m_data (assoc_event),
      .m_valid(assoc_event_valid),
      .m_ready(assoc_event_ready),
      .depth  (assoc_event_depth)
  );

  // ---- Delivery ---------------------------------------------------------------------------------
  kumi_slice #(
      .W($bits(rtp_deliver_cmd_t)),
      .MODE(2)
  ) u_deliver_cmd (
      .clk,
      .rst,
      .s_data (deliver_in),
      .s_valid(deliver_in_valid),
      .s_ready(deliver_in_ready),
      .m_data (deliver),
      .m_valid(deliver_valid),
      .m_ready(deliver_ready)
  );

  kumi_eth_rtp_payload_buf #(
      .DATA_W (DATA_W),
      .DEPTH  (DEPTH),
      .COUNT_W(COUNT_W)
  ) u_rx_buf (
      .clk,
      .rst,
      .w_en,
      .w_addr,
      .w_data,
      .start,
      .start_ready,
      .start_base($clog2(DEPTH)'(start_base)),
      .start_words(COUNT_W'(start_words)),
      .m_data(rd_data),
      .m_valid(rd_valid),
      .m_ready(rd_ready)
  );

  kumi_eth_rtp_rx_deliver #(
      .WINDOW(WINDOW),
      .WORDS (WORDS),
      .PEER_W(PEER_W)
  ) u_rx_deliver (
      .clk,
      .rst,
      .deliver,
      .deliver_valid,
      .deliver_ready,
      .info_rd,
      .info,
      .advertised_rd,
      .advertised,
      .delivered_wr(delivered_w.en),
      .delivered_peer,
      .delivered_data(delivered_w.count),
      .open_wr(msg_open_wr),
      .open_peer(msg_open_peer),
      .open_data(msg_open_data),
      .r_start(start),
      .r_start_ready(start_ready),
      .r_base(start_base),
      .r_words(start_words),
      .r_data(rd_data),
      .r_valid(rd_valid),
      .r_ready(rd_ready),
      .m_msg,
      .ack_req(window_update),
      .ack_req_valid(window_update_valid),
      .drained,
      .drained_valid,
      .drained_ready,
      .init_done
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_advertised (
      .clk,
      .wr_en  (advertised_w.en && advertised_w.full),
      .wr_addr(PEER_W'(advertised_w.peer)),
      .wr_data(advertised_w.limit),
      .rd_en  (1'b1),
      .rd_addr(advertised_rd),
      .rd_data(advertised)
  );

  logic unused;
  assign unused = ^{assoc_event_depth, start_base, start_words, conn_w, snd_nxt_w, advertised_w};
endmodule
