// SPDX-License-Identifier: Apache-2.0
//
// Credits of a receiver: adjusted blocks received (ABR) and the limits that it gives to the sender,
// FCCL = ABR + free blocks (IBTA volume 1, clause 7.9.4); and when to send a link packet.
//
// commit_*: a packet was kept. fc_*: a link packet received: what the sender has sent. It corrects
//   ABR for packets that were lost on the line. init: ABR to zero, and all lanes are due.
// req_*: the virtual lane whose limit should be sent, and the limit now; held until req_ready. A
//   lane is due when its limit has grown by STEP blocks, after SOON cycles when it has changed at
//   all, and every PERIOD cycles (IBTA: within 65,536 symbol times).
module kumi_ib_credit_rx #(
    parameter  int DATA_VLS = 4,
    parameter  int FREE_W   = 7,                    // bits of a number of free blocks
    parameter  int COUNT_W  = 12,                   // 12 on the wire
    parameter  int BLOCK_W  = 7,
    parameter  int STEP     = 16,
    parameter  int SOON     = 64,
    parameter  int PERIOD   = 4096,
    localparam int VL_W     = $clog2(DATA_VLS + 1)
) (
    input  logic                            clk,
    input  logic                            rst,
    input  logic                            init,
    input  logic                            commit_valid,
    input  logic [    VL_W-1:0]             commit_vl,
    input  logic [ BLOCK_W-1:0]             commit_blocks,
    input  logic                            fc_valid,
    input  logic [    VL_W-1:0]             fc_vl,
    input  logic [ COUNT_W-1:0]             fc_fctbs,
    input  logic [DATA_VLS-1:0][FREE_W-1:0] free,
    output logic                            req_valid,
    output logic [    VL_W-1:0]             req_vl,
    output logic [ COUNT_W-1:0]             req_fccl,
    input  logic                            req_ready
);
  localparam int TIME_W = $clog2(PERIOD + 1);
  localparam int SOON_W = $clog2(SOON + 1);

  logic [DATA_VLS-1:0][COUNT_W-1:0] abr_q, told_q, limit;
  logic [DATA_VLS-1:0] due_q, changed_q, aged_q;
  logic [TIME_W-1:0] time_q;
  logic [SOON_W-1:0] soon_q;

  for (genvar v = 0; v < DATA_VLS; v++) begin : gen_vl
    logic [COUNT_W-1:0] growth;
    assign limit[v] = abr_q[v] + COUNT_W'(free[v]);
    assign growth   = limit[v] - told_q[v];
    always_ff @(posedge clk) begin
      if (commit_valid && commit_vl == VL_W'(v)) abr_q[v] <= abr_q[v] + COUNT_W'(commit_blocks);
      if (fc_valid && fc_vl == VL_W'(v)) abr_q[v] <= fc_fctbs;
      changed_q[v] <= growth != '0;
      if (req_valid && req_ready && req_vl == VL_W'(v)) begin
        told_q[v] <= req_fccl;
        due_q[v]  <= 1'b0;
        aged_q[v] <= 1'b0;
      end else begin
        if (time_q == '0 || growth >= COUNT_W'(STEP)) due_q[v] <= 1'b1;
        if (soon_q == '0) aged_q[v] <= 1'b1;
      end
      if (rst || init) begin
        abr_q[v]     <= '0;
        due_q[v]     <= 1'b1;
        aged_q[v]    <= 1'b0;
        changed_q[v] <= 1'b0;
        told_q[v]    <= '0;
      end
    end
  end

  // One lane after the other is looked at.
  logic [VL_W-1:0] look_q;
  logic [DATA_VLS-1:0] wanted;
  logic [2**VL_W-1:0] ready;
  assign req_vl = look_q;
  assign req_fccl = limit[look_q];
  assign wanted = due_q | (changed_q & aged_q);
  assign ready = (2 ** VL_W)'(wanted);
  assign req_valid = ready[look_q];

  always_ff @(posedge clk) begin
    time_q <= time_q == '0 ? TIME_W'(PERIOD - 1) : time_q - 1'b1;
    soon_q <= soon_q == '0 ? SOON_W'(SOON - 1) : soon_q - 1'b1;
    if (!req_valid || req_ready) look_q <= look_q == VL_W'(DATA_VLS - 1) ? '0 : look_q + 1'b1;
    if (rst) begin
      time_q <= TIME_W'(PERIOD - 1);
      soon_q <= SOON_W'(SOON - 1);
      look_q <= '0;
    end
  end
endmodule
