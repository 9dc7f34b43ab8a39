// SPDX-License-Identifier: Apache-2.0
//
// Repacks blocks: beats of any number of blocks become beats of `size` blocks; the last beat of a
// frame has the remainder. Used to spread frames over the lanes in use, to fill beats of received
// rows, to split frames into chunks, and to join them.
//
// s, m: see kumi_link_if. s.count may be 0 on the last beat; then the frame ends with the block
//   before, and a frame without any block vanishes.
// HOLD = 1: a full beat waits until it is known whether the frame ends with it (`last` follows the
//   data). Such a source gives pad of the frame's last block with `last`.
// SPLIT_BEATS > 0: every SPLIT_BEATS-th beat of a frame that is not its last has SPLIT_BLOCKS
//   blocks, and m_split is high with it.
// size: 1..LANES; may change only between frames.
// clear: discards what is held, also the beat at m.
// Latency: 1 cycle. Throughput: one beat per cycle in and out while no block is left over; the last
//   beat of a frame costs no extra cycle, any other beat out that needs no beat in does. m is
//   registered; s.ready depends combinationally on m.ready.
`include "kumi_assert.svh"
module kumi_link_repack #(
    parameter int LANES        = 1,  // blocks of a beat, 1..4
    parameter bit HOLD         = 0,
    parameter int SPLIT_BEATS  = 0,  // beats of a chunk, 0 or at least 2
    parameter int SPLIT_BLOCKS = 1   // blocks of its last beat
) (
    input logic clk,
    input logic rst,
    input logic clear,
    input logic [2:0] size,
    kumi_link_if.snk s,
    kumi_link_if.src m,
    output logic m_split
);
  if (LANES < 1 || LANES > 4 || SPLIT_BEATS == 1
      || (SPLIT_BEATS > 0
          && (SPLIT_BLOCKS < 1 || SPLIT_BLOCKS > LANES || SPLIT_BLOCKS < LANES - 1)))
  begin : gen_check_sizes
    $fatal(0, "LANES 1..4, SPLIT_BEATS not 1, SPLIT_BLOCKS LANES - 1 or LANES (%m)");
  end

  logic [LANES-1:0][63:0] held_q;
  logic [2:0] left_q;  // blocks held, 0..LANES
  logic flush_q;  // the frame has ended; the held blocks are its last beat
  logic [2:0] pad_q;
  logic bad_q;

  logic [2*LANES-1:0][63:0] all;
  logic [3:0] total;
  logic [2:0] need;
  logic split, out_free, from_held, take, emit, rest;

  assign need      = split ? 3'(SPLIT_BLOCKS) : size;
  assign out_free  = !m.valid || m.ready;

  // The held blocks make a beat.
  assign from_held = flush_q || (HOLD ? left_q > need : left_q >= need);
  assign s.ready   = out_free && (!from_held || (flush_q && left_q <= need));
  assign take      = s.valid && s.ready;

  // Held blocks and the new beat.
  always_comb begin
    all = (LANES * 2 * 64)'(held_q);
    for (int k = 0; k <= LANES; k++) begin
      if (left_q == 3'(k)) begin
        for (int b = 0; b < LANES; b++) begin
          if (k + b < 2 * LANES) all[(k+b)%(2*LANES)] = s.data[b];
        end
      end
    end
    total = from_held ? 4'(left_q) : 4'(left_q) + 4'(s.count);
  end

  // Whether a beat leaves, and whether blocks stay.
  logic ends;  // the frame is known to end in `all`
  assign ends = from_held ? flush_q : s.last;
  assign rest = total > 4'(need);
  always_comb begin
    if (ends) emit = total != '0;
    else emit = HOLD ? rest : total >= 4'(need);
    if (!(from_held || s.valid)) emit = 1'b0;
  end

  always_ff @(posedge clk) begin
    if (out_free) begin
      m.valid <= emit;
      m.last  <= emit && ends && !rest;
      m.count <= (ends && !rest) ? total[2:0] : need;
      m.pad   <= !(ends && !rest) ? '0 : from_held ? pad_q : s.pad;
      m.bad   <= (ends && !rest) && (from_held ? bad_q : s.bad);
      m_split <= emit && split && !(ends && !rest);
      m.data  <= all[LANES-1:0];
    end
    if (flush_q && !rest && out_free) begin
      // While the end of a frame leaves, the next one's first beat takes its place.
      left_q  <= take ? s.count : '0;
      held_q  <= s.data;
      flush_q <= take && s.last && s.count != '0;
    end else if (take || (from_held && out_free)) begin
      if (emit) begin
        left_q <= rest ? 3'(total - 4'(need)) : '0;
        for (int k = 1; k <= LANES; k++) begin
          if (need == 3'(k)) begin
            for (int b = 0; b < LANES; b++) held_q[b] <= all[k+b];
          end
        end
      end else begin
        left_q <= ends ? '0 : total[2:0];
        held_q <= all[LANES-1:0];
      end
      flush_q <= ends && rest;
    end
    if (take) begin
      pad_q <= s.pad;
      bad_q <= s.bad;
    end
    if (rst || clear) begin
      m.valid <= 1'b0;
      left_q  <= '0;
      flush_q <= 1'b0;
    end
  end

  if (SPLIT_BEATS > 1) begin : gen_split
    logic [$clog2(SPLIT_BEATS)-1:0] beat_q;
    assign split = beat_q == $bits(beat_q)'(SPLIT_BEATS - 1);
    always_ff @(posedge clk) begin
      if (out_free && emit) beat_q <= (split || (ends && !rest)) ? '0 : beat_q + 1'b1;
      if (rst || clear) beat_q <= '0;
    end
  end else begin : gen_no_cut
    assign split = 1'b0;
  end

  // While the source keeps its contract.
  logic legal;
  assign legal = s.count <= 3'(LANES) && left_q <= 3'(LANES);
  `KUMI_ASSERT(a_fits, !legal || flush_q || !take || emit || total <= 4'(LANES))
  `KUMI_ASSERT(a_rest_fits,
               !legal || !(take || from_held) || !emit || total <= 4'(LANES) + 4'(need))
endmodule
