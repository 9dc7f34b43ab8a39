// SPDX-License-Identifier: Apache-2.0
//
// Parity engine: computes up to two chunks of a stripe from others, parity from data or lost chunks
// from the survivors. result_0 = sum of a * chunk, result_1 = sum of b * chunk in GF(2^8) modulo
// 0x11d. Chunks longer than PARITY_BYTES come in pieces, each of which is a stripe here.
//
// s_coef: coef_t as kumi_parity_coef produces them, one per chunk, before or after the first beat
//   of the chunk, which waits for it. `position` is ignored; a record with `bad` is consumed and
//   stands for no chunk.
// s_axis: one frame per chunk. Chunks of a stripe have equal length, whole beats, at most
//   PARITY_BYTES.
// m_axis: after the last chunk, one frame per wanted result, result_0 first; tdest[0] is its
//   number. tuser[0] with tlast, and one pulse of ev_bad per stripe: a chunk was marked bad, had a
//   partial beat, exceeded PARITY_BYTES, or differed in length from the first. The frames are as
//   long as the first chunk, at most PARITY_BYTES; excess is discarded.
// BANKS: 1: no chunk is accepted while results are output. 2: those of the next stripe are.
// Throughput: one beat per cycle on each side; chunks of one or two beats wait for those before.
// Latency: 5 cycles from the last beat of the last chunk to the first result. Memory: 2 * BANKS *
// PARITY_BYTES.
module kumi_parity_engine
  import kumi_gf_pkg::*;
  import kumi_storage_pkg::*;
#(
    parameter int DATA_W       = 64,     // bits of data
    parameter int PARITY_BYTES = 65536,  // longest chunk, a power of two
    parameter int BANKS        = 1       // stripes buffered, 1 or 2
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_coef,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_bad
);
  localparam int DEPTH = PARITY_BYTES / (DATA_W / 8);
  localparam int ADDR_W = $clog2(DEPTH);
  localparam int BANK_W = 1;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis must be DATA_W wide (%m)");
  end
  if (s_coef.W != $bits(coef_t)) begin : gen_check_coef
    $fatal(0, "s_coef must be as wide as coef_t (%m)");
  end
  if (DATA_W < 8 || DATA_W % 8 != 0 || DEPTH < 4 || DEPTH * DATA_W != 8 * PARITY_BYTES
      || (DEPTH & (DEPTH - 1)) != 0) begin : gen_check_size
    $fatal(0, "PARITY_BYTES must be 4 words of DATA_W or more, and a power of two of them (%m)");
  end
  if (BANKS < 1 || BANKS > 2) begin : gen_check_banks
    $fatal(0, "BANKS must be 1 or 2 (%m)");
  end

  typedef struct packed {
    gf_columns_t b;
    gf_columns_t a;
    logic [1:0]  want;
    logic        last;
  } factor_t;

  typedef struct packed {
    logic [ADDR_W:0] beats;
    logic [1:0]      want;
    logic            bad;
  } stripe_info_t;

  // Factors of the incoming chunk and of the next one.
  coef_t coef;
  factor_t now_q, next_q;
  logic now_valid_q, next_valid_q, chunk_ends;
  assign coef = s_coef.data;
  assign s_coef.ready = !next_valid_q;

  always_ff @(posedge clk) begin
    if (!next_valid_q) begin
      next_q       <= '{gf_columns(coef.b), gf_columns(coef.a), coef.want, coef.last};
      next_valid_q <= s_coef.valid && !coef.bad;
    end
    if (!now_valid_q || chunk_ends) begin
      now_q       <= next_q;
      now_valid_q <= next_valid_q;
      if (next_valid_q) next_valid_q <= 1'b0;
    end
    if (rst) begin
      now_valid_q  <= 1'b0;
      next_valid_q <= 1'b0;
    end
  end

  // Input. Words of the last two cycles are still being added.
  logic [ADDR_W:0] at_q, beats_q, limit, count;
  logic [1:0][ADDR_W-1:0] added_at_q;
  logic [1:0] added_q;
  logic bank_q, first_q, bad_q, take, overlong, add, hazard, bad;
  logic [1:0] full_q;

  assign limit = first_q ? (ADDR_W + 1)'(DEPTH) : beats_q;
  assign overlong = at_q == limit;
  assign hazard = (added_q[0] && added_at_q[0] == at_q[ADDR_W-1:0])
      || (added_q[1] && added_at_q[1] == at_q[ADDR_W-1:0]);
  assign s_axis.tready = now_valid_q && !full_q[bank_q] && !hazard;
  assign take = s_axis.tvalid && s_axis.tready;
  assign add = take && !overlong;
  assign chunk_ends = take && s_axis.tlast;
  assign count = overlong ? at_q : at_q + 1'b1;
  assign bad = bad_q || overlong || !(&s_axis.tkeep)
      || (s_axis.tlast && (s_axis.tuser[0] || (!first_q && count != beats_q)));

  stripe_info_t [1:0] info_q;

  always_ff @(posedge clk) begin
    ev_bad     <= chunk_ends && now_q.last && bad;
    added_q    <= {added_q[0], add};
    added_at_q <= {added_at_q[0], at_q[ADDR_W-1:0]};
    if (take) begin
      at_q  <= s_axis.tlast ? '0 : count;
      bad_q <= bad && !(s_axis.tlast && now_q.last);
      if (s_axis.tlast) begin
        first_q <= now_q.last;
        if (first_q) beats_q <= count;
      end
    end
    if (chunk_ends && now_q.last) begin
      info_q[bank_q] <= '{first_q ? count : beats_q, now_q.want, bad};
      bank_q         <= BANKS == 2 ? !bank_q : 1'b0;
    end
    if (rst) begin
      ev_bad  <= 1'b0;
      added_q <= '0;
      at_q    <= '0;
      bad_q   <= 1'b0;
      first_q <= 1'b1;
      bank_q  <= 1'b0;
    end
  end

  // Products, one cycle after the beat.
  logic [DATA_W-1:0] product_a, product_b, value_a_q, value_b_q;
  kumi_gf_scale #(
      .DATA_W(DATA_W)
  ) u_scale_a (
      .columns(now_q.a),
      .data   (s_axis.tdata),
      .product(product_a)
  );
  kumi_gf_scale #(
      .DATA_W(DATA_W)
  ) u_scale_b (
      .columns(now_q.b),
      .data   (s_axis.tdata),
      .product(product_b)
  );
  always_ff @(posedge clk) begin
    value_a_q <= product_a;
    value_b_q <= product_b;
  end

  // Output: a word is read (step), waits at the memory (read_q), then in a register.
  logic [ADDR_W:0] out_at_q;
  logic [1:0] full_late_q, settled_q, read_done_flags_q;  // read_done: fully read
  logic out_bank_q, second_q, step, shows, word_last, all_last, move, out_free;
  logic read_q, read_second_q, read_last_q, read_done_q, read_bank_q;
  logic out_valid_q, out_last_q, out_bad_q, out_second_q;
  logic [DATA_W-1:0] out_q;
  logic [BANKS-1:0][1:0][DATA_W-1:0] show;
  stripe_info_t info;
  logic second;

  assign info = info_q[out_bank_q];
  assign out_free = !out_valid_q || m_axis.tready;
  assign move = !read_q || out_free;
  assign shows = full_q[out_bank_q] && settled_q[out_bank_q] && !read_done_flags_q[out_bank_q];
  assign step = shows && info.want != 0 && move;
  assign second = second_q || !info.want[0];
  assign word_last = out_at_q + 1'b1 == info.beats;
  assign all_last = word_last && (second || !info.want[1]);

  always_ff @(posedge clk) begin
    full_late_q <= full_q;
    settled_q   <= full_late_q & full_q;
    if (move) begin
      read_q        <= step;
      read_second_q <= second;
      read_last_q   <= word_last;
      read_done_q   <= all_last;
      read_bank_q   <= out_bank_q;
    end
    if (step) begin
      out_at_q <= word_last ? '0 : out_at_q + 1'b1;
      if (word_last) second_q <= !second;
      if (all_last) begin
        second_q                      <= 1'b0;
        read_done_flags_q[out_bank_q] <= 1'b1;
        out_bank_q                    <= BANKS == 2 ? !out_bank_q : 1'b0;
      end
    end
    if (shows && info.want == 0) out_bank_q <= BANKS == 2 ? !out_bank_q : 1'b0;
    if (out_free) begin
      out_q        <= show[BANKS==2?BANK_W'(read_bank_q) : BANK_W'(0)][read_second_q];
      out_valid_q  <= read_q;
      out_last_q   <= read_last_q;
      out_bad_q    <= info_q[read_bank_q].bad;
      out_second_q <= read_second_q;
    end
    if (chunk_ends && now_q.last) full_q[bank_q] <= 1'b1;
    if (read_q && out_free && read_done_q) begin
      full_q[read_bank_q] <= 1'b0;
      read_done_flags_q[read_bank_q] <= 1'b0;
    end
    if (shows && info.want == 0) full_q[out_bank_q] <= 1'b0;
    if (rst) begin
      full_late_q       <= '0;
      settled_q         <= '0;
      full_q            <= '0;
      read_done_flags_q <= '0;
      read_q            <= 1'b0;
      out_valid_q       <= 1'b0;
      out_at_q          <= '0;
      second_q          <= 1'b0;
      out_bank_q        <= 1'b0;
    end
  end

  for (genvar k = 0; k < BANKS; k++) begin : gen_bank
    logic bank_add, bank_read;
    logic [ADDR_W-1:0] at;
    assign bank_add  = add && bank_q == BANK_W'(k);
    assign bank_read = step && out_bank_q == BANK_W'(k);
    assign at        = bank_read ? out_at_q[ADDR_W-1:0] : at_q[ADDR_W-1:0];
    kumi_xor_accumulator #(
        .DATA_W(DATA_W),
        .DEPTH (DEPTH)
    ) u_sum_a (
        .clk,
        .rst,
        .at,
        .add_en (bank_add),
        .first  (first_q),
        .value  (value_a_q),
        .show_en(bank_read),
        .show   (show[k][0])
    );
    kumi_xor_accumulator #(
        .DATA_W(DATA_W),
        .DEPTH (DEPTH)
    ) u_sum_b (
        .clk,
        .rst,
        .at,
        .add_en (bank_add),
        .first  (first_q),
        .value  (value_b_q),
        .show_en(bank_read),
        .show   (show[k][1])
    );
  end

  logic unused;
  assign unused = ^{coef.position, info.bad};

  assign m_axis.tdata  = out_q;
  assign m_axis.tkeep  = '1;
  assign m_axis.tvalid = out_valid_q;
  assign m_axis.tlast  = out_last_q;
  assign m_axis.tuser  = m_axis.USER_W'(out_bad_q && out_last_q);
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = m_axis.DEST_W'(out_second_q);
endmodule
