// SPDX-License-Identifier: Apache-2.0
//
// Pause timers for PAUSE and PFC (IEEE 802.3 annexes 31B.3 and 31D.3).
//
// load: one-cycle pulse per timer; loads quanta, zero ends the pause. active is high from the next
//   cycle on. All timers share one prescaler, so a pause lasts its quanta and at most one more.
module kumi_mac_ctrl_timer #(
    parameter int N              = 9,  // timers
    parameter int QUANTUM_CYCLES = 8   // cycles of clk in 512 bit times of the line
) (
    input logic clk,
    input logic rst,

    input logic [N-1:0]       load,
    input logic [N-1:0][15:0] quanta,

    output logic [N-1:0] active
);

  if (N < 1 || QUANTUM_CYCLES < 2) begin : gen_check_parameters
    $fatal(0, "N must be at least 1, QUANTUM_CYCLES at least 2 (%m)");
  end

  localparam int DIV_W = $clog2(QUANTUM_CYCLES);
  logic [DIV_W-1:0] div_q;
  logic tick;  // once per quantum
  logic [N-1:0][15:0] left_q;  // whole quanta left after the next tick

  assign tick = div_q == DIV_W'(QUANTUM_CYCLES - 1);

  always_ff @(posedge clk) begin
    div_q <= tick ? '0 : div_q + 1'b1;
    if (rst) div_q <= '0;
  end

  for (genvar i = 0; i < N; i++) begin : gen_timer
    always_ff @(posedge clk) begin
      if (load[i]) begin
        left_q[i] <= quanta[i];
        active[i] <= quanta[i] != '0;
      end else if (tick && active[i]) begin
        left_q[i] <= left_q[i] - 16'd1;
        active[i] <= left_q[i] != '0;
      end
      if (rst) active[i] <= 1'b0;
    end
  end

endmodule
