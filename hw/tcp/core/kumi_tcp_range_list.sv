// SPDX-License-Identifier: Apache-2.0
//
// Inserts a range into a list of ranges that neither overlap nor touch. Combinational.
//
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
    input tcp_seq_ranges_t list,
    input logic [31:0] left,
    input logic [31:0] right,
    output tcp_seq_ranges_t next,
    output logic full
);
  if (OOO_RANGES < 1 || OOO_RANGES > MAX_RANGES) begin : gen_check
    $fatal(0, "OOO_RANGES must be 1..%0d (%m)", MAX_RANGES);
  end

  logic [MAX_RANGES-1:0] touch, rest, drop;
  logic [31:0] low, high;

  always_comb begin
    for (int i = 0; i < MAX_RANGES; i++) begin
      touch[i] = list[i].valid && !is_before(list[i].right, left) &&
          !is_before(right, list[i].left);
    end
  end

  // The merged range: only the first and the last range touched may extend beyond the new one.
  always_comb begin
    low  = left;
    high = right;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (touch[i] && is_before(list[i].left, left)) low = list[i].left;
      if (touch[i] && is_before(right, list[i].right)) high = list[i].right;
    end
  end

  // The entry to discard when all are in use: the highest.
  logic [MAX_RANGES-1:0] highest;
  logic                  above;  // the new range lies above all
  always_comb begin
    above = 1'b1;
    for (int i = 0; i < MAX_RANGES; i++) begin
      highest[i] = list[i].valid;
      for (int j = 0; j < MAX_RANGES; j++) begin
        if (j != i && list[j].valid && is_before(list[i].left, list[j].left)) highest[i] = 1'b0;
      end
      if (list[i].valid && is_before(left, list[i].left)) above = 1'b0;
    end
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
