// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_tx_mem with its rings in a kumi_axi_ram, and a reader of the rings.
//
// s_get: what to read: {sid 16, sequence number 32, length 16}; m_get: the bytes, one frame each.
module kumi_t_tcp_tx_chip #(
    parameter int DATA_W   = 64,
    parameter int SESSIONS = 16,
    parameter int TX_RING  = 4096
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_tx_space,
    kumi_rec_if.src m_data,
    kumi_rec_if.snk s_write,
    kumi_rec_if.src m_write,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_close,
    kumi_rec_if.snk s_fault,
    kumi_rec_if.snk s_get,
    kumi_axis_if.src m_get,
    output logic busy,
    output kumi_tcp_mem_pkg::tcp_tx_mem_ev_t ev
);
  localparam int RING_W = $clog2(TX_RING);

  kumi_axi_if #(.DATA_W(DATA_W)) axi ();

  kumi_tcp_tx_mem #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .EARLY(1),
      .OPEN(16)
  ) u_mem (
      .clk,
      .rst,
      .base ('0),
      .s_tx_space,
      .m_data,
      .s_write,
      .m_write,
      .s_axis,
      .s_close,
      .s_fault,
      .m_axi(axi),
      .busy,
      .ev
  );

  logic done, done_bad, idle, bad;
  logic [0:0] tag, done_tag;

  kumi_ring_read #(
      .DATA_W(DATA_W),
      .RING_W(RING_W),
      .BEATS (0)
  ) u_get (
      .clk,
      .rst,
      .job_hi((32 - RING_W)'(s_get.data[63:48])),
      .job_off(s_get.data[16+:RING_W]),
      .job_len(s_get.data[15:0]),
      .job_tag(1'b0),
      .job_valid(s_get.valid),
      .job_ready(s_get.ready),
      .ar_addr(axi.araddr),
      .ar_len(axi.arlen),
      .ar_valid(axi.arvalid),
      .ar_ready(axi.arready),
      .r_data(axi.rdata),
      .r_bad(axi.rresp[1]),
      .r_valid(axi.rvalid),
      .r_ready(axi.rready),
      .m_data(m_get.tdata),
      .m_keep(m_get.tkeep),
      .m_last(m_get.tlast),
      .m_bad(bad),
      .m_tag(tag),
      .m_valid(m_get.tvalid),
      .m_ready(m_get.tready),
      .done,
      .done_tag,
      .done_bad,
      .done_ready(1'b1),
      .idle
  );
  assign m_get.tuser = bad;
  assign m_get.tid = tag;
  assign m_get.tdest = '0;
  assign axi.arid = '0;
  assign axi.arsize = 3'($clog2(DATA_W / 8));
  assign axi.arburst = 2'b01;

  kumi_axi_ram #(
      .BYTES(SESSIONS * TX_RING)
  ) u_ram (
      .clk,
      .rst,
      .s_axi(axi)
  );

  logic unused;
  assign unused = ^{s_get.data, done, done_tag, done_bad, idle};
endmodule
