// SPDX-License-Identifier: Apache-2.0
//
// Writes of one beat each, of any of its bytes, many of them on their way.
//
// s_*: a write; it has moved when memory has taken address and data. in_flight: some are not
//   acknowledged. failed: one was answered with an error since `clear`.
// aw_*, w_*, b_*: a client of kumi_dma_write_mux. Latency: none.
module kumi_nic_post #(
    parameter int DATA_W = 512,  // bits of the memory port
    parameter int MOST   = 16    // writes on their way
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                s_valid,
    output logic                s_ready,
    input  logic [        63:0] s_addr,
    input  logic [  DATA_W-1:0] s_data,
    input  logic [DATA_W/8-1:0] s_strb,
    input  logic                clear,
    output logic                in_flight,
    output logic                failed,
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
  localparam int COUNT_W = $clog2(MOST + 1);

  logic aw_done_q, w_done_q, aw_ends, w_ends, room;
  logic [COUNT_W-1:0] count_q;

  assign room = count_q != COUNT_W'(MOST);
  assign aw_ends = aw_done_q || (aw_valid && aw_ready);
  assign w_ends = w_done_q || (w_valid && w_ready);
  assign s_ready = aw_ends && w_ends;
  assign in_flight = count_q != '0;

  always_ff @(posedge clk) begin
    aw_done_q <= aw_ends && !s_ready;
    w_done_q <= w_ends && !s_ready;
    count_q <= count_q + COUNT_W'(s_valid && s_ready) - COUNT_W'(b_valid);
    failed <= !clear && (failed || (b_valid && b_resp[1]));
    if (rst) begin
      aw_done_q <= 1'b0;
      w_done_q <= 1'b0;
      count_q <= '0;
      failed <= 1'b0;
    end
  end

  // A write that has begun is finished: room cannot vanish meanwhile.
  assign aw_valid = s_valid && room && !aw_done_q;
  assign aw_addr  = {s_addr[63:LANE_W], {LANE_W{1'b0}}};
  assign aw_len   = '0;
  assign w_valid  = s_valid && room && !w_done_q;
  assign w_data   = s_data;
  assign w_strb   = s_strb;
  assign w_last   = 1'b1;

  logic unused;
  assign unused = ^{s_addr[LANE_W-1:0], b_resp[0]};
endmodule
