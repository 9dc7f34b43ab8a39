// SPDX-License-Identifier: Apache-2.0
//
// Inserts a range into a list of ranges that neither overlap nor touch.
//
// next and full are valid one cycle after list, left and right, which remain stable: the first
//   cycle compares, the second selects.
// The new range [left, right) is merged with all ranges it overlaps or touches. The result is entry
// 0, so the list tells which range changed last (RFC 2018, 4); the others keep their order.
// full: nothing merges and all OOO_RANGES entries are in use. Then the list is unchanged (KEEP_LOW
//   = 0), or the highest range is discarded (KEEP_LOW = 1).
// Ranges are shorter than 2^31; left precedes right.
module kumi_tcp_range_list
  import kumi_tcp_core_pkg::*;
#(
    parameter int OOO_RANGES = 4,    // entries used, 1..MAX_RANGES
    parameter bit KEEP_LOW   = 1'b0
) (
    input logic clk,
    input tcp_seq_ranges_t list,
    input logic [31:0] left,
    input logic [31:0] right,
    output tcp_seq_ranges_t next,
    output logic full
);
  if (OOO_RANGES < 1 || OOO_RANGES > MAX_RANGES) begin : gen_check
    $fatal(0, "OOO_RANGES must be 1..%0d (%m)", MAX_RANGES);
  end

  // ---- first cycle: comparisons ---------------------------------------------------------------

  logic [MAX_RANGES-1:0] reach_q, begin_q;  // entries that end, that begin within reach of it
  logic [MAX_RANGES-1:0] lower_q, higher_q;  // entries that begin before it, that end behind it
  logic [MAX_RANGES-1:0] beyond_q;  // entries that begin behind its first number
  logic [MAX_RANGES-1:0][MAX_RANGES-1:0] below_q;  // [i][j]: entry i begins before entry j

  always_ff @(posedge clk) begin
    for (int i = 0; i < MAX_RANGES; i++) begin
      reach_q[i]  <= !is_before(list[i].right, left);
      begin_q[i]  <= !is_before(right, list[i].left);
      lower_q[i]  <= is_before(list[i].left, left);
      higher_q[i] <= is_before(right, list[i].right);
      beyond_q[i] <= list[i].valid && is_before(left, list[i].left);
      for (int j = 0; j < MAX_RANGES; j++) begin
        below_q[i][j] <= list[j].valid && is_before(list[i].left, list[j].left);
      end
    end
  end

  // ---- second cycle ---------------------------------------------------------------------------

  logic [MAX_RANGES-1:0] touch;  // entries that the new range overlaps or touches
  logic [MAX_RANGES-1:0] rest, drop;
  logic [31:0] low, high;

  always_comb begin
    for (int i = 0; i < MAX_RANGES; i++) touch[i] = list[i].valid && reach_q[i] && begin_q[i];
  end

  // The merged range: only the first and the last range touched may extend beyond the new one.
  always_comb begin
    low  = left;
    high = right;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (touch[i] && lower_q[i]) low = list[i].left;
      if (touch[i] && higher_q[i]) high = list[i].right;
    end
  end

  // The entry to discard when all are in use: the highest.
  logic [MAX_RANGES-1:0] highest;
  logic above;  // the new range lies above all
  assign above = beyond_q == '0;
  always_comb begin
    for (int i = 0; i < MAX_RANGES; i++) highest[i] = list[i].valid && below_q[i] == '0;
  end

  logic [OOO_RANGES-1:0] used;
  always_comb begin
    for (int i = 0; i < OOO_RANGES; i++) used[i] = list[i].valid;
  end
  assign full = &used && touch == '0;

  // drop: entries to remove; entry k moves to 1 + the number of entries kept below it.
  assign drop = touch | (full && KEEP_LOW ? highest : '0);
  assign rest = ~drop;

  always_comb begin
    next = list;
    if (!full || (KEEP_LOW && !above)) begin
      next = '0;
      next[0] = '{valid: 1'b1, left: low, right: high};
      for (int i = 0; i < MAX_RANGES; i++) begin
        automatic int at;
        at = 1;
        for (int j = 0; j < i; j++) if (list[j].valid && rest[j]) at++;
        for (int k = 1; k < MAX_RANGES; k++) begin
          if (at == k && list[i].valid && rest[i]) next[k] = list[i];
        end
      end
    end
  end
endmodule
