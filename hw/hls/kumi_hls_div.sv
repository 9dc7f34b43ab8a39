// SPDX-License-Identifier: Apache-2.0
//
// Pipelined integer divider of generated kernels: restoring division, one quotient bit per stage.
//
// A division starts every cycle; dividend and divisor are read in stage 0, quotient and remainder
// exist W + 2 stages later. en[k] moves stage k's content into stage k + 1, so a stalled pipeline
// keeps its divisions. Signed division truncates towards zero, the remainder has the sign of the
// dividend, as in C.
// Bad input: a divisor of 0 gives a quotient of all ones (signed: of the sign) and the dividend as
//   remainder; the smallest number divided by -1 gives itself. C leaves both undefined.
module kumi_hls_div #(
    parameter int W      = 32,   // bits, at least 2
    parameter bit SIGNED = 1'b0  // two's complement
) (
    input  logic         clk,
    input  logic [W+1:0] en,
    input  logic [W-1:0] dividend,
    input  logic [W-1:0] divisor,
    output logic [W-1:0] quotient,
    output logic [W-1:0] remainder
);
  if (W < 2) begin : gen_check_w
    $fatal(0, "W must be at least 2 (%m)");
  end

  typedef struct packed {
    logic         flip_quotient;   // the results' signs
    logic         flip_remainder;
    logic [W-1:0] divisor;
    logic [W-1:0] rest;            // partial remainder
    logic [W-1:0] bits;            // dividend's bits still to come, then the quotient's
  } div_stage_t;

  div_stage_t stage_q[W+1];

  always_ff @(posedge clk) begin
    if (en[0]) begin
      stage_q[0].flip_quotient <= SIGNED && (dividend[W-1] ^ divisor[W-1]);
      stage_q[0].flip_remainder <= SIGNED && dividend[W-1];
      stage_q[0].divisor <= SIGNED && divisor[W-1] ? -divisor : divisor;
      stage_q[0].rest <= '0;
      stage_q[0].bits <= SIGNED && dividend[W-1] ? -dividend : dividend;
    end
  end

  for (genvar i = 0; i < W; i++) begin : gen_bit
    logic [W:0] shifted, less;
    assign shifted = {stage_q[i].rest, stage_q[i].bits[W-1]};
    assign less = shifted - {1'b0, stage_q[i].divisor};

    always_ff @(posedge clk) begin
      if (en[i+1]) begin
        stage_q[i+1] <= stage_q[i];
        stage_q[i+1].rest <= less[W] ? shifted[W-1:0] : less[W-1:0];
        stage_q[i+1].bits <= {stage_q[i].bits[W-2:0], !less[W]};
      end
    end
  end

  always_ff @(posedge clk) begin
    if (en[W+1]) begin
      quotient  <= stage_q[W].flip_quotient ? -stage_q[W].bits : stage_q[W].bits;
      remainder <= stage_q[W].flip_remainder ? -stage_q[W].rest : stage_q[W].rest;
    end
  end
endmodule
