// SPDX-License-Identifier: Apache-2.0
//
// Channel bonding: measures the skew of the lanes and delays the early ones.
//
// The other side sends bonding idles (CB) on all lanes in the same cycle, more than SKEW cycles
//   apart. A round starts with the first CB after a quiet time and ends SKEW cycles later; the CB
//   of each lane gives its position. After GOOD consecutive rounds with equal lanes and positions
//   `bonded` is high and `found` names the lanes. The delays are frozen while `hold` is high; when
//   it falls, bonding restarts. A lane not in `want`, or without a CB within SKEW of the first, is
//   not found; a round without the lowest wanted lane is ignored. A partner that sends CBs more
//   often leaves no quiet time; after LONG cycles without a round, rounds of 4 cycles are tried,
//   then long ones again.
// Latency: in_* to out_*, 2 cycles for the latest lane, plus the skew for the others.
module kumi_link_bond
  import kumi_link_pkg::*;
#(
    parameter int LANES  = 2,
    parameter int SKEW   = 40,  // cycles between the earliest and the latest lane, at most
    parameter int SIDE_W = 4    // bits that go with a block
) (
    input logic clk,
    input logic rst,

    input logic [LANES-1:0][      63:0] in_data,
    input logic [LANES-1:0][SIDE_W-1:0] in_side,
    input logic [LANES-1:0]             in_cb,

    output logic [LANES-1:0][      63:0] out_data,
    output logic [LANES-1:0][SIDE_W-1:0] out_side,

    input  logic [LANES-1:0] want,
    input  logic             hold,
    output logic             bonded,
    output logic [LANES-1:0] found,
    output logic             ev_fail  // one-cycle pulse: a round that differs from the one before
);
  localparam int DEPTH = 2 ** $clog2(SKEW + 2);
  localparam int W = $clog2(DEPTH);
  localparam int GOOD = 3;  // equal rounds after the first
  localparam int SHORT = 4;
  localparam int LONG = 2048;
  localparam int LONG_W = $clog2(LONG);

  if (SKEW < SHORT) begin : gen_check_skew
    $fatal(0, "SKEW must be at least 4 (%m)");
  end

  // ---- Rounds -----------------------------------------------------------------------------------
  logic [LANES-1:0] cb_q, seen_q, seen_d;
  logic [LANES-1:0][W-1:0] place_q, place_d, late_q, late_d;
  logic [W-1:0] quiet_q, step_q, limit;
  logic open_q, done_q, short_q, anchored, same;
  logic [W-1:0] last_q, last_d;  // place of the latest lane
  logic [1:0] good_q;
  logic [LANES-1:0] lowest;
  logic [LONG_W-1:0] tries_q;
  logic hold_q;

  assign limit  = short_q ? W'(SHORT) : W'(SKEW);
  assign lowest = want & (~want + 1'b1);

  always_comb begin
    seen_d  = seen_q;
    place_d = place_q;
    last_d  = last_q;
    if (!open_q) begin
      seen_d = '0;
      last_d = '0;
    end
    for (int i = 0; i < LANES; i++) begin
      if (cb_q[i] && !seen_d[i]) begin
        seen_d[i]  = 1'b1;
        place_d[i] = open_q ? step_q : '0;
        last_d     = open_q ? step_q : '0;
      end
    end
  end

  always_ff @(posedge clk) begin
    cb_q   <= in_cb & want;
    done_q <= 1'b0;
    if (|cb_q) quiet_q <= '0;
    else if (quiet_q != limit) quiet_q <= quiet_q + 1'b1;
    if (open_q) begin
      step_q <= step_q + 1'b1;
      if (step_q == limit) begin
        open_q <= 1'b0;
        done_q <= 1'b1;
      end
    end else begin
      step_q <= W'(1);
      if (|cb_q && quiet_q == limit) open_q <= 1'b1;
    end
    if (open_q || quiet_q == limit) begin
      seen_q  <= seen_d;
      place_q <= place_d;
      last_q  <= last_d;
    end
    if (rst) begin
      cb_q    <= '0;
      open_q  <= 1'b0;
      quiet_q <= '0;
    end
  end

  // ---- Evaluation -------------------------------------------------------------------------------
  always_comb begin
    for (int i = 0; i < LANES; i++) late_d[i] = seen_q[i] ? last_q - place_q[i] : '0;
  end

  assign anchored = |(seen_q & lowest);
  assign same     = seen_q == found && late_d == late_q;

  always_ff @(posedge clk) begin
    ev_fail <= 1'b0;
    if (done_q && anchored && !hold) begin
      found  <= seen_q;
      late_q <= late_d;
      if (!same) begin
        good_q  <= '0;
        bonded  <= 1'b0;
        ev_fail <= good_q != '0;
      end else if (good_q == 2'(GOOD)) begin
        bonded <= 1'b1;
      end else begin
        good_q <= good_q + 1'b1;
      end
    end
    tries_q <= tries_q + 1'b1;
    if (done_q || hold || want == '0) tries_q <= '0;
    else if (tries_q == LONG_W'(LONG - 1)) short_q <= !short_q;
    if (hold) short_q <= 1'b0;
    hold_q <= hold;
    // Losing a lane that was found restarts bonding.
    if (!hold && (hold_q || (found & ~want) != '0)) begin
      good_q <= '0;
      bonded <= 1'b0;
      found  <= '0;
    end
    if (rst) begin
      good_q  <= '0;
      bonded  <= 1'b0;
      found   <= '0;
      ev_fail <= 1'b0;
      short_q <= 1'b0;
      tries_q <= '0;
      hold_q  <= 1'b0;
    end
  end

  // ---- Delay ------------------------------------------------------------------------------------
  logic [W-1:0] write_q;

  always_ff @(posedge clk) begin
    write_q <= write_q + 1'b1;
    if (rst) write_q <= '0;
  end

  for (genvar i = 0; i < LANES; i++) begin : gen_delay
    (* ram_style = "distributed", no_rw_check *) logic [63+SIDE_W:0] mem[DEPTH];
    logic [W-1:0] read_q;

    always_ff @(posedge clk) begin
      mem[write_q]               <= {in_side[i], in_data[i]};
      read_q                     <= write_q - late_q[i];
      {out_side[i], out_data[i]} <= mem[read_q];
    end
  end

endmodule
