// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_cdc_handshake with two clocks that have no relation: in every step of the proof
// either clock, both or neither may rise (multiclock).
//
// Reset is held until each side has had an edge and then three more after the other side's first.
// Shown: words arrive in order, unchanged, each exactly once, and none is accepted before the last
// one has arrived; the held word is stable whenever the destination samples it. Metastability
// itself is not modelled: a synchroniser takes the old or the new value of the toggle.
module handshake_formal #(
    parameter int W = 4
) (
    input logic         s_clk,
    input logic         m_clk,
    input logic [W-1:0] s_data,
    input logic         s_valid
);
  logic rst, s_ready, m_valid;
  logic [W-1:0] s_held, m_data;

  kumi_cdc_handshake #(
      .W(W)
  ) u_dut (
      .rst_data('0),
      .s_clk,
      .s_rst(rst),
      .s_data,
      .s_valid,
      .s_ready,
      .s_held,
      .m_clk,
      .m_rst(rst),
      .m_data,
      .m_valid
  );

  // Reset.
  logic s_first_q = 1'b0, m_first_q = 1'b0;
  logic [1:0] s_edges_q = 2'd0, m_edges_q = 2'd0;
  always_ff @(posedge s_clk) begin
    s_first_q <= 1'b1;
    if (m_first_q && s_edges_q != 2'd3) s_edges_q <= s_edges_q + 2'd1;
  end
  always_ff @(posedge m_clk) begin
    m_first_q <= 1'b1;
    if (s_first_q && m_edges_q != 2'd3) m_edges_q <= m_edges_q + 2'd1;
  end
  assign rst = s_edges_q != 2'd3 || m_edges_q != 2'd3;

  // Words sent, words arrived, pulses of m_valid that are over: modulo 4.
  logic [1:0] sent_q = 2'd0, arrived_q = 2'd0, pulses_q = 2'd0;
  logic arrive;
  assign arrive = u_dut.req != u_dut.ack_q;
  always_ff @(posedge s_clk) if (!rst && s_valid && s_ready) sent_q <= sent_q + 2'd1;
  always_ff @(posedge m_clk) begin
    if (!rst && arrive) arrived_q <= arrived_q + 2'd1;
    if (!rst && m_valid) pulses_q <= pulses_q + 2'd1;
  end

  // The toggle as it passes: source, two stages of the synchroniser, destination, and back.
  logic [5:0] loop;
  assign loop = {
    u_dut.req_q,
    u_dut.u_sync_req.sync_q[0],
    u_dut.u_sync_req.sync_q[1],
    u_dut.ack_q,
    u_dut.u_sync_ack.sync_q[0],
    u_dut.u_sync_ack.sync_q[1]
  };
  logic [4:0] steps;  // where the toggle has not been yet
  assign steps = loop[5:1] ^ loop[4:0];

  always_comb begin
    if (!rst) begin
      // What is proved.
      a_one : assert (sent_q == arrived_q || sent_q == arrived_q + 2'd1);
      a_ready : assert (!s_ready || sent_q == arrived_q);
      a_data : assert (sent_q != arrived_q || m_data == s_held);
      a_pulse : assert (arrived_q == 2'(pulses_q + 2'(m_valid)));

      // What makes the induction close: one edge is on its way around, or none.
      i_edge : assert ((steps & (steps - 5'd1)) == '0);
      i_count : assert ((sent_q != arrived_q) == (u_dut.req_q != u_dut.ack_q));
    end else begin
      i_s_reset : assert (!s_first_q || (!u_dut.req_q && s_held == '0));
      i_m_reset : assert (!m_first_q || (!u_dut.ack_q && m_data == '0 && !m_valid));
      i_s_first : assert (s_edges_q == 2'd0 || (s_first_q && m_first_q));
      i_m_first : assert (m_edges_q == 2'd0 || (s_first_q && m_first_q));
      i_s_sync : assert ((s_edges_q < 2'd1 || !loop[1]) && (s_edges_q < 2'd2 || !loop[0]));
      i_m_sync : assert ((m_edges_q < 2'd1 || !loop[4]) && (m_edges_q < 2'd2 || !loop[3]));
      i_none : assert (sent_q == 2'd0 && arrived_q == 2'd0 && pulses_q == 2'd0);
    end
    c_two : cover (!rst && arrived_q == 2'd2);
  end
endmodule
