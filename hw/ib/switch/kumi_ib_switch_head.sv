// SPDX-License-Identifier: Apache-2.0
//
// Heads of the queues of a switch input: answers the outputs that ask for a packet, and finds the
// packets that must be discarded.
//
// may_ask, ask, got: no turn is on, and one of the outputs that ask is taken, at once or, while the
//   head of a queue is looked at, in up to 4 cycles; those that keep asking are served in turn.
//   Then the output has a turn: packets of the queue that it asked for, the first one in any case,
//   and more while they are less than ask_share blocks and TURN words together and none needs more
//   room. ans_go: a packet comes, of ans_blocks; 3 cycles behind got, and then every 3 cycles at
//   most. ans_wait: the first one has more blocks than there is room. ans_done: the turn is over,
//   with the last of these or later, or without any.
// peek_*, waiting, deq_*: of the queues, see kumi_ib_switch_voq. found_*: the description of the
//   packet at peek_*, one cycle later. bad: it was bad; live: it comes in.
// rd_*: packets for kumi_ib_switch_reader. rel_*: a discarded one leaves the memory.
// Discarded: packets that were bad; while no output asks, those that have waited longer than the
//   lifetime of the switch or of a head (hoq), or whose output is not active. Heads are looked at
//   for that in turn, a queue every 2 cycles, one that is not empty every SCAN cycles at most.
module kumi_ib_switch_head
  import kumi_ib_switch_pkg::*;
  import kumi_ib_link_pkg::blocks_of;
#(
    parameter  int PORTS    = 8,
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int BLK_W    = 9,
    localparam int OUTS     = PORTS + 1,
    localparam int OUT_W    = $clog2(OUTS),
    localparam int RINGS    = DATA_VLS + 1,
    localparam int RING_W   = $clog2(RINGS)
) (
    input logic                      clk,
    input logic                      rst,
    input ib_out_info_t [   PORTS:0] outs,
    input logic         [TIME_W-1:0] now,
    input logic         [       4:0] switch_life,

    // Outputs.
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

    // Queues.
    input  logic [  OUTS-1:0][RINGS-1:0] waiting,
    output logic [ OUT_W-1:0]            peek_out,
    output logic [RING_W-1:0]            peek_ring,
    input  logic [TIME_W-1:0]            peek_since,
    output logic                         deq_valid,
    output logic                         deq_mcast,
    input  logic                         found_mcast,
    input  logic [ BLK_W-1:0]            found_pkt,
    input  logic [      10:0]            found_len,
    input  logic [RING_W-1:0]            found_ring,
    input  logic [TIME_W-1:0]            found_arrived,
    input  logic                         bad,
    input  logic                         live,

    // Packets to read, and to release.
    output logic                     rd_valid,
    input  logic                     rd_ready,
    output logic        [ BLK_W-1:0] rd_pkt,
    output logic        [      10:0] rd_len,
    output logic        [      10:0] rd_beats,
    output logic        [RING_W-1:0] rd_ring,
    output logic                     rd_mcast,
    output logic                     rel_valid,
    input  logic                     rel_ready,
    output ib_discard_t              discard
);
  localparam int SCAN = 16;
  localparam int TURN = 64;  // words: 256 bytes

  typedef enum logic [2:0] {
    LOOK_IDLE,
    LOOK_ENTRY,    // the description is being read
    LOOK_CHECK,
    LOOK_GO,       // leaves its queue
    LOOK_AGE,
    LOOK_VERDICT,
    LOOK_RELEASE   // has left its queue, leaves the memory
  } look_state_e;

  look_state_e state_q;
  logic [OUTS-1:0] asked_q, first_ask;
  logic [OUT_W-1:0] got_out, look_out_q;
  logic [RING_W-1:0] got_ring, look_ring_q;
  logic [6:0] got_room, room_q, blocks;
  logic [3:0] got_share, share_q;
  logic [ 7:0] turn_blocks_q;
  logic [10:0] turn_words_q;
  logic take_ask, any_ask, scan_q, first_q, exists_q, gone, too_big, more, deq_q;

  assign peek_out = look_out_q;
  assign peek_ring = look_ring_q;
  assign blocks = blocks_of(found_len);

  // ---- Choice of the output ---------------------------------------------------------------------
  assign take_ask = state_q == LOOK_IDLE && rd_ready;
  assign any_ask = take_ask && ask != '0;
  assign may_ask = rd_ready && (state_q == LOOK_IDLE ||
      (scan_q && state_q inside {LOOK_ENTRY, LOOK_CHECK, LOOK_AGE, LOOK_VERDICT}));

  kumi_arbiter #(
      .N(OUTS)
  ) u_arb (
      .clk,
      .rst,
      .req  (ask),
      .done (any_ask),
      .grant(first_ask)
  );
  assign got = take_ask ? first_ask : '0;

  always_comb begin
    got_out   = '0;
    got_ring  = '0;
    got_room  = '0;
    got_share = '0;
    for (int o = 0; o < OUTS; o++) begin
      if (first_ask[o]) begin
        got_out |= OUT_W'(o);
        got_ring |= ask_ring[o];
        got_room |= ask_room[o];
        got_share |= ask_share[o];
      end
    end
  end

  // ---- Next queue to be looked at for its age ---------------------------------------------------
  logic [OUT_W-1:0] scan_out_q;
  logic [RING_W-1:0] scan_ring_q;
  logic [$clog2(SCAN)-1:0] scan_time_q;
  logic sampled_q, some_q, scan_now;

  assign scan_now = state_q == LOOK_IDLE && !any_ask && sampled_q && some_q && scan_time_q == '0;
  always_ff @(posedge clk) begin
    sampled_q <= 1'b1;
    some_q    <= waiting[scan_out_q][scan_ring_q];
    if (scan_time_q != '0) scan_time_q <= scan_time_q - 1'b1;
    if (scan_now) scan_time_q <= '1;
    if (scan_now || (sampled_q && !some_q)) begin
      sampled_q   <= 1'b0;
      scan_ring_q <= scan_ring_q == RING_W'(DATA_VLS) ? '0 : scan_ring_q + 1'b1;
      if (scan_ring_q == RING_W'(DATA_VLS)) begin
        scan_out_q <= scan_out_q == OUT_W'(PORTS) ? '0 : scan_out_q + 1'b1;
      end
    end
    if (rst) begin
      scan_out_q  <= '0;
      scan_ring_q <= '0;
      scan_time_q <= '0;
      sampled_q   <= 1'b0;
    end
  end

  // ---- Age --------------------------------------------------------------------------------------
  // Ages less one: a packet is over its limit of 2^n when the bits from n on are not all zero.
  logic [TIME_W-1:0] since_q, age_q, head_age_q;
  logic young_q, fresh_q, bad_q, over_life_q, over_hoq_q, inactive_q;
  ib_out_info_t info_q;

  function automatic logic older(input logic [TIME_W-1:0] age, input logic [4:0] life);
    logic [TIME_W-1:0] from_n;
    for (int i = 0; i < TIME_W; i++) from_n[i] = age[i] && 5'(i) >= life;
    return life < 5'd20 && from_n != '0;
  endfunction

  always_ff @(posedge clk) begin
    since_q     <= peek_since;
    info_q      <= outs[look_out_q];
    age_q       <= now + ~found_arrived;
    young_q     <= now == found_arrived;
    head_age_q  <= now + ~since_q;
    fresh_q     <= now == since_q;
    over_life_q <= older(age_q, switch_life) && !young_q;
    over_hoq_q  <= older(head_age_q, info_q.hoq_life) && !fresh_q;
    inactive_q  <= look_ring_q == RING_W'(DATA_VLS) ? !info_q.mgmt_ok : !info_q.data_ok;
  end

  // ---- Heads ------------------------------------------------------------------------------------
  logic go, verdict;
  assign gone = bad && !live;
  assign too_big = found_len[10:4] >= room_q;
  assign go = state_q == LOOK_CHECK && !scan_q && exists_q && !gone && !too_big && rd_ready;
  assign more = turn_blocks_q < 8'(share_q) && turn_words_q < 11'(TURN);
  assign verdict = bad_q || inactive_q || over_life_q || over_hoq_q;

  always_ff @(posedge clk) begin
    ans_go   <= '0;
    ans_wait <= '0;
    ans_done <= '0;
    discard  <= '0;
    rd_valid <= 1'b0;
    deq_q    <= 1'b0;
    exists_q <= waiting[look_out_q][look_ring_q];

    unique case (state_q)
      LOOK_ENTRY:   state_q <= LOOK_CHECK;
      LOOK_CHECK: begin
        rd_pkt     <= found_pkt;
        rd_len     <= found_len;
        rd_beats   <= WORDS == 1 ? found_len : {1'b0, found_len[10:1]} + 11'(found_len[0]);
        rd_ring    <= found_ring;
        rd_mcast   <= found_mcast;
        ans_blocks <= blocks;
        bad_q      <= gone;
        if (scan_q) begin
          state_q <= live || !exists_q ? LOOK_IDLE : LOOK_AGE;
        end else if (!exists_q || gone || too_big) begin
          if (first_q && exists_q && !gone) ans_wait <= asked_q;
          ans_done <= asked_q;
          deq_q    <= exists_q && gone;
          state_q  <= exists_q && gone ? LOOK_RELEASE : LOOK_IDLE;
        end else if (rd_ready) begin
          ans_go   <= asked_q;
          rd_valid <= 1'b1;
          deq_q    <= 1'b1;
          first_q  <= 1'b0;
          state_q  <= LOOK_GO;
        end
        if (go) begin
          room_q        <= room_q - blocks;
          turn_blocks_q <= turn_blocks_q + 8'(blocks);
          turn_words_q  <= turn_words_q + found_len;
        end
      end
      LOOK_GO: begin
        state_q <= more ? LOOK_ENTRY : LOOK_IDLE;
        if (!more) ans_done <= asked_q;
      end
      LOOK_AGE:     state_q <= LOOK_VERDICT;
      LOOK_VERDICT: begin
        state_q <= verdict ? LOOK_RELEASE : LOOK_IDLE;
        deq_q <= verdict;
        discard.valid <= verdict && !bad_q;
        discard.port <= 6'(look_out_q);
        discard.inactive <= inactive_q;
        discard.life <= !inactive_q && over_life_q;
        discard.hoq_life <= !inactive_q && !over_life_q;
      end
      LOOK_RELEASE: if (rel_ready) state_q <= LOOK_IDLE;
      default: begin
        scan_q        <= !any_ask;
        asked_q       <= got;
        room_q        <= got_room;
        share_q       <= got_share;
        look_out_q    <= any_ask ? got_out : scan_out_q;
        look_ring_q   <= any_ask ? got_ring : scan_ring_q;
        first_q       <= 1'b1;
        turn_blocks_q <= '0;
        turn_words_q  <= '0;
        if (any_ask || scan_now) state_q <= LOOK_ENTRY;
      end
    endcase
    if (rst) begin
      state_q  <= LOOK_IDLE;
      ans_go   <= '0;
      ans_wait <= '0;
      ans_done <= '0;
      rd_valid <= 1'b0;
      deq_q    <= 1'b0;
      discard  <= '0;
    end
  end

  assign deq_valid = deq_q;
  assign deq_mcast = rd_mcast;
  assign rel_valid = state_q == LOOK_RELEASE;

  logic unused;
  assign unused = ^{info_q};
endmodule
