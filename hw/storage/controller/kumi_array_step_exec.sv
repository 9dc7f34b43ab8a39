// SPDX-License-Identifier: Apache-2.0
//
// Step executor: carries out the steps that the units of kumi_array_engine request, one at a time:
// memory words to and from the map entry, data moves, device requests, slots, parity coefficients,
// and placer events.
//
// step: held until done, a pulse in its last cycle. entry_*: writes a word of the entry. Results
//   are valid from the next cycle: moved, slot_rsp, coef; old: word old_at of the entry;
//   has_version, is_mapped, replicas, free: fields of the entry loaded last. bad: memory refused an
//   access of this step. Of a claimed slot only slot_rsp tells that, for more is to be undone then.
// dirty_*: of kumi_array_dirty_bitmap.
// cpl_*: completions. Those of placed chunks (cpl_placed) become placer events, ahead of others;
//   the queue always has space for them.
// placer_idle: the placer has consumed all events.
// Every unit that is asked responds, so every step ends.
module kumi_array_step_exec
  import kumi_array_pkg::*;
  import kumi_array_engine_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int WIDTH    = 8,
    parameter int CONTEXTS = 8
) (
    input logic clk,
    input logic rst,
    input array_cfg_t cfg,
    input array_step_t step,
    output logic done,
    output logic bad,
    input logic entry_we,
    input logic [5:0] entry_at,
    input logic [63:0] entry_in,
    input logic [4:0] old_at,
    output logic [63:0] old,
    output logic has_version,
    output logic is_mapped,
    output logic [2:0][7:0] holders,
    output chunk_mask_t free,
    output move_rsp_t moved,
    output slot_rsp_t slot_rsp,
    output logic dirty_prepare,
    input logic dirty_prepared,
    input logic dirty_bad,
    output coef_t coef,
    output logic placer_idle,
    input logic placer_busy,
    input logic cpl_placed,
    input logic [7:0] cpl_unit,
    input logic cpl_good,
    input logic [31:0] cpl_cycles,
    output logic io_valid,
    input logic io_ready,
    output logic [7:0] io_unit,
    output disk_req_t io,
    kumi_rec_if.src m_move,
    kumi_rec_if.snk s_moved,
    kumi_rec_if.src m_stripe,
    kumi_rec_if.snk s_coef,
    kumi_rec_if.src m_coef,
    kumi_rec_if.src m_event,
    kumi_rec_if.src m_slot,
    kumi_rec_if.snk s_slot,
    kumi_axi_if.mst m_axi
);
  logic sent_q;  // the request half of a step is done
  logic [5:0] i_q;  // word

  // ---- the entry: 0 number, 1 kind and logical stripe, 2.. positions, then holders, then (of the
  // list) what is to be freed -------------------------------------------------------------------
  logic [63:0] entry_mem[64];
  logic we, words, w_done, w_bad, last_word, bad_q;
  logic [5:0] at;
  logic [63:0] in, word;

  assign words = step.op == STEP_LOAD || step.op == STEP_STORE;
  assign last_word = i_q + 6'd1 == step.n;
  assign we = entry_we || (step.op == STEP_LOAD && w_done);
  assign at = entry_we ? entry_at : i_q;
  assign in = entry_we ? entry_in : word;
  assign old = entry_mem[6'(old_at)+6'd2];
  slot_rsp_t slot_in;
  assign slot_in = s_slot.data;
  assign bad = done && ((words && (bad_q || w_bad)) || (step.op == STEP_DIRTY && dirty_bad)
      || (step.op == STEP_SLOT && slot_in.bad && step.slot.op != SL_CLAIM));

  kumi_axi_single #(
      .PLACE_W(MEM_ADDR_W)
  ) u_word (
      .clk,
      .rst,
      .req  (words && !w_done),
      .we   (step.op == STEP_STORE),
      .addr (step.addr + mem_addr_t'({i_q, 3'b000})),
      .wdata(entry_mem[i_q]),
      .done (w_done),
      .bad  (w_bad),
      .rdata(word),
      .m_axi
  );

  always_ff @(posedge clk) begin
    if (we) entry_mem[at] <= in;
    if (step.op == STEP_LOAD && w_done) begin
      if (i_q == 6'd0) has_version <= word != '0;
      if (i_q == 6'd1) is_mapped <= word[39:32] == 8'd1;
      if (i_q == 6'(cfg.width) + 6'd2) holders <= word[23:0];
      if (i_q == 6'(cfg.width) + 6'd3) free <= word[31:0];
    end
  end

  // ---- events: every chunk under way may end while the placer is busy -------------------------
  localparam int EVENTS = 1 << $clog2(CONTEXTS * WIDTH + 32);
  logic event_room, event_taken;
  logic [$clog2(EVENTS):0] event_depth;
  place_event_t place_ev;
  assign event_room = event_depth < ($clog2(EVENTS) + 1)'(EVENTS - CONTEXTS * WIDTH);
  always_comb begin
    place_ev = step.place_ev;
    if (cpl_placed)
      place_ev = '{op: PL_SERVED, device: cpl_unit, value: cpl_good ? cpl_cycles : '0};
  end
  kumi_fifo #(
      .W($bits(place_event_t)),
      .DEPTH(EVENTS),
      .STYLE(0)
  ) u_events (
      .clk,
      .rst,
      .s_data (place_ev),
      .s_valid(cpl_placed || (step.op == STEP_EVENT && event_room)),
      .s_ready(event_taken),
      .m_data (m_event.data),
      .m_valid(m_event.valid),
      .m_ready(m_event.ready),
      .depth  (event_depth)
  );
  assign placer_idle = !m_event.valid && event_depth == '0 && !placer_busy;

  // ---- handshakes -----------------------------------------------------------------------------
  assign m_move.valid = step.op == STEP_MOVE && !sent_q;
  assign m_move.data = step.move;
  assign s_moved.ready = step.op == STEP_MOVE && sent_q;
  assign m_slot.valid = step.op == STEP_SLOT && !sent_q;
  assign m_slot.data = step.slot;
  assign s_slot.ready = step.op == STEP_SLOT && sent_q;
  assign dirty_prepare = step.op == STEP_DIRTY;
  assign io_valid = step.op == STEP_IO;
  assign io_unit = step.unit;
  assign io = step.io;
  assign m_stripe.valid = step.op == STEP_COEF_REQ;
  assign m_stripe.data = step.stripe;
  // A coefficient passes to the parity engine; its position is used here.
  assign m_coef.data = s_coef.data;
  assign m_coef.valid = step.op == STEP_COEF && s_coef.valid;
  assign s_coef.ready = step.op == STEP_COEF && m_coef.ready;

  always_comb begin
    case (step.op)
      STEP_LOAD, STEP_STORE: done = w_done && last_word;
      STEP_MOVE: done = sent_q && s_moved.valid;
      STEP_EVENT: done = event_room && !cpl_placed;
      STEP_SLOT: done = sent_q && s_slot.valid;
      STEP_DIRTY: done = dirty_prepared;
      STEP_IO: done = io_ready;
      STEP_COEF_REQ: done = m_stripe.ready;
      STEP_COEF: done = s_coef.valid && m_coef.ready;
      default: done = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    if ((m_move.valid && m_move.ready) || (m_slot.valid && m_slot.ready)) sent_q <= 1'b1;
    if (w_done) begin
      i_q   <= i_q + 1'b1;
      bad_q <= bad_q || w_bad;
    end
    if (step.op == STEP_MOVE && done) moved <= s_moved.data;
    if (step.op == STEP_SLOT && done) slot_rsp <= s_slot.data;
    if (step.op == STEP_COEF && done) coef <= s_coef.data;
    if (rst || done) begin
      sent_q <= 1'b0;
      bad_q <= 1'b0;
      i_q <= '0;
    end
  end

  logic unused;
  assign unused = ^{event_taken, cfg, slot_in};
endmodule
