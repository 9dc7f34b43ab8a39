// SPDX-License-Identifier: Apache-2.0
//
// Sends SW2 flits over a line of 10 bits at both edges of its clock: 20 bits per cycle, 4 cycles a
// flit (source paper, section 7.3: 125 MHz, 31.25 million flits per second).
//
// slot: every fourth cycle; the flit that is on `info` in the cycle after it is sent.
// m_data: bits 9:0 at the rising edge, 19:10 at the falling one, the flit's lowest bits first.
//   m_frame: with the first word of a flit.
// Latency: slot to the first word 3 cycles.
module kumi_sw2_phy_tx
  import kumi_sw2_pkg::*;
(
    input  logic               clk,
    input  logic               rst,
    output logic               slot,
    input  flit_t              info,
    output logic  [WORD_W-1:0] m_data,
    output logic               m_frame
);
  logic [FLIT_W-1:0] coded, shift_q;
  logic [WORDS-1:0] phase_q;  // one-hot

  kumi_sw2_ecc_enc u_enc (
      .clk,
      .info,
      .out(coded)
  );

  assign slot   = phase_q[0];
  assign m_data = shift_q[WORD_W-1:0];
  always_ff @(posedge clk) begin
    phase_q <= {phase_q[WORDS-2:0], phase_q[WORDS-1]};
    m_frame <= phase_q[2];
    shift_q <= phase_q[2] ? coded : shift_q >> WORD_W;
    if (rst) begin
      phase_q <= WORDS'(1);
      m_frame <= 1'b0;
    end
  end
endmodule
