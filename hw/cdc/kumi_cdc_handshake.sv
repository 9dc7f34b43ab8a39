// SPDX-License-Identifier: Apache-2.0
//
// Clock domain crossing for single words: two-phase handshake (a toggle each way), data held while
// it crosses.
//
// s_clk: a word moves with s_valid and s_ready; s_ready is low until the last one has arrived.
//   s_held is the last word taken.
// m_clk: m_data changes with a pulse of m_valid and holds until the next word; no back-pressure.
// rst_data: s_held and m_data after reset; constant while either reset is active. Both sides are
//   reset together.
// Latency: 1 cycle of s_clk and STAGES + 1 of m_clk. Throughput: a word every STAGES + 1 cycles of
//   each clock and one cycle more of s_clk.
// Constraints: false path or max delay of one period to the synchronisers (kumi_cdc_sync); max
//   delay of one period of the faster clock from held_q to m_data, which is sampled when stable.
module kumi_cdc_handshake #(
    parameter int W      = 8,  // bits of a word
    parameter int STAGES = 2   // flip-flops of each synchroniser
) (
    input logic [W-1:0] rst_data,

    // source
    input  logic         s_clk,
    input  logic         s_rst,
    input  logic [W-1:0] s_data,
    input  logic         s_valid,
    output logic         s_ready,
    output logic [W-1:0] s_held,

    // destination
    input  logic         m_clk,
    input  logic         m_rst,
    output logic [W-1:0] m_data,
    output logic         m_valid
);
  logic [W-1:0] held_q;
  logic req_q, ack_q, req, ack;

  kumi_cdc_sync #(
      .STAGES(STAGES)
  ) u_sync_req (
      .clk(m_clk),
      .d  (req_q),
      .q  (req)
  );

  kumi_cdc_sync #(
      .STAGES(STAGES)
  ) u_sync_ack (
      .clk(s_clk),
      .d  (ack_q),
      .q  (ack)
  );

  assign s_ready = req_q == ack;
  assign s_held  = held_q;

  always_ff @(posedge s_clk) begin
    if (s_valid && s_ready) begin
      held_q <= s_data;
      req_q  <= !req_q;
    end
    if (s_rst) begin
      held_q <= rst_data;
      req_q  <= 1'b0;
    end
  end

  always_ff @(posedge m_clk) begin
    ack_q   <= req;
    m_valid <= req != ack_q;
    if (req != ack_q) m_data <= held_q;
    if (m_rst) begin
      m_data  <= rst_data;
      m_valid <= 1'b0;
      ack_q   <= 1'b0;
    end
  end
endmodule
