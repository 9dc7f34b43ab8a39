// SPDX-License-Identifier: Apache-2.0
//
// TDM frame alignment of a link: finds the frames of the other side, and hands each word to the
// switch at the position at which it is due, `offset` after that at which it was sent, whatever the
// phase.
//
// mark: a marker arrived in this cycle; slots 0 .. S-1 follow in the next S cycles. word_*: the
//   word received in this cycle. word_bad: neither a word nor empty.
// in_kind, in_data: the word that crosses in this cycle (stage T); empty where none arrived, with
//   the bit EMPTY_OPEN set, since its kind is unknown. The first marker sets the offset, such that
//   slot 0 is read 2 + margin cycles after its marker (offset_fixed: the offset is given). From
//   then on each marker must be within `margin` cycles of that; a frame that starts elsewhere is
//   dropped and pulses moved. Two of these in a row, no marker for 1,023 cycles, up low or restart:
//   alignment is lost and the search restarts.
// away: deviation of this marker in positions, for the board's own clock.
// Latency: 3 + margin cycles from word_* to the cycle in which the word crosses. The memory is
//   realigned by each marker, so a lost or duplicated block affects one frame.
// Bad input: ev_bad: a slot that is no word, or a word outside aligned frames (it is lost).
module kumi_stdm_frame_align
  import kumi_stdm_pkg::*;
#(
    parameter int W     = 64,  // bits of a word
    parameter int DEPTH = 32   // words of the memory, a power of two, at least 32
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    up,
    input  stdm_time_t              beat,
    input  stdm_frame_t             tdm_frame,
    input  logic                    offset_fixed,
    input  logic        [POS_W-1:0] offset_given,
    input  logic                    mark,
    input  logic        [      1:0] word_kind,
    input  logic        [    W-1:0] word_data,
    input  logic                    word_bad,
    output logic        [      1:0] in_kind,
    output logic        [    W-1:0] in_data,
    output logic                    locked,
    output logic        [POS_W-1:0] offset,
    output logic        [POS_W-1:0] away,
    output logic                    counting,      // word_* is one of the S slots
    output logic                    last,          // ... the last one
    output logic                    ev_locked,
    output logic                    ev_lost,
    output logic                    ev_moved,
    output logic                    ev_bad
);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int SUM_W = POS_W + 2;

  if (DEPTH < 32 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check
    $fatal(0, "DEPTH must be a power of two, at least 32 (%m)");
  end

  // ---- Where the switch is: stage C reads -------------------------------------------------------
  logic [ADDR_W-1:0] rd_q;
  logic [POS_W-1:0] offset_q, away_q, early, first;
  logic [SUM_W-1:0] diff, diff_r, pos_ahead;
  logic locked_q, drop, accept, in_window, lock, moved_q, silent;
  logic [9:0] quiet_q;

  assign early = POS_W'(tdm_frame.margin) + POS_W'(2);
  assign pos_ahead = SUM_W'(beat.pos) + SUM_W'(early);
  assign first = pos_ahead >= SUM_W'(tdm_frame.cycles)
      ? POS_W'(pos_ahead - SUM_W'(tdm_frame.cycles)) : POS_W'(pos_ahead);

  // Positions from the next cycle's to the offset, modulo R.
  assign diff = SUM_W'(offset_q) + SUM_W'(tdm_frame.cycles) - SUM_W'(beat.pos) - SUM_W'(beat.next);
  assign diff_r = SUM_W'(tdm_frame.cycles);

  assign in_window = away_q >= POS_W'(2) && away_q <= early + POS_W'(tdm_frame.margin);
  assign silent = quiet_q == '1;
  assign drop = rst || !up || !beat.run || beat.restart;
  assign lock = mark && !locked_q && (!offset_fixed || in_window);
  assign accept = lock || (mark && locked_q && in_window);

  logic [ADDR_W-1:0] start_q, wr_q, wr_at;
  logic begin_q, going_q;
  logic [POS_W-1:0] left_q, left;

  always_ff @(posedge clk) begin
    rd_q <= rd_q + ADDR_W'(beat.next);
    away_q  <= POS_W'(diff >= diff_r + diff_r ? diff - diff_r - diff_r
        : diff >= diff_r ? diff - diff_r : diff);
    quiet_q <= mark ? '0 : silent ? quiet_q : quiet_q + 1'b1;

    if (!locked_q) begin
      if (offset_fixed) offset_q <= offset_given;
      else if (mark) offset_q <= first;
    end
    ev_locked <= 1'b0;
    ev_lost   <= 1'b0;
    ev_moved  <= 1'b0;
    if (lock) begin
      locked_q  <= 1'b1;
      ev_locked <= 1'b1;
      moved_q   <= 1'b0;
    end else if (mark) begin
      ev_moved <= !in_window;
      moved_q  <= !in_window;
    end
    if (drop || silent || (mark && locked_q && !in_window && moved_q && !offset_fixed)
        || (offset_fixed && offset_q != offset_given)) begin
      locked_q <= 1'b0;
      ev_lost  <= locked_q && !rst;
      if (drop) moved_q <= 1'b0;
    end
    if (rst) begin
      rd_q     <= '0;
      quiet_q  <= '0;
      offset_q <= '0;
    end
  end

  // ---- Words in ---------------------------------------------------------------------------------
  // A word is stored while it is still being checked; a bad one is taken out a cycle later.
  logic bad_q;
  logic [ADDR_W-1:0] at_q;
  assign wr_at = begin_q ? start_q : wr_q;
  assign left = begin_q ? tdm_frame.slots : left_q;
  assign counting = begin_q || going_q;
  assign last = counting && left == POS_W'(1);

  always_ff @(posedge clk) begin
    begin_q <= accept && !drop;
    start_q <= rd_q + (locked_q || offset_fixed ? ADDR_W'(away_q) : ADDR_W'(early));
    wr_q    <= wr_at + 1'b1;
    at_q    <= wr_at;
    bad_q   <= counting && word_bad && !rst;
    left_q  <= left - 1'b1;
    going_q <= counting && left != POS_W'(1) && !mark && !drop;
    ev_bad  <= !rst && (counting ? word_bad : word_kind != WORD_EMPTY && !word_bad && !mark);
  end

  // ---- Memory -----------------------------------------------------------------------------------
  (* ram_style = "distributed", no_rw_check *) logic [W+1:0] mem[DEPTH];
  logic [DEPTH-1:0] full_q, full_d;
  logic full;
  logic [1:0] kind_q;
  logic [W-1:0] data_q;

  assign full = full_q[rd_q] && !(bad_q && at_q == rd_q);
  always_comb begin
    full_d = full_q;
    full_d[rd_q] = 1'b0;
    if (beat.next == 2'd2) full_d[rd_q+1'b1] = 1'b0;
    if (bad_q) full_d[at_q] = 1'b0;
    if (counting) full_d[wr_at] = 1'b1;
    if (drop || !locked_q) full_d = '0;
  end

  always_ff @(posedge clk) begin
    if (counting) mem[wr_at] <= {word_kind, word_data};
    full_q <= full_d;
    kind_q <= full ? mem[rd_q][W+:2] : WORD_EMPTY;
    data_q <= mem[rd_q][W-1:0];
    if (!full) data_q[EMPTY_OPEN] <= 1'b1;
    if (rst) kind_q <= WORD_EMPTY;
  end

  assign in_kind = kind_q;
  assign in_data = data_q;
  assign locked = locked_q;
  assign offset = offset_q;
  assign away = away_q;

  logic unused;
  assign unused = ^{beat.pos, beat.step, beat.slot_x, beat.last_x, beat.mark_x, beat.first_x};
endmodule
