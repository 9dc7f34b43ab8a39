// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_range_list: the ranges of a list neither overlap nor touch, and represent
//   exactly the numbers inserted.
//
// The list is a register that may take the module's result in every second cycle, when it is
// valid, so every reachable list is covered, by induction. One freely chosen number is observed.
// Numbers are below 32 (their comparison is the same anywhere on the circle). KEEP_LOW: a full list
// may discard its highest range; numbers below the others are inserted.
`include "kumi_assert.svh"
module tcp_range_list_formal
  import kumi_tcp_core_pkg::*;
#(
    parameter int OOO_RANGES = 3,
    parameter bit KEEP_LOW   = 1'b0
) (
    input logic clk,
    input logic rst,
    input logic put,
    input logic [31:0] new_left,
    input logic [31:0] new_right
);
  tcp_seq_ranges_t list_q, next;
  logic [31:0] left, right;
  logic full;

  kumi_tcp_range_list #(
      .OOO_RANGES(OOO_RANGES),
      .KEEP_LOW  (KEEP_LOW)
  ) u_dut (
      .clk,
      .list(list_q),
      .left,
      .right,
      .next,
      .full
  );

  logic started_q = 1'b0;
  logic valid_q = 1'b0;  // list and range are those of the cycle before
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    valid_q   <= !rst && !valid_q;
    if (put && valid_q) list_q <= next;
    if (valid_q || rst) {left, right} <= {new_left, new_right};
    if (rst) list_q <= '0;
  end
  always_comb assume (started_q == !rst);
  always_comb assume (new_left < new_right && new_right < 32'd32);
  `KUMI_ASSERT(a_range, left < right && right < 32'd32)

  logic [31:0] x;  // any constant
  always_ff @(posedge clk) x <= x;
  always_comb assume (x < 32'd32);

  function automatic logic holds(input tcp_seq_ranges_t g, input logic [31:0] n);
    logic found;
    found = 1'b0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (g[i].valid && g[i].left <= n && n < g[i].right) found = 1'b1;
    end
    return found;
  endfunction

  // Proper, in place, apart from each other, and packed at the front of the list.
  function automatic logic sound(input tcp_seq_ranges_t g);
    logic good;
    good = 1'b1;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (g[i].valid) begin
        if (!(g[i].left < g[i].right && g[i].right < 32'd32)) good = 1'b0;
        if (i >= OOO_RANGES) good = 1'b0;
        if (i > 0 && !g[i-1].valid) good = 1'b0;
        for (int j = 0; j < i; j++) begin
          if (g[j].valid && !(g[i].right < g[j].left || g[j].right < g[i].left)) good = 1'b0;
        end
      end
    end
    return good;
  endfunction

  logic in_new, above;
  assign in_new = left <= x && x < right;
  always_comb begin
    above = 1'b1;
    for (int i = 0; i < MAX_RANGES; i++) if (list_q[i].valid && list_q[i].right > x) above = 1'b0;
  end

  `KUMI_ASSERT(a_sound, sound(list_q))
  `KUMI_ASSERT(a_exact, !valid_q || full || holds(next, x) == (holds(list_q, x) || in_new))
  `KUMI_ASSERT(
      a_newest,
      !valid_q || full || (next[0].valid && next[0].left <= left && right <= next[0].right))
  if (KEEP_LOW) begin : gen_low
    // Nothing comes in that was not there; what lies below all of the old list and is new stays.
    `KUMI_ASSERT(a_low, !valid_q || !full || !holds(next, x) || holds(list_q, x) || in_new)
    `KUMI_ASSERT(
        a_kept,
        !valid_q || !full || !(in_new && right < list_q[0].left && right < list_q[1].left) || holds(
        next, x))
  end else begin : gen_keep
    `KUMI_ASSERT(a_keep, !valid_q || !full || next == list_q)
  end
  `KUMI_COVER(c_full, valid_q && full && put)
  `KUMI_COVER(c_join, valid_q && list_q[2].valid && put && next[0].valid && !next[1].valid)

  logic unused;
  assign unused = above;
endmodule
