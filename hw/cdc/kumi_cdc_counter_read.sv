// SPDX-License-Identifier: Apache-2.0
//
// Lets a register block in `clk` read counters that live in another clock: a handshake
// (kumi_cdc_handshake) for the request and one for the answer.
//
// req, req_is_wr, req_index: pulse and its request, as an external register region makes them;
//   rd_ack with rd_data, or wr_ack, some cycles of both clocks later. One request at a time.
// m_*: the same in m_clk, for kumi_event_counters.
// Latency: that of the two handshakes and of the counters.
module kumi_cdc_counter_read (
    input  logic        clk,
    input  logic        rst,
    input  logic        req,
    input  logic        req_is_wr,
    input  logic [ 5:0] req_index,
    output logic        rd_ack,
    output logic [31:0] rd_data,
    output logic        wr_ack,

    // the counters' side
    input  logic        m_clk,
    input  logic        m_rst,
    output logic        m_req,
    output logic        m_req_is_wr,
    output logic [ 5:0] m_req_index,
    input  logic        m_rd_ack,
    input  logic [31:0] m_rd_data,
    input  logic        m_wr_ack
);
  logic req_ready, rsp_ready, rsp_valid, is_wr;
  logic [ 5:0] index;
  logic [31:0] rsp_held;

  kumi_cdc_handshake #(
      .W(7)
  ) u_req (
      .rst_data('0),
      .s_clk(clk),
      .s_rst(rst),
      .s_data({req_is_wr, req_index}),
      .s_valid(req),
      .s_ready(req_ready),
      .s_held({is_wr, index}),
      .m_clk,
      .m_rst,
      .m_data({m_req_is_wr, m_req_index}),
      .m_valid(m_req)
  );

  kumi_cdc_handshake #(
      .W(32)
  ) u_rsp (
      .rst_data('0),
      .s_clk(m_clk),
      .s_rst(m_rst),
      .s_data(m_rd_data),
      .s_valid(m_rd_ack || m_wr_ack),
      .s_ready(rsp_ready),
      .s_held(rsp_held),
      .m_clk(clk),
      .m_rst(rst),
      .m_data(rd_data),
      .m_valid(rsp_valid)
  );

  assign rd_ack = rsp_valid && !is_wr;
  assign wr_ack = rsp_valid && is_wr;

  // One request at a time: each handshake is free again before it is used again.
  logic unused;
  assign unused = ^{req_ready, rsp_ready, rsp_held, index};
endmodule
