// SPDX-License-Identifier: Apache-2.0
//
// Test top: four kernels that share an engine: echo on ports 7 and 8, discard on 9, character
//   generator on 19.
module kumi_t_tcp_apps
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,
    parameter int CHUNK  = 2048
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_tcp_app_if m_eng,
    output logic notify_skip,
    output logic busy
);
  localparam int N = 4;
  localparam logic [N-1:0][15:0] PORT = {16'd19, 16'd9, 16'd8, 16'd7};
  localparam logic [N-1:0][1:0] MODE = {2'd2, 2'd1, 2'd0, 2'd0};

  kumi_axil_if axil[N] ();
  kumi_tcp_app_if #(.DATA_W(DATA_W)) app[N] ();
  logic [N-1:0] kernel_busy;
  logic share_busy;

  for (genvar i = 0; i < N; i++) begin : gen_kernel
    assign axil[i].awvalid = 1'b0;
    assign axil[i].awaddr  = '0;
    assign axil[i].awprot  = '0;
    assign axil[i].wvalid  = 1'b0;
    assign axil[i].wdata   = '0;
    assign axil[i].wstrb   = '0;
    assign axil[i].bready  = 1'b1;
    assign axil[i].arvalid = 1'b0;
    assign axil[i].araddr  = '0;
    assign axil[i].arprot  = '0;
    assign axil[i].rready  = 1'b1;

    kumi_tcp_app_if #(.DATA_W(DATA_W)) kernel ();
    kumi_tcp_app_join u_join (
        .s_app(kernel),
        .m_app(app[i])
    );

    kumi_tcp_echo #(
        .SESSIONS(16),
        .CHUNK(CHUNK),
        .PORT(PORT[i]),
        .MODE(32'(MODE[i]))
    ) u_kernel (
        .clk,
        .rst,
        .now_us,
        .s_axil(axil[i]),
        .m_app (kernel),
        .busy  (kernel_busy[i])
    );
  end

  kumi_tcp_app_mux #(
      .DATA_W  (DATA_W),
      .CLIENTS (N),
      .SESSIONS(16)
  ) u_share (
      .clk,
      .rst,
      .s_app(app),
      .m_eng,
      .notify_skip,
      .busy (share_busy)
  );

  assign busy = share_busy || kernel_busy != '0;
endmodule
