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
// Latency: 1 cycle from b_valid (FAST: 0, without a register), 2 from s_* (3 with more than 64
//   records). A record a cycle.
module kumi_write_fence #(
    parameter int W       = 8,   // bits of a record
    parameter int BURST_W = 7,   // bits of a number of bursts
    parameter int DEPTH   = 64,  // records, a power of two
    parameter int FAST    = 0    // 1: m_valid follows b_valid in the same cycle; b_bad is not used
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
  // records, and of one whose record is still to come.
  localparam int COUNT_W = BURST_W + $clog2(DEPTH) + 2;

  logic head, pop;
  logic [$clog2(DEPTH):0] depth;
  logic [COUNT_W-1:0] sum_q, sum;  // number of the last burst of all records so far
  logic [COUNT_W-1:0] until_head;  // of the head's last burst
  logic [COUNT_W-1:0] there_q;  // of the last burst that is in memory

  // Whether burst `n` is not behind burst `limit`.
  function automatic logic not_behind(input logic [COUNT_W-1:0] n, input logic [COUNT_W-1:0] limit);
    logic [COUNT_W-1:0] ahead;
    ahead = limit - n;
    return !ahead[COUNT_W-1];
  endfunction

  assign sum = sum_q + COUNT_W'(s_bursts);
  kumi_fifo #(
      .W(COUNT_W + W),
      .DEPTH(DEPTH)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({sum, s_data}),
      .s_valid,
      .s_ready,
      .m_data ({until_head, m_data}),
      .m_valid(head),
      .m_ready(pop),
      .depth
  );

  assign m_valid = head && (not_behind(
      until_head, there_q
  ) || (FAST != 0 && b_valid && until_head == there_q + 1'b1));
  assign pop = m_valid && m_ready;

  always_ff @(posedge clk) begin
    if (s_valid && s_ready) sum_q <= sum;
    there_q <= there_q + COUNT_W'(b_valid);
    if (rst) begin
      sum_q   <= '0;
      there_q <= '0;
    end
  end

  // ---- failures: of the oldest one that no record has told, and of the newest -----------------
  logic [COUNT_W-1:0] first_q, first, last_q, last;
  logic bad_q, bad, fails_q;  // fails_q: the burst that came last failed

  assign bad   = bad_q || fails_q;
  assign first = bad_q ? first_q : there_q;
  assign last  = fails_q ? there_q : last_q;
  assign m_bad = FAST == 0 && bad && not_behind(first, until_head);

  always_ff @(posedge clk) begin
    fails_q <= b_valid && b_bad && !rst;
    bad_q   <= bad && !(pop && not_behind(last, until_head)) && !rst;
    first_q <= pop && m_bad ? until_head : first;  // all up to `last` are bad, too
    last_q  <= last;
  end

  // ---- records held: `empty` tells of the last one's end a cycle later -------------------------
  logic [$clog2(DEPTH)+1:0] held_q;
  logic popped_q;
  always_ff @(posedge clk) begin
    popped_q <= pop && !rst;
    held_q   <= held_q + ($clog2(DEPTH) + 2)'(s_valid && s_ready) - ($clog2(DEPTH) + 2)'(popped_q);
    if (rst) held_q <= '0;
  end
  assign empty = held_q == '0;

  logic unused;
  assign unused = ^depth;
endmodule
