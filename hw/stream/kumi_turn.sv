// SPDX-License-Identifier: Apache-2.0
//
// Whose turn it is among many requesters, as a number and in two short steps: kumi_arbiter for
// tens to hundreds of them at a high clock.
//
// req: one bit per requester; some: there is one, in the same cycle. pick, not in two cycles that
//   follow one another: one of those that ask in this cycle is chosen, and index is its number in
//   the next cycle (only there). With no request in the cycle of pick, index is nobody's.
// Round-robin: the requester behind the last one that was picked has priority, so each of N that
//   holds its request is picked within N picks.
// Latency 1 cycle from req to index.
module kumi_turn #(
    parameter  int N       = 64,        // requesters, from 2 on
    localparam int INDEX_W = $clog2(N)
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] req,
    output logic some,
    input logic pick,
    output logic [INDEX_W-1:0] index
);
  localparam int PART = 8;
  localparam int PARTS = (N + PART - 1) / PART;
  localparam int ALL = PARTS * PART;

  if (N < 2) begin : gen_check_n
    $fatal(0, "N must be at least 2 (%m)");
  end

  function automatic logic [2:0] lowest(input logic [PART-1:0] x);
    lowest = '0;
    for (int k = PART - 1; k >= 0; --k) if (x[k]) lowest = 3'(k);
  endfunction

  // 1: in each part, the first that asks, and the first that asks behind the last one picked.
  logic [ALL-1:0] ask, ask_later;
  logic [PARTS-1:0] any_q, any_later_q;
  logic [PARTS-1:0][2:0] first_q, first_later_q;
  logic [INDEX_W-1:0] last_q;  // the one picked last
  logic picked_q;

  assign some = |req;
  assign ask  = ALL'(req);
  always_comb for (int i = 0; i < ALL; ++i) ask_later[i] = ask[i] && i > 32'(last_q);

  always_ff @(posedge clk) begin
    for (int p = 0; p < PARTS; ++p) begin
      any_q[p] <= |ask[p*PART+:PART];
      any_later_q[p] <= |ask_later[p*PART+:PART];
      first_q[p] <= lowest(ask[p*PART+:PART]);
      first_later_q[p] <= lowest(ask_later[p*PART+:PART]);
    end
    picked_q <= pick && some;
    if (picked_q) last_q <= index;
    if (rst) begin
      picked_q <= 1'b0;
      last_q   <= INDEX_W'(N - 1);
    end
  end

  // 2: the first part that has one. Bit p of x << 1, or-ed up, says that a lower part has one.
  function automatic logic [PARTS-1:0] first_part(input logic [PARTS-1:0] x);
    logic [PARTS-1:0] above;
    above = x << 1;
    for (int k = 1; k < PARTS; k *= 2) above |= above << k;
    return x & ~above;
  endfunction

  logic [PARTS-1:0] part, part_later;
  logic [INDEX_W-1:0] found, found_later;
  assign part = first_part(any_q);
  assign part_later = first_part(any_later_q);
  always_comb begin
    found = '0;
    found_later = '0;
    for (int p = 0; p < PARTS; ++p) begin
      if (part[p]) found |= INDEX_W'(p * PART) | INDEX_W'(first_q[p]);
      if (part_later[p]) found_later |= INDEX_W'(p * PART) | INDEX_W'(first_later_q[p]);
    end
  end
  assign index = |any_later_q ? found_later : found;
endmodule
