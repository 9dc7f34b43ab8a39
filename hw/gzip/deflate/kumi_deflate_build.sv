// SPDX-License-Identifier: Apache-2.0
//
// Chooses how a row is sent and makes its codes and its header.
//
// row_*: the row whose counts are next in all lanes' banks; hist_*: see kumi_deflate_hist.
// block_*: the block, ready to be encoded; go is a pulse when it moves. lanes_free: every lane has
//   at most one block left to encode; until then no code of this row is written (code_*).
// m_word: header of a fixed or dynamic block, packed, from its three first bits on.
// A row takes 5 to 13 cycles a symbol: 2000 to 4000, and fewer than 700 if it holds few symbols.
//
// A block is stored if that is shorter even with 40 bits of its own, else it has the fixed code
// unless the dynamic one is shorter.
module kumi_deflate_build
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
#(
    parameter int N       = 8,  // lanes
    parameter int COUNT_W = 13  // bits of a lane's counts
) (
    input  logic                                clk,
    input  logic                                rst,
    input  deflate_row_t                        row,
    input  logic                                row_valid,
    output logic                                row_ready,
    input  logic           [N-1:0][        1:0] hist_done,
    output logic           [  1:0]              hist_release,
    output logic                                hist_bank,
    output logic           [  8:0]              hist_sym,
    output logic                                hist_clear_lit,
    output logic                                hist_clear_dist,
    input  logic           [N-1:0][COUNT_W-1:0] hist_lit,
    input  logic           [N-1:0][COUNT_W-1:0] hist_dist,
    input  logic                                lanes_free,
    output logic                                code_lit,
    output logic                                code_dist,
    output logic                                code_bank,
    output logic           [  8:0]              code_at,
    output deflate_code_t                       code_data,
    output deflate_block_t                      block,
    output logic                                block_valid,
    input  logic                                block_ready,
    output logic                                go,
    output deflate_word_t                       m_word,
    output logic                                m_valid,
    input  logic                                m_ready
);
  localparam int STORED_COST = 40;
  localparam int COST_W = 22;

  // Alphabets, and where their lengths are kept.
  typedef enum logic [1:0] {
    TREE_LITLEN  = 2'd0,
    TREE_DIST    = 2'd1,
    TREE_CODELEN = 2'd2
  } build_tree_e;
  localparam logic [2:0][8:0] TREE_BASE = {9'd320, 9'd288, 9'd0};
  localparam logic [2:0][8:0] TREE_SIZE = {9'(CODELEN_SYMS), 9'(DIST_SYMS), 9'(LITLEN_SYMS)};

  typedef enum logic [3:0] {
    ST_IDLE,
    ST_LENGTHS,  // of a tree
    ST_RUNS,  // lengths of both, run-length encoded
    ST_COST,  // of the header: a pass over the code lengths' code
    ST_SETTLE,
    ST_DECIDE,
    ST_FIRST,  // first code of each length
    ST_CODES,  // of a tree
    ST_ISSUE,
    ST_HEAD,
    ST_ITEMS
  } state_e;
  state_e state_q;
  build_tree_e tree_q;
  logic bank_q;
  gzip_block_e kind_q;

  // Counts of all lanes.
  logic [16:0] sum, sum_q, count;
  logic [8:0] sym_1_q;
  logic sym_on, sym_on_q;
  logic [18:0][8:0] items_of_q;  // how often each symbol of the code lengths' code occurs
  logic [8:0] items_now_q;

  assign hist_bank = bank_q;
  assign hist_clear_lit = sym_on_q && tree_q == TREE_LITLEN;
  assign hist_clear_dist = sym_on_q && tree_q == TREE_DIST;
  always_comb begin
    sum = 17'(tree_q == TREE_LITLEN && sym_1_q == 9'(END_OF_BLOCK));
    for (int l = 0; l < N; l++) begin
      sum += 17'(tree_q == TREE_LITLEN ? hist_lit[l] : hist_dist[l]);
    end
  end
  always_ff @(posedge clk) begin
    sym_1_q <= hist_sym;
    sym_on_q <= sym_on && state_q == ST_LENGTHS;
    items_now_q <= items_of_q[sym_1_q[4:0]];
    sum_q <= sum;
  end
  assign count = tree_q == TREE_CODELEN ? 17'(items_now_q) : sum_q;

  logic len_start, len_done, tap_valid;
  logic [8:0] used, tap_sym, rd_at;
  logic [16:0] tap_count, rd_count;
  logic [3:0] rd_bits;
  kumi_deflate_lengths u_lengths (
      .clk,
      .rst,
      .start(len_start),
      .base (TREE_BASE[tree_q]),
      .size (TREE_SIZE[tree_q]),
      .limit(tree_q == TREE_CODELEN ? 4'd7 : 4'd15),
      .sym  (hist_sym),
      .sym_on,
      .count,
      .tap_valid,
      .tap_sym,
      .tap_count,
      .done (len_done),
      .used,
      .rd_at,
      .rd_bits,
      .rd_count
  );

  // Run-length encoding of both trees' lengths, in one sequence.
  logic [8:0] lit_used_q, dist_used_q, read_q, read_next;
  logic runs_start, runs_done, runs_valid_q, runs_end_q, runs_ready, take, read_last;
  logic made_valid, item_valid;
  logic [4:0] made_sym, item_sym;
  logic [6:0] made_extra, item_extra;
  assign read_last = read_q == TREE_BASE[TREE_DIST] + dist_used_q - 1'b1;
  assign take = runs_valid_q && runs_ready;
  kumi_deflate_runs u_runs (
      .clk,
      .rst,
      .start(runs_start),
      .s_bits(rd_bits),
      .s_valid(runs_valid_q),
      .s_end(runs_end_q),
      .s_ready(runs_ready),
      .item_valid(made_valid),
      .item_sym(made_sym),
      .item_extra(made_extra),
      .done(runs_done)
  );
  always_ff @(posedge clk) begin
    item_valid <= made_valid;
    item_sym   <= made_sym;
    item_extra <= made_extra;
    if (rst) item_valid <= 1'b0;
  end

  logic [8:0] items_q, item_at;
  logic [11:0] item;
  logic item_rd;
  kumi_ram_sdp #(
      .W(12),
      .DEPTH(512)
  ) u_items (
      .clk,
      .wr_en  (item_valid),
      .wr_addr(items_q),
      .wr_data({item_sym, item_extra}),
      .rd_en  (item_rd),
      .rd_addr(item_at),
      .rd_data(item)
  );

  // Costs in bits: one multiplier.
  logic [COST_W-1:0] fixed_q, dynamic_q, stored_q, product_q;
  logic [16:0] mul_a_q;
  logic [4:0] mul_b_q, item_bits;
  logic mul_fixed_q, mul_on_q, add_fixed_q, add_on_q, cost_on_q;
  logic [8:0] cost_items_q;

  function automatic logic [4:0] extra_bits(input build_tree_e tree, input logic [8:0] at);
    if (tree == TREE_DIST) return 5'(dist_extra(at[4:0]));
    return at > 9'd256 ? 5'(length_extra(5'(at - 9'd257))) : 5'd0;
  endfunction

  assign item_bits = item_sym == 5'd16 ? 5'd2 : item_sym == 5'd17 ? 5'd3
      : item_sym == 5'd18 ? 5'd7 : 5'd0;

  logic [8:0] step_q;  // of the passes below
  logic [4:0] order_at;
  assign order_at = CODELEN_ORDER[step_q[4:0]];

  logic [2:0] settle_q;
  logic [4:0] head_used_q;  // lengths of the items' own code that are sent

  // Bits that count as they are: extra bits of an item, and the lengths of the items' own code.
  logic [6:0] direct;
  assign direct = state_q == ST_SETTLE && settle_q == 3'd4
      ? 7'(head_used_q) + 7'({head_used_q, 1'b0}) : item_valid ? 7'(item_bits) : 7'd0;

  always_ff @(posedge clk) begin
    mul_on_q <= 1'b0;
    if (tap_valid && tree_q != TREE_CODELEN) begin
      mul_on_q <= 1'b1;
      mul_fixed_q <= 1'b1;
      mul_a_q <= tap_count;
      mul_b_q <= (tree_q == TREE_DIST ? 5'd5 : 5'(fixed_litlen_bits(
          tap_sym
      ))) + extra_bits(
          tree_q, tap_sym
      );
    end else if (take) begin
      mul_on_q <= 1'b1;
      mul_fixed_q <= 1'b0;
      mul_a_q <= rd_count;
      mul_b_q <= 5'(rd_bits) + (read_q >= TREE_BASE[TREE_DIST] ? extra_bits(
          TREE_DIST, 9'(read_q - TREE_BASE[TREE_DIST])
      ) : extra_bits(
          TREE_LITLEN, read_q
      ));
    end else if (cost_on_q) begin
      mul_on_q <= 1'b1;
      mul_fixed_q <= 1'b0;
      mul_a_q <= 17'(cost_items_q);
      mul_b_q <= 5'(rd_bits);
    end
    product_q <= COST_W'(mul_a_q) * COST_W'(mul_b_q);
    add_on_q <= mul_on_q;
    add_fixed_q <= mul_fixed_q;
    if (add_on_q && add_fixed_q) fixed_q <= fixed_q + product_q;
    dynamic_q <= dynamic_q + (add_on_q && !add_fixed_q ? product_q : '0) + COST_W'(direct);
    if (state_q == ST_IDLE) begin
      fixed_q   <= COST_W'(3);
      dynamic_q <= COST_W'(3 + 14);
    end
    stored_q <= COST_W'({row.size, 3'b0}) + COST_W'(STORED_COST);
    if (rst) begin
      mul_on_q <= 1'b0;
      add_on_q <= 1'b0;
    end
  end

  // Codes: how many there are of each length, then the next one of each length.
  logic [ 8:0] of_bits  [64];
  logic [14:0] next_code[64];
  logic [5:0] of_at, of_prev;
  logic [8:0] of_now, of_before;
  logic of_add, of_zero;
  logic [15:0] first_q, first;
  logic [3:0] code_bits, bits_q;
  logic [14:0] code_now, code_q;
  logic code_on_q, code_on_2_q;
  logic [8:0] code_1_q, code_2_q;
  logic [1:0] step_tree;
  assign step_tree = step_q[5:4];

  assign of_zero = state_q == ST_IDLE || (state_q == ST_LENGTHS && tree_q == TREE_LITLEN);
  assign of_add = (take || cost_on_q) && rd_bits != '0;
  assign of_at = of_zero ? step_q[5:0]
      : {cost_on_q ? 2'd2 : 2'(read_q >= TREE_BASE[TREE_DIST]), rd_bits};
  assign of_now = of_bits[of_at];
  assign of_prev = {step_tree, step_q[3:0] - 4'd1};
  assign of_before = step_q[3:0] < 4'd2 ? '0 : of_bits[of_prev];
  assign first = step_q[3:0] == '0 ? '0 : (first_q + 16'(of_before)) << 1;

  function automatic logic [14:0] fixed_first(input logic [5:0] at);
    return at == {TREE_LITLEN, 4'd8} ? 15'h30 : at == {TREE_LITLEN, 4'd9} ? 15'h190 : 15'd0;
  endfunction

  assign code_bits = kind_q == BLOCK_DYNAMIC ? rd_bits
      : tree_q == TREE_DIST ? 4'd5 : fixed_litlen_bits(
      code_1_q
  );
  assign code_now = next_code[{tree_q, code_bits}];

  always_ff @(posedge clk) begin
    if (of_zero || of_add) of_bits[of_at] <= of_zero ? '0 : of_now + 1'b1;
    if (state_q == ST_FIRST) begin
      next_code[step_q[5:0]] <= kind_q == BLOCK_DYNAMIC ? 15'(first) : fixed_first(step_q[5:0]);
    end else if (code_on_q) begin
      next_code[{tree_q, code_bits}] <= code_now + 1'b1;
    end
    bits_q <= code_bits;
    for (int i = 0; i < 15; i++) code_q[i] <= code_now[14-i];
  end

  // Codes for the lanes, and those of the code lengths' code, which stay here.
  deflate_code_t [18:0] own_q;
  deflate_code_t made;
  assign made = '{bits: bits_q, code: code_q >> (4'd15 - bits_q)};
  assign code_bank = bank_q;

  // Header.
  logic [13:0] head_data;
  logic [3:0] head_bits, item_len;
  logic head_valid, head_last, head_ready, head_is_items, item_on_q;
  deflate_code_t own;
  assign own = own_q[item[11:7]];
  assign item_len = item[11:7] == 5'd16 ? 4'd2 : item[11:7] == 5'd17 ? 4'd3
      : item[11:7] == 5'd18 ? 4'd7 : 4'd0;

  // Registered before the packer.
  logic [13:0] out_data_q;
  logic [ 3:0] out_bits_q;
  logic out_valid_q, out_last_q, out_free;
  assign out_free = !out_valid_q || head_ready;
  assign head_is_items = state_q == ST_ITEMS;
  assign head_valid = state_q == ST_HEAD || (head_is_items && item_on_q);
  assign item_at = head_is_items && item_on_q ? step_q + 1'b1 : step_q;
  assign item_rd = out_free || !item_on_q;

  always_comb begin
    head_data = '0;
    head_bits = 4'd3;
    head_last = 1'b0;
    if (head_is_items) begin
      head_data = 14'(own.code) | (14'(item[6:0]) << own.bits);
      head_bits = own.bits + item_len;
      head_last = step_q == items_q - 1'b1;
    end else if (step_q == 9'd0) begin
      head_data = 14'({kind_q, row.last});
      head_last = kind_q == BLOCK_FIXED;
    end else if (step_q == 9'd1) begin
      head_data = 14'({4'(head_used_q - 5'd4), 5'(dist_used_q - 9'd1), 5'(lit_used_q - 9'd257)});
      head_bits = 4'd14;
    end else begin
      head_data = 14'(own_q[CODELEN_ORDER[5'(step_q-9'd2)]].bits[2:0]);
    end
  end

  always_ff @(posedge clk) begin
    if (out_free) begin
      out_valid_q <= head_valid;
      out_data_q  <= head_data;
      out_bits_q  <= head_bits;
      out_last_q  <= head_last;
    end
    if (rst) out_valid_q <= 1'b0;
  end

  kumi_deflate_pack u_pack (
      .clk,
      .rst,
      .s_data ({14'd0, out_data_q}),
      .s_bits ({1'b0, out_bits_q}),
      .s_last (out_last_q),
      .s_valid(out_valid_q),
      .s_ready(head_ready),
      .m_word,
      .m_valid,
      .m_ready
  );

  // Reading lengths.
  always_comb begin
    read_next = read_q == lit_used_q - 1'b1 ? TREE_BASE[TREE_DIST] : read_q + 1'b1;
    unique case (state_q)
      ST_RUNS: rd_at = take ? read_next : read_q;
      ST_COST: rd_at = TREE_BASE[TREE_CODELEN] + 9'(order_at);
      default: rd_at = TREE_BASE[tree_q] + step_q;
    endcase
  end

  logic all_done, better_fixed;
  always_comb begin
    all_done = 1'b1;
    for (int l = 0; l < N; l++) all_done &= hist_done[l][bank_q];
  end
  assign better_fixed = fixed_q <= dynamic_q;

  logic issue_step;  // ST_COST, ST_CODES: a symbol is read
  assign issue_step = (state_q == ST_COST || state_q == ST_CODES) && step_q < TREE_SIZE[tree_q];

  deflate_code_t end_q;
  assign block = '{kind: kind_q, end_bits: end_q.bits, end_code: end_q.code, row: row};
  assign block_valid = state_q == ST_ISSUE && lanes_free;
  assign go = block_valid && block_ready;

  logic small_stored_q, row_done;
  assign row_ready = row_done;
  assign row_done = (state_q == ST_ISSUE && go && kind_q == BLOCK_STORED)
      || (state_q == ST_HEAD && out_free && head_last)
      || (head_is_items && item_on_q && out_free && head_last);

  always_ff @(posedge clk) begin
    len_start <= 1'b0;
    runs_start <= 1'b0;
    hist_release <= '0;
    cost_on_q <= issue_step && state_q == ST_COST;
    cost_items_q <= items_of_q[order_at];
    code_on_q <= issue_step && state_q == ST_CODES;
    code_1_q <= step_q;
    code_on_2_q <= code_on_q;
    code_2_q <= code_1_q;
    small_stored_q <= stored_q < dynamic_q && stored_q < fixed_q;
    code_lit <= code_on_2_q && tree_q == TREE_LITLEN;
    code_dist <= code_on_2_q && tree_q == TREE_DIST;
    code_at <= code_2_q;
    code_data <= made;
    if (code_on_2_q && tree_q == TREE_LITLEN && code_2_q == 9'(END_OF_BLOCK)) end_q <= made;
    if (code_on_2_q && tree_q == TREE_CODELEN) own_q[code_2_q[4:0]] <= made;
    if (item_valid) begin
      items_q <= items_q + 1'b1;
      items_of_q[item_sym] <= items_of_q[item_sym] + 1'b1;
    end
    if (cost_on_q && rd_bits != '0 && step_q > 9'd4) head_used_q <= step_q[4:0];
    step_q <= step_q + 1'b1;

    unique case (state_q)
      ST_IDLE: begin
        tree_q <= TREE_LITLEN;
        items_q <= '0;
        items_of_q <= '0;
        head_used_q <= 5'd4;
        if (row_valid && all_done) begin
          state_q   <= ST_LENGTHS;
          len_start <= 1'b1;
        end
      end
      ST_LENGTHS: begin
        if (len_done) begin
          step_q <= '0;
          unique case (tree_q)
            TREE_LITLEN: begin
              lit_used_q <= used;
              tree_q <= TREE_DIST;
              len_start <= 1'b1;
            end
            TREE_DIST: begin
              dist_used_q <= used == '0 ? 9'd1 : used;
              hist_release[bank_q] <= 1'b1;
              runs_start <= 1'b1;
              runs_valid_q <= 1'b0;
              runs_end_q <= 1'b0;
              read_q <= '0;
              state_q <= ST_RUNS;
            end
            default: state_q <= ST_COST;
          endcase
        end
      end
      ST_RUNS: begin
        if (!runs_end_q) runs_valid_q <= 1'b1;
        if (take) begin
          read_q <= read_next;
          if (read_last) begin
            runs_valid_q <= 1'b0;
            runs_end_q   <= 1'b1;
          end
        end
        if (runs_done) begin
          tree_q <= TREE_CODELEN;
          len_start <= 1'b1;
          state_q <= ST_LENGTHS;
        end
      end
      ST_COST: begin
        if (!issue_step && !cost_on_q) begin
          settle_q <= '1;
          state_q  <= ST_SETTLE;
        end
      end
      ST_SETTLE: begin
        // The last products arrive; then the lengths of the code lengths' code count.
        settle_q <= settle_q - 1'b1;
        if (settle_q == 3'd2) state_q <= ST_DECIDE;
      end
      ST_DECIDE: begin
        settle_q <= '0;
        step_q   <= '0;
        tree_q   <= TREE_LITLEN;
        kind_q   <= small_stored_q ? BLOCK_STORED : better_fixed ? BLOCK_FIXED : BLOCK_DYNAMIC;
        state_q  <= small_stored_q ? ST_ISSUE : ST_FIRST;
      end
      ST_FIRST: begin
        first_q <= first;
        if (step_q[5:0] == 6'd47) begin
          step_q <= '0;
          if (lanes_free) state_q <= ST_CODES;
          else step_q <= step_q;
        end
      end
      ST_CODES: begin
        if (!issue_step && !code_on_q && !code_on_2_q) begin
          step_q <= '0;
          if (tree_q == TREE_LITLEN) tree_q <= TREE_DIST;
          else if (tree_q == TREE_DIST && kind_q == BLOCK_DYNAMIC) tree_q <= TREE_CODELEN;
          else state_q <= ST_ISSUE;
        end
      end
      ST_ISSUE: begin
        step_q <= '0;
        if (go) begin
          bank_q  <= !bank_q;
          state_q <= kind_q == BLOCK_STORED ? ST_IDLE : ST_HEAD;
        end
      end
      ST_HEAD: begin
        if (!out_free) begin
          step_q <= step_q;
        end else if (kind_q == BLOCK_FIXED) begin
          state_q <= ST_IDLE;
        end else if (step_q == 9'(head_used_q) + 9'd1) begin
          step_q <= '0;
          state_q <= ST_ITEMS;
          item_on_q <= 1'b0;
        end
      end
      default: begin
        item_on_q <= 1'b1;
        if (!item_on_q || !out_free) step_q <= step_q;
        else if (head_last) state_q <= ST_IDLE;
      end
    endcase
    if (rst) begin
      state_q <= ST_IDLE;
      bank_q <= 1'b0;
      runs_valid_q <= 1'b0;
      code_on_q <= 1'b0;
      code_on_2_q <= 1'b0;
      cost_on_q <= 1'b0;
    end
  end

endmodule
