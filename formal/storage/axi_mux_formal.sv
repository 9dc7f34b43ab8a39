// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_axi_mux with two masters that behave arbitrarily: a master that stops in the middle
// of a burst blocks no other.
//
// Proved: the granted write burst is complete, so the write channel never waits for a master. A
// master with a complete burst (or a read request) waits for at most one burst of the other, and
// for memory: if no address is sent although one is requested, memory has not accepted an address,
// owes the maximum number of responses, or is being offered data. Read data is accepted in every
// cycle. Responses go to the master of their burst, never to one without a burst outstanding.
// Assumed: memory answers what it was asked; masters have space for what they read (kumi_ring_read
// reserves it and holds rready high). Nothing is assumed about what masters offer, AXI-conformant
// or not. The FIFOs are those of storage_fifo_model: four words, enough for bursts of up to four
// beats.
`include "kumi_assert.svh"
module axi_mux_formal (
    input logic       clk,
    input logic       rst,
    input logic [1:0] awvalid,
    input logic [1:0] wvalid,
    input logic [1:0] wlast,
    input logic [1:0] arvalid,
    input logic       awready,
    input logic       wready,
    input logic       bvalid,
    input logic       arready,
    input logic       rvalid,
    input logic       rlast
);
  kumi_axi_if #(
      .DATA_W(8),
      .ADDR_W(8)
  ) user[2] ();
  kumi_axi_if #(
      .DATA_W(8),
      .ADDR_W(8)
  ) memory ();

  logic [1:0] user_bvalid, user_rvalid;
  for (genvar i = 0; i < 2; i++) begin : gen_user
    assign user[i].awid = '0;
    assign user[i].awaddr = '0;
    assign user[i].awlen = '0;
    assign user[i].awsize = '0;
    assign user[i].awburst = 2'b01;
    assign user[i].awvalid = awvalid[i];
    assign user[i].wdata = '0;
    assign user[i].wstrb = '0;
    assign user[i].wlast = wlast[i];
    assign user[i].wvalid = wvalid[i];
    assign user[i].bready = 1'b1;
    assign user[i].arid = '0;
    assign user[i].araddr = '0;
    assign user[i].arlen = '0;
    assign user[i].arsize = '0;
    assign user[i].arburst = 2'b01;
    assign user[i].arvalid = arvalid[i];
    assign user[i].rready = 1'b1;
    assign user_bvalid[i] = user[i].bvalid;
    assign user_rvalid[i] = user[i].rvalid;
  end
  assign memory.awready = awready;
  assign memory.wready = wready;
  assign memory.bid = '0;
  assign memory.bresp = '0;
  assign memory.bvalid = bvalid;
  assign memory.arready = arready;
  assign memory.rid = '0;
  assign memory.rdata = '0;
  assign memory.rresp = '0;
  assign memory.rlast = rlast;
  assign memory.rvalid = rvalid;

  kumi_axi_mux #(
      .N(2),
      .BURST_BYTES(4)
  ) u_dut (
      .clk,
      .rst,
      .s_axi(user),
      .m_axi(memory)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);
  always_comb assume (!bvalid || u_dut.b_some);
  always_comb assume (!rvalid || u_dut.r_some);

  // ---- write data wait for nobody -------------------------------------------------------------
  `KUMI_ASSERT(a_data_there, !u_dut.w_some || u_dut.w_valid[u_dut.w_user])

  // Why: in each user's fifo end as many bursts as it has in the order of data, and not yet there.
  logic [1:0][3:0] ends, places, answers, reads;
  for (genvar i = 0; i < 2; i++) begin : gen_count
    for (genvar j = 0; j < 4; j++) begin : gen_word
      assign ends[i][j] = u_dut.gen_user[i].u_w.full_q[j] && u_dut.gen_user[i].u_w.word_q[j][9];
      assign places[i][j] = u_dut.u_w_order.full_q[j] && u_dut.u_w_order.word_q[j] == 1'(i);
      assign answers[i][j] = u_dut.u_b_order.full_q[j] && u_dut.u_b_order.word_q[j] == 1'(i);
      assign reads[i][j] = u_dut.u_r_order.full_q[j] && u_dut.u_r_order.word_q[j] == 1'(i);
    end
    logic [5:0] waiting;
    assign waiting = 6'(u_dut.gen_user[i].whole_q);
    `KUMI_ASSERT(i_ends, 6'($countones(ends[i])) == waiting + 6'($countones(places[i])))
  end

  // ---- whoever asks has its turn --------------------------------------------------------------
  logic [1:0] asks, takes;
  assign asks  = u_dut.aw_valid & u_dut.whole;
  assign takes = u_dut.aw_take;
  logic [1:0][1:0] others_q, other_reads_q;  // bursts of the other since one asked
  for (genvar i = 0; i < 2; i++) begin : gen_turn
    always_ff @(posedge clk) begin
      if (!asks[i] || takes[i]) others_q[i] <= '0;
      else if (takes[1-i] && others_q[i] != '1) others_q[i] <= others_q[i] + 1'b1;
      if (!arvalid[i] || u_dut.ar_take[i]) other_reads_q[i] <= '0;
      else if (u_dut.ar_take[1-i] && other_reads_q[i] != '1) begin
        other_reads_q[i] <= other_reads_q[i] + 1'b1;
      end
      if (rst) begin
        others_q[i] <= '0;
        other_reads_q[i] <= '0;
      end
    end
    `KUMI_ASSERT(a_turn, others_q[i] <= 2'd1)
    `KUMI_ASSERT(a_read_turn, other_reads_q[i] <= 2'd1)
    // Once the other has gone before it, it is the next.
    `KUMI_ASSERT(i_next,
                 others_q[i] == '0 || (i == 1 ? u_dut.u_aw_turn.gen_round_robin.later_q[1] :
                                               !u_dut.u_aw_turn.gen_round_robin.later_q[1]))
    `KUMI_ASSERT(i_next_read,
                 other_reads_q[i] == '0 || (i == 1 ? u_dut.u_ar_turn.gen_round_robin.later_q[1] :
                                            !u_dut.u_ar_turn.gen_round_robin.later_q[1]))
  end

  `KUMI_ASSERT(
      i_later,
      !u_dut.u_aw_turn.gen_round_robin.later_q[0] && !u_dut.u_ar_turn.gen_round_robin.later_q[0])

  // ---- only memory is waited for --------------------------------------------------------------
  logic data_go;
  assign data_go = u_dut.w_move || memory.wvalid;
  `KUMI_ASSERT(
      a_only_memory,
      asks == '0 || takes != '0 || memory.awvalid || !u_dut.b_room || (u_dut.w_some && data_go))
  `KUMI_ASSERT(a_only_memory_reads,
               arvalid == '0 || u_dut.ar_take != '0 || memory.arvalid || !u_dut.r_room)
  `KUMI_ASSERT(a_data_go, !u_dut.w_some || data_go)
  `KUMI_ASSERT(a_reads_taken, !rvalid || memory.rready)
  `KUMI_ASSERT(a_answers_taken, !bvalid || memory.bready)

  // ---- answers go to whom they are for --------------------------------------------------------
  for (genvar i = 0; i < 2; i++) begin : gen_answer
    logic [5:0] owed_q, owed_reads_q;
    always_ff @(posedge clk) begin
      owed_q <= owed_q + 6'(takes[i]) - 6'(user_bvalid[i]);
      owed_reads_q <= owed_reads_q + 6'(u_dut.ar_take[i]) - 6'(user_rvalid[i] && rlast);
      if (rst) begin
        owed_q <= '0;
        owed_reads_q <= '0;
      end
    end
    `KUMI_ASSERT(a_owed, !user_bvalid[i] || owed_q != '0)
    `KUMI_ASSERT(a_owed_reads, !user_rvalid[i] || owed_reads_q != '0)
    `KUMI_ASSERT(i_owed, owed_q == 6'($countones(answers[i])))
    `KUMI_ASSERT(i_owed_reads, owed_reads_q == 6'($countones(reads[i])))
  end
  `KUMI_ASSERT(a_one_answer, $countones(user_bvalid) == 32'(bvalid))

  // User 0 stops in the middle of a burst, user 1's go on.
  logic [2:0] done_q;
  always_ff @(posedge clk) begin
    if (user_bvalid[1] && done_q != '1) done_q <= done_q + 1'b1;
    if (rst) done_q <= '0;
  end
  logic stopped;
  assign stopped = u_dut.aw_valid[0] && u_dut.gen_user[0].u_w.full_q == 4'd3
      && u_dut.gen_user[0].whole_q == '0;
  `KUMI_COVER(c_beside, done_q == 3'd2 && stopped)
  logic [1:0] served_q;
  always_ff @(posedge clk) served_q <= rst ? '0 : served_q | user_bvalid;
  `KUMI_COVER(c_both, served_q == '1)
endmodule
