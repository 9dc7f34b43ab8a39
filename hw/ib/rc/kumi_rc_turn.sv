// SPDX-License-Identifier: Apache-2.0
//
// Round-robin choice of one of many queue pairs, in three short steps instead of a long one.
//
// req: who asks, held for three cycles; pick in the third. grant (one-hot) and index are valid from
//   the next cycle on and stay until the next pick. With no request grant is zero.
// The one behind the last that was picked has priority.
module kumi_rc_turn #(
    parameter int N = 64,  // queue pairs, a power of two from 2 on
    localparam int N_W = $clog2(N)
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] req,
    input logic pick,
    output logic [N-1:0] grant,
    output logic [N_W-1:0] index
);
  localparam int PART = N < 8 ? N : 8;
  localparam int PARTS = N / PART;

  logic [N-1:0] later_q;  // those behind the last that was picked
  logic [N-1:0] ask_q, lowest, lowest_q, chosen;
  logic [PARTS-1:0] some, part, part_q;
  logic [N_W-1:0] chosen_index;
  logic picked_q;

  // 1: who is behind the last one, or all; 2: the first in each part, and the first part; 3: both
  for (genvar i = 0; i < PARTS; ++i) begin : gen_part
    assign some[i] = |ask_q[i*PART+:PART];
    assign chosen[i*PART+:PART] = part_q[i] ? lowest_q[i*PART+:PART] : '0;
    kumi_arbiter #(
        .N(PART),
        .ROUND_ROBIN(1'b0)
    ) u_lowest (
        .clk,
        .rst,
        .req  (ask_q[i*PART+:PART]),
        .done (1'b0),
        .grant(lowest[i*PART+:PART])
    );
  end
  kumi_arbiter #(
      .N(PARTS),
      .ROUND_ROBIN(1'b0)
  ) u_part (
      .clk,
      .rst,
      .req  (some),
      .done (1'b0),
      .grant(part)
  );
  always_comb begin
    chosen_index = '0;
    for (int i = 0; i < N; ++i) if (chosen[i]) chosen_index |= N_W'(i);
  end

  always_ff @(posedge clk) begin
    ask_q <= |(req & later_q) ? req & later_q : req;
    lowest_q <= lowest;
    part_q <= part;
    if (pick) begin
      grant <= chosen;
      index <= chosen_index;
    end
    picked_q <= pick;
    if (picked_q) for (int i = 0; i < N; ++i) later_q[i] <= N_W'(i) > index;
    if (rst) begin
      later_q  <= '0;
      picked_q <= 1'b0;
    end
  end
endmodule
