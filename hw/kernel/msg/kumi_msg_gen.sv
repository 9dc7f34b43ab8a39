// SPDX-License-Identifier: Apache-2.0
//
// Sends messages (kumi_msg_pkg): a one-way stream to one peer, to many peers in rotation
// (all-to-all, incast), or one at a time awaiting the reply (ping-pong with kumi_msg_echo).
//
// m_rec, m_axis: records and messages (kumi_msg_build). credit_peer -> room: whether that peer can
//   accept a message, answered two cycles later; used only with option.skip_no_credit.
// reply, reply_number: a pulse for each correct message that returned with the own number as
// source. Throughput: one beat a cycle, no idle cycle between messages of 5 beats or more; shorter
//   ones start at least 5 cycles apart. With option.skip_no_credit, 7 idle cycles per message.
// Numbers: each peer's messages count from 0 in each run (memory of PEERS counters, cleared at the
//   start in PEERS cycles).
// A reply that does not arrive within `timeout` cycles counts as lost, and the run continues. A
//   peer without credit is skipped; a stalled transport stalls the run, and nothing is lost.
module kumi_msg_gen
  import kumi_msg_pkg::*;
#(
    parameter int PEERS = 64  // a power of two
) (
    input logic clk,
    input logic rst,
    input logic [63:0] now,  // common cycle counter
    kumi_axil_if.slv s_axil,
    kumi_rec_if.src m_rec,
    kumi_axis_if.src m_axis,
    output logic [15:0] credit_peer,
    input logic room,
    input logic reply,
    input logic [31:0] reply_number,
    output logic [15:0] source,  // own number
    output logic busy
);
  localparam int PEER_W = $clog2(PEERS);

  if (PEERS < 2 || PEERS > 65536 || (PEERS & (PEERS - 1)) != 0) begin : gen_check_peers
    $fatal(0, "PEERS must be a power of two from 2 to 65536 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_eth_gen_regs_pkg::kumi_eth_gen_regs__in_t  hwif_in;
  kumi_eth_gen_regs_pkg::kumi_eth_gen_regs__out_t hwif_out;

  kumi_eth_gen_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic start, stop, use_room, use_reply;
  assign start = hwif_out.ctrl.start.value;
  assign stop = hwif_out.ctrl.stop.value;
  assign use_room = hwif_out.option.skip_no_credit.value;
  assign use_reply = hwif_out.option.reply.value;
  assign source = hwif_out.option.source.value;

  // ---- random lengths ------------------------------------------------------------------------
  // length = low + random * (high - low + 1) / 65536, made while the peer is looked for.
  logic [31:0] low, high, span_q, length_q, random_q;  // Galois LFSR, x^32 + x^22 + x^2 + x + 1
  logic [47:0] product_q;
  assign low  = (hwif_out.low.value.value < 32'd16) ? 32'd16 : hwif_out.low.value.value;
  assign high = hwif_out.high.value.value;

  always_ff @(posedge clk) begin
    span_q <= (high < low) ? 32'd1 : high - low + 32'd1;
    product_q <= random_q[15:0] * span_q;
    length_q <= low + product_q[47:16];
  end

  // ---- run -----------------------------------------------------------------------------------
  typedef enum logic [3:0] {
    OFF,
    CLEAR,  // the peers' counters
    PICK,   // ask whether the peer has room
    ASK,
    LOOK,   // the answer; read the peer's counter
    SEND,
    LEAVE,  // until the message has gone
    WAIT,   // for its reply
    GAP
  } state_e;

  state_e state_q;
  logic [15:0] turn_q;  // of the peers, 0 is the first
  logic [15:0] peer_q;
  logic [31:0] left_q, timer_q, number_q;
  logic endless_q, stop_q;
  logic make_ready, make_busy, launch, whole, answered, expired, next_round, last_round;
  logic [31:0] number[PEERS];
  logic [15:0] count, turn_next;

  assign count = hwif_out.peers.count.value;
  assign turn_next = (turn_q + 16'd1 >= count) ? '0 : turn_q + 16'd1;
  assign credit_peer = peer_q;
  assign launch = state_q == SEND && make_ready;
  // Without pause or reply the next message is prepared while this one leaves.
  assign whole = !use_reply && hwif_out.gap.value.value == '0;
  assign answered = state_q == WAIT && reply && reply_number == number_q;
  assign expired = state_q == WAIT && !answered && timer_q == hwif_out.timeout.value.value &&
      hwif_out.timeout.value.value != '0;
  assign last_round = stop_q || stop || (left_q == 32'd1 && !endless_q);
  assign next_round = (launch && whole) || answered || expired ||
      (state_q == LEAVE && !make_busy && !use_reply);

  logic [31:0] sent_q, cycles_q, elapsed_q, replies_q, lost_q, passed_q;
  logic [63:0] bytes_q;

  always_ff @(posedge clk) begin
    if (stop) stop_q <= 1'b1;
    timer_q   <= timer_q + 1'b1;
    elapsed_q <= elapsed_q + 1'b1;
    if (m_axis.tvalid && m_axis.tready && m_axis.tlast) cycles_q <= elapsed_q;
    unique case (state_q)
      CLEAR: begin
        peer_q <= peer_q + 16'd1;
        if (peer_q == 16'(PEERS - 1)) begin
          state_q <= PICK;
          peer_q  <= hwif_out.peers.first.value;
        end
      end
      // The answer counts what the transport has; the message before must be there.
      PICK: if (stop_q || !use_room || !make_busy) state_q <= stop_q ? OFF : ASK;
      ASK: state_q <= LOOK;
      LOOK: begin
        number_q <= number[PEER_W'(peer_q)];
        if (use_room && !room) begin
          state_q <= PICK;
          turn_q  <= turn_next;
          peer_q  <= hwif_out.peers.first.value + turn_next;
          if (count > 16'd1) passed_q <= passed_q + 1'b1;
        end else begin
          state_q <= SEND;
        end
      end
      SEND:
      if (launch) begin
        sent_q   <= sent_q + 1'b1;
        bytes_q  <= bytes_q + 64'(length_q);
        random_q <= {1'b0, random_q[31:1]} ^ (random_q[0] ? 32'h80200003 : 32'h0);
        timer_q  <= 32'd1;
        if (!whole) state_q <= use_reply ? WAIT : LEAVE;
      end
      WAIT: if (stop_q) state_q <= OFF;
      GAP: begin
        if (timer_q == hwif_out.gap.value.value) state_q <= PICK;
        if (stop_q) state_q <= OFF;
      end
      default: ;
    endcase
    if (answered) replies_q <= replies_q + 1'b1;
    if (expired) lost_q <= lost_q + 1'b1;
    if (next_round) begin
      timer_q <= 32'd1;
      turn_q  <= turn_next;
      peer_q  <= hwif_out.peers.first.value + turn_next;
      left_q  <= left_q - 1'b1;
      state_q <= last_round ? OFF : (hwif_out.gap.value.value == '0) ? PICK : GAP;
    end
    if (start) begin
      state_q <= CLEAR;
      turn_q <= '0;
      peer_q <= '0;
      stop_q <= 1'b0;
      endless_q <= hwif_out.messages.value.value == '0;
      left_q <= hwif_out.messages.value.value;
      random_q <= (hwif_out.seed.value.value == '0) ? 32'd1 : hwif_out.seed.value.value;
    end
    if (start || rst) begin
      sent_q <= '0;
      bytes_q <= '0;
      cycles_q <= '0;
      elapsed_q <= '0;
      replies_q <= '0;
      lost_q <= '0;
      passed_q <= '0;
    end
    if (rst) state_q <= OFF;
  end

  always_ff @(posedge clk) begin
    if (state_q == CLEAR) number[PEER_W'(peer_q)] <= '0;
    else if (launch) number[PEER_W'(peer_q)] <= number_q + 1'b1;
  end

  kumi_msg_build u_make (
      .clk,
      .rst,
      .now(now[31:0]),
      .req_valid(launch),
      .req_ready(make_ready),
      .req_rec('{peer: peer_q, length: length_q}),
      .req_source(source),
      .req_number(number_q),
      .m_rec,
      .m_axis,
      .busy(make_busy)
  );

  assign busy = state_q != OFF || make_busy;

  assign hwif_in.status.running.next = busy;
  assign hwif_in.sent.value.next = sent_q;
  assign hwif_in.sent_bytes_lo.value.next = bytes_q[31:0];
  assign hwif_in.sent_bytes_hi.value.next = bytes_q[63:32];
  assign hwif_in.cycles.value.next = cycles_q;
  assign hwif_in.replies.value.next = replies_q;
  assign hwif_in.lost.value.next = lost_q;
  assign hwif_in.skipped.value.next = passed_q;

  logic unused;
  assign unused = ^{product_q[15:0], now[63:32]};
endmodule
