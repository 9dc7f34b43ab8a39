// SPDX-License-Identifier: Apache-2.0
//
// Code lengths of an alphabet from its counts, without sorting and without a tree.
//
// start: an alphabet of `size` symbols, kept from `base` on, with lengths up to `limit` (7 or 15).
//   All three must remain stable until `done`, a pulse when the lengths are there.
// sym, sym_on: the counts are asked for once, in order; `count` must be there three cycles later.
//   tap_*: each count as it is used. collected: a pulse, all counts have been read.
// used: symbols up to the last one that occurs, 0 if none does; valid with done and after.
// rd_at: while idle, length (0: unused) and count of a symbol follow one cycle later.
// Counts must add up to less than 2**17.
//
// How: log2 of every count in sixteenths of a bit. One offset is searched with which the lengths
// (offset - log2) / 16, rounded down, satisfy Kraft's inequality; sums by fraction make the first
// try 20 cycles, and each further one 5, since one more changes the lengths of one fraction only.
// What room is left then shortens symbols, those that were rounded up most first, until the code is
// complete. About one per mille longer than Huffman's code on text, in 2 to 9 passes over a list of
// the symbols that occur.
module kumi_deflate_lengths (
    input  logic        clk,
    input  logic        rst,
    input  logic        start,
    input  logic [ 8:0] base,
    input  logic [ 8:0] size,
    input  logic [ 3:0] limit,
    output logic [ 8:0] sym,
    output logic        sym_on,
    input  logic [16:0] count,
    output logic        tap_valid,
    output logic [ 8:0] tap_sym,
    output logic [16:0] tap_count,
    output logic        collected,
    output logic        done,
    output logic [ 8:0] used,
    input  logic [ 8:0] rd_at,
    output logic [ 3:0] rd_bits,
    output logic [16:0] rd_count
);
  localparam logic [8:0] FIRST_TRY = 9'd6;  // the offset is rarely smaller
  // Cycles from the last symbol of a pass to the end of the pass.
  localparam logic [2:0] DRAIN_COLLECT = 3'd7;
  localparam logic [2:0] DRAIN_LIST = 3'd4;
  localparam logic [31:0][3:0] LOG2 = {128'hFFEE_EDDC_CCBB_AA99_8877_6655_4332_2100};

  // floor(16 * log2(v)), the mantissa cut to 5 bits.
  function automatic logic [8:0] log2(input logic [16:0] v);
    logic [4:0] e, mantissa;
    e = '0;
    for (int i = 0; i < 17; i++) if (v[i]) e = 5'(i);
    mantissa = 5'({v, 5'd0} >> e);
    return {e, LOG2[mantissa]};
  endfunction

  typedef enum logic [2:0] {
    ST_IDLE,
    ST_COLLECT,
    ST_TOTAL,
    ST_SEARCH,
    ST_ASSIGN,
    ST_FILL
  } state_e;
  state_e state_q;

  // Passes: over all symbols to collect, then over the list of those that occur.
  logic [8:0] at_q, last_q;
  logic [2:0] drain_q;
  logic issue_q, pass_end;
  assign sym = at_q;
  assign sym_on = issue_q && state_q == ST_COLLECT;
  assign pass_end = !issue_q && drain_q == '0;

  // Collect.
  logic [4:0] valid_q;  // [3]: count_c_q, [4]: count_q and log_q
  logic [4:0][8:0] idx_q;
  logic [16:0] count_c_q, count_q;
  logic [8:0] log_q;
  logic occurs;
  always_ff @(posedge clk) begin
    count_c_q <= count;
    count_q   <= count_c_q;
    log_q     <= log2(count_c_q);
    valid_q   <= {valid_q[3:0], sym_on};
    idx_q     <= {idx_q[3:0], at_q};
    if (rst) valid_q <= '0;
  end
  assign occurs = count_q != '0;
  assign tap_valid = valid_q[4];
  assign tap_sym = idx_q[4];
  assign tap_count = count_q;

  // List: where the symbol is kept, and its logarithm. Stage 1 has those, stage 2 the length, 3 the
  // ideal one, 4 what becomes of it.
  typedef struct packed {
    logic [8:0] at;
    logic [8:0] log;
  } lengths_item_t;
  lengths_item_t item, item_2_q;
  logic [8:0] listed_q, tap_at, at_3_q, at_4_q;
  logic [3:0] list_q;  // stages in use
  logic wr_list;
  assign wr_list = tap_valid && occurs;
  assign tap_at  = base + tap_sym;

  logic wr_bits;
  logic [3:0] ram_bits, new_bits;
  kumi_ram_sdp #(
      .W(18),
      .DEPTH(512)
  ) u_list (
      .clk,
      .wr_en  (wr_list),
      .wr_addr(listed_q),
      .wr_data({tap_at, log_q}),
      .rd_en  (1'b1),
      .rd_addr(at_q),
      .rd_data(item)
  );
  kumi_ram_sdp #(
      .W(17),
      .DEPTH(512)
  ) u_counts (
      .clk,
      .wr_en  (tap_valid),
      .wr_addr(tap_at),
      .wr_data(count_q),
      .rd_en  (1'b1),
      .rd_addr(rd_at),
      .rd_data(rd_count)
  );
  kumi_ram_sdp #(
      .W(4),
      .DEPTH(512)
  ) u_bits (
      .clk,
      .wr_en  (wr_bits),
      .wr_addr(tap_valid ? tap_at : at_4_q),
      .wr_data(new_bits),
      .rd_en  (1'b1),
      .rd_addr(state_q == ST_IDLE ? rd_at : item.at),
      .rd_data(ram_bits)
  );
  assign rd_bits = ram_bits;

  // Search: the sum of 2**-length over the fractions. again_q: the lengths of one of them have
  // grown, so its term is replaced.
  logic [15:0][17:0] weight_q;
  logic [17:0] weight_now, step_q;
  logic [3:0] frac_q;
  logic step_valid_q;
  logic [16:0] total_q;
  logic [8:0] offset_q, total_log_q;
  logic [ 4:0] try_q;  // fraction that is read next; from 16 on none is
  logic [ 2:0] try_valid_q;
  logic [ 3:0] part_at;
  logic [17:0] part_q;
  logic [ 4:0] shift_q;
  logic [19:0] term_q, old_q, kraft_q;
  logic again_q, try_end;
  assign try_end = try_q[4] && try_valid_q == '0;
  assign part_at = again_q ? offset_q[3:0] : try_q[3:0];
  assign weight_now = weight_q[frac_q] + step_q;

  // Assign and fill: ideal length, then the length at hand with its share of the code space.
  logic signed [17:0] room_q, room_less;
  logic [8:0] ideal_q;
  logic [3:0] assigned, bits_3_q, bits_4_q, bound_q;
  logic open_q;  // this pass may shorten it
  logic [17:0] share_q;
  logic changed_q, act, shorten;
  assign assigned = ideal_q[8:4] < 5'd1 ? 4'd1
      : ideal_q[8:4] > {1'b0, limit} ? limit : ideal_q[7:4];
  always_ff @(posedge clk) begin
    list_q   <= {list_q[2:0], issue_q && !sym_on};
    item_2_q <= item;
    at_3_q   <= item_2_q.at;
    ideal_q  <= offset_q - item_2_q.log;
    bits_3_q <= ram_bits;
    at_4_q   <= at_3_q;
    bits_4_q <= state_q == ST_ASSIGN ? assigned : bits_3_q;
    share_q  <= 18'd1 << (limit - (state_q == ST_ASSIGN ? assigned : bits_3_q));
    open_q   <= bits_3_q > 4'd1 && ideal_q[3:0] <= bound_q;
    if (rst) list_q <= '0;
  end
  assign act = list_q[3];
  assign room_less = room_q - share_q;
  assign shorten = state_q == ST_FILL && act && open_q && !room_less[17];
  assign wr_bits = tap_valid || (act && state_q == ST_ASSIGN) || shorten;
  assign new_bits = tap_valid ? 4'd0 : state_q == ST_FILL ? bits_4_q - 1'b1 : bits_4_q;

  logic pass_start;
  always_comb begin
    unique case (state_q)
      ST_IDLE:   pass_start = start;
      ST_SEARCH: pass_start = try_end && kraft_q <= 20'h10000;
      ST_ASSIGN: pass_start = pass_end && room_q != '0;
      ST_FILL:   pass_start = pass_end && room_q != '0 && (bound_q != '1 || changed_q);
      default:   pass_start = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    collected <= state_q == ST_COLLECT && pass_end;
    if (issue_q) begin
      at_q <= at_q + 1'b1;
      if (at_q == last_q) issue_q <= 1'b0;
      drain_q <= state_q == ST_COLLECT ? DRAIN_COLLECT : DRAIN_LIST;
    end else if (drain_q != '0) begin
      drain_q <= drain_q - 1'b1;
    end

    step_valid_q <= wr_list;
    step_q <= 18'd1 << log_q[8:4];
    frac_q <= log_q[3:0];
    if (step_valid_q) weight_q[frac_q] <= weight_now;

    try_valid_q <= {try_valid_q[1:0], state_q == ST_SEARCH && !try_q[4]};
    part_q <= weight_q[part_at];
    shift_q <= 5'((offset_q - {5'd0, part_at}) >> 4);
    term_q <= 20'({part_q, 16'd0} >> shift_q);
    old_q <= 20'({part_q, 17'd0} >> shift_q);  // one bit shorter
    if (try_valid_q[1]) kraft_q <= again_q ? kraft_q - old_q + term_q : kraft_q + term_q;
    if (!try_q[4]) try_q <= try_q + 1'b1;

    unique case (state_q)
      ST_IDLE: begin
        weight_q <= '0;
        total_q  <= '0;
        listed_q <= '0;
        last_q   <= size - 1'b1;
        if (start) begin
          state_q <= ST_COLLECT;
          used <= '0;
        end
      end
      ST_COLLECT: begin
        if (wr_list) begin
          total_q  <= total_q + count_q;
          listed_q <= listed_q + 1'b1;
          used     <= tap_sym + 1'b1;
        end
        if (pass_end) begin
          state_q <= ST_TOTAL;
          drain_q <= 3'd1;
        end
      end
      ST_TOTAL: begin
        last_q <= listed_q - 1'b1;
        total_log_q <= log2(total_q);
        offset_q <= total_log_q + FIRST_TRY;
        try_q <= '0;
        again_q <= 1'b0;
        kraft_q <= '0;
        room_q <= 18'sd1 << limit;
        if (drain_q == '0) begin
          state_q <= total_q == '0 ? ST_IDLE : ST_SEARCH;
          done <= total_q == '0;
        end
      end
      ST_SEARCH: begin
        if (try_end) begin
          if (kraft_q <= 20'h10000) begin
            state_q <= ST_ASSIGN;
          end else begin
            offset_q <= offset_q + 1'b1;
            try_q <= 5'd15;
            again_q <= 1'b1;
          end
        end
      end
      ST_ASSIGN: begin
        if (act) room_q <= room_less;
        bound_q   <= 4'd7;
        changed_q <= 1'b0;
        if (pass_end) begin
          if (room_q[17]) begin
            offset_q <= offset_q + 1'b1;
            room_q   <= 18'sd1 << limit;
          end else if (room_q != '0) begin
            state_q <= ST_FILL;
          end else begin
            state_q <= ST_IDLE;
            done <= 1'b1;
          end
        end
      end
      default: begin
        if (shorten) begin
          room_q <= room_less;
          changed_q <= 1'b1;
        end
        if (room_q == '0) issue_q <= 1'b0;
        if (pass_end) begin
          if (pass_start) begin
            if (bound_q != '1) bound_q <= bound_q + 4'd8;
            changed_q <= 1'b0;
          end else begin
            state_q <= ST_IDLE;
            done <= 1'b1;
          end
        end
      end
    endcase
    if (pass_start) begin
      at_q <= '0;
      issue_q <= 1'b1;
    end
    if (rst) begin
      state_q <= ST_IDLE;
      issue_q <= 1'b0;
      drain_q <= '0;
      step_valid_q <= 1'b0;
      collected <= 1'b0;
    end
  end
endmodule
