// SPDX-License-Identifier: Apache-2.0
//
// One level of an arbitration tree: merges N record streams round-robin and prepends the index of
// the stream.
//
// s_hdr[i], m_hdr: kumi_rec_if; m_hdr.data = {i, record}.
// Latency 1 cycle, throughput one record per cycle; no combinational path from m_hdr.ready.
module kumi_rec_arb_tree #(
    parameter int N = 16,  // streams
    localparam int INDEX_W = N == 1 ? 1 : $clog2(N)
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hdr[N],
    kumi_rec_if.src m_hdr
);
  localparam int W = m_hdr.W - INDEX_W;

  logic [N-1:0] req, grant;
  logic [N-1:0][W-1:0] data;
  logic [INDEX_W-1:0] index;
  logic [W-1:0] one;
  logic ready;

  for (genvar i = 0; i < N; i++) begin : gen_stream
    assign req[i] = s_hdr[i].valid;
    assign data[i] = s_hdr[i].data;
    assign s_hdr[i].ready = grant[i] && ready;
  end
  kumi_arbiter #(
      .N(N)
  ) u_turn (
      .clk,
      .rst,
      .req,
      .done(ready),
      .grant
  );
  always_comb begin
    index = '0;
    one   = '0;
    for (int i = 0; i < N; i++) begin
      if (grant[i]) begin
        index |= INDEX_W'(i);
        one |= data[i];
      end
    end
  end
  kumi_slice #(
      .W(INDEX_W + W),
      .MODE(2)
  ) u_out (
      .clk,
      .rst,
      .s_data ({index, one}),
      .s_valid(|req),
      .s_ready(ready),
      .m_data (m_hdr.data),
      .m_valid(m_hdr.valid),
      .m_ready(m_hdr.ready)
  );
endmodule
