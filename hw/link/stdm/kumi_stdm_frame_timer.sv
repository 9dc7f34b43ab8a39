// SPDX-License-Identifier: Apache-2.0
//
// Timing of a circuit switch: the position in the TDM frame, the active table bank, and alignment
// to another board's TDM frames.
//
// Positions count 0 .. R-1, one per cycle, R = slots + guard. swap: a pulse activates the other
//   bank, with length swap_slots and guard swap_guard, at the next position 0; the first one starts
//   the TDM frames. pending is high until then; swapped pulses when it is done.
// addr: bank and position of the table entries to read now (stage A). run_a, pos_a belong to it,
//   beat to the later stages (see kumi_stdm_pkg).
// Following (sync_on): mark pulses one cycle after a marker arrived on the link that is followed,
//   and mark_away is its deviation in positions. The first one sets the position; from then on a
//   TDM frame is a cycle shorter or longer, at its elastic position R-2, to hold mark_away at 2 +
//   margin. After two consecutive markers that are off by more than the margin, or sync_lost (the
//   link was lost), the next one sets the position.
module kumi_stdm_frame_timer
  import kumi_stdm_pkg::*;
(
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       swap,
    input  logic        [   POS_W-1:0] swap_slots,
    input  logic        [         4:0] swap_guard,
    input  logic        [MARGIN_W-1:0] margin,
    output logic                       pending,
    output logic                       swapped,
    input  logic                       sync_on,
    input  logic                       sync_lost,
    input  logic                       mark,
    input  logic        [   POS_W-1:0] mark_away,
    output logic                       bank,
    output logic                       run_a,
    output logic        [   POS_W-1:0] pos_a,
    output logic                       slot_t,      // stage T is in a slot
    output logic                       elastic_c,   // stage C is in the elastic position
    output logic                       elastic_t,
    output stdm_time_t                 beat,
    output stdm_frame_t                tdm_frame,
    output logic        [        31:0] tdm_frames
);
  logic run_q, bank_q, pending_q, found_q, twice_q, far, far_q, jump;
  logic [POS_W-1:0] slots_q, total_q, last_q, next_slots_q, next_total_q;
  logic [POS_W-1:0] pos_q, pos_d, jump_pos;
  logic [1:0] step_d;
  logic wrap, elastic, shorter_q, longer_q, hold_q;
  logic [31:0] count_q;

  assign wrap = pos_q == last_q;
  assign elastic = pos_q == last_q - 1'b1;
  // The marker came at stage C of the cycle before: its slot 0 is due there 2 + margin positions
  // after it, and stage A is two ahead.
  assign far = mark_away < POS_W'(2) || mark_away > POS_W'(2) + POS_W'(margin) + POS_W'(margin);
  assign jump = run_q && sync_on && mark && (!found_q || (far && far_q));
  assign jump_pos = margin <= MARGIN_W'(2) ? POS_W'(2) - POS_W'(margin)
      : total_q + POS_W'(2) - POS_W'(margin);

  always_comb begin
    step_d = 2'd1;
    pos_d  = wrap ? '0 : pos_q + 1'b1;
    if (elastic && longer_q && !twice_q) begin
      pos_d  = pos_q;
      step_d = 2'd0;
    end else if (pos_q == last_q - POS_W'(2) && shorter_q) begin
      pos_d  = last_q;
      step_d = 2'd2;
    end
    if (jump) pos_d = jump_pos;
    if (!run_q) pos_d = '0;
  end

  // Stages. a: table address; b: read; c: entry known; t: words cross; x: at the outputs.
  logic [1:0] step_a_q, step_b_q, step_c_q;
  logic [POS_W-1:0] pos_b_q, pos_c_q, pos_t_q, pos_x_q;
  logic run_b_q, run_c_q, run_t_q, run_x_q, restart_q;

  always_ff @(posedge clk) begin
    swapped <= 1'b0;
    if (swap) begin
      pending_q    <= 1'b1;
      next_slots_q <= swap_slots;
      next_total_q <= swap_slots + POS_W'(swap_guard);
    end
    if (pending_q && (wrap || !run_q) && !jump) begin
      pending_q <= swap;
      swapped   <= 1'b1;
      run_q     <= 1'b1;
      bank_q    <= !bank_q;
      slots_q   <= next_slots_q;
      total_q   <= next_total_q;
      last_q    <= next_total_q - 1'b1;
    end
    restart_q <= jump || (pending_q && (wrap || !run_q) && next_total_q != total_q);

    pos_q    <= pos_d;
    step_a_q <= step_d;
    twice_q  <= elastic && longer_q && !twice_q;
    if (run_q && wrap) count_q <= count_q + 1'b1;

    // One cycle of correction, decided when a marker comes. The marker that follows its use is not
    // looked at: it may have been measured before.
    if (mark && found_q && sync_on) begin
      hold_q <= 1'b0;
      if (!hold_q && !shorter_q && !longer_q) begin
        shorter_q <= mark_away > POS_W'(margin) + POS_W'(2);
        longer_q  <= mark_away < POS_W'(margin) + POS_W'(2);
      end
    end
    if (step_d != 2'd1 || !found_q) begin
      shorter_q <= 1'b0;
      longer_q  <= 1'b0;
      hold_q    <= found_q;
    end
    if (mark) far_q <= far && found_q && !jump;
    if (jump) found_q <= 1'b1;
    if (sync_lost || !sync_on) found_q <= 1'b0;

    pos_b_q  <= pos_q;
    pos_c_q  <= pos_b_q;
    pos_t_q  <= pos_c_q;
    pos_x_q  <= pos_t_q;
    step_b_q <= step_a_q;
    step_c_q <= step_b_q;
    run_b_q  <= run_q;
    run_c_q  <= run_b_q;
    run_t_q  <= run_c_q;
    run_x_q  <= run_t_q;
    if (rst) begin
      run_q     <= 1'b0;
      bank_q    <= 1'b0;
      pending_q <= 1'b0;
      swapped   <= 1'b0;
      pos_q     <= '0;
      slots_q   <= '0;
      total_q   <= POS_W'(MIN_GUARD);
      last_q    <= POS_W'(MIN_GUARD - 1);
      step_a_q  <= 2'd1;
      twice_q   <= 1'b0;
      found_q   <= 1'b0;
      far_q     <= 1'b0;
      shorter_q <= 1'b0;
      longer_q  <= 1'b0;
      hold_q    <= 1'b0;
      restart_q <= 1'b0;
      count_q   <= '0;
      run_b_q   <= 1'b0;
      run_c_q   <= 1'b0;
      run_t_q   <= 1'b0;
      run_x_q   <= 1'b0;
    end
  end

  // A swap that changes the length: the stages behind A still belong to the old one for a few
  // cycles, in which they are in its guard.
  logic [POS_W-1:0] slots_t_q, last_c_q, last_t_q, last_x_q, slots_x_q;
  logic [POS_W-1:0] slots_b_q, slots_c_q, last_b_q;
  always_ff @(posedge clk) begin
    slots_b_q <= slots_q;
    slots_c_q <= slots_b_q;
    slots_t_q <= slots_c_q;
    slots_x_q <= slots_t_q;
    last_b_q  <= last_q;
    last_c_q  <= last_b_q;
    last_t_q  <= last_c_q;
    last_x_q  <= last_t_q;
  end

  assign pending = pending_q;
  assign bank = bank_q;
  assign run_a = run_q;
  assign pos_a = pos_q;
  assign slot_t = run_t_q && pos_t_q < slots_t_q;
  assign elastic_c = pos_c_q == last_c_q - 1'b1;
  assign elastic_t = pos_t_q == last_t_q - 1'b1;
  assign tdm_frames = count_q;
  assign tdm_frame = '{slots: slots_q, cycles: total_q, margin: margin};
  assign beat = '{
          run: run_c_q,
          pos: pos_c_q,
          step: step_c_q,
          next: step_b_q,
          restart: restart_q,
          slot_x: run_x_q && pos_x_q < slots_x_q,
          last_x: run_x_q && pos_x_q == slots_x_q - 1'b1,
          mark_x: run_x_q && pos_x_q == last_x_q,
          first_x: run_x_q && pos_x_q == '0
      };
endmodule
