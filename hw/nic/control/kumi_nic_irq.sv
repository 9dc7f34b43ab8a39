// SPDX-License-Identifier: Apache-2.0
//
// Interrupts of all sources to one stream of MSI-X vectors.
//
// s_valid[i], s_ready[i]: an interrupt of source i, with its vector; 0xffff: it has none, and the
//   interrupt is nowhere. In turn. m_irq: the vectors. Each source has a register slice of its own,
//   so that its vector is looked up in one cycle and its turn is in the next. busy: some are here.
// Latency 2 cycles.
module kumi_nic_irq #(
    parameter int N = 2  // sources
) (
    input logic clk,
    input logic rst,
    input logic [N-1:0] s_valid,
    output logic [N-1:0] s_ready,
    input logic [N-1:0][15:0] s_vector,
    kumi_rec_if.src m_irq,
    output logic busy
);
  logic [N-1:0] valid, ready, grant;
  logic [N-1:0][15:0] vectors;
  logic [15:0] vector;
  logic free, real_one;

  for (genvar i = 0; i < N; ++i) begin : gen_source
    kumi_slice #(
        .W(16),
        .MODE(1)
    ) u_slice (
        .clk,
        .rst,
        .s_data (s_vector[i]),
        .s_valid(s_valid[i]),
        .s_ready(s_ready[i]),
        .m_data (vectors[i]),
        .m_valid(valid[i]),
        .m_ready(ready[i])
    );
  end

  kumi_arbiter #(
      .N(N)
  ) u_turn (
      .clk,
      .rst,
      .req (valid),
      .done(free),
      .grant
  );

  always_comb begin
    vector = '0;
    for (int i = 0; i < N; ++i) if (grant[i]) vector |= vectors[i];
  end
  assign real_one = |valid && vector != '1;
  assign ready = free ? grant : '0;
  assign busy = |valid || m_irq.valid;

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
