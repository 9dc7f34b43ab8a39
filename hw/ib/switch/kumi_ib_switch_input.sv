// SPDX-License-Identifier: Apache-2.0
//
// Input of a switch port: routes, stores and queues packets, and reads those that outputs ask for.
// Queues per output and virtual lane: a packet waits only behind packets of its own output and
// lane.
//
// in_*, direct_*: see kumi_ib_switch_route; commit_*, full, free: see kumi_ib_switch_store; m_*,
//   closing_*: see kumi_ib_switch_reader; waiting: see kumi_ib_switch_voq; may_ask, ask*, got,
//   ans_*: see kumi_ib_switch_head.
// Discarded: bad packets that have not begun to leave, and what kumi_ib_switch_head finds.
// Latency: beat in to `waiting` 5 cycles, got to the first beat out 8 (WORDS 2).
module kumi_ib_switch_input
  import kumi_ib_link_pkg::blocks_of;
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS    = 8,
    parameter  int NUMBER   = 1,                  // of this port; 0: the management port
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,
    parameter  int LFT_CAP  = 1024,
    parameter  int MFT_CAP  = 64,
    parameter  int COPIES   = 32,
    localparam int OUTS     = PORTS + 1,
    localparam int OUT_W    = $clog2(OUTS),
    localparam int RINGS    = DATA_VLS + 1,
    localparam int RING_W   = $clog2(RINGS),
    localparam int FREE_W   = $clog2(BLOCKS) + 1
) (
    input  logic                         clk,
    input  logic                         rst,
    output logic                         ready,
    input  ib_table_write_t              write,
    input  logic            [      15:0] own_lid,
    input  ib_out_info_t    [   PORTS:0] outs,
    input  logic            [TIME_W-1:0] now,
    input  logic            [       4:0] switch_life,

    // Packets received.
    input  logic                          in_valid,
    input  logic [ WORDS-1:0][      31:0] in_data,
    input  logic                          in_half,
    input  logic                          in_first,
    input  logic                          in_last,
    input  logic [RING_W-1:0]             in_ring,
    input  logic                          in_head_good,
    input  logic                          in_good,
    input  logic                          direct_valid,
    input  logic [       7:0]             direct_port,
    output logic                          rcvd,
    output logic [      10:0]             rcvd_words,
    output logic                          commit_valid,
    output logic [RING_W-1:0]             commit_ring,
    output logic [       6:0]             commit_blocks,
    output logic                          full,
    output logic [RING_W-1:0]             full_ring,
    output logic [ RINGS-1:0][FREE_W-1:0] free,

    // Matching with outputs.
    output logic [OUTS-1:0][ RINGS-1:0] waiting,
    output logic                        may_ask,
    input  logic [OUTS-1:0]             ask,
    input  logic [OUTS-1:0][RING_W-1:0] ask_ring,
    input  logic [OUTS-1:0][       6:0] ask_room,
    input  logic [OUTS-1:0][       3:0] ask_share,
    output logic [OUTS-1:0]             got,
    output logic [OUTS-1:0]             ans_go,
    output logic [OUTS-1:0]             ans_wait,
    output logic [OUTS-1:0]             ans_done,
    output logic [     6:0]             ans_blocks,

    // Packets to outputs.
    output logic                   closing,
    output logic [OUT_W-1:0]       closing_out,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic [WORDS-1:0][31:0] m_data,
    output logic                   m_half,
    output logic                   m_last,
    output logic                   m_bad,
    output logic [OUT_W-1:0]       m_out,

    // Events.
    output logic              no_route,
    output logic              no_vl,
    output logic              loop,
    output ib_discard_t [2:0] discard
);
  localparam int NBLK = RINGS * BLOCKS;
  localparam int BLK_W = $clog2(NBLK);
  localparam int REF_W = $clog2(PORTS + 2);
  localparam int BEAT_W = $clog2(16 / WORDS);

  // ---- Route and memory -------------------------------------------------------------------------
  logic rt_valid, rt_half, rt_first, rt_last, rt_good, rt_take, rt_mcast, route_no_vl, mcast_no_vl;
  logic [WORDS-1:0][31:0] rt_data;
  logic [OUT_W-1:0] rt_port;
  logic [PORTS:0] rt_mask;
  logic [3:0] rt_sl;
  logic [RING_W-1:0] rt_ring, rt_in_ring;
  logic [10:0] rt_len;
  logic [ 6:0] rt_blocks;

  kumi_ib_switch_route #(
      .PORTS(PORTS),
      .NUMBER(NUMBER),
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP)
  ) u_route (
      .clk,
      .rst,
      .write,
      .own_lid,
      .outs,
      .in_valid,
      .in_data,
      .in_half,
      .in_first,
      .in_last,
      .in_ring,
      .in_head_good,
      .in_good,
      .direct_valid,
      .direct_port,
      .out_valid(rt_valid),
      .out_data(rt_data),
      .out_half(rt_half),
      .out_first(rt_first),
      .out_last(rt_last),
      .out_good(rt_good),
      .out_take(rt_take),
      .out_mcast(rt_mcast),
      .out_port(rt_port),
      .out_mask(rt_mask),
      .out_sl(rt_sl),
      .out_ring(rt_ring),
      .out_in_ring(rt_in_ring),
      .out_len(rt_len),
      .out_blocks(rt_blocks),
      .no_route,
      .no_vl(route_no_vl),
      .loop,
      .discard(discard[0])
  );

  logic start, live_valid, end_valid, end_bad, mem_en, fin_valid, fin_mcast;
  logic rel_valid, rel_ready, rel_mcast, refs_valid, refs_ready;
  logic [BLK_W-1:0] start_pkt, live_pkt, blk, next_blk, fin_pkt, rel_pkt, mc_pkt;
  logic [10:0] live_beats, mc_len;
  logic [1:0][BLK_W-1:0] bad_pkt;
  logic [1:0] bad;
  logic [BEAT_W-1:0] mem_beat;
  logic [WORDS-1:0][31:0] mem_data;
  logic [6:0] fin_blocks, rel_blocks;
  logic [RING_W-1:0] fin_ring, rel_ring, mc_ring;
  logic [REF_W-1:0] refs_count;

  kumi_ib_switch_store #(
      .WORDS (WORDS),
      .RINGS (RINGS),
      .BLOCKS(BLOCKS),
      .REF_W (REF_W)
  ) u_store (
      .clk,
      .rst,
      .ready,
      .in_valid(rt_valid),
      .in_data(rt_data),
      .in_half(rt_half),
      .in_first(rt_first),
      .in_last(rt_last),
      .in_good(rt_good),
      .in_take(rt_take),
      .in_ring(rt_in_ring),
      .in_len(rt_len),
      .in_blocks(rt_blocks),
      .start,
      .start_pkt,
      .commit_valid,
      .commit_ring,
      .commit_blocks,
      .full,
      .full_ring,
      .free,
      .live_valid,
      .live_pkt,
      .live_beats,
      .end_valid,
      .end_bad,
      .bad_pkt,
      .bad,
      .blk,
      .next_blk,
      .rd_en(mem_en),
      .rd_blk(blk),
      .rd_beat(mem_beat),
      .rd_data(mem_data),
      .fin_valid,
      .fin_pkt,
      .fin_blocks,
      .fin_ring,
      .fin_mcast,
      .rel_valid,
      .rel_ready,
      .rel_pkt,
      .rel_blocks,
      .rel_ring,
      .rel_mcast,
      .refs_valid,
      .refs_ready,
      .refs_pkt(mc_pkt),
      .refs_count
  );

  // Packets received, whatever becomes of them.
  logic [10:0] words_q, words;
  assign words = (rt_first ? '0 : words_q) + (rt_half || WORDS == 1 ? 11'd1 : 11'd2);
  always_ff @(posedge clk) begin
    if (rt_valid) words_q <= words;
    rcvd       <= rt_valid && rt_last && rt_good && !full && !rst;
    rcvd_words <= words;
  end

  // ---- Queues -----------------------------------------------------------------------------------
  logic deq_valid, deq_mcast, mc_rel_valid, mc_rel_ready, found_mcast;
  logic [OUT_W-1:0] look_out;
  logic [RING_W-1:0] look_ring, found_ring;
  logic [BLK_W-1:0] found_pkt;
  logic [10:0] found_len;
  logic [TIME_W-1:0] peek_since, found_arrived;

  kumi_ib_switch_queue #(
      .PORTS(PORTS),
      .NUMBER(NUMBER),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .COPIES(COPIES)
  ) u_queue (
      .clk,
      .rst,
      .write,
      .outs,
      .now,
      .in_valid(start),
      .in_pkt(start_pkt),
      .in_len(rt_len),
      .in_store_ring(rt_in_ring),
      .in_mcast(rt_mcast),
      .in_out(rt_port),
      .in_ring(rt_ring),
      .in_sl(rt_sl),
      .in_mask(rt_mask),
      .refs_valid,
      .refs_ready,
      .refs_count,
      .rel_valid(mc_rel_valid),
      .rel_ready(mc_rel_ready),
      .copy_pkt(mc_pkt),
      .copy_len(mc_len),
      .copy_ring(mc_ring),
      .waiting,
      .peek_out(look_out),
      .peek_ring(look_ring),
      .peek_since,
      .deq_valid,
      .deq_mcast,
      .found_mcast,
      .found_pkt,
      .found_len,
      .found_ring,
      .found_arrived,
      .no_vl(mcast_no_vl),
      .discard(discard[1])
  );
  assign no_vl = route_no_vl || mcast_no_vl;

  // ---- Heads of queues --------------------------------------------------------------------------
  logic rd_valid, rd_ready, rd_mcast, own_rel;
  logic [BLK_W-1:0] rd_pkt;
  logic [10:0] rd_len, rd_beats;
  logic [RING_W-1:0] rd_ring;

  assign bad_pkt[0] = found_pkt;
  kumi_ib_switch_head #(
      .PORTS(PORTS),
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS),
      .BLK_W(BLK_W)
  ) u_head (
      .clk,
      .rst,
      .outs,
      .now,
      .switch_life,
      .may_ask,
      .ask,
      .ask_ring,
      .ask_room,
      .ask_share,
      .got,
      .ans_go,
      .ans_wait,
      .ans_done,
      .ans_blocks,
      .waiting,
      .peek_out(look_out),
      .peek_ring(look_ring),
      .peek_since,
      .deq_valid,
      .deq_mcast,
      .found_mcast,
      .found_pkt,
      .found_len,
      .found_ring,
      .found_arrived,
      .bad(bad[0]),
      .live(live_valid && live_pkt == found_pkt),
      .rd_valid,
      .rd_ready,
      .rd_pkt,
      .rd_len,
      .rd_beats,
      .rd_ring,
      .rd_mcast,
      .rel_valid(own_rel),
      .rel_ready,
      .discard(discard[2])
  );

  // Discarded packets leave the memory, and copies that have no way.
  assign rel_valid = own_rel || mc_rel_valid;
  assign mc_rel_ready = rel_ready && !own_rel;
  always_comb begin
    if (own_rel) begin
      rel_pkt    = rd_pkt;
      rel_blocks = blocks_of(rd_len);
      rel_ring   = rd_ring;
      rel_mcast  = rd_mcast;
    end else begin
      rel_pkt    = mc_pkt;
      rel_blocks = blocks_of(mc_len);
      rel_ring   = mc_ring;
      rel_mcast  = 1'b1;
    end
  end

  // ---- Reader -----------------------------------------------------------------------------------
  kumi_ib_switch_reader #(
      .WORDS(WORDS),
      .RINGS(RINGS),
      .BLK_W(BLK_W),
      .OUT_W(OUT_W)
  ) u_reader (
      .clk,
      .rst,
      .rd_valid,
      .rd_ready,
      .rd_pkt,
      .rd_len,
      .rd_beats,
      .rd_ring,
      .rd_mcast,
      .rd_out(look_out),
      .live_valid,
      .live_pkt,
      .live_beats,
      .end_valid,
      .end_bad,
      .bad_pkt(bad_pkt[1]),
      .bad(bad[1]),
      .blk,
      .next_blk,
      .mem_en,
      .mem_beat,
      .mem_data,
      .fin_valid,
      .fin_pkt,
      .fin_blocks,
      .fin_ring,
      .fin_mcast,
      .closing,
      .closing_out,
      .m_valid,
      .m_ready,
      .m_data,
      .m_half,
      .m_last,
      .m_bad,
      .m_out
  );
endmodule
