// SPDX-License-Identifier: Apache-2.0
//
// Transmit path of the RTP core: builds every frame that is sent.
//
// data_desc: new DATA frames. handshake, ack_req, rtx: HELLO and RESET, ACK, retransmissions.
// buf_w_*: writes to the retransmission buffer. conn_w, rcv_w, delivered_w, slot_info_*: writes to
//   the tables read here. addr: of addr_peer, one cycle later.
// tx_record_*, advertised_w: writes to the tables that the framer owns.
// idle, done: no frame is inside; a frame has been sent.
// Latency: that of kumi_eth_rtp_ctrl_frame_gen and kumi_eth_rtp_tx_framer.
module kumi_eth_rtp_tx_path
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW   = 16,    // receive window
    parameter int TX_SLOTS = 32,
    parameter int WORDS    = 287,   // words of a slot
    parameter int DEPTH    = 9184,  // words of the retransmission buffer
    parameter int PEER_W   = 6,
    parameter int SLOT_W   = 5
) (
    input logic clk,
    input logic rst,
    input logic [47:0] src,  // own address
    input logic [23:0] tick,

    kumi_axis_if.src m_frame,

    // Descriptors and requests
    input  rtp_tx_desc_t   data_desc,
    input  logic           data_desc_valid,
    output logic           data_desc_ready,
    input  rtp_handshake_t handshake,
    input  logic           handshake_valid,
    output logic           handshake_ready,
    input  rtp_ack_req_t   ack_req,
    input  logic           ack_req_valid,
    output logic           ack_req_ready,
    input  rtp_rtx_t       rtx,
    input  logic           rtx_valid,
    output logic           rtx_ready,

    // Retransmission buffer and tables
    input  logic                                    buf_w_en,
    input  logic               [ $clog2(DEPTH)-1:0] buf_w_addr,
    input  logic               [m_frame.DATA_W-1:0] buf_w_data,
    input  rtp_conn_wr_t                            conn_w,
    input  rtp_rcv_wr_t                             rcv_w,
    input  rtp_delivered_wr_t                       delivered_w,
    input  logic                                    slot_info_wr,
    input  logic               [        SLOT_W-1:0] slot_info_slot,
    input  logic               [              15:0] slot_info_data,
    output logic               [        PEER_W-1:0] addr_peer,
    input  logic               [              47:0] addr,
    output logic                                    tx_record_wr,
    output logic               [        SLOT_W-1:0] tx_record_slot,
    output rtp_tx_record_t                          tx_record_data,
    output rtp_advertised_wr_t                      advertised_w,

    output logic idle,
    output logic done,
    output logic ev_data,
    output logic ev_retransmit,
    output logic ev_ack,
    output logic ev_hello,
    output logic ev_reset
);
  localparam int DATA_W = m_frame.DATA_W;
  localparam int COUNT_W = 15 - $clog2(m_frame.KEEP_W);

  rtp_tx_desc_t ctrl_desc;
  logic ctrl_desc_valid, ctrl_desc_ready;
  rtp_conn_t conn;
  logic [31:0] rcv_nxt;
  logic [WINDOW-1:0] sack;
  logic [7:0] delivered;
  logic [15:0] slot_info;
  logic [SLOT_W-1:0] rd_slot;
  logic [PEER_W-1:0] advertised_peer;
  logic start, start_ready, rd_valid, rd_ready;
  logic [31:0] start_base;
  logic [13:0] start_words;
  logic [DATA_W-1:0] rd_data;

  assign advertised_w.peer = 12'(advertised_peer);

  kumi_eth_rtp_ctrl_frame_gen #(
      .WINDOW(WINDOW),
      .WORDS (WORDS),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_ctrl_frame_gen (
      .clk,
      .rst,
      .handshake,
      .handshake_valid,
      .handshake_ready,
      .ack_req,
      .ack_req_valid,
      .ack_req_ready,
      .rtx,
      .rtx_valid,
      .rtx_ready,
      .rd_peer(addr_peer),
      .conn,
      .addr,
      .ack(rcv_nxt),
      .sack,
      .delivered,
      .rd_slot,
      .info(slot_info),
      .m_send(ctrl_desc),
      .m_valid(ctrl_desc_valid),
      .m_ready(ctrl_desc_ready)
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
      .rd_addr(addr_peer),
      .rd_data(conn)
  );

  kumi_ram_sdp #(
      .W(32 + WINDOW),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_rcv (
      .clk,
      .wr_en  (rcv_w.en),
      .wr_addr(PEER_W'(rcv_w.peer)),
      .wr_data({rcv_w.nxt, rcv_w.sack[WINDOW-1:0]}),
      .rd_en  (1'b1),
      .rd_addr(addr_peer),
      .rd_data({rcv_nxt, sack})
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
      .rd_addr(addr_peer),
      .rd_data(delivered)
  );

  kumi_ram_sdp #(
      .W(16),
      .DEPTH(TX_SLOTS),
      .RDW(1),
      .STYLE(2)
  ) u_slot_info (
      .clk,
      .wr_en  (slot_info_wr),
      .wr_addr(slot_info_slot),
      .wr_data(slot_info_data),
      .rd_en  (1'b1),
      .rd_addr(rd_slot),
      .rd_data(slot_info)
  );

  kumi_eth_rtp_tx_framer #(
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_framer (
      .clk,
      .rst,
      .a(data_desc),
      .a_valid(data_desc_valid),
      .a_ready(data_desc_ready),
      .b(ctrl_desc),
      .b_valid(ctrl_desc_valid),
      .b_ready(ctrl_desc_ready),
      .src,
      .tick,
      .start,
      .start_ready,
      .start_base,
      .start_words,
      .d_data(rd_data),
      .d_valid(rd_valid),
      .d_ready(rd_ready),
      .m_frame,
      .sent_wr(tx_record_wr),
      .sent_slot(tx_record_slot),
      .sent_data(tx_record_data),
      .advertised_wr(advertised_w.en),
      .advertised_full(advertised_w.full),
      .advertised_peer,
      .advertised_ack(advertised_w.ack),
      .advertised_limit(advertised_w.limit),
      .idle,
      .done,
      .ev_data,
      .ev_retransmit,
      .ev_ack,
      .ev_hello,
      .ev_reset
  );

  kumi_eth_rtp_payload_buf #(
      .DATA_W (DATA_W),
      .DEPTH  (DEPTH),
      .COUNT_W(COUNT_W)
  ) u_rtx_buf (
      .clk,
      .rst,
      .w_en(buf_w_en),
      .w_addr(buf_w_addr),
      .w_data(buf_w_data),
      .start,
      .start_ready,
      .start_base($clog2(DEPTH)'(start_base)),
      .start_words(COUNT_W'(start_words)),
      .m_data(rd_data),
      .m_valid(rd_valid),
      .m_ready(rd_ready)
  );

  logic unused;
  assign unused = ^{start_base, start_words, conn_w, rcv_w, delivered_w};
endmodule
