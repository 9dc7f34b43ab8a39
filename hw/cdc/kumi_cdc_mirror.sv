// SPDX-License-Identifier: Apache-2.0
//
// Mirrors a wide value that changes rarely in another clock, word by word, without end: cheaper
// than kumi_cdc_handshake, which holds the whole value.
//
// s_data: WORDS words of W bits; s_taken[i] pulses when word i is sampled, word 0 first, the last
//   one at the end of a round. m_data: the words as they arrive, '0 before.
// Words are whole, the value is not: after a change a round passes until m_data equals s_data. What
// must arrive after something else stands in a later word, or is held back for a round.
// Both sides are reset together. Latency: up to two rounds of WORDS times 2 * (STAGES + 2) cycles.
// Constraints: as kumi_cdc_handshake, from held_q to m_data.
module kumi_cdc_mirror #(
    parameter int WORDS  = 4,   // at least 2
    parameter int W      = 16,
    parameter int STAGES = 2    // flip-flops of each synchroniser
) (
    // source
    input  logic                    s_clk,
    input  logic                    s_rst,
    input  logic [WORDS-1:0][W-1:0] s_data,
    output logic [WORDS-1:0]        s_taken,

    // destination
    input  logic                    m_clk,
    input  logic                    m_rst,
    output logic [WORDS-1:0][W-1:0] m_data
);
  localparam int INDEX_W = $clog2(WORDS);
  localparam logic [INDEX_W-1:0] LAST = INDEX_W'(WORDS - 1);

  if (WORDS < 2) begin : gen_check
    $fatal(0, "WORDS must be at least 2 (%m)");
  end

  // Both sides count the words.
  logic [INDEX_W-1:0] s_index_q, m_index_q;
  logic [W-1:0] held_q;
  logic req_q, ack_q, req, ack, take;

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

  assign take = req_q == ack;
  assign s_taken = take ? WORDS'(1) << s_index_q : '0;

  always_ff @(posedge s_clk) begin
    if (take) begin
      held_q <= s_data[s_index_q];
      req_q <= !req_q;
      s_index_q <= s_index_q == LAST ? '0 : s_index_q + 1'b1;
    end
    if (s_rst) begin
      req_q     <= 1'b0;
      s_index_q <= '0;
    end
  end

  always_ff @(posedge m_clk) begin
    ack_q <= req;
    if (req != ack_q) begin
      m_data[m_index_q] <= held_q;
      m_index_q <= m_index_q == LAST ? '0 : m_index_q + 1'b1;
    end
    if (m_rst) begin
      m_data    <= '0;
      m_index_q <= '0;
      ack_q     <= 1'b0;
    end
  end
endmodule
