// SPDX-License-Identifier: Apache-2.0
//
// Delayed-ACK scheduler: decides when an ACK is due and queues the request.
//
// rx, window_update, probe, handshake: requests of the receiver (immediate ACK), the delivery (the
//   limit has advanced), the transmit window (probe) and the association engine. They are pulses; a
//   request that finds the queue full is lost, and the scanner or the peer's time-out recovers it.
// Scanner: visits the peers round-robin, two cycles each. When what was advertised to a peer
//   differs from the current state (rcv_nxt, delivered; low bits) for cfg_delay ticks, an ACK is
//   due.
// Tables answer one cycle after rd_peer. waiting: some peer has a pending advertisement.
// m_req: requests, valid and ready. Latency: 2 cycles from a request to m_valid.
module kumi_eth_rtp_ack_sched
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW = 16,
    parameter int PEERS  = 64,
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,

    input logic [15:0] tick,
    input logic [15:0] cfg_delay,

    input rtp_ack_req_t rx,
    input logic         rx_valid,
    input rtp_ack_req_t window_update,
    input logic         window_update_valid,
    input rtp_ack_req_t probe,
    input logic         probe_valid,
    input rtp_ack_req_t handshake,
    input logic         handshake_valid,

    output logic [PEER_W-1:0] rd_peer,
    input  logic              up,
    input  logic [       7:0] rcv_nxt,
    input  logic [       7:0] delivered,
    input  logic [       7:0] advertised_ack,
    input  logic [       7:0] advertised_limit,
    output logic              waiting,

    output rtp_ack_req_t m_req,
    output logic         m_valid,
    input  logic         m_ready
);
  typedef struct packed {
    logic        open;   // an advertisement has been pending since `at`
    logic [7:0]  ack;    // with this state advertised
    logic [7:0]  limit;
    logic [15:0] at;
  } rtp_ack_sched_mark_t;

  // ---- Scanner ----------------------------------------------------------------------------------
  logic [PEER_W-1:0] peer_q;
  logic look_q;  // the tables answer for peer_q
  rtp_ack_sched_mark_t mark, mark_new;
  logic mark_wr, differs, same, late, round_q;
  logic [7:0] limit;

  kumi_ram_sdp #(
      .W($bits(rtp_ack_sched_mark_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_mark (
      .clk,
      .wr_en  (mark_wr),
      .wr_addr(peer_q),
      .wr_data(mark_new),
      .rd_en  (1'b1),
      .rd_addr(peer_q),
      .rd_data(mark)
  );

  assign rd_peer  = peer_q;
  assign limit    = delivered + 8'(WINDOW);
  assign differs  = up && (rcv_nxt != advertised_ack || limit != advertised_limit);
  assign same     = mark.open && mark.ack == advertised_ack && mark.limit == advertised_limit;
  assign late     = differs && same && tick - mark.at >= cfg_delay;
  assign mark_wr  = look_q && (late || (differs ? !same : mark.open));
  assign mark_new = '{open: differs, ack: advertised_ack, limit: advertised_limit, at: tick};

  always_ff @(posedge clk) begin
    look_q <= !look_q;
    if (look_q) begin
      peer_q  <= 32'(peer_q) == PEERS - 1 ? '0 : peer_q + 1'b1;
      round_q <= differs || (round_q && peer_q != '0);
      if (32'(peer_q) == PEERS - 1) waiting <= differs || round_q;
    end
    if (rst) begin
      look_q  <= 1'b0;
      peer_q  <= '0;
      round_q <= 1'b0;
      waiting <= 1'b0;
    end
  end

  // ---- Queue ------------------------------------------------------------------------------------
  rtp_ack_req_t window_update_q, probe_q, handshake_q, late_q, in;
  logic window_update_valid_q, probe_valid_q, handshake_valid_q, late_valid_q, room;
  logic [4:0] depth;

  always_comb begin
    in = late_q;
    if (rx_valid) in = rx;
    else if (window_update_valid_q) in = window_update_q;
    else if (probe_valid_q) in = probe_q;
    else if (handshake_valid_q) in = handshake_q;
  end

  always_ff @(posedge clk) begin
    if (room && !rx_valid) begin
      window_update_valid_q <= 1'b0;
      if (!window_update_valid_q) probe_valid_q <= 1'b0;
      if (!window_update_valid_q && !probe_valid_q) handshake_valid_q <= 1'b0;
      if (!window_update_valid_q && !probe_valid_q && !handshake_valid_q) late_valid_q <= 1'b0;
    end
    if (window_update_valid) {window_update_valid_q, window_update_q} <= {1'b1, window_update};
    if (probe_valid) {probe_valid_q, probe_q} <= {1'b1, probe};
    if (handshake_valid) {handshake_valid_q, handshake_q} <= {1'b1, handshake};
    if (look_q && late) begin
      late_valid_q <= 1'b1;
      late_q       <= '{peer: 12'(peer_q), ack_req: 1'b0, dup: 1'b0};
    end
    if (rst) begin
      window_update_valid_q <= 1'b0;
      probe_valid_q <= 1'b0;
      handshake_valid_q <= 1'b0;
      late_valid_q <= 1'b0;
    end
  end

  kumi_fifo #(
      .W($bits(rtp_ack_req_t)),
      .DEPTH(16)
  ) u_queue (
      .clk,
      .rst,
      .s_data(in),
      .s_valid(rx_valid || window_update_valid_q || probe_valid_q || handshake_valid_q
          || late_valid_q),
      .s_ready(room),
      .m_data(m_req),
      .m_valid,
      .m_ready,
      .depth
  );

  logic unused;
  assign unused = ^depth;
endmodule
