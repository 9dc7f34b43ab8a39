// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_frame_fifo: commit and drop are atomic, every frame raises exactly one
// event and the right one, order is kept, and the input never hangs.
//
// A shadow counts the beats of the incoming frame and the committed beats inside. A beat may be
// picked at the input; ahead_q is its place. If its frame is dropped the pick is cancelled, else it
// must leave unchanged at its turn.
`include "kumi_assert.svh"
module frame_fifo_formal #(
    parameter int DEPTH     = 4,
    parameter bit DROP_FULL = 1'b1,
    parameter int LEN_DEPTH = 0,
    parameter int STYLE     = 0
) (
    input logic       clk,
    input logic       rst,
    input logic [7:0] s_data,
    input logic       s_valid,
    input logic       s_last,
    input logic       s_user,
    input logic       m_ready,
    input logic       len_ready,
    input logic       pick
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int CNT_W = ADDR_W + 3;

  kumi_axis_if #(.DATA_W(8)) s_axis ();
  kumi_axis_if #(.DATA_W(8)) m_axis ();
  kumi_rec_if #(.W(8)) m_len ();
  logic [ADDR_W:0] depth;
  logic ev_good, ev_bad, ev_full, ev_oversize;

  assign s_axis.tdata  = s_data;
  assign s_axis.tkeep  = 1'b1;
  assign s_axis.tvalid = s_valid;
  assign s_axis.tlast  = s_last;
  assign s_axis.tuser  = s_user;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = m_ready;
  assign m_len.ready   = len_ready;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(DROP_FULL),
      .LEN_DEPTH(LEN_DEPTH),
      .STYLE(STYLE)
  ) u_dut (
      .clk,
      .rst,
      .s_axis(s_axis),
      .m_axis(m_axis),
      .m_len (m_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );

  kumi_axis_props #(
      .ASSUME(1'b1)
  ) u_in (
      .clk,
      .rst,
      .axis(s_axis)
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

  logic push, pop, shown;
  assign push  = s_axis.tvalid && s_axis.tready;
  assign pop   = m_axis.tvalid && m_axis.tready;
  assign shown = u_dut.out_valid;

  // Shadow: beats of the incoming frame (saturating), whether one found no room, committed beats.
  logic [CNT_W-1:0] frame_q, inside_q, frame_beats, out_words;
  logic misfit_q, misfit, commit;
  logic [1:0] ram_words;
  assign frame_beats = frame_q + CNT_W'(frame_q != CNT_W'(DEPTH + 1));
  assign misfit = misfit_q || depth == (ADDR_W + 1)'(DEPTH);
  assign commit = push && s_last && !misfit && !s_user && u_dut.len_room;

  always_ff @(posedge clk) begin
    if (push) begin
      frame_q  <= s_last ? '0 : frame_beats;
      misfit_q <= misfit && !s_last;
    end
    inside_q <= inside_q + (commit ? frame_beats : '0) - CNT_W'(pop);
    if (rst) begin
      frame_q  <= '0;
      misfit_q <= 1'b0;
      inside_q <= '0;
    end
  end

  // Nothing is shown but committed beats, and every committed beat is inside until it leaves.
  if (STYLE == 0) begin : gen_lut
    assign ram_words = 2'd0;
  end else begin : gen_block
    assign ram_words = {1'b0, u_dut.u_mem.gen_block.gen_reg.ram_valid_q};
  end
  assign out_words = CNT_W'(shown) + CNT_W'(ram_words);
  logic [ADDR_W:0] committed, incoming;
  assign committed = u_dut.commit_q - u_dut.rd_q;
  assign incoming  = u_dut.wr_q - u_dut.commit_q;
  `KUMI_ASSERT(a_atomic, inside_q == CNT_W'(committed) + out_words)
  `KUMI_ASSERT(a_shown, !m_axis.tvalid || inside_q != '0)

  // One verdict a frame, one cycle after its end, and the right one.
  logic end_q, end_good_q, end_big_q, end_bad_q;
  always_ff @(posedge clk) begin
    end_q      <= !rst && push && s_last;
    end_good_q <= commit;
    end_big_q  <= frame_beats > CNT_W'(DEPTH);
    end_bad_q  <= s_user && !misfit && u_dut.len_room;
  end
  `KUMI_ASSERT(a_one_verdict, 3'(ev_good) + 3'(ev_bad) + 3'(ev_full) + 3'(ev_oversize) == 3'(end_q))
  `KUMI_ASSERT(a_good, ev_good == (end_q && end_good_q))
  `KUMI_ASSERT(a_bad, ev_bad == (end_q && end_bad_q))
  `KUMI_ASSERT(a_oversize, ev_oversize == (end_q && end_big_q))

  // No hang: a beat waits only while the fifo is full of committed frames or records.
  if (DROP_FULL) begin : gen_never_stall
    `KUMI_ASSERT(a_ready, s_axis.tready)
  end else begin : gen_stall
    `KUMI_ASSERT(a_ready, s_axis.tready || inside_q != '0 || !u_dut.len_room)
  end

  // The picked beat.
  logic tracked_q, pending_q;
  logic [CNT_W-1:0] ahead_q;
  logic [9:0] word_q, stored, offered;
  logic [ADDR_W-1:0] place;
  assign offered = {m_axis.tlast, m_axis.tkeep, m_axis.tdata};
  assign place   = u_dut.rd_q[ADDR_W-1:0] + ADDR_W'(ahead_q - 1'b1 - out_words);

  always_ff @(posedge clk) begin
    if (tracked_q) begin
      ahead_q <= ahead_q - CNT_W'(pop);
      if (!pending_q && pop && ahead_q == CNT_W'(1)) tracked_q <= 1'b0;
      if (pending_q && push && s_last) begin
        pending_q <= 1'b0;
        tracked_q <= commit;
      end
    end else if (push && pick && !misfit) begin
      tracked_q <= !s_last || commit;
      pending_q <= !s_last;
      word_q    <= {s_last, 1'b1, s_data};
      ahead_q   <= inside_q + frame_beats - CNT_W'(pop);
    end
    if (rst) tracked_q <= 1'b0;
  end

  if (STYLE == 0) begin : gen_stored_lut
    assign stored = ahead_q == 1 && shown ? offered : u_dut.u_mem.gen_lut.mem[place][9:0];
  end else begin : gen_stored_block
    assign stored = ahead_q == 1 && shown ? offered
        : ahead_q <= out_words ? u_dut.u_mem.gen_block.ram_q[9:0]
        : u_dut.u_mem.gen_block.mem[place][9:0];
  end
  `KUMI_ASSERT(a_order,
               !(tracked_q && !pending_q && ahead_q == 1 && m_axis.tvalid) || offered == word_q)
  `KUMI_ASSERT(i_stored, !tracked_q || (pending_q && misfit_q) || stored == word_q)
  `KUMI_ASSERT(
      i_ahead,
      !tracked_q || (ahead_q >= 1 && (pending_q ? ahead_q > inside_q && ahead_q <= inside_q + frame_q : ahead_q <= inside_q)))

  // What makes the induction close.
  `KUMI_ASSERT(
      i_sizes,
      committed <= DEPTH && incoming <= DEPTH && (misfit_q || CNT_W'(committed) + CNT_W'(incoming) <= DEPTH))
  `KUMI_ASSERT(i_frame,
               frame_q <= DEPTH + 1 && CNT_W'(incoming) == (frame_q > DEPTH ? DEPTH : frame_q))
  `KUMI_ASSERT(i_drop, u_dut.drop_q == misfit_q && u_dut.big_q == (frame_q > DEPTH))
  `KUMI_ASSERT(i_drop_started, !misfit_q || frame_q != '0)

  // Records: a frame begins only when its record is offered or was taken.
  if (LEN_DEPTH > 0) begin : gen_len
    logic [CNT_W:0] ahead;
    logic first_q;
    always_ff @(posedge clk) begin
      if (rst) ahead <= '0;
      else ahead <= ahead + (CNT_W + 1)'(m_len.valid && m_len.ready) - (CNT_W + 1)'(pop && first_q);
      if (pop) first_q <= m_axis.tlast;
      if (rst) first_q <= 1'b1;
    end
    // ahead: records taken less frames begun, in two's complement.
    `KUMI_ASSERT(a_record_first,
                 !(m_axis.tvalid && first_q) || (ahead != '0 && !ahead[CNT_W])
                 || (ahead == '0 && m_len.valid))
    // Frames inside that have not begun to leave: counted, and seen in the memory.
    logic [CNT_W:0] waiting_q, ends;
    logic newest_last, early_end;
    always_ff @(posedge clk) begin
      waiting_q <= waiting_q + (CNT_W + 1)'(commit) - (CNT_W + 1)'(pop && first_q);
      if (rst) waiting_q <= '0;
    end
    always_comb begin
      ends = (CNT_W + 1)'(shown && m_axis.tlast);
      newest_last = m_axis.tlast;
      early_end = 1'b0;
      for (int i = 0; i < DEPTH; i++) begin
        if (i < 32'(committed)) begin
          newest_last = u_dut.u_mem.gen_lut.mem[ADDR_W'(u_dut.rd_q+(ADDR_W+1)'(i))][9];
          ends = ends + (CNT_W + 1)'(newest_last);
        end
        if (i < 32'(incoming)
            && u_dut.u_mem.gen_lut.mem[ADDR_W'(u_dut.commit_q+(ADDR_W+1)'(i))][9]) begin
          early_end = 1'b1;
        end
      end
    end
    `KUMI_ASSERT(i_first, u_dut.gen_len.first_q == first_q)
    `KUMI_ASSERT(i_same, (CNT_W + 1)'(u_dut.gen_len.ahead_q) == ahead)
    `KUMI_ASSERT(i_incoming, misfit_q || !early_end)
    `KUMI_ASSERT(i_newest, inside_q == '0 || newest_last)
    `KUMI_ASSERT(i_middle, first_q || inside_q != '0)
    `KUMI_ASSERT(i_waiting, waiting_q == ends - (CNT_W + 1)'(!first_q))
    `KUMI_ASSERT(i_some, u_dut.gen_len.u_len.some_q == (u_dut.gen_len.len_depth != '0))
    `KUMI_ASSERT(
        a_records,
        waiting_q == ahead + (CNT_W + 1)'(u_dut.gen_len.len_depth) + (CNT_W + 1)'(m_len.valid))
  end

  // Frames of the full depth, a drop of each kind, and a beat a cycle.
  logic [2:0] run_q;
  logic [3:0] seen_q;
  always_ff @(posedge clk) begin
    run_q  <= rst || !(push && pop) ? 3'd0 : run_q + 3'd1;
    seen_q <= rst ? '0 : seen_q | {ev_good, ev_bad, ev_full, ev_oversize};
  end
  `KUMI_COVER(c_rate, run_q == 3'd4)
  `KUMI_COVER(
      c_events,
      DROP_FULL ? &seen_q && inside_q == '0 : seen_q[3] && seen_q[2] && seen_q[0] && inside_q == '0)
  `KUMI_COVER(c_whole, ev_good && inside_q >= CNT_W'(DEPTH))
endmodule
