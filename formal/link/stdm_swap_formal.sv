// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_stdm_frame_timer and kumi_stdm_core with their tables: time has no holes, a swap is
// whole, and it neither loses nor doubles a word.
//
// Time: positions follow each other from 0 to R-1 (at the elastic position one more or one less
//   when
// another clock is followed, or a jump to its marker), the bank changes between R-1 and 0 and at no
// other moment, each swap that is asked for is done once, within a TDM frame.
// Tables: what is written to the bank that is not in force never reaches the switch before the
//   swap;
// one entry, freely chosen, is compared with what was written last.
// Words: three ports, of which one local. Assumed of the tables, in both banks: a word is pulled
//   where,
// and only where, the entry of output 1 takes it, at a slot; words come from link 2 where the local
// output takes them. Then, with swaps to any tables at any moment, every word that is pulled is at
// output 1 once, two cycles later and unchanged, and nothing else is; every word from the link goes
// to the local port once; and none is counted as stray.
`include "kumi_assert.svh"
module stdm_swap_formal
  import kumi_stdm_pkg::*;
#(
    parameter bit FOLLOW = 1'b0
) (
    input logic                  clk,
    input logic                  rst,
    input logic                  swap,
    input logic [POS_W-1:0]      swap_slots,
    input logic [      4:0]      swap_guard,
    input logic                  sync_lost,
    input logic                  mark,
    input logic [POS_W-1:0]      mark_away,
    input logic                  sw_wr,
    input logic [      5:0]      sw_table,
    input logic [POS_W-1:0]      sw_pos,
    input logic [     12:0]      sw_entry,
    input logic                  word_valid,
    input logic [      1:0]      word_data,
    input logic [      1:0][1:0] in_kind,
    input logic [      1:0][1:0] in_data,
    input logic                  m_ready,
    input logic [POS_W-1:0]      pick_pos,
    input logic                  pick_bank
);
  localparam int W = 2;

  logic pending, swapped, bank, run_a, slot_t, elastic_c, elastic_t;
  logic [POS_W-1:0] pos_a;
  stdm_time_t beat;
  stdm_frame_t tdm_frame;
  logic [31:0] tdm_frames;

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // What kumi_stdm_ctl sees to.
  `KUMI_ASSUME(
      m_swap,
      !swap || (!pending && swap_slots >= 1 && swap_slots <= MAX_SLOTS && swap_guard >= MIN_GUARD && swap_guard <= MAX_GUARD))
  `KUMI_ASSUME(m_write, !sw_wr || (!pending && !swap))

  kumi_stdm_frame_timer u_timer (
      .margin (MARGIN_W'(1)),
      .sync_on(FOLLOW),
      .*
  );

  kumi_axis_if #(.DATA_W(W)) s_word[1] ();
  kumi_axis_if #(.DATA_W(W)) m_word[1] ();
  assign s_word[0].tvalid = word_valid;
  assign s_word[0].tdata  = word_data;
  assign m_word[0].tready = m_ready;

  logic [1:0][1:0] out_kind, out_data;
  logic [1:0] be_slot, be_in;
  logic [2:0] ev_lost, ev_stray;
  logic busy;
  stdm_out_entry_t rd_out;
  stdm_in_entry_t rd_in;
  logic [31:0] rd_words, rd_empties;

  kumi_stdm_core #(
      .W(W),
      .P(3),
      .LOCALS(1),
      .CHANNELS(1),
      .IN_DEPTH(2),
      .OUT_DEPTH(2)
  ) u_core (
      .s_word(s_word),
      .m_word(m_word),
      .in_kind,
      .in_data,
      .be_take('0),
      .be_kind('0),
      .be_data('0),
      .sw_all(1'b0),
      .sw_bank(!bank),
      .sw_out(stdm_out_entry_t'(sw_entry)),
      .sw_in(stdm_in_entry_t'(sw_entry[6:0])),
      .sw_owner('0),
      .*
  );

  // ---- Time -------------------------------------------------------------------------------------
  logic past_q;  // there is a cycle before this one, out of reset
  logic [POS_W-1:0] pos_q, last, last_q;
  logic bank_q, run_q, jump_q, swap_q, pending_q;
  logic [9:0] wait_q;
  assign last = tdm_frame.cycles - 1'b1;
  always_ff @(posedge clk) begin
    past_q    <= !rst;
    pos_q     <= pos_a;
    last_q    <= last;
    bank_q    <= bank;
    run_q     <= run_a;
    jump_q    <= u_timer.jump;
    swap_q    <= swap;
    pending_q <= pending;
    wait_q    <= rst || !pending ? '0 : wait_q + 1'b1;
  end
  logic next, skip, twice;
  assign next  = pos_a == (pos_q == last_q ? '0 : pos_q + 1'b1);
  assign skip  = FOLLOW && pos_q == last_q - POS_W'(2) && pos_a == last_q;
  assign twice = FOLLOW && pos_q == last_q - 1'b1 && pos_a == pos_q;
  `KUMI_ASSERT(a_next, !past_q || !run_q || jump_q || next || skip || twice)
  `KUMI_ASSERT(a_range, pos_a <= last)
  `KUMI_ASSERT(a_bank,
               !past_q || bank == bank_q || (swapped && pos_a == 0 && (!run_q || pos_q == last_q)))
  `KUMI_ASSERT(a_once, !past_q || swapped == (bank != bank_q))
  `KUMI_ASSERT(a_asked, !past_q || !swapped || pending_q)
  `KUMI_ASSERT(a_held, !past_q || !(swap_q || pending_q) || pending || swapped)
  if (!FOLLOW) begin : gen_wait
    // A swap is done within a TDM frame of being asked for.
    `KUMI_ASSERT(a_soon, !pending || wait_q <= 10'(last) + 10'd1)
    `KUMI_ASSERT(i_soon, !pending || wait_q <= (run_a ? 10'(pos_a) : 10'd0))
  end

  // ---- Tables -----------------------------------------------------------------------------------
  // The picked entry of output table 1.
  logic [POS_W-1:0] where_q;
  logic which_q, known_q;
  stdm_out_entry_t ghost_q;
  logic [1:0] read_q;
  stdm_out_entry_t [1:0] ghost_pipe_q;
  always_ff @(posedge clk) begin
    if (rst) begin
      where_q <= pick_pos;
      which_q <= pick_bank;
      known_q <= 1'b0;
      read_q  <= '0;
    end else begin
      if (sw_wr && sw_table == 6'd1 && !bank == which_q && sw_pos == where_q) begin
        ghost_q <= stdm_out_entry_t'(sw_entry);
        known_q <= 1'b1;
      end
      read_q <= {read_q[0], known_q && bank == which_q && pos_a == where_q};
    end
    ghost_pipe_q <= {ghost_pipe_q[0], ghost_q};
  end
  `KUMI_ASSERT(a_entry, !read_q[1] || u_core.out_c[1] == ghost_pipe_q[1])
  logic [POS_W:0] place;
  logic [$bits(stdm_out_entry_t)-1:0] stored;
  assign place  = {which_q, where_q};
  assign stored = u_core.gen_table[1].u_out.mem[place];
  `KUMI_ASSERT(i_entry, !known_q || stored == ghost_q)
  `KUMI_ASSERT(i_read, !read_q[0] || u_core.gen_table[1].u_out.read_q == ghost_pipe_q[0])

  // ---- Words ------------------------------------------------------------------------------------
  logic slot_c, takes_c, from_link_t;
  assign slot_c  = u_timer.run_c_q && u_timer.pos_c_q < u_timer.slots_c_q && !elastic_c;
  assign takes_c = u_core.out_c[1].kind == OUT_CIRCUIT && u_core.out_c[1].src == 0 && slot_c;
  `KUMI_ASSUME(m_pull,
               (u_core.in_c[0].on && u_core.in_c[0].channel == 0 && u_core.run_c_q) == takes_c)
  `KUMI_ASSUME(
      m_others,
      u_core.out_c[2].kind == OUT_NONE && (takes_c || u_core.out_c[1].kind == OUT_NONE) && u_core.out_c[0].src != 0)
  assign from_link_t = u_core.out_t_q[0].kind == OUT_CIRCUIT && u_core.out_t_q[0].src == 2
      && u_core.out_t_q[0].owner == 0 && u_core.run_t_q && !elastic_t;
  `KUMI_ASSUME(
      m_link,
      in_kind[0] == WORD_EMPTY && (in_kind[1] == WORD_EMPTY || (in_kind[1] == WORD_DATA && from_link_t)))
  `KUMI_ASSUME(m_local, u_core.out_t_q[0].src != 1)

  logic pull, push, come_q;
  logic [1:0] pulled_q;
  logic [1:0][W-1:0] word_q;
  logic [W-1:0] came_q;
  assign pull = u_core.fifo_take[0] && u_core.fifo_valid[0];
  assign push = u_core.gen_out[0].push;
  always_ff @(posedge clk) begin
    pulled_q <= rst ? '0 : {pulled_q[0], pull};
    word_q   <= {word_q[0], u_core.fifo_data[0]};
    come_q   <= in_kind[1] == WORD_DATA && !rst;
    came_q   <= in_data[1];
  end
  `KUMI_ASSERT(a_word, (out_kind[0] == WORD_DATA) == pulled_q[1] || !past_q)
  `KUMI_ASSERT(a_data, !pulled_q[1] || out_data[0] == word_q[1])
  `KUMI_ASSERT(a_local, push == come_q || !past_q)
  `KUMI_ASSERT(a_local_data, !come_q || u_core.data_x_q[0] == came_q)
  `KUMI_ASSERT(a_stray, ev_stray == '0 || !past_q)

  // What makes the induction close.
  logic [POS_W-1:0] slots_more;
  assign slots_more = tdm_frame.cycles - tdm_frame.slots;
  `KUMI_ASSERT(
      i_size,
      tdm_frame.cycles >= POS_W'(MIN_GUARD) && slots_more >= POS_W'(MIN_GUARD) && slots_more <= POS_W'(MAX_GUARD) && tdm_frame.slots <= POS_W'(MAX_SLOTS))
  `KUMI_ASSERT(i_last, u_timer.last_q == last)
  `KUMI_ASSERT(
      i_next,
      !pending || (u_timer.next_slots_q <= POS_W'(MAX_SLOTS) && u_timer.next_slots_q >= 1 && u_timer.next_total_q > u_timer.next_slots_q && u_timer.next_total_q - u_timer.next_slots_q >= POS_W'(MIN_GUARD) && u_timer.next_total_q - u_timer.next_slots_q <= POS_W'(MAX_GUARD)))
  `KUMI_ASSERT(i_start, run_a || (pos_a == 0 && !bank))
  `KUMI_ASSERT(
      i_run,
      u_core.run_b_q == u_timer.run_b_q && u_core.run_c_q == u_timer.run_c_q && u_core.run_t_q == u_timer.run_t_q)
  `KUMI_ASSERT(i_pulled, pulled_q[0] == u_core.local_valid_q[0] || !past_q)
  `KUMI_ASSERT(i_word, !pulled_q[0] || u_core.local_data_q[0] == word_q[0])
  `KUMI_ASSERT(
      i_takes,
      !pulled_q[0] || (u_core.out_t_q[1].kind == OUT_CIRCUIT && u_core.out_t_q[1].src == 0 && slot_t && !elastic_t && u_core.run_t_q))
  `KUMI_ASSERT(
      i_only,
      u_core.out_t_q[1].kind == OUT_NONE || !past_q || (u_core.out_t_q[1].kind == OUT_CIRCUIT && u_core.out_t_q[1].src == 0))

  // Two swaps with words all along.
  logic [1:0] swaps_q;
  logic [2:0] words_q;
  always_ff @(posedge clk) begin
    if (rst) begin
      swaps_q <= '0;
      words_q <= '0;
    end else begin
      if (swapped && swaps_q != 2'd3) swaps_q <= swaps_q + 1'b1;
      if (pulled_q[1] && swaps_q >= 2'd2 && words_q != 3'd7) words_q <= words_q + 1'b1;
    end
  end
  `KUMI_COVER(c_words, swaps_q == 2'd2 && words_q == 3'd2)
  `KUMI_COVER(c_entry, read_q[1] && ghost_pipe_q[1].kind == OUT_CIRCUIT)

  logic unused;
  assign unused = ^{beat, tdm_frames, out_data, be_slot, be_in, ev_lost, busy, rd_out, rd_in,
                    rd_words, rd_empties};
endmodule
