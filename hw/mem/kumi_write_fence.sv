// SPDX-License-Identifier: Apache-2.0
//
// Holds records back until the write bursts they describe are in memory.
//
// s_*: a record and its number of bursts (0: order only), in the order of the bursts. It may arrive
//   before or after the bursts themselves.
// b_valid: a burst is in memory: its B was accepted, or, where memory keeps order (kumi_axi_ram),
//   its last data beat was. b_bad: it failed. m_*: records whose bursts, and all earlier ones, are
//   in memory; m_bad: one of its bursts failed. With a second failure before the first one's record
//   has left, all records in between are bad too.
// Latency: 2 cycles from b_valid (FAST: 1), 3 from s_*. A record a cycle; the one after a bad
//   record a cycle later. m_* are registered.
module kumi_write_fence #(
    parameter int W       = 8,   // bits of a record
    parameter int BURST_W = 7,   // bits of a number of bursts
    parameter int DEPTH   = 64,  // records, a power of two
    parameter int FAST    = 0    // 1: a cycle sooner; b_bad is not used
) (
    input  logic               clk,
    input  logic               rst,
    input  logic [      W-1:0] s_data,
    input  logic [BURST_W-1:0] s_bursts,
    input  logic               s_valid,
    output logic               s_ready,
    input  logic               b_valid,
    input  logic               b_bad,
    output logic [      W-1:0] m_data,
    output logic               m_bad,
    output logic               m_valid,
    input  logic               m_ready,
    output logic               empty
);
  // Bursts are numbered from reset on, modulo twice as many as may be under way: those of all
  // records, of which two are in registers, and of two that are still to come.
  localparam int COUNT_W = $clog2((DEPTH + 4) * (2 ** BURST_W - 1) + 1) + 1;

  // Whether burst `n` is not behind burst `limit`.
  function automatic logic not_behind(input logic [COUNT_W-1:0] n, input logic [COUNT_W-1:0] limit);
    logic [COUNT_W-1:0] ahead;
    ahead = limit - n;
    return !ahead[COUNT_W-1];
  endfunction

  // ---- records, each with the number of its last burst ------------------------------------------
  logic [W-1:0] next_data;
  logic next_valid, next_take;
  logic [COUNT_W-1:0] sum_q, sum, next_until;
  logic [$clog2(DEPTH):0] depth;

  assign sum = sum_q + COUNT_W'(s_bursts);
  always_ff @(posedge clk) begin
    if (s_valid && s_ready) sum_q <= sum;
    if (rst) sum_q <= '0;
  end

  kumi_fifo #(
      .W(COUNT_W + W),
      .DEPTH(DEPTH),
      .STYLE(DEPTH <= 64 ? 0 : 2)  // its register is the one below
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({sum, s_data}),
      .s_valid,
      .s_ready,
      .m_data ({next_until, next_data}),
      .m_valid(next_valid),
      .m_ready(next_take),
      .depth
  );

  // ---- the oldest one, compared a cycle before it may leave -------------------------------------
  logic [COUNT_W-1:0] until_q;
  logic [COUNT_W-1:0] there_q, after_q;  // of the last burst that is in memory; of the next one
  logic held_valid_q, done_q, pop;

  function automatic logic arrived(input logic [COUNT_W-1:0] until_);
    return not_behind(until_, there_q) || (FAST != 0 && b_valid && until_ == after_q);
  endfunction

  assign m_valid = held_valid_q && done_q;
  assign pop = m_valid && m_ready;
  assign next_take = !held_valid_q || pop;

  always_ff @(posedge clk) begin
    there_q <= there_q + COUNT_W'(b_valid);
    after_q <= after_q + COUNT_W'(b_valid);
    if (next_take) begin
      held_valid_q <= next_valid;
      m_data <= next_data;
      until_q <= next_until;
    end
    // Both are compared while it is decided which one it is. A failure that a record tells of is
    // forgotten first, then the next record is judged.
    done_q <= (next_take ? arrived(next_until) : arrived(until_q)) && !(pop && m_bad);
    m_bad  <= next_take ? fails(next_until) : fails(until_q);
    if (rst) begin
      there_q <= '0;
      after_q <= COUNT_W'(1);
      held_valid_q <= 1'b0;
    end
  end

  // ---- failures: of the oldest one that no record has told, and of the newest -----------------
  logic [COUNT_W-1:0] first_q, first, last_q, last;
  logic bad_q, bad, fails_q;  // fails_q: the burst that came last failed

  assign bad   = bad_q || fails_q;
  assign first = bad_q ? first_q : there_q;
  assign last  = fails_q ? there_q : last_q;

  function automatic logic fails(input logic [COUNT_W-1:0] until_);
    return FAST == 0 && bad && not_behind(first, until_);
  endfunction

  always_ff @(posedge clk) begin
    fails_q <= b_valid && b_bad && !rst;
    bad_q   <= bad && !(pop && not_behind(last, until_q)) && !rst;
    first_q <= pop && m_bad ? until_q : first;  // all up to `last` are bad, too
    last_q  <= last;
  end

  // ---- records held: counted a cycle later ----------------------------------------------------
  logic [$clog2(DEPTH)+1:0] count_q;
  logic pushed_q, popped_q;
  always_ff @(posedge clk) begin
    pushed_q <= s_valid && s_ready && !rst;
    popped_q <= pop && !rst;
    count_q  <= count_q + ($clog2(DEPTH) + 2)'(pushed_q) - ($clog2(DEPTH) + 2)'(popped_q);
    if (rst) count_q <= '0;
  end
  assign empty = count_q == '0 && !pushed_q;

  logic unused;
  assign unused = ^depth;
endmodule
