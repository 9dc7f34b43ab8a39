// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_mux with 8-bit data whose tid names the input of a beat.
//
// Proved: between the first and the last beat of a frame the input does not change; beats are
// accepted from one input at a time and leave in order and unchanged (one tracked beat); whenever
// an input has a beat that may move and there is space, one moves. How long an input waits is the
// arbiter's part, proved in arbiter.sby.
`include "kumi_assert.svh"
module mux_formal #(
    parameter int N           = 3,
    parameter bit ROUND_ROBIN = 1'b1
) (
    input logic              clk,
    input logic              rst,
    input logic [N-1:0][3:0] s_data,
    input logic [N-1:0]      s_valid,
    input logic [N-1:0]      s_last,
    input logic              m_ready,
    input logic              pick
);
  localparam int ID_W = $clog2(N);

  kumi_axis_if #(
      .DATA_W(8),
      .ID_W  (ID_W)
  ) s_axis[N] ();
  kumi_axis_if #(
      .DATA_W(8),
      .ID_W  (ID_W)
  ) m_axis ();
  logic [N-1:0] s_ready;
  for (genvar i = 0; i < N; i++) begin : gen_in
    assign s_axis[i].tdata  = {4'd0, s_data[i]};
    assign s_axis[i].tkeep  = 1'b1;
    assign s_axis[i].tvalid = s_valid[i];
    assign s_axis[i].tlast  = s_last[i];
    assign s_axis[i].tuser  = '0;
    assign s_axis[i].tid    = ID_W'(i);
    assign s_axis[i].tdest  = '0;
    assign s_ready[i] = s_axis[i].tready;
    kumi_axis_props #(
        .ASSUME(1'b1)
    ) u_in (
        .clk,
        .rst,
        .axis(s_axis[i])
    );
  end
  assign m_axis.tready = m_ready;

  kumi_axis_mux #(
      .N(N),
      .ROUND_ROBIN(ROUND_ROBIN)
  ) u_dut (
      .clk,
      .rst,
      .s_axis(s_axis),
      .m_axis(m_axis)
  );
  kumi_axis_props #(
      .CHECK_KEEP(1'b0)
  ) u_out (
      .clk,
      .rst,
      .axis(m_axis)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic [N-1:0] push;
  logic pop;
  assign push = s_valid & s_ready;
  assign pop  = m_axis.tvalid && m_axis.tready;
  `KUMI_ASSERT(a_one_input, (push & (push - 1'b1)) == '0)

  // Frames at the input side: whose frame is open.
  logic open_q;
  logic [ID_W-1:0] owner_q, from;
  logic last_in;
  logic [3:0] data_in;
  always_comb begin
    from    = '0;
    last_in = 1'b0;
    data_in = '0;
    for (int i = 0; i < N; i++) begin
      if (push[i]) begin
        from    = ID_W'(i);
        last_in = s_last[i];
        data_in = s_data[i];
      end
    end
  end
  always_ff @(posedge clk) begin
    if (|push) begin
      open_q  <= !last_in;
      owner_q <= from;
    end
    if (rst) open_q <= 1'b0;
  end
  `KUMI_ASSERT(a_whole, !(open_q && |push) || from == owner_q)
  `KUMI_ASSERT(i_open, open_q == u_dut.in_frame_q)
  `KUMI_ASSERT(i_owner, !open_q || u_dut.held_q == N'(1) << owner_q)
  `KUMI_ASSERT(i_owner_range, !open_q || 32'(owner_q) < N)

  // Nothing waits while the output has room: a beat is taken whenever one may be.
  `KUMI_ASSERT(a_work, !u_dut.out_ready || open_q || s_valid == '0 || |push)
  `KUMI_ASSERT(a_go_on, !u_dut.out_ready || !open_q || !s_valid[owner_q] || |push)

  // One tracked beat through the register slice.
  logic [1:0] words_q, ahead_q;
  logic [ID_W+4:0] word_q, seen;
  logic tracked_q;
  assign seen = {m_axis.tid, m_axis.tlast, m_axis.tdata[3:0]};
  always_ff @(posedge clk) begin
    words_q <= words_q + 2'(|push) - 2'(pop);
    if (tracked_q) begin
      ahead_q <= ahead_q - 2'(pop);
      if (pop && ahead_q == 2'd1) tracked_q <= 1'b0;
    end else if (|push && pick) begin
      tracked_q <= 1'b1;
      word_q    <= {from, last_in, data_in};
      ahead_q   <= words_q + 2'd1 - 2'(pop);
    end
    if (rst) begin
      words_q   <= 2'd0;
      tracked_q <= 1'b0;
    end
  end
  `KUMI_ASSERT(a_order, !(tracked_q && ahead_q == 2'd1) || (m_axis.tvalid && seen == word_q))
  `KUMI_ASSERT(i_words, words_q == 2'(m_axis.tvalid) + 2'(u_dut.u_slice.gen_skid.skid_valid_q))
  `KUMI_ASSERT(i_valid, m_axis.tvalid == (words_q != 2'd0))
  `KUMI_ASSERT(i_ahead, !tracked_q || (ahead_q != 2'd0 && ahead_q <= words_q))
  // The skid word: {tdest, tid, tuser, tlast, tkeep, tdata}.
  `KUMI_ASSERT(
      i_skid,
      !(tracked_q && ahead_q == 2'd2) || {u_dut.u_slice.gen_skid.skid_q[11+:ID_W], u_dut.u_slice.gen_skid.skid_q[9], u_dut.u_slice.gen_skid.skid_q[3:0]} == word_q)

  // Frames of two beats from different inputs, without an idle cycle between them.
  logic [  2:0] run_q;
  logic [N-1:0] sources_q;
  always_ff @(posedge clk) begin
    if (rst || push == '0) begin
      run_q     <= 3'd0;
      sources_q <= '0;
    end else begin
      if (run_q != 3'd7) run_q <= run_q + 3'd1;
      if (open_q && last_in) sources_q <= sources_q | push;
    end
  end
  `KUMI_COVER(c_rate, &sources_q && run_q == 3'd6)
endmodule
