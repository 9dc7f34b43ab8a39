// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_axis_demux (BROADCAST = 0) and kumi_axis_broadcast (BROADCAST = 1).
//
// The watched output is any one of them. One beat is picked at the input. Demultiplexer: it comes
// out at the watched output at its turn if and only if its frame chose that output, a frame of a
// number out of range is dropped with one pulse, and every frame goes to one place as a whole.
// Broadcast: it comes out at the watched output exactly once.
`include "kumi_assert.svh"
module spread_formal #(
    parameter bit BROADCAST = 1'b0,
    parameter int N         = 3
) (
    input logic         clk,
    input logic         rst,
    input logic [  7:0] s_data,
    input logic         s_valid,
    input logic         s_last,
    input logic [  1:0] s_dest,
    input logic [N-1:0] m_ready,
    input logic         pick
);
  kumi_axis_if #(
      .DATA_W(8),
      .DEST_W(2)
  ) s_axis ();
  kumi_axis_if #(
      .DATA_W(8),
      .DEST_W(2)
  ) m_axis[N] ();
  assign s_axis.tdata  = s_data;
  assign s_axis.tkeep  = 1'b1;
  assign s_axis.tvalid = s_valid;
  assign s_axis.tlast  = s_last;
  assign s_axis.tuser  = '0;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = s_dest;
  kumi_axis_props #(
      .ASSUME(1'b1)
  ) u_in (
      .clk,
      .rst,
      .axis(s_axis)
  );

  logic [N-1:0] m_valid;
  logic [N-1:0][8:0] m_beat;
  for (genvar i = 0; i < N; i++) begin : gen_out
    assign m_axis[i].tready = m_ready[i];
    assign m_valid[i] = m_axis[i].tvalid;
    assign m_beat[i] = {m_axis[i].tlast, m_axis[i].tdata};
    kumi_axis_props #(
        .CHECK_KEEP(1'b0)
    ) u_out (
        .clk,
        .rst,
        .axis(m_axis[i])
    );
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic [1:0] who;  // never driven but by itself: any constant
  always_ff @(posedge clk) who <= who;
  always_comb assume (32'(who) < N);

  logic push, move, front_valid, skid_valid, pop;
  logic [8:0] front, skid;
  assign push = s_axis.tvalid && s_axis.tready;
  assign pop  = m_valid[who] && m_ready[who];

  // Words in the slice, and the place of the picked one.
  logic [1:0] words_q, ahead_q;
  logic [8:0] word_q;
  logic tracked_q, mine_q;
  // The choice of the frame that comes in, and of the frame at the front of the slice.
  logic in_open_q;
  logic [1:0] in_dest_q, in_dest;
  assign in_dest = in_open_q ? in_dest_q : s_dest;

  always_ff @(posedge clk) begin
    words_q <= words_q + 2'(push) - 2'(front_valid && move);
    if (push) begin
      in_open_q <= !s_last;
      in_dest_q <= in_dest;
    end
    if (tracked_q) begin
      ahead_q <= ahead_q - 2'(front_valid && move);
      if (front_valid && move && ahead_q == 2'd1) tracked_q <= 1'b0;
    end else if (push && pick) begin
      tracked_q <= 1'b1;
      word_q    <= {s_last, s_data};
      mine_q    <= in_dest == who;
      ahead_q   <= words_q + 2'd1 - 2'(front_valid && move);
    end
    if (rst) begin
      words_q   <= 2'd0;
      in_open_q <= 1'b0;
      tracked_q <= 1'b0;
    end
  end
  `KUMI_ASSERT(i_words, words_q == 2'(front_valid) + 2'(skid_valid) && (front_valid || !skid_valid))
  `KUMI_ASSERT(i_ahead, !tracked_q || (ahead_q != 2'd0 && ahead_q <= words_q))
  `KUMI_ASSERT(i_front, !(tracked_q && ahead_q == 2'd1) || front == word_q)
  `KUMI_ASSERT(i_skid, !(tracked_q && ahead_q == 2'd2) || skid == word_q)
  `KUMI_ASSERT(a_value, !(tracked_q && ahead_q == 2'd1 && m_valid[who]) || m_beat[who] == word_q)

  if (BROADCAST) begin : gen_broadcast
    kumi_axis_broadcast #(
        .N(N)
    ) u_dut (
        .clk,
        .rst,
        .s_axis(s_axis),
        .m_axis(m_axis)
    );
    assign move        = u_dut.move;
    assign front_valid = u_dut.valid;
    assign front       = {u_dut.beat[9], u_dut.beat[7:0]};
    assign skid_valid  = u_dut.u_slice.gen_skid.skid_valid_q;
    assign skid        = {u_dut.u_slice.gen_skid.skid_q[9], u_dut.u_slice.gen_skid.skid_q[7:0]};

    // Times that the front beat has left at the watched output.
    logic [1:0] times_q;
    always_ff @(posedge clk) begin
      if (rst || (front_valid && move)) times_q <= 2'd0;
      else times_q <= times_q + 2'(pop);
    end
    `KUMI_ASSERT(a_once, !(front_valid && move) || times_q + 2'(pop) == 2'd1)
    `KUMI_ASSERT(i_done, u_dut.done_q[who] == (times_q != 2'd0) && times_q <= 2'd1)
    `KUMI_ASSERT(i_idle, front_valid || u_dut.done_q == '0)
    `KUMI_COVER(c_apart, front_valid && move && $past(!move && front_valid && pop))
  end else begin : gen_demux
    logic ev_drop, drop_q;
    kumi_axis_demux #(
        .N(N),
        .SELECT_W(1),
        .USE_DEST(1'b1)
    ) u_dut (
        .clk,
        .rst,
        .select(1'b0),
        .s_axis(s_axis),
        .m_axis(m_axis),
        .ev_drop
    );
    assign move        = u_dut.move;
    assign front_valid = u_dut.valid;
    assign front       = {u_dut.beat[9], u_dut.beat[7:0]};
    assign skid_valid  = u_dut.u_slice.gen_skid.skid_valid_q;
    assign skid        = {u_dut.u_slice.gen_skid.skid_q[9], u_dut.u_slice.gen_skid.skid_q[7:0]};

    // The frame at the front, by its own order: the choice of its first beat.
    logic front_open_q;
    logic [1:0] front_dest_q, front_dest, skid_dest;
    logic [N-1:0] skid_choice;
    assign front_dest  = front_open_q ? front_dest_q : u_dut.beat[13:12];
    assign skid_dest   = u_dut.u_slice.gen_skid.skid_q[13:12];
    assign skid_choice = u_dut.u_slice.gen_skid.skid_q[14+:N];
    always_ff @(posedge clk) begin
      if (front_valid && move) begin
        front_open_q <= !front[8];
        front_dest_q <= front_dest;
      end
      drop_q <= !rst && front_valid && move && !front_open_q && 32'(front_dest) >= N;
      if (rst) front_open_q <= 1'b0;
    end
    // It leaves where it should, or nowhere.
    `KUMI_ASSERT(a_out, m_valid[who] == (front_valid && front_dest == who))
    `KUMI_ASSERT(a_one, (m_valid & (m_valid - 1'b1)) == '0)
    `KUMI_ASSERT(a_mine, !(tracked_q && ahead_q == 2'd1) || m_valid[who] == mine_q)
    `KUMI_ASSERT(a_drop, ev_drop == drop_q)
    `KUMI_ASSERT(a_drop_runs, !(front_valid && 32'(front_dest) >= N) || move)
    // Decoded choices belong to their beats; open frames at both ends agree over the slice.
    logic open_1, open_2;
    logic [1:0] dest_1, dest_2;
    assign open_1 = front_valid ? !front[8] : front_open_q;
    assign dest_1 = front_valid ? front_dest : front_dest_q;
    assign open_2 = skid_valid ? !skid[8] : open_1;
    assign dest_2 = skid_valid ? (open_1 ? dest_1 : skid_dest) : dest_1;
    `KUMI_ASSERT(i_choice, !front_valid || (u_dut.choice == (N'(1) << u_dut.beat[13:12])))
    `KUMI_ASSERT(i_choice_skid, !skid_valid || (skid_choice == (N'(1) << skid_dest)))
    `KUMI_ASSERT(i_frame,
                 u_dut.in_frame_q == front_open_q
                 && (!front_open_q || u_dut.choice_q == (N'(1) << front_dest_q)))
    `KUMI_ASSERT(i_open, in_open_q == open_2 && (!in_open_q || in_dest_q == dest_2))
    `KUMI_ASSERT(i_mine, !(tracked_q && ahead_q == 2'd1) || mine_q == (front_dest == who))
    `KUMI_ASSERT(i_mine_skid, !(tracked_q && ahead_q == 2'd2) || mine_q == (dest_2 == who))
    logic [3:0] seen_q;
    always_ff @(posedge clk) seen_q <= rst ? '0 : seen_q | {ev_drop, m_valid & m_ready};
    `KUMI_COVER(c_all, &seen_q)
  end

  logic [2:0] run_q;
  always_ff @(posedge clk) run_q <= rst || !push ? 3'd0 : run_q + 3'd1;
  `KUMI_COVER(c_rate, run_q == 3'd7)
endmodule
