// SPDX-License-Identifier: Apache-2.0
//
// Writes of one beat each, of any of its bytes, many of them under way.
//
// s_*: a write; it has moved when memory has taken address and data. ack_*: a write was
//   acknowledged, in the order of s_*, with its tag; ack_bad: with an error.
// aw_*, w_*, b_*: a client of kumi_dma_write_mux. Latency: none.
module kumi_nic_post #(
    parameter int DATA_W = 512,  // bits of the memory port
    parameter int TAG_W  = 1,    // bits of a tag
    parameter int MOST   = 64    // writes under way, a power of two
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                s_valid,
    output logic                s_ready,
    input  logic [        63:0] s_addr,
    input  logic [  DATA_W-1:0] s_data,
    input  logic [DATA_W/8-1:0] s_strb,
    input  logic [   TAG_W-1:0] s_tag,
    output logic                ack_valid,
    output logic                ack_bad,
    output logic [   TAG_W-1:0] ack_tag,
    output logic                aw_valid,
    input  logic                aw_ready,
    output logic [        63:0] aw_addr,
    output logic [         7:0] aw_len,
    output logic                w_valid,
    input  logic                w_ready,
    output logic [  DATA_W-1:0] w_data,
    output logic [DATA_W/8-1:0] w_strb,
    output logic                w_last,
    input  logic                b_valid,
    input  logic [         1:0] b_resp
);
  localparam int LANE_W = $clog2(DATA_W / 8);

  logic aw_done_q, w_done_q, aw_ends, w_ends, room, tag_valid;
  logic [$clog2(MOST):0] depth;

  assign aw_ends = aw_done_q || (aw_valid && aw_ready);
  assign w_ends  = w_done_q || (w_valid && w_ready);
  assign s_ready = aw_ends && w_ends;

  always_ff @(posedge clk) begin
    aw_done_q <= aw_ends && !s_ready;
    w_done_q  <= w_ends && !s_ready;
    if (rst) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  kumi_fifo #(
      .W(TAG_W),
      .DEPTH(MOST),
      .STYLE(0)
  ) u_tags (
      .clk,
      .rst,
      .s_data (s_tag),
      .s_valid(s_valid && s_ready),
      .s_ready(room),
      .m_data (ack_tag),
      .m_valid(tag_valid),
      .m_ready(b_valid),
      .depth
  );
  assign ack_valid = b_valid;
  assign ack_bad = b_resp[1];

  // A write that has begun is finished: room cannot vanish meanwhile.
  assign aw_valid = s_valid && room && !aw_done_q;
  assign aw_addr = {s_addr[63:LANE_W], {LANE_W{1'b0}}};
  assign aw_len = '0;
  assign w_valid = s_valid && room && !w_done_q;
  assign w_data = s_data;
  assign w_strb = s_strb;
  assign w_last = 1'b1;

  logic unused;
  assign unused = ^{s_addr[LANE_W-1:0], b_resp[0], tag_valid, depth};
endmodule
