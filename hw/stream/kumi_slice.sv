// SPDX-License-Identifier: Apache-2.0
//
// Register slice for one valid/ready channel of W bits: the core of kumi_axis_reg and kumi_rec_reg.
//
// Handshake: s_data moves with s_valid and s_ready, m_data with m_valid and m_ready.
// MODE:
//   0 wires    latency 0, nothing is cut
//   1 half     latency 1, one word every second cycle, cuts both directions, W flip-flops
//   2 skid     latency 1, one word a cycle, cuts both directions, 2*W flip-flops
//   3 forward  latency 1, one word a cycle, cuts valid and data only: s_ready follows m_ready
//              combinationally, W flip-flops
// Reset empties the slice; words offered while rst is high are lost.
module kumi_slice #(
    parameter int W    = 8,  // bits of a word
    parameter int MODE = 2   // 0 wires, 1 half, 2 skid, 3 forward
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [W-1:0] s_data,
    input  logic         s_valid,
    output logic         s_ready,
    output logic [W-1:0] m_data,
    output logic         m_valid,
    input  logic         m_ready
);
  if (W < 1) begin : gen_check_w
    $fatal(0, "W must be at least 1 (%m)");
  end
  if (MODE < 0 || MODE > 3) begin : gen_check_mode
    $fatal(0, "MODE must be 0..3 (%m)");
  end

  if (MODE == 0) begin : gen_wires
    logic unused;
    assign unused  = &{clk, rst};
    assign m_data  = s_data;
    assign m_valid = s_valid;
    assign s_ready = m_ready;
  end else if (MODE == 2) begin : gen_skid
    logic [W-1:0] out_q, skid_q;
    logic out_valid_q, skid_valid_q;
    logic out_free;

    assign out_free = !out_valid_q || m_ready;

    always_ff @(posedge clk) begin
      if (!skid_valid_q) skid_q <= s_data;
      if (out_free) begin
        out_q        <= skid_valid_q ? skid_q : s_data;
        out_valid_q  <= skid_valid_q || s_valid;
        skid_valid_q <= 1'b0;
      end else if (s_valid) begin
        skid_valid_q <= 1'b1;
      end
      if (rst) begin
        out_valid_q  <= 1'b0;
        skid_valid_q <= 1'b0;
      end
    end

    assign m_data  = out_q;
    assign m_valid = out_valid_q;
    assign s_ready = !skid_valid_q;
  end else begin : gen_one
    logic [W-1:0] out_q;
    logic         out_valid_q;

    always_ff @(posedge clk) begin
      if (s_ready) begin
        out_q       <= s_data;
        out_valid_q <= s_valid;
      end else if (m_ready) begin
        out_valid_q <= 1'b0;
      end
      if (rst) out_valid_q <= 1'b0;
    end

    assign m_data  = out_q;
    assign m_valid = out_valid_q;
    assign s_ready = !out_valid_q || (MODE == 3 && m_ready);
  end
endmodule
