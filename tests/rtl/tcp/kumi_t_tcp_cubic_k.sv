// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_cubic_k with request and response as record streams.
module kumi_t_tcp_cubic_k
  import kumi_tcp_cubic_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_req,
    kumi_rec_if.src m_rsp,
    output tcp_cubic_k_req_t spare_req,  // so that the bench knows the records
    output tcp_cubic_k_rsp_t spare_rsp
);
  kumi_tcp_cubic_k u_dut (
      .clk,
      .rst,
      .s_valid(s_req.valid),
      .s_ready(s_req.ready),
      .s_req  (s_req.data),
      .m_valid(m_rsp.valid),
      .m_ready(m_rsp.ready),
      .m_rsp  (m_rsp.data)
  );

  assign spare_req = '0;
  assign spare_rsp = '0;
endmodule
