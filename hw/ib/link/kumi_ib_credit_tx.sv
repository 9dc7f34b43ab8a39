// SPDX-License-Identifier: Apache-2.0
//
// Credits of a sender: which virtual lanes may send their next packet (IBTA volume 1, clause
// 7.9.4.4). A packet may go if the blocks sent so far and its own do not pass the limit that the
// other side gave: (FCCL - (FCTBS + blocks)) modulo 2^COUNT_W is at most half the range.
//
// init: all counts to zero; nothing may be sent until a limit has come.
// fc_*: a link packet received. head_*: the packet each lane would send. permit: it may be sent.
// room: the blocks that may be sent, up to what fits in BLOCK_W bits.
// take_*: a packet is on its way to the line; its blocks are charged. sent_*: it has reached the
//   line; fctbs are the blocks that have, which is what a link packet must say (one that overtakes
//   a packet on its way must not count it). All effects 1 cycle later.
module kumi_ib_credit_tx #(
    parameter  int DATA_VLS = 4,
    parameter  int COUNT_W  = 12,                   // 12 on the wire
    parameter  int BLOCK_W  = 7,
    localparam int VL_W     = $clog2(DATA_VLS + 1)
) (
    input  logic                             clk,
    input  logic                             rst,
    input  logic                             init,
    input  logic                             fc_valid,
    input  logic [    VL_W-1:0]              fc_vl,
    input  logic [ COUNT_W-1:0]              fc_fccl,
    input  logic [DATA_VLS-1:0][BLOCK_W-1:0] head_blocks,
    output logic [DATA_VLS-1:0]              permit,
    output logic [DATA_VLS-1:0][BLOCK_W-1:0] room,
    input  logic                             take_valid,
    input  logic [    VL_W-1:0]              take_vl,
    input  logic [ BLOCK_W-1:0]              take_blocks,
    input  logic                             sent_valid,
    input  logic [    VL_W-1:0]              sent_vl,
    input  logic [ BLOCK_W-1:0]              sent_blocks,
    output logic [DATA_VLS-1:0][COUNT_W-1:0] fctbs
);
  localparam logic [COUNT_W-1:0] HALF = COUNT_W'(1) << (COUNT_W - 1);

  logic [DATA_VLS-1:0][COUNT_W-1:0] charged_q, limit_q, fctbs_q;

  assign fctbs = fctbs_q;

  for (genvar v = 0; v < DATA_VLS; v++) begin : gen_vl
    logic [COUNT_W-1:0] rest, all;
    assign rest = limit_q[v] - (charged_q[v] + COUNT_W'(head_blocks[v]));
    assign permit[v] = rest <= HALF;
    assign all = limit_q[v] - charged_q[v];
    assign room[v] = all > HALF ? '0 : (all >> BLOCK_W) != '0 ? '1 : all[BLOCK_W-1:0];
    always_ff @(posedge clk) begin
      if (fc_valid && fc_vl == VL_W'(v)) limit_q[v] <= fc_fccl;
      if (take_valid && take_vl == VL_W'(v)) charged_q[v] <= charged_q[v] + COUNT_W'(take_blocks);
      if (sent_valid && sent_vl == VL_W'(v)) fctbs_q[v] <= fctbs_q[v] + COUNT_W'(sent_blocks);
      if (rst || init) begin
        limit_q[v]   <= '0;
        charged_q[v] <= '0;
        fctbs_q[v]   <= '0;
      end
    end
  end
endmodule
