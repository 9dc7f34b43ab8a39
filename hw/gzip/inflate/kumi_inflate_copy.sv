// SPDX-License-Identifier: Apache-2.0
//
// Copy engine of kumi_inflate: writes literals and matches into the window of 32 KiB, and hands the
// bytes out in the order of the stream.
//
// s_token: tokens (inflate_token_t), valid/ready. m_*: bytes, byte 0 low: all BYTES of them, or
//   fewer before m_flush; m_flush: what the tokens of other kinds wait for is out, and m_token is
//   that token. m_ready: at least 8 more cycles with m_valid are accepted; there is no other
//   back-pressure.
// After m_flush no byte follows for 10 cycles.
// far: a distance was beyond the first byte of the member (pulse). Bytes that follow are dropped
//   until TOKEN_END; those before it may still come out.
// Throughput: a token of literals a cycle, BYTES bytes of a match a cycle; a distance below BYTES
//   begins with as many bytes as it has, and doubles. A length without literals takes no cycle.
//
// How: bytes are in banks by their position, so that any BYTES consecutive ones are one read or one
// write. What is read waits a cycle in a register behind the memory, so a read does not see the
// three writes before it; their bytes are forwarded.
`include "kumi_assert.svh"
module kumi_inflate_copy
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int BYTES = 8  // bytes a cycle, 4, 8 or 16
) (
    input  logic                         clk,
    input  logic                         rst,
    input  inflate_token_t               s_token,
    input  logic                         s_valid,
    output logic                         s_ready,
    output logic                         m_valid,
    output logic           [8*BYTES-1:0] m_data,
    output logic           [        4:0] m_count,
    output logic                         m_flush,
    output inflate_token_t               m_token,
    input  logic                         m_ready,
    output logic                         far
);
  localparam int LANE_W = $clog2(BYTES);
  localparam int POS_W = $clog2(WINDOW);
  localparam int ROW_W = POS_W - LANE_W;
  localparam int SETTLE = 5;  // cycles from a token until its bytes are out
  localparam int PAUSE = 15;  // of a token without bytes, for what depends on it

  if (BYTES != 4 && BYTES != 8 && BYTES != 16) begin : gen_check
    $fatal(0, "BYTES must be 4, 8 or 16 (%m)");
  end

  // ---- one token at a time --------------------------------------------------------------------
  inflate_token_t op_q;
  logic op_valid_q, copy, order, op_end, first_q, go_q;
  logic [8:0] left_q, length_q;  // bytes of the match
  logic [POS_W:0] dist_q;  // of the source; a multiple of the distance while that is below BYTES
  logic [POS_W:0] written_q;  // of the member, at most WINDOW
  logic [POS_W-1:0] pos_q;
  logic [4:0] count;
  logic [3:0] settle_q;
  logic near_q, issue, bare, op_ready;  // near_q: the distance is below BYTES

  assign copy  = op_q.kind == TOKEN_DIST;
  assign order = op_q.kind != TOKEN_DIST && op_q.kind != TOKEN_DATA;

  always_comb begin
    count  = 5'(op_q.count);
    op_end = 1'b1;
    if (copy) begin
      count  = near_q ? 5'(dist_q[LANE_W-1:0]) : 5'(BYTES);
      op_end = left_q <= 9'(count);
      if (op_end) count = left_q[4:0];
    end
    if (order) begin
      count  = '0;
      op_end = settle_q == 4'(PAUSE);
    end
  end

  // A token with a length alone costs no cycle.
  assign bare = s_token.kind == TOKEN_DATA && s_token.count == '0;
  assign issue = op_valid_q && go_q;
  assign op_ready = !op_valid_q || (go_q && op_end);
  assign s_ready = bare || op_ready;

  always_ff @(posedge clk) begin
    go_q <= m_ready;
    if (issue) begin
      pos_q <= pos_q + POS_W'(count);
      if (!written_q[POS_W]) written_q <= written_q + (POS_W + 1)'(count);
      left_q  <= left_q - 9'(count);
      first_q <= 1'b0;
      if (near_q) dist_q <= dist_q << 1;
      near_q <= dist_q < (POS_W + 1)'(BYTES / 2);
      if (order) settle_q <= settle_q + 1'b1;
      if (op_end) op_valid_q <= 1'b0;
      if (op_end && op_q.kind == TOKEN_MEMBER) begin
        pos_q <= '0;
        written_q <= '0;
      end
    end
    if (s_valid && s_ready && s_token.match) length_q <= 9'(s_token.len) + 9'(MIN_MATCH);
    if (s_valid && op_ready && !bare) begin
      op_q <= s_token;
      op_valid_q <= 1'b1;
      first_q <= 1'b1;
      settle_q <= '0;
      left_q <= length_q;
      dist_q <= (POS_W + 1)'(s_token.data[POS_W-1:0]) + 1'b1;
      near_q <= s_token.data[POS_W-1:0] < POS_W'(BYTES - 1);
    end
    if (rst) begin
      op_valid_q <= 1'b0;
      pos_q <= '0;
      written_q <= '0;
      go_q <= 1'b0;
    end
  end

  // ---- read -----------------------------------------------------------------------------------
  // A chunk: up to BYTES bytes to `pos`, from `from` or from the token.
  typedef struct packed {
    logic                   valid;
    logic                   copy;
    logic [4:0]             count;
    logic [POS_W-1:0]       pos;
    logic [POS_W-1:0] from;
    logic [31:0]            data;
  } copy_chunk_t;

  // Stages: a reads, r holds what was read, b turns it, c writes. d and e are written.
  copy_chunk_t a_q, r_q, b_q;
  logic a_far_q, dropped_q;
  logic [BYTES-1:0] a_put, r_put_q, b_put_q, c_put_q, d_put_q;
  logic [BYTES-1:0] one_q, two_q, three_q;  // the byte is in the chunk so many ahead
  logic [BYTES-1:0][ROW_W-1:0] a_row, a_get_row, r_row_q, r_get_row_q, b_row_q, c_row_q, d_row_q;
  logic [BYTES-1:0][LANE_W-1:0] place;
  logic [BYTES-1:0][7:0] got, got_q, source, turned, placed, c_data_q, d_data_q, e_data_q;
  logic [LANE_W-1:0] turn_q;  // from the lane of the source to that of the byte

  always_ff @(posedge clk) begin
    a_q <= '{
        valid: issue && count != '0,
        copy: copy,
        count: count,
        pos: pos_q,
        from : pos_q - dist_q[POS_W-1:0],
        data: op_q.data
    };
    a_far_q <= issue && copy && first_q && dist_q > written_q;
    if (a_far_q) dropped_q <= 1'b1;
    if (issue && op_end && op_q.kind == TOKEN_END) dropped_q <= 1'b0;
    if (rst) begin
      a_q.valid <= 1'b0;
      dropped_q <= 1'b0;
    end
  end
  assign far = a_far_q && !dropped_q;

  always_comb begin
    for (int b = 0; b < BYTES; b++) begin
      // Place of bank b in the chunk, and the row of the byte that goes there.
      place[b] = LANE_W'(b) - a_q.pos[LANE_W-1:0];
      a_put[b] = {1'b0, place[b]} < (LANE_W + 1)'(a_q.count) && a_q.valid && !a_far_q && !dropped_q;
      a_row[b] = a_q.pos[POS_W-1:LANE_W] + ROW_W'(LANE_W'(b) < a_q.pos[LANE_W-1:0]);
      a_get_row[b] = a_q.from[POS_W-1:LANE_W] + ROW_W'(LANE_W'(b) < a_q.from[LANE_W-1:0]);
    end
  end

  always_ff @(posedge clk) begin
    r_q <= a_q;
    r_put_q <= a_put;
    r_row_q <= a_row;
    r_get_row_q <= a_get_row;
    b_q <= r_q;
    b_put_q <= r_put_q;
    b_row_q <= r_row_q;
    got_q <= got;
    turn_q <= r_q.copy ? r_q.pos[LANE_W-1:0] - r_q.from[LANE_W-1:0] : r_q.pos[LANE_W-1:0];
    for (int b = 0; b < BYTES; b++) begin
      one_q[b]   <= b_put_q[b] && b_row_q[b] == r_get_row_q[b];
      two_q[b]   <= c_put_q[b] && c_row_q[b] == r_get_row_q[b];
      three_q[b] <= d_put_q[b] && d_row_q[b] == r_get_row_q[b];
    end
    if (rst) begin
      r_put_q <= '0;
      b_put_q <= '0;
    end
  end

  for (genvar b = 0; b < BYTES; b++) begin : gen_bank
    kumi_ram_sdp #(
        .W(8),
        .DEPTH(2 ** ROW_W),
        .STYLE(1)
    ) u_bank (
        .clk,
        .wr_en  (c_put_q[b]),
        .wr_addr(c_row_q[b]),
        .wr_data(c_data_q[b]),
        .rd_en  (1'b1),
        .rd_addr(a_get_row[b]),
        .rd_data(got[b])
    );
  end

  // ---- write ----------------------------------------------------------------------------------
  always_comb begin
    for (int b = 0; b < BYTES; b++) begin
      source[b] = one_q[b] ? c_data_q[b] : two_q[b] ? d_data_q[b] : three_q[b] ? e_data_q[b] :
          got_q[b];
      if (!b_q.copy) source[b] = b < 4 ? b_q.data[8*(b%4)+:8] : '0;
    end
    for (int b = 0; b < BYTES; b++) turned[b] = source[LANE_W'(b)-turn_q];
  end

  always_ff @(posedge clk) begin
    c_put_q  <= b_put_q;
    c_row_q  <= b_row_q;
    c_data_q <= turned;
    d_put_q  <= c_put_q;
    d_row_q  <= c_row_q;
    d_data_q <= c_data_q;
    e_data_q <= d_data_q;
    if (rst) begin
      c_put_q <= '0;
      d_put_q <= '0;
    end
  end

  // ---- beats ----------------------------------------------------------------------------------
  // Bytes are in their lanes already. A chunk that goes on in the next beat has lane 0 after the
  // last one.
  logic [BYTES-1:0] have_q, low, high;
  logic [BYTES-1:0][7:0] hold_q;
  logic [LANE_W-1:0] c_lane_q, b_lane_q;
  logic order_q, wraps, full;
  inflate_token_t order_token_q;

  always_comb begin
    for (int b = 0; b < BYTES; b++) begin
      low[b] = c_put_q[b] && LANE_W'(b) >= c_lane_q;
      high[b] = c_put_q[b] && LANE_W'(b) < c_lane_q;
      placed[b] = low[b] ? c_data_q[b] : hold_q[b];
    end
    wraps = high != '0;
    full  = (have_q | low) == '1;
  end

  always_ff @(posedge clk) begin
    b_lane_q <= r_q.pos[LANE_W-1:0];
    c_lane_q <= b_lane_q;
    order_q <= issue && order && settle_q == 4'(SETTLE);
    order_token_q <= op_q;
    m_valid <= full || order_q;
    m_flush <= order_q;
    m_token <= order_token_q;
    m_data <= placed;
    m_count <= '0;
    for (int b = 0; b < BYTES; b++) if (have_q[b] || low[b]) m_count <= 5'(b + 1);
    have_q <= full || order_q ? high : have_q | low;
    hold_q <= wraps ? c_data_q : placed;
    if (rst) begin
      m_valid <= 1'b0;
      have_q  <= '0;
    end
  end

  // ---- what is read was written ----------------------------------------------------------------
  // legal_q: the distance of the match under way was not beyond the first byte.
  logic legal_q, legal;
  assign legal = first_q ? dist_q <= written_q : legal_q;
  always_ff @(posedge clk) if (issue) legal_q <= legal;

  `KUMI_ASSERT(a_written, !op_valid_q || !copy || !legal || dist_q <= written_q)
  `KUMI_ASSERT(a_near, !op_valid_q || !copy || near_q == (dist_q < (POS_W + 1)'(BYTES)))
  `KUMI_ASSERT(a_source_ends, !issue || !copy || (POS_W + 1)'(count) <= dist_q)
  `KUMI_ASSERT(a_window, !op_valid_q || !copy || dist_q <= (POS_W + 1)'(WINDOW))
  `KUMI_ASSERT(a_dropped, !(a_far_q || dropped_q) || a_put == '0)

  logic unused;
  assign unused = ^{b_q, order_token_q};
endmodule
