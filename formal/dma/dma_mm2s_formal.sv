// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_dma_mm2s: any descriptors, any timing of bus, data and stream.
//
// Every burst lies in one page of the burst size and inside the buffer (taken to whole beats), the
// bursts of a descriptor follow one another without a hole and cover it; beats asked for = beats
// that came + beats waited for, and there is room for all of them; every descriptor taken completes
// exactly once, in order, with its own number (at most once for runs of any length; LIVE: that it
// does is checked for a bounded run in which bus and stream go on).
`include "kumi_assert.svh"
module dma_mm2s_formal
  import kumi_dma_pkg::*;
#(
    parameter bit LIVE = 1'b0
) (
    input logic       clk,
    input logic       rst,
    input logic       run,
    input logic       s_valid,
    input logic [7:0] addr,
    input logic [5:0] length,
    input logic       eop,
    input logic       ar_ready,
    input logic       r_valid,
    input logic [1:0] r_resp,
    input logic       seg_ready,
    input logic       done_ready,
    input logic       choose
);
  localparam int BURST_BYTES = 32;
  localparam int BEATS = 8;

  logic s_ready, ar_valid, seg_valid, seg_start, seg_flush, seg_bad, done_valid, waiting;
  logic [15:0] count_q;
  logic [31:0] ar_addr;
  logic [7:0] ar_len, seg_dest;
  logic [63:0] seg_data;
  logic [2:0] seg_lo;
  logic [3:0] seg_count;
  dma_completion_t done;

  // Short lengths and low addresses, so that bursts end and pages are crossed within the bound.
  dma_desc_t s_desc;
  always_comb begin
    s_desc = '0;
    s_desc.addr = 64'(addr);
    s_desc.length = 24'(length);
    s_desc.flags.eop = eop;
  end

  kumi_dma_mm2s #(
      .DATA_W(64),
      .ADDR_W(32),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(BEATS),
      .METAS(4),
      .SUM_W(6)
  ) u_dut (
      .clk,
      .rst,
      .run,
      .s_valid,
      .s_ready,
      .s_desc,
      .s_count(count_q),
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data ('0),
      .r_resp,
      .seg_valid,
      .seg_ready,
      .seg_data,
      .seg_lo,
      .seg_count,
      .seg_start,
      .seg_flush,
      .seg_bad,
      .seg_dest,
      .done_valid,
      .done_ready,
      .done,
      .waiting
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  always_ff @(posedge clk) begin
    if (rst) count_q <= '0;
    else if (s_valid && s_ready) count_q <= count_q + 1'b1;
  end

  // ---- beats owed by the bus -----------------------------------------------------------------
  logic [5:0] owed_q;
  logic fire;
  assign fire = ar_valid && ar_ready;
  always_ff @(posedge clk) begin
    if (rst) owed_q <= '0;
    else owed_q <= owed_q + (fire ? 6'(ar_len) + 6'd1 : 6'd0) - 6'(r_valid);
  end
  always_comb assume (!r_valid || owed_q != '0);

  `KUMI_ASSERT(a_waiting,
               waiting == (owed_q != '0) && 6'(4'(u_dut.asked_q - u_dut.came_q)) == owed_q)
  // Room: what is owed and what is in the memory never exceed it. depth excludes output registers.
  `KUMI_ASSERT(a_room, owed_q + 6'(u_dut.depth_beats) <= 6'(BEATS))
  `KUMI_ASSERT(a_taken, !r_valid || u_dut.beat_room)

  // ---- bursts --------------------------------------------------------------------------------
  logic [31:0] ar_last;
  assign ar_last = ar_addr + 32'(ar_len) * 8;
  `KUMI_ASSERT(a_page, !ar_valid || ar_addr[31:5] == ar_last[31:5])
  `KUMI_ASSERT(a_aligned, !ar_valid || ar_addr[2:0] == '0)
  `KUMI_ASSERT(a_length, !ar_valid || ar_len < 8'(BURST_BYTES / 8))

  // One descriptor is picked; its bursts are followed.
  logic picked_q, begun_q;
  logic [31:0] next_q, end_q;  // beat addresses: next one to be read, last one
  logic pick;
  assign pick = s_valid && s_ready && choose && !picked_q && !u_dut.illegal;

  // Descriptors before the picked one have all their bursts out when the picked one's first comes:
  // bursts leave in order, one descriptor at a time, so following starts when the splitter holds it.
  logic holds_q;  // the splitter holds the picked descriptor
  logic rec_q;  // the burst register holds one of its bursts
  always_ff @(posedge clk) begin
    if (u_dut.burst_free) rec_q <= u_dut.left_valid_q && holds_q;
    if (u_dut.split && u_dut.split_last) holds_q <= 1'b0;
    if (pick) begin
      picked_q <= 1'b1;
      holds_q <= 1'b1;
      next_q <= {s_desc.addr[31:3], 3'b0};
      end_q <= (s_desc.addr[31:0] + 32'(s_desc.length) - 32'd1) & ~32'd7;
    end
    if (fire && rec_q) begin
      next_q  <= ar_last + 32'd8;
      begun_q <= 1'b1;
    end
    if (rst) begin
      picked_q <= 1'b0;
      holds_q <= 1'b0;
      rec_q <= 1'b0;
      begun_q <= 1'b0;
    end
  end
  `KUMI_ASSERT(a_follows, !(fire && rec_q) || ar_addr == next_q)
  `KUMI_ASSERT(a_within, !(fire && rec_q) || ar_last - next_q <= end_q - next_q)
  // When nothing of it is left, it is covered.
  `KUMI_ASSERT(a_covered, !(picked_q && !holds_q && !rec_q) || next_q == end_q + 32'd8)

  // ---- completions ---------------------------------------------------------------------------
  logic [15:0] done_q;
  always_ff @(posedge clk) begin
    if (rst) done_q <= '0;
    else if (done_valid && done_ready) done_q <= done_q + 1'b1;
  end
  `KUMI_ASSERT(a_order, !done_valid || done.count == done_q)
  `KUMI_ASSERT(a_not_early, !done_valid || done_q != count_q)

  `KUMI_COVER(c_three, done_q == 16'd3)
  `KUMI_COVER(c_page, picked_q && begun_q && rec_q && ar_valid && ar_len == 8'd3)
  `KUMI_COVER(c_illegal, done_valid && done_ready && done.code == CODE_ILLEGAL)

  if (LIVE) begin : gen_live
    // A bus and a stream that always go on, one descriptor of up to three beats at a time: it
    // completes within a bound.
    logic [4:0] age_q;
    always_comb assume (!s_valid || (done_q == count_q && length <= 6'd16));
    always_comb assume (run && ar_ready && seg_ready && done_ready && (owed_q == '0 || r_valid));
    always_ff @(posedge clk) begin
      age_q <= rst || done_q == count_q || (done_valid && done_ready) ? 5'd0 : age_q + 5'd1;
    end
    `KUMI_ASSERT(a_comes, age_q < 5'd12)
  end else begin : gen_safe
    // ---- what makes the induction close --------------------------------------------------------
    // The splitter.
    logic [24:0] left;
    assign left = u_dut.end_q - 25'(u_dut.addr[4:0]);
    `KUMI_ASSERT(i_left, !u_dut.left_valid_q || (left != '0 && left < 25'd64))
    `KUMI_ASSERT(i_burst,
                 !u_dut.burst_valid_q || (u_dut.burst_beats_q != '0 &&
                          u_dut.burst_addr_q[2:0] == '0 &&
                          {2'b0, u_dut.burst_addr_q[4:3]} + {1'b0, u_dut.burst_beats_q} <= 4'd4))
    // The followed descriptor.
    logic [31:0] split_last;
    assign split_last = (u_dut.addr + 32'(left) - 32'd1) & ~32'd7;
    `KUMI_ASSERT(i_holds, !holds_q || (picked_q && u_dut.left_valid_q && split_last == end_q))
    `KUMI_ASSERT(i_rec, !rec_q || (picked_q && u_dut.burst_valid_q && u_dut.burst_addr_q == next_q))
    `KUMI_ASSERT(
        i_next_rec,
        !(rec_q && holds_q) || next_q + 32'(u_dut.burst_beats_q) * 8 == {u_dut.addr[31:3], 3'b0})
    `KUMI_ASSERT(i_next, !(holds_q && !rec_q) || next_q == {u_dut.addr[31:3], 3'b0})
    `KUMI_ASSERT(i_end_rec,
                 !(rec_q && !holds_q) || next_q + 32'(u_dut.burst_beats_q) * 8 == end_q + 32'd8)
    `KUMI_ASSERT(i_small, !u_dut.left_valid_q || u_dut.addr + 32'(left) <= 32'd320)
    `KUMI_ASSERT(i_small_end, !picked_q || (end_q < 32'd512 && next_q <= 32'd512))
    // Room.
    `KUMI_ASSERT(i_free,
                 6'(u_dut.free_q) + owed_q + 6'(u_dut.depth_beats) + 6'(u_dut.beat_valid) +
        6'(u_dut.popped_q) == 6'(BEATS))
    // Numbers of the descriptors that wait for their completion.
    `KUMI_ASSERT(i_count, count_q == done_q + 16'(u_dut.depth_metas) + 16'(u_dut.meta_valid))
    `KUMI_ASSERT(i_head, !u_dut.meta_valid || u_dut.meta_bits[15:0] == done_q)
    for (genvar i = 0; i < 4; ++i) begin : gen_meta
      logic [ 1:0] at;
      logic [79:0] word;
      assign at   = u_dut.u_metas.rd_q + 2'(i);
      assign word = u_dut.u_metas.u_mem.gen_lut.mem[at];
      `KUMI_ASSERT(
          i_meta,
          u_dut.depth_metas <= 3'(i) || word[15:0] == done_q + 16'(u_dut.meta_valid) + 16'(i))
    end
  end
endmodule
