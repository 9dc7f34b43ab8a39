// SPDX-License-Identifier: Apache-2.0
//
// Router between SW2 and InfiniBand: carries SW2 packets in InfiniBand packets to other routers,
// reliably, each exactly once and in the order of its peer and channel (source paper, section 6.5;
// IBTA volume 1, clause 9.7).
//
// s_sw2[v], m_sw2[v]: SW2 packets of channel v, from and to kumi_sw2_link; the destination node of
//   a packet is the number of its peer. s_ib, m_ib: InfiniBand packets from LRH to ICRC, from and
//   to kumi_ib_link, 64 bits; s_ib never stalls.
// peer_*: an entry of the peers' table, which begins the peer's connections again; both routers of
//   a pair are to do so. dead[p]: peer p has not answered, its packets are dropped until then.
//   unacked: packets wait for an answer of their peer.
// Back-pressure: a channel that takes no packets makes its peers wait (RNR NAK), these fill their
//   WINDOW and stop their SW2 channels. A peer has buffers of its own; it delays the packets of
//   others behind it in the same channel until its window has space or it is dead.
// Bad input: dropped and counted (ev; kumi_ib_router_send, kumi_ib_router_recv).
// Latency without load: SW2 to InfiniBand, first beat to first beat, 7 to 10 cycles (timers take 3
//   of 8); InfiniBand to SW2, last beat to first beat, 3 cycles. Throughput: a beat in a cycle
//   each way but for the headers.
module kumi_ib_router
  import kumi_ib_router_pkg::*;
#(
    parameter  int PEERS  = 64,            // a power of two
    parameter  int WINDOW = 4,             // packets under way per peer and channel
    parameter  int BEATS  = 1024,          // of 8 bytes, receive buffer per channel
    localparam int PEER_W = $clog2(PEERS)
) (
    input  logic                         clk,
    input  logic                         rst,
    input  cfg_t                         cfg,
           kumi_axis_if.snk              s_sw2     [VCS],
           kumi_axis_if.src              m_sw2     [VCS],
           kumi_axis_if.snk              s_ib,
           kumi_axis_if.src              m_ib,
    input  logic                         peer_valid,
    output logic                         peer_ready,
    input  logic            [PEER_W-1:0] peer_index,
    input  router_peer_t                 peer_entry,
    output logic            [ PEERS-1:0] dead,
    output logic                         unacked,
    output events_t                      ev
);
  localparam int CONN_W = PEER_W + 2;

  if (s_ib.DATA_W != 64 || m_ib.DATA_W != 64) begin : gen_check
    $fatal(0, "s_ib and m_ib must have 64 bits (%m)");
  end

  typedef struct packed {
    logic [CONN_W-1:0] conn;
    logic [7:0]        syndrome;
    logic [23:0]       psn;
    logic [23:0]       msn;
  } answer_t;

  typedef struct packed {
    logic [CONN_W-1:0] conn;
    answer_e           kind;
    logic [23:0]       psn;
  } ack_t;

  // ---- peers -----------------------------------------------------------------------------------
  logic clear_valid[2], clear_ready[2];
  logic [PEER_W-1:0] clear_peer, tx_index, rx_index;
  router_peer_t tx_peer, rx_peer;
  logic [PEERS-1:0] enabled;

  kumi_ib_router_peers #(
      .PEERS(PEERS)
  ) u_peers (
      .clk,
      .rst,
      .write_valid(peer_valid),
      .write_ready(peer_ready),
      .write_index(peer_index),
      .write_entry(peer_entry),
      .clear_valid,
      .clear_ready,
      .clear_peer,
      .tx_index,
      .tx_peer,
      .rx_index,
      .rx_peer,
      .enabled
  );

  // ---- answers between the two sides -----------------------------------------------------------
  answer_t answer_in, answer;
  ack_t ack_in, ack;
  logic answer_in_valid, answer_room, answer_valid, answer_ready;
  logic ack_in_valid, ack_room, ack_valid, ack_ready;
  logic [6:0] unused_answers;
  logic [4:0] unused_acks;

  kumi_fifo #(
      .W($bits(answer_t)),
      .DEPTH(64)
  ) u_answers (
      .clk,
      .rst,
      .s_data (answer_in),
      .s_valid(answer_in_valid),
      .s_ready(answer_room),
      .m_data (answer),
      .m_valid(answer_valid),
      .m_ready(answer_ready),
      .depth  (unused_answers)
  );
  kumi_fifo #(
      .W($bits(ack_t)),
      .DEPTH(16)
  ) u_acks (
      .clk,
      .rst,
      .s_data (ack_in),
      .s_valid(ack_in_valid),
      .s_ready(ack_room),
      .m_data (ack),
      .m_valid(ack_valid),
      .m_ready(ack_ready),
      .depth  (unused_acks)
  );
  always_ff @(posedge clk) begin
    ev.answer_lost <= ((answer_in_valid && !answer_room) || (ack_in_valid && !ack_room)) && !rst;
    ev.nak_rcvd <= ack_in_valid && ack_in.kind == ANSWER_NAK && !rst;
    ev.rnr_rcvd <= ack_in_valid && ack_in.kind == ANSWER_RNR && !rst;
  end

  // ---- send ------------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(m_ib.USER_W),
      .ID_W  (m_ib.ID_W),
      .DEST_W(m_ib.DEST_W)
  ) bare ();
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(m_ib.USER_W),
      .ID_W  (m_ib.ID_W),
      .DEST_W(m_ib.DEST_W)
  ) held ();
  logic
      ask_valid,
      ask_resend,
      asked_valid,
      asked_ok,
      asked_dead,
      asked_more,
      resend_valid,
      resend_take;
  logic [CONN_W-1:0] ask_conn, resend_conn;
  logic [23:0] asked_psn;

  kumi_ib_router_conn #(
      .PEERS (PEERS),
      .WINDOW(WINDOW)
  ) u_conn (
      .clk,
      .rst,
      .cfg,
      .clear_valid(clear_valid[0]),
      .clear_ready(clear_ready[0]),
      .clear_peer,
      .ask_valid,
      .ask_resend,
      .ask_conn,
      .answer_valid(asked_valid),
      .answer_ok(asked_ok),
      .answer_dead(asked_dead),
      .answer_more(asked_more),
      .answer_psn(asked_psn),
      .ack_valid,
      .ack_ready,
      .ack_conn(ack.conn),
      .ack_kind(ack.kind),
      .ack_psn(ack.psn),
      .resend_valid,
      .resend_conn,
      .resend_take,
      .dead,
      .unacked,
      .ev_timed_out(ev.timed_out),
      .ev_died(ev.died),
      .ev_stale(ev.stale_ack)
  );

  kumi_ib_router_send #(
      .PEERS (PEERS),
      .WINDOW(WINDOW)
  ) u_send (
      .clk,
      .rst,
      .cfg,
      .s_axis(s_sw2),
      .m_axis(bare),
      .answer_valid,
      .answer_ready,
      .answer_conn(answer.conn),
      .answer_syndrome(answer.syndrome),
      .answer_psn(answer.psn),
      .answer_msn(answer.msn),
      .ask_valid,
      .ask_resend,
      .ask_conn,
      .asked_valid,
      .asked_ok,
      .asked_dead,
      .asked_more,
      .asked_psn,
      .resend_valid,
      .resend_conn,
      .resend_take,
      .tx_index,
      .tx_peer,
      .enabled,
      .ev_sent(ev.sent),
      .ev_resent(ev.resent),
      .ev_unknown_peer(ev.unknown_peer),
      .ev_dead_peer(ev.dead_peer)
  );
  kumi_axis_reg #(
      .MODE(2)
  ) u_reg (
      .clk,
      .rst,
      .s_axis(bare),
      .m_axis(held)
  );
  kumi_ib_icrc_insert u_icrc (
      .clk,
      .rst,
      .s_axis(held),
      .m_axis(m_ib)
  );

  // ---- receive ---------------------------------------------------------------------------------
  kumi_ib_router_recv #(
      .PEERS(PEERS),
      .BEATS(BEATS)
  ) u_recv (
      .clk,
      .rst,
      .cfg,
      .s_axis(s_ib),
      .m_axis(m_sw2),
      .clear_valid(clear_valid[1]),
      .clear_ready(clear_ready[1]),
      .clear_peer,
      .rx_index,
      .rx_peer,
      .enabled,
      .ack_valid(ack_in_valid),
      .ack_conn(ack_in.conn),
      .ack_kind(ack_in.kind),
      .ack_psn(ack_in.psn),
      .answer_valid(answer_in_valid),
      .answer_conn(answer_in.conn),
      .answer_syndrome(answer_in.syndrome),
      .answer_psn(answer_in.psn),
      .answer_msn(answer_in.msn),
      .ev_received(ev.received),
      .ev_ack_sent(ev.ack_sent),
      .ev_nak_sent(ev.nak_sent),
      .ev_rnr_sent(ev.rnr_sent),
      .ev_duplicate(ev.duplicate),
      .ev_gap(ev.gap),
      .ev_no_space(ev.no_space),
      .ev_bad_icrc(ev.bad_icrc),
      .ev_bad_header(ev.bad_header),
      .ev_bad_lid(ev.bad_lid),
      .ev_bad_qp(ev.bad_qp),
      .ev_bad_pkey(ev.bad_pkey),
      .ev_bad_payload(ev.bad_payload)
  );

  logic unused;
  assign unused = ^{unused_answers, unused_acks};
endmodule
