// SPDX-License-Identifier: Apache-2.0
//
// Four kernels that share an engine: echo on ports 7 and 8, discard on 9, characters on 19.
module kumi_t_tcp_apps
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,
    parameter int CHUNK  = 2048
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.src m_eng_listen,
    kumi_rec_if.snk s_eng_listen_rsp,
    kumi_rec_if.src m_eng_open,
    kumi_rec_if.snk s_eng_open_rsp,
    kumi_rec_if.src m_eng_close,
    kumi_rec_if.snk s_eng_notify,
    kumi_rec_if.src m_eng_read,
    kumi_rec_if.snk s_eng_read,
    kumi_axis_if.snk s_eng_axis,
    kumi_rec_if.src m_eng_write,
    kumi_rec_if.snk s_eng_write,
    kumi_axis_if.src m_eng_axis,
    output logic busy
);
  localparam int N = 4;
  localparam logic [N-1:0][15:0] PORT = {16'd19, 16'd9, 16'd8, 16'd7};
  localparam logic [N-1:0][1:0] MODE = {2'd2, 2'd1, 2'd0, 2'd0};

  kumi_axil_if axil[N] ();
  kumi_rec_if #(.W(LISTEN_W)) listen[N] ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) listened[N] ();
  kumi_rec_if #(.W(OPEN_W)) open[N] ();
  kumi_rec_if #(.W(OPEN_RSP_W)) opened[N] ();
  kumi_rec_if #(.W(CLOSE_W)) close[N] ();
  kumi_rec_if #(.W(NOTIFY_W)) note[N] ();
  kumi_rec_if #(.W(READ_W)) read[N] ();
  kumi_rec_if #(.W(READ_RSP_W)) read_rsp[N] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (16)
  ) data[N] ();
  kumi_rec_if #(.W(WRITE_W)) write[N] ();
  kumi_rec_if #(.W(WRITE_RSP_W)) write_rsp[N] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (16)
  ) send[N] ();
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

    kumi_tcp_echo #(
        .SESSIONS(16),
        .CHUNK(CHUNK),
        .PORT(PORT[i]),
        .MODE(32'(MODE[i]))
    ) u_kernel (
        .clk,
        .rst,
        .s_axil(axil[i]),
        .m_listen(listen[i]),
        .s_listen_rsp(listened[i]),
        .m_open(open[i]),
        .s_open_rsp(opened[i]),
        .m_close(close[i]),
        .s_notify(note[i]),
        .m_read(read[i]),
        .s_read(read_rsp[i]),
        .s_axis(data[i]),
        .m_write(write[i]),
        .s_write(write_rsp[i]),
        .m_axis(send[i]),
        .busy(kernel_busy[i])
    );
  end

  kumi_tcp_app_mux #(
      .CLIENTS (N),
      .SESSIONS(16)
  ) u_share (
      .clk,
      .rst,
      .s_listen(listen),
      .m_listen_rsp(listened),
      .s_open(open),
      .m_open_rsp(opened),
      .s_close(close),
      .m_notify(note),
      .s_read(read),
      .m_read(read_rsp),
      .m_axis(data),
      .s_write(write),
      .m_write(write_rsp),
      .s_axis(send),
      .m_eng_listen,
      .s_eng_listen_rsp,
      .m_eng_open,
      .s_eng_open_rsp,
      .m_eng_close,
      .s_eng_notify,
      .m_eng_read,
      .s_eng_read,
      .s_eng_axis,
      .m_eng_write,
      .s_eng_write,
      .m_eng_axis,
      .busy(share_busy)
  );

  assign busy = share_busy || kernel_busy != '0;
endmodule
