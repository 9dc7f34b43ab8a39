// SPDX-License-Identifier: Apache-2.0
//
// Interrupts of all sources to one stream of MSI-X vectors.
//
// s_valid[i], s_ready[i]: an interrupt of source i, with its vector; 0xffff: it has none, and the
//   interrupt is nowhere. In turn. m_irq: the vectors. Latency 1 cycle.
module kumi_nic_irq #(
    parameter int N = 2  // sources
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] s_valid,
    output logic [N-1:0] s_ready,
    input logic [N-1:0][15:0] s_vector,
    kumi_rec_if.src m_irq
);
  logic [N-1:0] grant;
  logic [ 15:0] vector;
  logic free, real_one;

  kumi_arbiter #(
      .N(N)
  ) u_turn (
      .clk,
      .rst,
      .req (s_valid),
      .done(free),
      .grant
  );

  always_comb begin
    vector = '0;
    for (int i = 0; i < N; ++i) if (grant[i]) vector |= s_vector[i];
  end
  assign real_one = |s_valid && vector != '1;
  assign s_ready  = free ? grant : '0;

  kumi_slice #(
      .W(16),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data (vector),
      .s_valid(real_one),
      .s_ready(free),
      .m_data (m_irq.data),
      .m_valid(m_irq.valid),
      .m_ready(m_irq.ready)
  );
endmodule
