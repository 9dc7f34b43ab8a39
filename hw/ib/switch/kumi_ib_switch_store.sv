// SPDX-License-Identifier: Apache-2.0
//
// Packet memory of a switch input: blocks of 64 bytes in one pool. Packets come in one after the
// other and leave in any order.
//
// The free blocks are a linked list. A packet takes them from its head in their order, so the list
// is also the chain of the packet's blocks; a packet that is released is appended as it is.
// in_*: packets with their route; in_take, with in_first: store it, if its ring has space for
//   in_blocks, those of in_len words (64 bytes each, VCRC counted). Only in_len words are stored,
//   and nothing of a packet of one beat. start: pulse, it is stored, in the cycle of in_first;
//   start_pkt: its number, that of its first block.
// commit_*: the credits of a good packet, with its last beat. full: a good packet did not fit.
// live_*: the packet that is coming in, live_beats of it can be read. end_*: it has ended, 1 cycle
//   later. bad_pkt, bad: whether a packet that has ended was bad, combinational.
// free[r]: blocks free on ring r; the last ring (VL15) has SPARE less, which stay free for all.
// next_blk: the block behind `blk` in a packet, combinational. rd_*: beats, latency 1 cycle.
// fin_*, rel_*: release a packet, or a copy of one: mcast, it is free when all copies are. fin_* is
//   always accepted. refs_*: number of copies, before the first is released.
// ready: the list is initialised, a cycle per block after reset.
module kumi_ib_switch_store #(
    parameter  int WORDS  = 2,
    parameter  int RINGS  = 5,
    parameter  int BLOCKS = 64,                  // of each ring, a power of two
    parameter  int REF_W  = 4,                   // bits of a number of copies
    localparam int NUMBER = RINGS * BLOCKS,
    localparam int BLK_W  = $clog2(NUMBER),
    localparam int RING_W = $clog2(RINGS),
    localparam int FREE_W = $clog2(BLOCKS) + 1,
    localparam int BEAT_W = $clog2(16 / WORDS)
) (
    input  logic clk,
    input  logic rst,
    output logic ready,

    // Packets that come in.
    input  logic                          in_valid,
    input  logic [ WORDS-1:0][      31:0] in_data,
    input  logic                          in_half,
    input  logic                          in_first,
    input  logic                          in_last,
    input  logic                          in_good,
    input  logic                          in_take,
    input  logic [RING_W-1:0]             in_ring,
    input  logic [      10:0]             in_len,
    input  logic [       6:0]             in_blocks,
    output logic                          start,
    output logic [ BLK_W-1:0]             start_pkt,
    output logic                          commit_valid,
    output logic [RING_W-1:0]             commit_ring,
    output logic [       6:0]             commit_blocks,
    output logic                          full,
    output logic [RING_W-1:0]             full_ring,
    output logic [ RINGS-1:0][FREE_W-1:0] free,

    // The packet that is coming in.
    output logic             live_valid,
    output logic [BLK_W-1:0] live_pkt,
    output logic [     10:0] live_beats,
    output logic             end_valid,
    output logic             end_bad,

    // Reading.
    input  logic [       1:0][BLK_W-1:0] bad_pkt,
    output logic [       1:0]            bad,
    input  logic [ BLK_W-1:0]            blk,
    output logic [ BLK_W-1:0]            next_blk,
    input  logic                         rd_en,
    input  logic [ BLK_W-1:0]            rd_blk,
    input  logic [BEAT_W-1:0]            rd_beat,
    output logic [ WORDS-1:0][     31:0] rd_data,

    // Release.
    input  logic              fin_valid,
    input  logic [ BLK_W-1:0] fin_pkt,
    input  logic [       6:0] fin_blocks,
    input  logic [RING_W-1:0] fin_ring,
    input  logic              fin_mcast,
    input  logic              rel_valid,
    output logic              rel_ready,
    input  logic [ BLK_W-1:0] rel_pkt,
    input  logic [       6:0] rel_blocks,
    input  logic [RING_W-1:0] rel_ring,
    input  logic              rel_mcast,
    input  logic              refs_valid,
    output logic              refs_ready,
    input  logic [ BLK_W-1:0] refs_pkt,
    input  logic [ REF_W-1:0] refs_count
);
  localparam int BEATS = 16 / WORDS;  // per block
  localparam int SPARE = 4;  // blocks: the list is never empty

  if (BLOCKS < 16 || BLOCKS > 1024 || (BLOCKS & (BLOCKS - 1)) != 0) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be a power of two, 16..1024 (%m)");
  end

  (* ram_style = "distributed", no_rw_check *)logic [BLK_W-1:0] next_mem[NUMBER];
  (* ram_style = "distributed", no_rw_check *)logic             bad_mem [NUMBER];
  (* ram_style = "distributed", no_rw_check *)logic [REF_W-1:0] refs_mem[NUMBER];

  // ---- Write ------------------------------------------------------------------------------------
  logic busy_q, open_q, lost_q, take, fits, write, crosses, advance, ends, lost;
  logic [BLK_W-1:0] blk_q, last_q, start_q, last;
  logic [10:0] pos_q, pos, count, len_q, len, beats_q;
  logic [6:0] in_blocks_q;
  logic [RING_W-1:0] ring_q;
  logic [RINGS-1:0][FREE_W-1:0] free_q;

  assign fits = 11'(in_blocks) <= 11'(free_q[in_ring]);
  assign take = in_first ? in_take && fits && !in_last : busy_q;
  assign lost = in_first ? in_take && !fits : lost_q;
  assign pos = in_first ? '0 : pos_q;
  assign len = in_first ? in_len : len_q;
  assign count = pos + (in_half || WORDS == 1 ? 11'd1 : 11'd2);
  assign write = in_valid && take && pos < len;
  assign crosses = pos[10:4] != count[10:4];
  assign ends = in_valid && in_last && !in_first && busy_q;
  assign advance = (write && crosses) || (ends && (write || open_q));
  assign last = write ? blk_q : last_q;

  assign start = in_valid && in_first && take;
  assign start_pkt = blk_q;
  assign commit_valid = ends && in_good;
  assign commit_ring = ring_q;
  assign commit_blocks = in_blocks_q;
  assign full = in_valid && in_last && in_good && lost;
  assign full_ring = ring_q;
  assign live_valid = busy_q;
  assign live_pkt = start_q;
  assign live_beats = beats_q;
  assign free = free_q;

  always_ff @(posedge clk) begin
    end_valid <= ends;
    end_bad   <= !in_good;
    if (in_valid) begin
      busy_q  <= take && !in_last;
      lost_q  <= lost;
      pos_q   <= count;
      len_q   <= len;
      beats_q <= (in_first ? '0 : beats_q) + 1'b1;
      if (in_first) begin
        start_q     <= blk_q;
        ring_q      <= in_ring;
        in_blocks_q <= in_blocks;
      end
    end
    if (write) begin
      last_q <= blk_q;
      open_q <= 1'b1;
    end
    if (advance) begin
      blk_q  <= next_mem[blk_q];
      open_q <= 1'b0;
    end
    if (ends) bad_mem[start_q] <= !in_good;
    if (rst) begin
      busy_q    <= 1'b0;
      open_q    <= 1'b0;
      end_valid <= 1'b0;
      blk_q     <= '0;
    end
  end

  // ---- Release ----------------------------------------------------------------------------------
  logic ready_q, rel_q, mcast_q, freed;
  logic [BLK_W-1:0] init_q, tail_q, pkt, pkt_q, last_of;
  logic [6:0] blocks_q;
  logic [RING_W-1:0] rel_ring_q;
  logic [REF_W-1:0] refs;

  assign ready = ready_q;
  assign rel_ready = !fin_valid;
  assign pkt = fin_valid ? fin_pkt : rel_pkt;
  assign refs = refs_mem[pkt_q];
  assign freed = rel_q && (!mcast_q || refs == REF_W'(1));
  assign refs_ready = !(rel_q && mcast_q);

  kumi_ram_sdp #(
      .W(BLK_W),
      .DEPTH(NUMBER),
      .STYLE(2)
  ) u_last (
      .clk,
      .wr_en  (ends),
      .wr_addr(start_q),
      .wr_data(last),
      .rd_en  (1'b1),
      .rd_addr(pkt),
      .rd_data(last_of)
  );

  always_ff @(posedge clk) begin
    if (!ready_q) next_mem[init_q] <= init_q + 1'b1;
    else if (freed) next_mem[tail_q] <= pkt_q;
  end

  always_ff @(posedge clk) begin
    if (rel_q && mcast_q) refs_mem[pkt_q] <= refs - 1'b1;
    else if (refs_valid) refs_mem[refs_pkt] <= refs_count;
  end

  always_ff @(posedge clk) begin
    rel_q      <= fin_valid || rel_valid;
    pkt_q      <= pkt;
    blocks_q   <= fin_valid ? fin_blocks : rel_blocks;
    rel_ring_q <= fin_valid ? fin_ring : rel_ring;
    mcast_q    <= fin_valid ? fin_mcast : rel_mcast;
    if (freed) tail_q <= last_of;
    for (int r = 0; r < RINGS; r++) begin
      free_q[r] <= free_q[r] + (freed && rel_ring_q == RING_W'(r) ? FREE_W'(blocks_q) : '0) -
          (ends && ring_q == RING_W'(r) ? FREE_W'(in_blocks_q) : '0);
    end
    if (!ready_q) begin
      init_q  <= init_q + 1'b1;
      ready_q <= init_q == BLK_W'(NUMBER - 1);
    end
    if (rst) begin
      rel_q <= 1'b0;
      ready_q <= 1'b0;
      init_q <= '0;
      tail_q <= BLK_W'(NUMBER - 1);
      free_q <= {RINGS{FREE_W'(BLOCKS)}};
      free_q[RINGS-1] <= FREE_W'(BLOCKS - SPARE);
    end
  end

  // ---- Reading ----------------------------------------------------------------------------------
  assign next_blk = next_mem[blk];
  assign bad[0]   = bad_mem[bad_pkt[0]];
  assign bad[1]   = bad_mem[bad_pkt[1]];

  kumi_ram_sdp #(
      .W(32 * WORDS),
      .DEPTH(NUMBER * BEATS),
      .STYLE(1)
  ) u_mem (
      .clk,
      .wr_en  (write),
      .wr_addr({blk_q, pos[3:4-BEAT_W]}),
      .wr_data(in_data),
      .rd_en,
      .rd_addr({rd_blk, rd_beat}),
      .rd_data
  );

  logic unused;
  assign unused = ^{pos, count};
endmodule
