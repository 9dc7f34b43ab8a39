// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ib_credit_tx and kumi_ib_credit_rx joined by two lines that may lose anything:
// credits are conserved, so no packet that the sender may send ever finds the buffer full.
//
// Conservation: blocks in the buffer, lost and not yet corrected, on the line, taken but not yet on
// the line, permitted, and granted in link packets under way always add up to BLOCKS. Proved by
// induction for counts of 4 bits (12 on the wire), a buffer of 6 blocks and one virtual lane;
// packets of 1 to 4 blocks, up to 2 between grant and line, 3 items on the line one way and 2 the
// other.
`include "kumi_assert.svh"
module ib_credit_formal #(
    parameter int COUNT_W = 4,
    parameter int BLOCKS  = 6
) (
    input logic       clk,
    input logic       rst,
    input logic [2:0] head_blocks,
    input logic       take,         // the sender takes its next packet, if it may
    input logic       put_packet,   // a packet taken goes on the line
    input logic       put_fc,       // a link packet goes on the line
    input logic       arrive,       // the oldest item on the line arrives
    input logic       lost,         // ... or does not
    input logic       put_back,     // a limit goes on the way back
    input logic       arrive_back,
    input logic       lost_back,
    input logic       read          // the reader frees a block
);
  localparam int FREE_W = 4;

  logic permit, req_valid, commit;
  logic [COUNT_W-1:0] fctbs, req_fccl;
  logic [COUNT_W-1:0] delivered_q;  // blocks that have come out of the line or were lost on it
  logic [3:0] used_q;

  // Packets between grant and line, oldest at [0].
  logic [1:0][2:0] staged_q;
  logic [1:0] staged_count_q;
  // The line: packets of so many blocks, or link packets with a count.
  logic [2:0] is_fc_q;
  logic [2:0][COUNT_W-1:0] line_q;
  logic [1:0] line_count_q;
  // The way back: limits.
  logic [1:0][COUNT_W-1:0] back_q;
  logic [1:0] back_count_q;

  logic do_take, do_packet, do_fc, do_arrive, do_back, do_arrive_back, room;
  assign room = line_count_q != 2'd3;
  assign do_take = take && permit && staged_count_q != 2'd2;
  assign do_packet = put_packet && staged_count_q != '0 && room;
  assign do_fc = put_fc && !do_packet && room;
  assign do_arrive = arrive && line_count_q != '0;
  assign do_back = put_back && req_valid && back_count_q != 2'd2;
  assign do_arrive_back = arrive_back && back_count_q != '0;
  assign commit = do_arrive && !is_fc_q[0] && !lost;

  kumi_ib_credit_tx #(
      .DATA_VLS(1),
      .COUNT_W (COUNT_W),
      .BLOCK_W (3)
  ) u_tx (
      .clk,
      .rst,
      .init(1'b0),
      .fc_valid(do_arrive_back && !lost_back),
      .fc_vl('0),
      .fc_fccl(back_q[0]),
      .head_blocks,
      .permit,
      .room(),
      .take_valid(do_take),
      .take_vl('0),
      .take_blocks(head_blocks),
      .sent_valid(do_packet),
      .sent_vl('0),
      .sent_blocks(staged_q[0]),
      .fctbs
  );

  kumi_ib_credit_rx #(
      .DATA_VLS(1),
      .FREE_W(FREE_W),
      .COUNT_W(COUNT_W),
      .BLOCK_W(3),
      .STEP(2),
      .SOON(2),
      .PERIOD(4)
  ) u_rx (
      .clk,
      .rst,
      .init(1'b0),
      .commit_valid(commit),
      .commit_vl('0),
      .commit_blocks(line_q[0][2:0]),
      .fc_valid(do_arrive && is_fc_q[0] && !lost),
      .fc_vl('0),
      .fc_fctbs(line_q[0]),
      .free(4'(BLOCKS) - used_q),
      .req_valid,
      .req_vl(),
      .req_fccl,
      .req_ready(do_back)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb begin
    assume (started_q ? !rst : rst);
    assume (head_blocks != '0 && head_blocks <= 3'd4);
  end

  always_ff @(posedge clk) begin
    logic [1:0] at;
    if (do_packet) staged_q <= staged_q >> 3;
    at = staged_count_q - 2'(do_packet);
    if (do_take) staged_q[at[0]] <= head_blocks;
    staged_count_q <= at + 2'(do_take);

    if (do_arrive) begin
      line_q  <= line_q >> COUNT_W;
      is_fc_q <= is_fc_q >> 1;
      if (!is_fc_q[0]) delivered_q <= delivered_q + line_q[0];
    end
    at = line_count_q - 2'(do_arrive);
    if (do_packet || do_fc) begin
      line_q[at]  <= do_packet ? COUNT_W'(staged_q[0]) : fctbs;
      is_fc_q[at] <= !do_packet;
    end
    line_count_q <= at + 2'(do_packet || do_fc);

    if (do_arrive_back) back_q <= back_q >> COUNT_W;
    at = back_count_q - 2'(do_arrive_back);
    if (do_back) back_q[at[0]] <= req_fccl;
    back_count_q <= at + 2'(do_back);

    used_q <= used_q + (commit ? 4'(line_q[0]) : '0) - 4'(read && used_q != '0);
    if (rst) begin
      staged_count_q <= '0;
      line_count_q   <= '0;
      back_count_q   <= '0;
      delivered_q    <= '0;
      used_q         <= '0;
    end
  end

  // ---- Properties -------------------------------------------------------------------------------
  `KUMI_ASSERT(a_fits, !commit || 8'(used_q) + 8'(line_q[0]) <= 8'(BLOCKS))

  // What is where, each as a number of blocks.
  logic [COUNT_W-1:0] charged, limit, abr, first_back, last_back;
  logic [COUNT_W-1:0] uncorrected, on_line, taken, permitted, back_a, back_b, not_told;
  assign charged = u_tx.charged_q[0];
  assign limit = u_tx.limit_q[0];
  assign abr = u_rx.abr_q[0];
  assign first_back = back_count_q > 2'd0 ? back_q[0] : limit;
  assign last_back = back_count_q > 2'd1 ? back_q[1] : first_back;
  assign uncorrected = delivered_q - abr;
  assign on_line = fctbs - delivered_q;
  assign taken = charged - fctbs;
  assign permitted = limit - charged;
  assign back_a = first_back - limit;
  assign back_b = last_back - first_back;
  assign not_told = abr + COUNT_W'(BLOCKS) - COUNT_W'(used_q) - last_back;
  logic [7:0] here, there;
  assign here  = 8'(used_q) + 8'(uncorrected) + 8'(on_line) + 8'(taken);
  assign there = 8'(permitted) + 8'(back_a) + 8'(back_b) + 8'(not_told);
  `KUMI_ASSERT(a_conserved, here + there == 8'(BLOCKS))

  // The model's own bookkeeping.
  logic [2:0][COUNT_W-1:0] ahead;  // blocks of packets in front of an item on the line
  logic [COUNT_W-1:0] line_sum, staged_sum;
  always_comb begin
    line_sum = '0;
    for (int i = 0; i < 3; i++) begin
      ahead[i] = line_sum;
      if (i < 32'(line_count_q) && !is_fc_q[i]) line_sum = line_sum + line_q[i];
    end
    staged_sum = '0;
    for (int i = 0; i < 2; i++) begin
      if (i < 32'(staged_count_q)) staged_sum = staged_sum + COUNT_W'(staged_q[i]);
    end
  end
  `KUMI_ASSERT(i_line, line_count_q <= 2'd3 && on_line == line_sum)
  `KUMI_ASSERT(i_staged, staged_count_q <= 2'd2 && taken == staged_sum)
  `KUMI_ASSERT(i_back, back_count_q <= 2'd2)
  for (genvar i = 0; i < 3; i++) begin : gen_item
    `KUMI_ASSERT(i_count,
                 i >= line_count_q || (is_fc_q[i] ? line_q[i] == delivered_q + ahead[i] :
                                               line_q[i] != '0 && line_q[i] <= COUNT_W'(4)))
  end
  for (genvar i = 0; i < 2; i++) begin : gen_staged
    `KUMI_ASSERT(i_size, i >= staged_count_q || (staged_q[i] != '0 && staged_q[i] <= 3'd4))
  end
  `KUMI_ASSERT(i_vl, u_rx.look_q == '0)

  `KUMI_COVER(c_full, used_q == 4'(BLOCKS))
  `KUMI_COVER(c_corrected, do_arrive && is_fc_q[0] && !lost && uncorrected == COUNT_W'(4))
  `KUMI_COVER(c_all_lost, uncorrected == COUNT_W'(BLOCKS))
endmodule
