// SPDX-License-Identifier: Apache-2.0
//
// Input of a switch port: routes, stores and queues packets, and reads those that outputs ask for.
// Queues per output and virtual lane: a packet waits only behind packets of its own output and
// lane.
//
// in_*, direct_*: see kumi_ib_switch_route; commit_*, full, free: see kumi_ib_switch_store; m_*,
//   closing_*: see kumi_ib_switch_reader.
// waiting[o][r]: a packet for output o on ring r waits. may_ask: an output's request can be served.
// ask[o], with ring and room (blocks that may be sent): output o wants the packet at the head of
//   its queue. got: one-hot, whose request is taken, in the same cycle. Then one answer, 3 cycles
//   later: ans_go, the packet comes (ans_blocks); ans_wait, it has more blocks than there is room;
//   ans_gone, it was discarded. Outputs that keep asking are served in turn.
// Discarded: bad packets that have not begun to leave; packets that have waited longer than the
//   lifetime of the switch (life_*) or of a head (hoq), or whose output is not active. Heads of
//   queues are looked at for that in turn, one every SCAN cycles at most.
// Latency: beat in to `waiting` 6 cycles, got to the first beat out 8 (WORDS 2).
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
    output logic [OUTS-1:0]             got,
    output logic [OUTS-1:0]             ans_go,
    output logic [OUTS-1:0]             ans_wait,
    output logic [OUTS-1:0]             ans_gone,
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
  localparam int ENTRIES = NBLK + COPIES;
  localparam int ENTRY_W = $clog2(ENTRIES);
  localparam int COPY_W = $clog2(COPIES);
  localparam int REF_W = $clog2(PORTS + 2);
  localparam int BEAT_W = $clog2(16 / WORDS);
  localparam int SCAN = 8;

  // What is known of a packet or copy in a queue.
  typedef struct packed {
    logic              mcast;
    logic [BLK_W-1:0]  pkt;
    logic [10:0]       len;
    logic [RING_W-1:0] ring;
    logic [TIME_W-1:0] arrived;
  } entry_t;
  localparam int ENTRY_BITS = 1 + BLK_W + 11 + RING_W + TIME_W;

  // ---- Route and memory -------------------------------------------------------------------------
  logic rt_valid, rt_half, rt_first, rt_last, rt_good, rt_take, rt_mcast, route_no_vl, mcast_no_vl;
  logic [WORDS-1:0][31:0] rt_data;
  logic [OUT_W-1:0] rt_port;
  logic [PORTS:0] rt_mask;
  logic [3:0] rt_sl;
  logic [RING_W-1:0] rt_ring, rt_in_ring;
  logic [10:0] rt_len;

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
  logic uni_valid_q, uni_ready, deq_valid, deq_ready, mc_enq_valid, mc_enq_ready;
  logic mc_entry_valid, mc_rel_valid, mc_rel_ready, put_valid;
  logic [BLK_W-1:0] uni_pkt_q;
  logic [OUT_W-1:0] uni_out_q, mc_out, look_out_q;
  logic [RING_W-1:0] uni_ring_q, mc_enq_ring, look_ring_q;
  logic [ENTRY_W-1:0] peek_entry, entry_q;
  logic [COPY_W-1:0] mc_copy;
  logic [TIME_W-1:0] peek_since, since_q, mc_arrived;
  entry_t found;

  always_ff @(posedge clk) begin
    if (start && !rt_mcast) begin
      uni_valid_q <= 1'b1;
      uni_pkt_q   <= start_pkt;
      uni_out_q   <= rt_port;
      uni_ring_q  <= rt_ring;
    end else if (uni_ready) begin
      uni_valid_q <= 1'b0;
    end
    if (rst) uni_valid_q <= 1'b0;
  end

  kumi_ib_switch_mcast #(
      .PORTS(PORTS),
      .NUMBER(NUMBER),
      .DATA_VLS(DATA_VLS),
      .BLK_W(BLK_W),
      .COPIES(COPIES)
  ) u_mcast (
      .clk,
      .rst,
      .write,
      .outs,
      .in_valid(start && rt_mcast),
      .in_pkt(start_pkt),
      .in_len(rt_len),
      .in_ring(rt_in_ring),
      .in_sl(rt_sl),
      .in_mask(rt_mask),
      .in_time(now),
      .refs_valid,
      .refs_ready,
      .refs_count,
      .entry_valid(mc_entry_valid),
      .entry_ready(!start),
      .entry_copy(mc_copy),
      .enq_valid(mc_enq_valid),
      .enq_ready(mc_enq_ready),
      .enq_out(mc_out),
      .enq_ring(mc_enq_ring),
      .rel_valid(mc_rel_valid),
      .rel_ready(mc_rel_ready),
      .pkt(mc_pkt),
      .len(mc_len),
      .ring(mc_ring),
      .arrived(mc_arrived),
      .put_valid,
      .put_copy(COPY_W'(entry_q - ENTRY_W'(NBLK))),
      .no_vl(mcast_no_vl),
      .discard(discard[1])
  );
  assign no_vl = route_no_vl || mcast_no_vl;

  kumi_ib_switch_voq #(
      .OUTS(OUTS),
      .RINGS(RINGS),
      .ENTRIES(ENTRIES)
  ) u_voq (
      .clk,
      .rst,
      .now,
      .enq_valid(uni_valid_q),
      .enq_out(uni_out_q),
      .enq_ring(uni_ring_q),
      .enq_entry(ENTRY_W'(uni_pkt_q)),
      .enq_ready(uni_ready),
      .more_valid(mc_enq_valid),
      .more_out(mc_out),
      .more_ring(mc_enq_ring),
      .more_entry(ENTRY_W'(NBLK) + ENTRY_W'(mc_copy)),
      .more_ready(mc_enq_ready),
      .deq_valid,
      .deq_out(look_out_q),
      .deq_ring(look_ring_q),
      .deq_ready,
      .peek_out(look_out_q),
      .peek_ring(look_ring_q),
      .peek_entry,
      .peek_since,
      .waiting
  );

  entry_t uni_entry, mc_entry;
  assign uni_entry = '{1'b0, start_pkt, rt_len, rt_in_ring, now};
  assign mc_entry  = '{1'b1, mc_pkt, mc_len, mc_ring, mc_arrived};
  kumi_ram_sdp #(
      .W(ENTRY_BITS),
      .DEPTH(ENTRIES),
      .STYLE(2)
  ) u_entries (
      .clk,
      .wr_en  (start || mc_entry_valid),
      .wr_addr(start ? ENTRY_W'(start_pkt) : ENTRY_W'(NBLK) + ENTRY_W'(mc_copy)),
      .wr_data(start ? uni_entry : mc_entry),
      .rd_en  (1'b1),
      .rd_addr(peek_entry),
      .rd_data(found)
  );

  // ---- Heads of queues, for an output that asks or to find those that must be discarded ---------
  typedef enum logic [2:0] {
    LOOK_IDLE,
    LOOK_ENTRY,  // the description is being read
    LOOK_CHECK,
    LOOK_AGE,
    LOOK_REMOVE
  } look_state_e;

  look_state_e state_q;
  logic [OUTS-1:0] real_ask, asked_q;
  logic [6:0] room_q, blocks;
  logic [RING_W-1:0] got_ring;
  logic [6:0] got_room;
  logic [OUT_W-1:0] got_out, scan_out_q;
  logic [RING_W-1:0] scan_ring_q;
  logic [$clog2(SCAN)-1:0] scan_time_q;
  logic scan_q, rd_ready, closing_ok, live, go_q, age_bad_q, expired, removed_q, freed_q;
  logic may_look, over_life, over_hoq, gone, too_big;
  entry_t own_q;
  logic [TIME_W-1:0] age_q, head_age_q;
  ib_out_info_t info_q;

  for (genvar o = 0; o < OUTS; o++) begin : gen_ask
    assign real_ask[o] = ask[o] && waiting[o][ask_ring[o]];
  end
  assign may_look = state_q == LOOK_IDLE && rd_ready && closing_ok;
  assign may_ask  = may_look;

  kumi_arbiter #(
      .N(OUTS)
  ) u_arb (
      .clk,
      .rst,
      .req  (may_look ? real_ask : '0),
      .done (got != '0),
      .grant(got)
  );

  always_comb begin
    got_out  = '0;
    got_ring = '0;
    got_room = '0;
    for (int o = 0; o < OUTS; o++) begin
      if (got[o]) begin
        got_out |= OUT_W'(o);
        got_ring |= ask_ring[o];
        got_room |= ask_room[o];
      end
    end
  end

  assign live = live_valid && live_pkt == found.pkt;
  assign bad_pkt[0] = found.pkt;
  assign gone = bad[0] && !live;
  assign blocks = blocks_of(found.len);
  assign too_big = blocks > room_q;

  function automatic logic older(input logic [TIME_W-1:0] age, input logic [4:0] life);
    return life < 5'd20 && age > (TIME_W'(1) << life);
  endfunction
  assign over_life = older(age_q, switch_life);
  assign over_hoq  = older(head_age_q, info_q.hoq_life);
  assign expired   = over_life || over_hoq;

  logic scan_due, scan_mgmt, inactive;
  assign scan_due  = scan_time_q == '0;
  assign scan_mgmt = look_ring_q == RING_W'(DATA_VLS);
  assign inactive  = scan_mgmt ? !info_q.mgmt_ok : !info_q.data_ok;

  always_ff @(posedge clk) begin
    ans_go     <= '0;
    ans_wait   <= '0;
    ans_gone   <= '0;
    ans_blocks <= blocks;
    discard[2] <= '0;
    entry_q    <= state_q == LOOK_ENTRY ? peek_entry : entry_q;
    since_q    <= peek_since;
    if (!scan_due) scan_time_q <= scan_time_q - 1'b1;

    unique case (state_q)
      LOOK_ENTRY: begin
        state_q <= LOOK_CHECK;
        info_q  <= outs[look_out_q];
      end
      LOOK_CHECK: begin
        own_q      <= found;
        age_q      <= now - found.arrived;
        head_age_q <= now - since_q;
        age_bad_q  <= gone;
        removed_q  <= 1'b0;
        freed_q    <= 1'b0;
        go_q       <= 1'b0;
        if (scan_q) begin
          state_q <= live ? LOOK_IDLE : LOOK_AGE;
        end else if (gone) begin
          ans_gone <= asked_q;
          state_q  <= LOOK_REMOVE;
        end else if (too_big) begin
          ans_wait <= asked_q;
          state_q  <= LOOK_IDLE;
        end else begin
          ans_go  <= asked_q;
          go_q    <= 1'b1;
          state_q <= LOOK_REMOVE;
        end
      end
      LOOK_AGE: begin
        state_q <= age_bad_q || inactive || expired ? LOOK_REMOVE : LOOK_IDLE;
        discard[2].valid <= !age_bad_q && (inactive || expired);
        discard[2].port <= 6'(look_out_q);
        discard[2].inactive <= inactive;
        discard[2].life <= !inactive && over_life;
        discard[2].hoq_life <= !inactive && !over_life;
      end
      LOOK_REMOVE: begin
        if (deq_ready) removed_q <= 1'b1;
        if (rel_ready) freed_q <= 1'b1;
        if (removed_q && (go_q || freed_q)) state_q <= LOOK_IDLE;  // `waiting` shows it now
      end
      default: begin
        scan_q      <= got == '0;
        asked_q     <= got;
        room_q      <= got_room;
        look_out_q  <= got == '0 ? scan_out_q : got_out;
        look_ring_q <= got == '0 ? scan_ring_q : got_ring;
        if (got != '0) begin
          state_q <= LOOK_ENTRY;
        end else if (waiting[scan_out_q][scan_ring_q] && scan_due && real_ask == '0) begin
          state_q     <= LOOK_ENTRY;
          scan_time_q <= '1;
        end
        if (got == '0 && (!waiting[scan_out_q][scan_ring_q] || scan_due)) begin
          scan_ring_q <= scan_ring_q == RING_W'(DATA_VLS) ? '0 : scan_ring_q + 1'b1;
          if (scan_ring_q == RING_W'(DATA_VLS)) begin
            scan_out_q <= scan_out_q == OUT_W'(PORTS) ? '0 : scan_out_q + 1'b1;
          end
        end
      end
    endcase
    if (rst) begin
      state_q     <= LOOK_IDLE;
      scan_out_q  <= '0;
      scan_ring_q <= '0;
      scan_time_q <= '0;
      ans_go      <= '0;
      ans_wait    <= '0;
      ans_gone    <= '0;
      discard[2]  <= '0;
    end
  end

  // The head leaves its queue; discarded packets leave the memory too.
  logic own_rel;
  assign own_rel = state_q == LOOK_REMOVE && !go_q && !freed_q;
  assign deq_valid = state_q == LOOK_REMOVE && !removed_q;
  assign put_valid = deq_valid && deq_ready && own_q.mcast;
  assign rel_valid = own_rel || mc_rel_valid;
  assign mc_rel_ready = rel_ready && !own_rel;
  always_comb begin
    if (own_rel) begin
      rel_pkt    = own_q.pkt;
      rel_blocks = blocks_of(own_q.len);
      rel_ring   = own_q.ring;
      rel_mcast  = own_q.mcast;
    end else begin
      rel_pkt    = mc_pkt;
      rel_blocks = blocks_of(mc_len);
      rel_ring   = mc_ring;
      rel_mcast  = 1'b1;
    end
  end

  // ---- Reader -----------------------------------------------------------------------------------
  logic handed_q;
  always_ff @(posedge clk) handed_q <= state_q == LOOK_REMOVE && !rst;

  kumi_ib_switch_reader #(
      .WORDS(WORDS),
      .RINGS(RINGS),
      .BLK_W(BLK_W),
      .OUT_W(OUT_W)
  ) u_reader (
      .clk,
      .rst,
      .rd_valid(state_q == LOOK_REMOVE && go_q && !handed_q),
      .rd_ready,
      .rd_pkt(own_q.pkt),
      .rd_len(own_q.len),
      .rd_ring(own_q.ring),
      .rd_mcast(own_q.mcast),
      .rd_out(look_out_q),
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
      .closing_ok,
      .m_valid,
      .m_ready,
      .m_data,
      .m_half,
      .m_last,
      .m_bad,
      .m_out
  );

  logic unused;
  assign unused = ^{info_q, own_q};
endmodule
