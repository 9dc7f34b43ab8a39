// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_copy with kumi_inflate_check and the credit of the queue behind them:
// when a token is taken changes no byte, no beat and no verdict.
//
// Shown, for any tokens with any pauses between them and any back-pressure: what a match reads is
// what the memory holds once all chunks before it are written (for one row of each bank, any), so
// the gaps between chunks do not matter; chunks are dropped from the one that is too far on, until
// the end of the stream; each byte that is written leaves once, unchanged, in its lane; a token
// that closes something is reported when all bytes before it are out; a sum is compared when it is
// that of all bytes before the token, no byte is passed while a verdict is due, and the end of a
// stream is reported after all verdicts; the queue of 32 beats takes what comes.
// Assumed: up to 4 literals a token, and a member before the first byte after a CHECK, SIZE or END.
// The sums themselves are replaced by one that is as late.
`include "kumi_assert.svh"
module inflate_bytes_formal
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int BYTES = 8
) (
    input logic clk,
    input logic rst,
    input inflate_token_t token,
    input logic valid,
    input logic pop,
    input logic pick,
    input logic [$clog2(BYTES)-1:0] pick_lane
);
  localparam int LANE_W = $clog2(BYTES);
  localparam int ROW_W = $clog2(WINDOW) - LANE_W;
  localparam int BEATS = 32;  // of the queue in kumi_inflate
  typedef logic [LANE_W-1:0] lane_t;

  logic s_ready, m_valid, m_flush, far, failed, byte_valid, byte_end, out_ready_q;
  logic [8*BYTES-1:0] m_data, byte_data;
  logic [4:0] m_count, byte_count;
  inflate_token_t m_token;
  gzip_error_e byte_error;

  kumi_inflate_copy #(
      .BYTES(BYTES)
  ) u_copy (
      .clk,
      .rst,
      .s_token(token),
      .s_valid(valid),
      .s_ready,
      .m_valid,
      .m_data,
      .m_count,
      .m_flush,
      .m_token,
      .m_ready(out_ready_q),
      .far
  );
  kumi_inflate_check #(
      .BYTES(BYTES)
  ) u_check (
      .clk,
      .rst,
      .s_valid(m_valid),
      .s_data (m_data),
      .s_count(m_count),
      .s_flush(m_flush),
      .s_token(m_token),
      .far,
      .failed,
      .m_valid(byte_valid),
      .m_data (byte_data),
      .m_count(byte_count),
      .m_end  (byte_end),
      .m_error(byte_error)
  );

  logic [1:0] started_q = '0;  // reset: the first two cycles
  always_ff @(posedge clk) started_q <= {started_q[0], 1'b1};
  always_comb assume (rst == !started_q[1]);

  // Tokens. closed_q: a token that is no byte has been taken, and no member has begun since.
  logic taken, closes, closed_q, begins;
  assign taken  = valid && s_ready;
  assign closes = token.kind != TOKEN_DATA && token.kind != TOKEN_DIST;
  assign begins = u_copy.issue && u_copy.op_end && u_copy.op_q.kind == TOKEN_MEMBER;
  always_ff @(posedge clk) begin
    if (begins) closed_q <= 1'b0;
    if (taken && closes) closed_q <= 1'b1;
    if (rst) closed_q <= 1'b0;
  end
  `KUMI_ASSUME(a_kind, token.kind <= TOKEN_END)
  `KUMI_ASSUME(a_four, token.count <= 3'd4)
  `KUMI_ASSUME(
      a_member,
      !taken || closes || !closed_q || begins || (token.kind == TOKEN_DATA && token.count == '0))

  // The queue behind, as kumi_inflate has it.
  logic [2:0] valid_q;  // a chunk is in stage r, b, c
  logic [5:0] depth_q, flight;
  always_comb begin
    flight = 6'(u_copy.a_q.valid) + 6'(valid_q[0]) + 6'(valid_q[1]) + 6'(valid_q[2])
        + 6'(m_valid) + 6'(byte_valid) + 6'(u_copy.order_q);
  end
  always_ff @(posedge clk) begin
    valid_q <= {valid_q[1:0], u_copy.a_q.valid};
    depth_q <= depth_q + 6'(byte_valid) - 6'(pop && depth_q != '0);
    out_ready_q <= 32'(depth_q) < BEATS - 12 && !rst;
    if (rst) begin
      depth_q <= '0;
      valid_q <= '0;
    end
  end
  `KUMI_ASSERT(i_go, !u_copy.issue || depth_q <= 6'(BEATS - 12 + 2))
  `KUMI_ASSERT(a_credit, 32'(depth_q) + 32'(flight) <= BEATS)

  // ---- reads: the memory as it is with all chunks before --------------------------------------
  // The chunk in stage b, of which those before are in c or written.
  logic [BYTES-1:0][ROW_W-1:0] row_q;
  always_ff @(posedge clk) row_q <= u_copy.r_get_row_q;
  for (genvar b = 0; b < BYTES; b++) begin : gen_read
    logic now;  // the chunk before is being written there
    assign now = u_copy.c_put_q[b] && u_copy.c_row_q[b] == row_q[b];
    `KUMI_ASSERT(a_now,
                 !(valid_q[1] && u_copy.b_q.copy && now) || u_copy.source[b] == u_copy.c_data_q[b])
    `KUMI_ASSERT(a_there,
                 !(valid_q[1] && u_copy.b_q.copy && !now
                            && row_q[b] == u_copy.gen_bank[b].u_bank.watch)
                 || u_copy.source[b] == u_copy.gen_bank[b].u_bank.word)
  end

  // ---- what is dropped, in the order of chunks ------------------------------------------------
  logic too_far, gone_q, gone_a_q;
  assign too_far = u_copy.issue && u_copy.copy && u_copy.first_q
      && u_copy.dist_q > u_copy.written_q;
  always_ff @(posedge clk) begin
    if (too_far) gone_q <= 1'b1;
    if (u_copy.issue && u_copy.op_end && u_copy.op_q.kind == TOKEN_END) gone_q <= 1'b0;
    gone_a_q <= gone_q || too_far;
    if (rst) {gone_q, gone_a_q} <= '0;
  end
  `KUMI_ASSERT(i_gone, gone_q == (u_copy.dropped_q || u_copy.a_far_q))
  `KUMI_ASSERT(a_drop, !u_copy.a_q.valid || (u_copy.a_put == '0) == gone_a_q)

  // ---- lanes ----------------------------------------------------------------------------------
  // Lane of the next byte, before and after each stage.
  lane_t next_q, next_c, next_b, next_r, next_a;
  function automatic lane_t after(input lane_t lane, input logic [BYTES-1:0] put);
    lane_t n;
    n = lane;
    for (int b = 0; b < BYTES; b++) n += lane_t'(put[b]);
    return n;
  endfunction
  assign next_c = after(next_q, u_copy.c_put_q);
  assign next_b = after(next_c, u_copy.b_put_q);
  assign next_r = after(next_b, u_copy.r_put_q);
  assign next_a = after(next_r, u_copy.a_put);
  always_ff @(posedge clk) begin
    next_q <= u_copy.order_q ? '0 : next_c;
    if (rst) next_q <= '0;
  end
  function automatic logic run(input logic [BYTES-1:0] put, input lane_t from,
                               input logic [4:0] count);
    logic [BYTES-1:0] want;
    lane_t place;
    for (int b = 0; b < BYTES; b++) begin
      place   = lane_t'(b) - from;
      want[b] = 5'(place) < count;
    end
    return put == '0 || (put == want && count <= 5'(BYTES));
  endfunction
  logic [4:0] b_count_q;
  always_ff @(posedge clk) b_count_q <= u_copy.b_q.count;
  `KUMI_ASSERT(i_have, u_copy.have_q == (BYTES'(1) << next_q) - 1'b1)
  `KUMI_ASSERT(
      i_put,
      (valid_q[0] || u_copy.r_put_q == '0) && (valid_q[1] || u_copy.b_put_q == '0) && (valid_q[2] || u_copy.c_put_q == '0))
  `KUMI_ASSERT(i_run_c, run(u_copy.c_put_q, u_copy.c_lane_q, b_count_q))
  `KUMI_ASSERT(i_run_b, run(u_copy.b_put_q, u_copy.b_lane_q, u_copy.b_q.count))
  `KUMI_ASSERT(i_run_r, run(u_copy.r_put_q, lane_t'(u_copy.r_q.pos), u_copy.r_q.count))
  `KUMI_ASSERT(i_run_a, run(u_copy.a_put, lane_t'(u_copy.a_q.pos), u_copy.a_q.count))
  `KUMI_ASSERT(i_lane_c, u_copy.c_put_q == '0 || u_copy.c_lane_q == next_q)
  `KUMI_ASSERT(i_lane_b, u_copy.b_put_q == '0 || u_copy.b_lane_q == next_c)
  `KUMI_ASSERT(i_lane_r, u_copy.r_put_q == '0 || lane_t'(u_copy.r_q.pos) == next_b)
  `KUMI_ASSERT(i_lane_a, u_copy.a_put == '0 || lane_t'(u_copy.a_q.pos) == next_r)
  `KUMI_ASSERT(i_lane, gone_q || closed_q || lane_t'(u_copy.pos_q) == next_a)
  `KUMI_ASSERT(i_count,
               !u_copy.op_valid_q || (u_copy.op_q.count <= 3'd4 && u_copy.op_q.kind <= TOKEN_END))
  `KUMI_ASSERT(i_copies, !(u_copy.op_valid_q && !u_copy.order && closed_q))
  `KUMI_ASSERT(i_order, !(u_copy.op_valid_q && u_copy.order) || closed_q)
  // What is ahead of a token that closes something.
  logic closing, drained;
  assign closing = u_copy.op_valid_q && u_copy.order;
  always_comb begin
    drained = 1'b1;
    if (closing && u_copy.settle_q >= 4'd1) drained &= u_copy.a_put == '0;
    if (closing && u_copy.settle_q >= 4'd2) drained &= u_copy.r_put_q == '0;
    if (closing && u_copy.settle_q >= 4'd3) drained &= u_copy.b_put_q == '0;
    if (closing && u_copy.settle_q >= 4'd4) drained &= u_copy.c_put_q == '0;
    if (closing && u_copy.settle_q >= 4'd6) drained &= u_copy.order_q || next_q == '0;
  end
  `KUMI_ASSERT(i_drained, drained)
  `KUMI_ASSERT(
      a_flush,
      !u_copy.order_q || {u_copy.a_put, u_copy.r_put_q, u_copy.b_put_q, u_copy.c_put_q} == '0)

  // One byte, from its write to where it leaves.
  typedef enum logic [1:0] {
    AT_NONE,
    AT_HOLD,
    AT_OUT
  } at_e;
  at_e at_q;
  logic [7:0] byte_q;
  lane_t lane_q;
  logic leaves;
  assign leaves = u_copy.full || u_copy.order_q;
  always_ff @(posedge clk) begin
    case (at_q)
      AT_NONE:
      if (pick && u_copy.c_put_q[pick_lane]) begin
        at_q   <= u_copy.low[pick_lane] && leaves ? AT_OUT : AT_HOLD;
        lane_q <= pick_lane;
        byte_q <= u_copy.c_data_q[pick_lane];
      end
      AT_HOLD: if (leaves) at_q <= AT_OUT;
      default: at_q <= AT_NONE;
    endcase
    if (rst) at_q <= AT_NONE;
  end
  `KUMI_ASSERT(i_hold,
               at_q != AT_HOLD || (u_copy.have_q[lane_q] && u_copy.hold_q[lane_q] == byte_q))
  `KUMI_ASSERT(
      a_byte, at_q != AT_OUT || (m_valid && m_data[8*lane_q+:8] == byte_q && 5'(lane_q) < m_count))
  `KUMI_ASSERT(a_full, !m_valid || m_flush || m_count == 5'(BYTES))

  // ---- verdicts -------------------------------------------------------------------------------
  logic order, due;
  assign order = m_valid && m_flush;
  assign due = u_check.sum_due_q != '0 || u_check.size_due_q || u_check.sum_bad_q
      || u_check.size_bad_q;
  `KUMI_ASSERT(a_quiet, !due || !m_valid)
  `KUMI_ASSERT(a_begun, !due || !u_check.clear_q)
  `KUMI_ASSERT(a_far, !due || !far)
  // Where the token that closed it is meanwhile, or the next one.
  logic empty, paused;
  assign empty = !u_copy.order_q
      && {u_copy.a_put, u_copy.r_put_q, u_copy.b_put_q, u_copy.c_put_q, u_copy.have_q} == '0;
  logic settled;  // a sum that is due is on its way, behind nothing else
  always_comb begin
    settled = 1'b1;
    for (int i = 0; i < 10; i++) begin
      for (int j = 0; j <= i && j < 9; j++) begin
        if (u_check.sum_due_q[i]) begin
          settled &= u_check.u_adler.u_sum.late_q[j] == u_check.u_adler.u_sum.now_q;
          if (j < 3) settled &= u_check.u_crc.u_sum.late_q[j] == u_check.u_crc.u_sum.now_q;
        end
      end
    end
  end
  function automatic logic pauses(input inflate_token_e kind, input logic [3:0] at_most,
                                  input logic [3:0] next_most, input logic next_may);
    return (u_copy.op_valid_q && u_copy.op_q.kind == kind && u_copy.settle_q >= 4'd6
            && u_copy.settle_q <= at_most)
        || (next_may && (!u_copy.op_valid_q || (u_copy.order && u_copy.settle_q <= next_most)));
  endfunction
  always_comb begin
    paused = 1'b1;
    if (u_copy.order_q) paused &= pauses(u_copy.order_token_q.kind, 4'd6, '0, 1'b0);
    if (order) paused &= pauses(m_token.kind, 4'd7, '0, 1'b0);
    for (int i = 0; i < 8; i++) begin
      if (u_check.sum_due_q[i]) paused &= pauses(TOKEN_CHECK, 4'(8 + i), '0, 1'b0);
    end
    if (u_check.sum_due_q[8]) paused &= pauses(TOKEN_CHECK, 4'd15, 4'd0, 1'b1);
    if (u_check.sum_due_q[9]) paused &= pauses(TOKEN_CHECK, 4'd15, 4'd1, 1'b1);
    if (u_check.sum_bad_q) paused &= pauses(TOKEN_CHECK, 4'd15, 4'd2, 1'b1);
    if (u_check.size_due_q) paused &= pauses(TOKEN_SIZE, 4'd8, '0, 1'b0);
    if (u_check.size_bad_q) paused &= pauses(TOKEN_SIZE, 4'd9, '0, 1'b0);
    if (u_copy.order_q || order) paused &= closing;
    if (order || due) paused &= empty;
  end
  `KUMI_ASSERT(i_paused, paused)
  `KUMI_ASSERT(i_closed, !due || closed_q)
  `KUMI_ASSERT(i_settled_sums, settled)
  `KUMI_ASSERT(
      a_sum,
      !u_check.sum_due_q[9] || u_check.sum_q == (u_check.format_q == FORMAT_ZLIB ? u_check.u_adler.u_sum.now_q : u_check.u_crc.u_sum.now_q))
  `KUMI_ASSERT(a_ends, !(order && m_token.kind == TOKEN_END) || !far)

  `KUMI_COVER(c_hit, valid_q[1] && u_copy.b_q.copy && u_copy.two_q != '0 && u_copy.b_put_q != '0)
  `KUMI_COVER(c_full, 32'(depth_q) + 32'(flight) >= BEATS - 6)
  `KUMI_COVER(c_bad, byte_valid && byte_end && byte_error == GZIP_ERR_CHECKSUM)
endmodule
