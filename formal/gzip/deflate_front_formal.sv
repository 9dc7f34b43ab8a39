// SPDX-License-Identifier: Apache-2.0
//
// Proof top of the front of kumi_deflate, with one lane, for any back-pressure of the
// lanes and of the queue of rows, and any pauses of the input: what a message puts into the matcher
// has left it, and its last row has been sent, before the next message begins or a table is
// cleared; the sum, the size and the format that go with a message's last row are those of all its
// bytes. These are the places where the compressor looks at cycles and not at words.
//
// Behind kumi_deflate_spread everything may happen (deflate_back_model). The sums are replaced by
// ones that are as late. Small: tables of 4 buckets, so the shortest pause between messages.
`include "kumi_assert.svh"
module deflate_front_formal
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
#(
    parameter int N = 1
) (
    input logic           clk,
    input logic           rst,
    input logic [    1:0] format,
    input logic [8*N-1:0] data,
    input logic [  N-1:0] keep,
    input logic           last,
    input logic           more,
    input logic           valid
);
  localparam int WAYS = 1;
  localparam int MATCH = 8;
  localparam int STEPS = match_steps(N, WAYS, MATCH);  // of a group, from input to output
  localparam int PAST = (NEAR + N - 1) / N;
  localparam int AHEAD = (MATCH - 2 + N) / N;
  localparam int TAIL = 3 + MATCH / N + match_levels(N, WAYS);
  localparam int WAITS = match_waits(N);
  localparam int ON_WAY = AHEAD + 1 + 2 + WAITS + TAIL;  // groups in the matcher

  kumi_axis_if #(
      .DATA_W(8 * N),
      .USER_W(2)
  ) s_axis ();
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(2)
  ) m_axis ();
  assign s_axis.tdata  = data;
  assign s_axis.tkeep  = keep;
  assign s_axis.tlast  = last;
  assign s_axis.tuser  = {more, 1'b0};
  assign s_axis.tvalid = valid;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;
  assign m_axis.tready = 1'b1;

  kumi_deflate #(
      .N(N),
      .WAYS(WAYS),
      .HASH_W(2),
      .SEGMENT(64),
      .MATCH(MATCH)
  ) u_dut (
      .clk,
      .rst,
      .format,
      .s_axis(s_axis.snk),
      .m_axis(m_axis.src),
      .event_stored(),
      .event_fixed(),
      .event_dynamic()
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);
  // A beat is full but the last of its frame, which alone may be empty.
  always_comb assume (last || keep == '1);
  always_comb assume (((keep + 1'b1) & keep) == '0);

  // ---- groups in the matcher, the newest at 0 -------------------------------------------------
  logic [ON_WAY-1:0] some, ends;  // a byte or the end of a piece; of a message
  logic out_some;
  always_comb begin
    for (int i = 0; i <= AHEAD; i++) begin
      some[i] = u_dut.u_match.win_q[PAST+AHEAD-i].keep[0] || u_dut.u_match.win_q[PAST+AHEAD-i].last;
      ends[i] = u_dut.u_match.win_q[PAST+AHEAD-i].final_;
    end
    some[AHEAD+1] = u_dut.u_match.look_q[PAST].keep[0] || u_dut.u_match.look_q[PAST].last;
    ends[AHEAD+1] = u_dut.u_match.look_q[PAST].final_;
    some[AHEAD+2] = u_dut.u_match.read_q[PAST].keep[0] || u_dut.u_match.read_q[PAST].last;
    ends[AHEAD+2] = u_dut.u_match.read_q[PAST].final_;
    some[AHEAD+2+WAITS] = u_dut.u_match.cmp_q[PAST].keep[0] || u_dut.u_match.cmp_q[PAST].last;
    ends[AHEAD+2+WAITS] = u_dut.u_match.cmp_q[PAST].final_;
    for (int i = 0; i < TAIL; i++) begin
      some[AHEAD+3+WAITS+i] = u_dut.u_match.late_q[i].keep[0] || u_dut.u_match.late_q[i].last;
      ends[AHEAD+3+WAITS+i] = u_dut.u_match.late_q[i].final_;
    end
    out_some = some[ON_WAY-1];
    some[ON_WAY-1] &= u_dut.mat_valid;
    ends &= some;
  end

  // ---- the message ----------------------------------------------------------------------------
  logic taken;
  logic [3:0] quiet_q;  // cycles since a byte was taken
  logic [31:0] total_q;
  logic [1:0] format_q;
  logic begun_q;  // the first one
  logic [$clog2(N+1)-1:0] bytes;
  assign taken = u_dut.grp_valid && u_dut.grp_ready;
  assign bytes = taken ? u_dut.grp_count : '0;
  always_ff @(posedge clk) begin
    quiet_q <= u_dut.start || bytes != '0 ? '0 : quiet_q == '1 ? quiet_q : quiet_q + 1'b1;
    total_q <= (u_dut.start ? '0 : total_q) + 32'(bytes);
    if (u_dut.start) format_q <= format;
    if (u_dut.start) begun_q <= 1'b1;
    if (rst) begin
      quiet_q <= '0;
      total_q <= '0;
      begun_q <= 1'b0;
    end
  end

  // The end of a message is on its way: in the matcher, the slice behind it, or as words without
  // bytes for the lanes that are left.
  logic run, flush, clear, skid, cut, skid_ends, cut_ends, pads_end;
  assign run = u_dut.u_feed.state_q == 2'd0;
  assign flush = u_dut.u_feed.state_q == 2'd1;
  assign clear = u_dut.u_feed.state_q == 2'd2;
  assign skid = u_dut.u_cut.gen_skid.skid_valid_q;
  assign cut = u_dut.cut_valid;
  assign skid_ends = skid && u_dut.u_cut.gen_skid.skid_q[$bits(deflate_match_t)*N+$clog2(N+1)];
  assign cut_ends = cut && u_dut.cut_final;
  assign pads_end = u_dut.padding && u_dut.u_spread.final_q;

  // Invariants. Behind the end of a message nothing follows, and it is as old as it is far on.
  logic behind, old, flushed, newest, over;
  assign over = clear || (flush && u_dut.u_feed.final_q);
  always_comb begin
    behind = 1'b1;
    old = 1'b1;
    flushed = 1'b1;
    newest = 1'b0;  // something newer than stage i
    for (int i = 0; i < ON_WAY; i++) begin
      if (ends[i]) behind &= !newest && over;
      if (ends[i]) old &= quiet_q >= 4'(i > 12 ? 12 : i);
      newest |= some[i];
      if (flush && i < STEPS - 1 - 32'(u_dut.u_feed.flush_q)) flushed &= !some[i];
      if (clear && i < ON_WAY - 1) flushed &= !some[i];
      if (run && u_dut.u_feed.first_q) flushed &= !some[i];
    end
    if (skid_ends) behind &= !newest && over;
    newest |= skid;
    if (cut_ends) behind &= !newest && over;
    newest |= cut;
    if (pads_end) behind &= !newest && over;
    if (skid_ends || cut_ends || pads_end) old &= quiet_q >= 4'd12;
    if (run && u_dut.u_feed.first_q) flushed &= !skid && !cut && !u_dut.padding;
  end
  `KUMI_ASSERT(i_behind, behind)
  `KUMI_ASSERT(i_old, old)
  `KUMI_ASSERT(i_flushed, flushed)
  `KUMI_ASSERT(
      i_state,
      run || clear || (flush && !u_dut.u_feed.first_q && 32'(u_dut.u_feed.flush_q) < STEPS))
  `KUMI_ASSERT(i_out, !u_dut.mat_valid || out_some)
  `KUMI_ASSERT(i_skid, !skid || cut)
  `KUMI_ASSERT(i_spread, u_dut.u_spread.lane_q < N)
  `KUMI_ASSERT(
      i_begun,
      begun_q || ((clear || (run && u_dut.u_feed.first_q)) && some == '0 && !skid && !cut && !u_dut.padding))
  `KUMI_ASSERT(
      i_total,
      !begun_q || total_q == (u_dut.counted_q ? (u_dut.counted_start_q ? 32'd0 : u_dut.total_q) + 32'(u_dut.counted_bytes_q) : u_dut.total_q))
  for (genvar i = 0; i < 9; i++) begin : gen_late
    if (i < 3) begin : gen_crc
      `KUMI_ASSERT(i_crc, quiet_q < 4'(i) || u_dut.u_crc.u_sum.late_q[i] == u_dut.u_crc.u_sum.now_q)
    end
    `KUMI_ASSERT(i_adler,
                 quiet_q < 4'(i) || u_dut.u_adler.u_sum.late_q[i] == u_dut.u_adler.u_sum.now_q)
  end

  // What is proved.
  logic ending;
  assign ending = u_dut.row_in_valid && u_dut.row_in.last;
  `KUMI_ASSERT(a_alone, !u_dut.start || (some == '0 && !skid && !cut && !u_dut.padding))
  `KUMI_ASSERT(a_clear, !u_dut.clear_on || some[ON_WAY-2:0] == '0)
  `KUMI_ASSERT(a_crc, !ending || u_dut.crc == u_dut.u_crc.u_sum.now_q)
  `KUMI_ASSERT(a_adler, !ending || u_dut.adler == u_dut.u_adler.u_sum.now_q)
  `KUMI_ASSERT(a_size, !ending || (u_dut.row_in.total == total_q && !u_dut.start))
  `KUMI_ASSERT(i_format, !begun_q || u_dut.format_q == gzip_format_e'(format_q))
  `KUMI_ASSERT(
      a_format,
      !u_dut.row_in_valid || (begun_q && !u_dut.start && u_dut.row_in.format == gzip_format_e'(format_q)))

  logic ended_q;
  always_ff @(posedge clk) ended_q <= !rst && (ended_q || ending);
  `KUMI_COVER(c_end, ending && total_q == 32'd1)
  `KUMI_COVER(c_next, ended_q && u_dut.start)
endmodule
