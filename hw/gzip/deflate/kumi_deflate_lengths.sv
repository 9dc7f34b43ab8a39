// SPDX-License-Identifier: Apache-2.0
//
// Code lengths of an alphabet from its counts, without sorting and without a tree.
//
// start: an alphabet of `size` symbols, kept from `base` on, with lengths up to `limit` (7 or 15).
//   All three must remain stable until `done`, a pulse when the lengths are there.
// sym, sym_on: the counts are asked for once, in order; `count` must be there two cycles later.
//   tap_*: each count as it is used.
// used: symbols up to the last one that occurs, 0 if none does; valid with done and after.
// rd_at: while idle, length (0: unused) and count of a symbol follow one cycle later.
// Counts must add up to less than 2**17.
//
// How: log2 of every count in sixteenths of a bit. One offset is searched with which the lengths
// (offset - log2) / 16, rounded down, satisfy Kraft's inequality; sums by fraction make a try 20
// cycles. What room is left then shortens symbols, those that were rounded up most first, until the
// code is complete. About one per mille longer than Huffman's code on text, in 2 to 9 passes.
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
    output logic        done,
    output logic [ 8:0] used,
    input  logic [ 8:0] rd_at,
    output logic [ 3:0] rd_bits,
    output logic [16:0] rd_count
);
  localparam logic [8:0] FIRST_TRY = 9'd6;  // the offset is rarely smaller
  localparam int DRAIN = 7;  // cycles from the last symbol of a pass to the end of the pass
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

  // Passes over the symbols.
  logic [8:0] at_q;
  logic [2:0] drain_q;
  logic issue_q, pass_end;
  logic [5:0] valid_q;  // [3]: logarithm and count, [5]: what becomes of the length
  logic [5:0][8:0] idx_q;
  logic [16:0] ram_count, count_b_q, count_c_q, count_q;
  logic [3:0] ram_bits, bits_b_q, bits_c_q, bits_q;
  logic [8:0] log_q;

  assign sym = at_q;
  assign sym_on = issue_q;
  assign pass_end = !issue_q && drain_q == '0;

  logic wr_count, wr_bits;
  logic [3:0] new_bits;
  kumi_ram_sdp #(
      .W(17),
      .DEPTH(512)
  ) u_counts (
      .clk,
      .wr_en  (wr_count),
      .wr_addr(base + idx_q[3]),
      .wr_data(count_q),
      .rd_en  (1'b1),
      .rd_addr(state_q == ST_IDLE ? rd_at : base + at_q),
      .rd_data(ram_count)
  );
  kumi_ram_sdp #(
      .W(4),
      .DEPTH(512)
  ) u_bits (
      .clk,
      .wr_en  (wr_bits),
      .wr_addr(base + idx_q[5]),
      .wr_data(new_bits),
      .rd_en  (1'b1),
      .rd_addr(state_q == ST_IDLE ? rd_at : base + at_q),
      .rd_data(ram_bits)
  );
  assign rd_bits  = ram_bits;
  assign rd_count = ram_count;

  always_ff @(posedge clk) begin
    count_b_q <= ram_count;
    bits_b_q  <= ram_bits;
    count_c_q <= state_q == ST_COLLECT ? count : count_b_q;
    bits_c_q  <= bits_b_q;
    count_q   <= count_c_q;
    bits_q    <= bits_c_q;
    log_q     <= log2(count_c_q);
    valid_q   <= {valid_q[4:0], issue_q};
    idx_q     <= {idx_q[4:0], at_q};
    if (rst) valid_q <= '0;
  end

  logic occurs;
  assign occurs = count_q != '0;
  assign tap_valid = valid_q[3] && state_q == ST_COLLECT;
  assign tap_sym = idx_q[3];
  assign tap_count = count_q;
  assign wr_count = tap_valid;

  // Search: the sum of 2**-length over the fractions.
  logic [15:0][17:0] weight_q;
  logic [17:0] weight_now;
  logic [16:0] total_q, total_in_q;
  logic [8:0] offset_q, total_log_q;
  logic [ 4:0] try_q;
  logic [ 2:0] try_valid_q;
  logic [17:0] part_q;
  logic [ 4:0] shift_q;
  logic [19:0] term_q, kraft_q;
  logic try_end;
  assign try_end = try_q[4] && try_valid_q == '0;
  assign weight_now = weight_q[log_q[3:0]] + (18'd1 << log_q[8:4]);

  // Assign and fill: ideal length, then the length at hand with its share of the code space.
  logic signed [17:0] room_q, room_less;
  logic [8:0] ideal_q;
  logic [3:0] assigned, bits_e_q, bits_f_q, bound_q;
  logic occurs_e_q, occurs_f_q, open_q;  // open_q: this pass may shorten it
  logic [17:0] share_q;
  logic changed_q, shorten;
  assign assigned = ideal_q[8:4] < 5'd1 ? 4'd1
      : ideal_q[8:4] > {1'b0, limit} ? limit : ideal_q[7:4];
  always_ff @(posedge clk) begin
    ideal_q <= offset_q - log_q;
    occurs_e_q <= occurs;
    bits_e_q <= bits_q;
    occurs_f_q <= occurs_e_q;
    bits_f_q <= state_q == ST_ASSIGN ? assigned : bits_e_q;
    share_q <= 18'd1 << (limit - (state_q == ST_ASSIGN ? assigned : bits_e_q));
    open_q <= occurs_e_q && bits_e_q > 4'd1 && ideal_q[3:0] <= bound_q;
  end
  assign room_less = room_q - share_q;
  assign shorten   = state_q == ST_FILL && valid_q[5] && open_q && !room_less[17];
  assign wr_bits   = valid_q[5] && (state_q == ST_ASSIGN || shorten);
  assign new_bits  = state_q == ST_FILL ? bits_f_q - 1'b1 : occurs_f_q ? bits_f_q : 4'd0;

  logic pass_start;
  always_comb begin
    unique case (state_q)
      ST_IDLE:   pass_start = start;
      ST_TOTAL:  pass_start = drain_q == '0 && total_q == '0;
      ST_SEARCH: pass_start = try_end && kraft_q <= 20'h10000;
      ST_ASSIGN: pass_start = pass_end && (room_q[17] || (room_q != '0 && total_q != '0));
      ST_FILL:   pass_start = pass_end && room_q != '0 && (bound_q != '1 || changed_q);
      default:   pass_start = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (issue_q) begin
      at_q <= at_q + 1'b1;
      if (at_q == size - 1'b1) issue_q <= 1'b0;
      drain_q <= 3'(DRAIN);
    end else if (drain_q != '0) begin
      drain_q <= drain_q - 1'b1;
    end

    try_valid_q <= {try_valid_q[1:0], state_q == ST_SEARCH && !try_q[4]};
    part_q <= weight_q[try_q[3:0]];
    shift_q <= 5'((offset_q - {5'd0, try_q[3:0]}) >> 4);
    term_q <= 20'({part_q, 16'd0} >> shift_q);
    if (try_valid_q[1]) kraft_q <= kraft_q + term_q;
    if (!try_q[4]) try_q <= try_q + 1'b1;

    unique case (state_q)
      ST_IDLE: begin
        weight_q <= '0;
        total_q  <= '0;
        if (start) begin
          state_q <= ST_COLLECT;
          used <= '0;
        end
      end
      ST_COLLECT: begin
        if (valid_q[3] && occurs) begin
          total_q <= total_q + count_q;
          weight_q[log_q[3:0]] <= weight_now;
          used <= idx_q[3] + 1'b1;
        end
        if (pass_end) begin
          state_q <= ST_TOTAL;
          drain_q <= 3'd2;
        end
      end
      ST_TOTAL: begin
        total_in_q <= total_q;
        total_log_q <= log2(total_in_q);
        offset_q <= total_log_q + FIRST_TRY;
        try_q <= '0;
        kraft_q <= '0;
        room_q <= 18'sd1 << limit;
        if (drain_q == '0) state_q <= total_q == '0 ? ST_ASSIGN : ST_SEARCH;
      end
      ST_SEARCH: begin
        if (try_end) begin
          if (kraft_q <= 20'h10000) begin
            state_q <= ST_ASSIGN;
          end else begin
            offset_q <= offset_q + 1'b1;
            try_q <= '0;
            kraft_q <= '0;
          end
        end
      end
      ST_ASSIGN: begin
        if (valid_q[5] && occurs_f_q) room_q <= room_less;
        bound_q   <= 4'd7;
        changed_q <= 1'b0;
        if (pass_end) begin
          if (room_q[17]) begin
            offset_q <= offset_q + 1'b1;
            room_q   <= 18'sd1 << limit;
          end else if (room_q != '0 && total_q != '0) begin
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
      drain_q <= 3'(DRAIN);
    end
    if (rst) begin
      state_q <= ST_IDLE;
      issue_q <= 1'b0;
      drain_q <= '0;
    end
  end
endmodule
