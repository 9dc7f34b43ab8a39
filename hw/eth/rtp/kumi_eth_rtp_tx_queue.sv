// SPDX-License-Identifier: Apache-2.0
//
// Transmit queue of the RTP core: cuts messages into frames, keeps them in the retransmission
// buffer, and admits each as soon as its peer has credit.
//
// s_msg: see kumi_eth_rtp. buf_w_*: writes to the retransmission buffer.
// conn_w, tx_win_w, rcv_w: table writes of the association engine, the transmit window and the
//   receiver; the copies that the admission reads are here. addr: of addr_peer, one cycle later.
// snd_nxt_w, slot_map_*, slot_info_*: writes to the tables that the admission owns.
// clear: see kumi_eth_rtp_tx_admission. freed_*: slots that the transmit window has released.
// m_desc: descriptors of new DATA frames. fail_*: messages discarded because their peer is not up.
// credit_*: see kumi_eth_rtp_tx_credit_query.
// Latency: that of kumi_eth_rtp_tx_segmenter and kumi_eth_rtp_tx_admission.
module kumi_eth_rtp_tx_queue
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS     = 64,
    parameter int TX_WINDOW = 16,
    parameter int TX_SLOTS  = 32,
    parameter int MTU       = 9216,
    parameter int WORDS     = 287,   // words of a slot
    parameter int DEPTH     = 9184,  // words of the retransmission buffer
    parameter int PEER_W    = 6,
    parameter int SLOT_W    = 5
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_msg,
    input logic [13:0] cfg_mtu,

    // Retransmission buffer
    output logic                     buf_w_en,
    output logic [$clog2(DEPTH)-1:0] buf_w_addr,
    output logic [ s_msg.DATA_W-1:0] buf_w_data,

    // Tables
    input  rtp_conn_wr_t                                   conn_w,
    input  rtp_tx_win_wr_t                                 tx_win_w,
    input  rtp_rcv_wr_t                                    rcv_w,
    output logic            [                  PEER_W-1:0] addr_peer,
    input  logic            [                        47:0] addr,
    output rtp_snd_nxt_wr_t                                snd_nxt_w,
    output logic                                           slot_map_wr,
    output logic            [PEER_W+$clog2(TX_WINDOW)-1:0] slot_map_addr,
    output logic            [                  SLOT_W-1:0] slot_map_data,
    output logic                                           slot_info_wr,   // at slot_map_data
    output logic            [                        15:0] slot_info_data, // {len, first, last}

    input logic              clear,
    input logic [PEER_W-1:0] clear_peer,
    input logic [       7:0] freed_slot,
    input logic              freed_valid,

    output rtp_tx_desc_t        m_desc,
    output logic                m_valid,
    input  logic                m_ready,
    output logic         [11:0] fail_peer,
    output logic                fail_valid,
    input  logic                fail_ready,

    input  logic [PEER_W-1:0] credit_peer,
    output logic              credit_up,
    output logic              credit,

    output logic ev_bad,
    output logic ev_message
);
  rtp_seg_t seg;
  logic seg_valid, seg_ready, seg_slot, seg_more;
  logic [11:0] live_peer;
  rtp_conn_t conn;
  logic [31:0] snd_una, limit, snd_nxt, rcv_nxt;
  logic [PEER_W-1:0] snd_nxt_peer;
  logic [7:0] free_slot, returned_slot;
  logic free_valid, free_ready, returned_valid, returned_ready, freed_ready;

  assign snd_nxt_w.peer = 12'(snd_nxt_peer);

  kumi_eth_rtp_free_list #(
      .SLOTS(TX_SLOTS)
  ) u_free_list (
      .clk,
      .rst,
      .a_slot (freed_slot),
      .a_valid(freed_valid),
      .a_ready(freed_ready),
      .b_slot (returned_slot),
      .b_valid(returned_valid),
      .b_ready(returned_ready),
      .m_slot (free_slot),
      .m_valid(free_valid),
      .m_ready(free_ready)
  );

  kumi_eth_rtp_tx_segmenter #(
      .PEERS(PEERS),
      .MTU  (MTU),
      .WORDS(WORDS),
      .DEPTH(DEPTH)
  ) u_tx_segmenter (
      .clk,
      .rst,
      .s_msg,
      .cfg_mtu,
      .free_slot,
      .free_valid,
      .free_ready,
      .w_en(buf_w_en),
      .w_addr(buf_w_addr),
      .w_data(buf_w_data),
      .seg,
      .seg_valid,
      .seg_ready,
      .live_peer,
      .slot_ready(seg_slot),
      .in_message(seg_more),
      .ev_bad
  );

  kumi_eth_rtp_tx_admission #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W),
      .SLOT_W(SLOT_W)
  ) u_tx_admission (
      .clk,
      .rst,
      .seg,
      .seg_valid,
      .seg_ready,
      .more(s_msg.tvalid),
      .peek_peer(live_peer),
      .rd_peer(addr_peer),
      .conn,
      .addr,
      .snd_una,
      .limit,
      .snd_nxt,
      .ack(rcv_nxt),
      .snd_nxt_wr(snd_nxt_w.en),
      .snd_nxt_peer,
      .snd_nxt_data(snd_nxt_w.data),
      .map_wr(slot_map_wr),
      .map_addr(slot_map_addr),
      .map_data(slot_map_data),
      .info_wr(slot_info_wr),
      .info_data(slot_info_data),
      .clear,
      .clear_peer,
      .m_send(m_desc),
      .m_valid,
      .m_ready,
      .free_slot(returned_slot),
      .free_valid(returned_valid),
      .free_ready(returned_ready),
      .fail_peer,
      .fail_valid,
      .fail_ready,
      .ev_message
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
      .W(64),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_tx_win (
      .clk,
      .wr_en  (tx_win_w.en),
      .wr_addr(PEER_W'(tx_win_w.peer)),
      .wr_data({tx_win_w.una, tx_win_w.limit}),
      .rd_en  (1'b1),
      .rd_addr(addr_peer),
      .rd_data({snd_una, limit})
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
      .rd_addr(addr_peer),
      .rd_data(snd_nxt)
  );

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_rcv_nxt (
      .clk,
      .wr_en  (rcv_w.en),
      .wr_addr(PEER_W'(rcv_w.peer)),
      .wr_data(rcv_w.nxt),
      .rd_en  (1'b1),
      .rd_addr(addr_peer),
      .rd_data(rcv_nxt)
  );

  kumi_eth_rtp_tx_credit_query #(
      .TX_WINDOW(TX_WINDOW),
      .PEER_W(PEER_W)
  ) u_tx_credit_query (
      .clk,
      .conn_wr(conn_w.en),
      .conn_peer(PEER_W'(conn_w.peer)),
      .conn_up(conn_w.conn.up),
      .tx_win_wr(tx_win_w.en),
      .tx_win_peer(PEER_W'(tx_win_w.peer)),
      .tx_win_una(tx_win_w.una[7:0]),
      .tx_win_limit(tx_win_w.limit[7:0]),
      .snd_nxt_wr(snd_nxt_w.en),
      .snd_nxt_peer,
      .snd_nxt_data(snd_nxt_w.data[7:0]),
      .slot(seg_slot),
      .pending({seg_valid && seg_more, seg_valid != seg_more}),
      .peer(credit_peer),
      .up(credit_up),
      .credit
  );

  logic unused;
  assign unused = ^{freed_ready, conn_w, rcv_w, tx_win_w};
endmodule
