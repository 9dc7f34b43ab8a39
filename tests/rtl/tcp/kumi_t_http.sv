// SPDX-License-Identifier: Apache-2.0
//
// kumi_http with kumi_http_gzip behind it.
module kumi_t_http #(
    parameter int SESSIONS = 16
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_axil_if.slv s_axil,
    kumi_tcp_app_if m_app,
    output logic busy
);
  kumi_axis_if #(
      .DATA_W(8),
      .DEST_W(4)
  ) request ();
  kumi_axis_if #(.DATA_W(8)) response ();
  logic http_busy, gzip_busy;

  kumi_http #(
      .SESSIONS(SESSIONS),
      .ROUTES(3),
      .ROUTE_PATHS({{"/echo", 104'd0}, {"/gzip", 104'd0}, {"/gunzip", 88'd0}}),
      .ROUTE_DECODES(3'b111),
      .ROUTE_ENCODES(3'b101)
  ) u_http (
      .clk,
      .rst,
      .now_us,
      .s_axil,
      .m_app,
      .m_body(request),
      .s_body(response),
      .busy  (http_busy)
  );

  kumi_http_gzip u_gzip (
      .clk,
      .rst,
      .s_body(request),
      .m_body(response),
      .busy  (gzip_busy)
  );
  assign busy = http_busy || gzip_busy;
endmodule
