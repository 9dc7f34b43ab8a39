// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_link_bond with two lanes and SKEW = 4: the bonding round trip.
//
// TRIP = 0, any length: each lane comes out exactly 2 cycles and its measured lateness later,
// unchanged, whatever the lateness. TRIP = 1, bounded: a sender numbers its rows and marks every
// 16th on both lanes; the lanes arrive with any two delays of 0 to 4 cycles. Once bonding is
// reported, the measured lateness is the true one, so that rows come out whole; and it is reported
// within 96 cycles.
`include "kumi_assert.svh"
module link_bond_formal #(
    parameter bit TRIP = 0
) (
    input logic             clk,
    input logic             rst,
    input logic [1:0][63:0] any_data,
    input logic [1:0]       any_cb,
    input logic [1:0]       any_want,
    input logic             any_hold,
    input logic [1:0][ 2:0] any_late
);
  localparam int SKEW = 4;
  localparam int PERIOD = 16;

  logic [1:0][63:0] in_data, out_data;
  logic [1:0][0:0] in_side, out_side;
  logic [1:0] in_cb, want, found;
  logic hold, bonded, ev_fail;

  kumi_link_bond #(
      .LANES (2),
      .SKEW  (SKEW),
      .SIDE_W(1)
  ) u_dut (
      .clk,
      .rst,
      .in_data,
      .in_side,
      .in_cb,
      .out_data,
      .out_side,
      .want,
      .hold,
      .bonded,
      .found,
      .ev_fail
  );
  assign in_side = '0;

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  if (TRIP) begin : gen_trip
    logic [7:0] row_q, held_q, age_q;
    logic [1:0][2:0] late_q;
    logic hold_q;

    always_ff @(posedge clk) begin
      if (!started_q) late_q <= any_late;
      row_q  <= row_q + 8'd1;
      hold_q <= hold_q || bonded;
      held_q <= !hold_q ? '0 : held_q == '1 ? '1 : held_q + 8'd1;
      age_q  <= age_q == '1 ? '1 : age_q + 8'd1;
      if (rst) begin
        row_q  <= '0;
        hold_q <= 1'b0;
        held_q <= '0;
        age_q  <= '0;
      end
    end
    always_comb assume (!started_q || (late_q[0] <= 3'd4 && late_q[1] <= 3'd4));

    for (genvar i = 0; i < 2; i++) begin : gen_lane
      logic [7:0] row;
      assign row        = row_q - 8'(late_q[i]);
      assign in_data[i] = '0;
      assign in_cb[i]   = row % 8'(PERIOD) == '0 && row_q > 8'd8;
    end
    assign want = '1;
    assign hold = hold_q;

    logic [1:0][2:0] sum;  // true delay and what is added
    for (genvar i = 0; i < 2; i++) begin : gen_sum
      assign sum[i] = late_q[i] + u_dut.late_q[i];
    end
    logic earliest;
    assign earliest = u_dut.late_q[0] == '0 || u_dut.late_q[1] == '0;
    `KUMI_ASSERT(a_whole_rows, !hold_q || (sum[0] == sum[1] && earliest))
    `KUMI_ASSERT(a_found, !bonded || found == '1)
    `KUMI_ASSERT(a_in_time, age_q < 8'd96 || hold_q)
    `KUMI_COVER(c_skewed, held_q == 8'd8 && late_q[0] == 3'd4 && late_q[1] == 3'd0)
  end else begin : gen_delay
    logic [1:0][8:0][63:0] past_q;  // [i][k]: the lane's input k + 1 cycles ago
    logic [1:0][2:0] late1_q, late2_q;
    logic [3:0] age_q;

    assign in_data = any_data;
    assign in_cb   = any_cb;
    assign want    = any_want;
    assign hold    = any_hold;

    always_ff @(posedge clk) begin
      late1_q <= u_dut.late_q;
      late2_q <= late1_q;
      age_q   <= age_q == 4'd12 ? 4'd12 : age_q + 4'd1;
      for (int i = 0; i < 2; i++) past_q[i] <= {past_q[i][7:0], in_data[i]};
      if (rst) age_q <= '0;
    end

    for (genvar i = 0; i < 2; i++) begin : gen_lane
      logic stored;
      always_comb begin
        stored = 1'b1;
        for (int k = 0; k < 8; k++) begin
          if (4'(k) < age_q
              && u_dut.gen_delay[i].mem[3'(u_dut.write_q-3'(k)-3'd1)] != {1'b0, past_q[i][k]}) begin
            stored = 1'b0;
          end
        end
      end
      `KUMI_ASSERT(i_stored, stored)
      logic [2:0] from;
      assign from = u_dut.write_q - 3'd1 - late1_q[i];
      `KUMI_ASSERT(i_read, age_q < 4'd2 || u_dut.gen_delay[i].read_q == from)
      `KUMI_ASSERT(a_delay, age_q < 4'd11 || out_data[i] == past_q[i][4'(late2_q[i])+4'd1])
    end
  end
endmodule
