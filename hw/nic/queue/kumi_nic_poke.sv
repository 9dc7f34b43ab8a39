// SPDX-License-Identifier: Apache-2.0
//
// One write of one beat, of any of its bytes.
//
// s_*: the write; moves when memory has acknowledged it, and s_resp is its response then. So s_*
//   stands still meanwhile, and there is never more than one.
// aw_*, w_*, b_*: a client of kumi_dma_write_mux.
module kumi_nic_poke #(
    parameter int DATA_W = 512  // bits of the memory port
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                s_valid,
    output logic                s_ready,
    input  logic [        63:0] s_addr,
    input  logic [  DATA_W-1:0] s_data,
    input  logic [DATA_W/8-1:0] s_strb,
    output logic [         1:0] s_resp,
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

  logic aw_done_q, w_done_q;

  always_ff @(posedge clk) begin
    if (aw_valid && aw_ready) aw_done_q <= 1'b1;
    if (w_valid && w_ready) w_done_q <= 1'b1;
    if (rst || s_ready) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  assign aw_valid = s_valid && !aw_done_q;
  assign aw_addr  = {s_addr[63:LANE_W], {LANE_W{1'b0}}};
  assign aw_len   = '0;
  assign w_valid  = s_valid && !w_done_q;
  assign w_data   = s_data;
  assign w_strb   = s_strb;
  assign w_last   = 1'b1;
  assign s_ready  = b_valid;
  assign s_resp   = b_resp;

  logic unused;
  assign unused = ^s_addr[LANE_W-1:0];
endmodule
