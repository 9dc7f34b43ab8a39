// SPDX-License-Identifier: Apache-2.0
//
// kumi_tcp_cubic_k for tests: request and answer are records at header ports.
module kumi_t_tcp_cubic_k
  import kumi_tcp_cubic_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_ask,
    kumi_rec_if.src m_root,
    output tcp_cubic_k_req_t spare_ask,  // so that the bench knows the records
    output tcp_cubic_k_rsp_t spare_root
);
  kumi_tcp_cubic_k u_root (
      .clk,
      .rst,
      .s_valid(s_ask.valid),
      .s_ready(s_ask.ready),
      .s_ask  (s_ask.data),
      .m_valid(m_root.valid),
      .m_ready(m_root.ready),
      .m_root (m_root.data)
  );

  assign spare_ask  = '0;
  assign spare_root = '0;
endmodule
