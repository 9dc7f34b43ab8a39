// SPDX-License-Identifier: Apache-2.0
//
// Chooses how a row is sent and makes its codes and its header.
//
// row_*: the row whose counts are next in all lanes' banks; hist_*: see kumi_deflate_hist.
// block_*: the block, ready to be encoded; go is a pulse when it moves. lanes_free: every lane has
//   at most one block left to encode; until then no code of this row is written (code_*).
// m_word: header of a fixed or dynamic block, packed, from its three first bits on; it is sent
//   while the lengths of the next row are found.
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
    ST_WAIT,  // until the header before has been sent
    ST_RUNS,  // lengths of both, run-length encoded
    ST_COST,  // of the header: a pass over the code lengths' code
    ST_SETTLE,
    ST_DECIDE,
    ST_FIRST,  // first code of each length
    ST_CODES,  // of a tree
    ST_ISSUE
  } state_e;
  state_e state_q;
  build_tree_e tree_q;
  logic bank_q;
  gzip_block_e kind_q;

  // Counts of all lanes.
  logic [N-1:0][COUNT_W-1:0] lane_q;
  logic [16:0] sum, sum_q, count;
  logic [8:0] sym_1_q;
  logic sym_on, sym_on_q, end_now_q;
  logic [18:0][8:0] items_of_q;  // how often each symbol of the code lengths' code occurs
  logic [8:0] items_1_q, items_2_q;

  assign hist_bank = bank_q;
  assign hist_clear_lit = sym_on_q && tree_q == TREE_LITLEN;
  assign hist_clear_dist = sym_on_q && tree_q == TREE_DIST;
  always_comb begin
    sum = 17'(end_now_q);
    for (int l = 0; l < N; l++) sum += 17'(lane_q[l]);
  end
  always_ff @(posedge clk) begin
    sym_1_q <= hist_sym;
    sym_on_q <= sym_on && state_q == ST_LENGTHS;
    lane_q <= tree_q == TREE_LITLEN ? hist_lit : hist_dist;
    end_now_q <= tree_q == TREE_LITLEN && sym_1_q == 9'(END_OF_BLOCK);
    items_1_q <= items_of_q[sym_1_q[4:0]];
    items_2_q <= items_1_q;
    sum_q <= sum;
  end
  assign count = tree_q == TREE_CODELEN ? 17'(items_2_q) : sum_q;

  logic len_start, len_done, collected, tap_valid;
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
      .collected,
      .done (len_done),
      .used,
      .rd_at,
      .rd_bits,
      .rd_count
  );

  // Run-length encoding of both trees' lengths, in one sequence. They are read ahead, so that the
  // memory's address does not depend on what it gives.
  typedef struct packed {
    logic        last;
    logic [8:0]  at;
    logic [3:0]  bits;
    logic [16:0] count;
  } build_length_t;
  localparam int AHEAD = 4;
  logic [8:0] lit_used_q, dist_used_q, read_q, fetched_at_q;
  logic [$clog2(AHEAD):0] ahead;
  logic fetch, fetch_last, fetch_over_q, fetched_q, fetched_last_q, no_stop;
  build_length_t length;
  logic length_valid, length_dist;
  logic runs_start, runs_done, runs_end_q, runs_ready, take;
  logic made_valid, item_valid;
  logic [4:0] made_sym, item_sym;
  logic [6:0] made_extra, item_extra;
  // One may be on its way to the FIFO while it has room for two more.
  assign fetch = state_q == ST_RUNS && !fetch_over_q && ahead < 3'(AHEAD - 1);
  assign fetch_last = read_q == TREE_BASE[TREE_DIST] + dist_used_q - 1'b1;
  always_ff @(posedge clk) begin
    fetched_q <= fetch && !rst;
    fetched_at_q <= read_q;
    fetched_last_q <= fetch_last;
    if (state_q == ST_WAIT) begin
      read_q <= '0;
      fetch_over_q <= 1'b0;
    end else if (fetch) begin
      read_q <= read_q == lit_used_q - 1'b1 ? TREE_BASE[TREE_DIST] : read_q + 1'b1;
      fetch_over_q <= fetch_last;
    end
  end
  kumi_fifo #(
      .W($bits(build_length_t)),
      .DEPTH(AHEAD)
  ) u_ahead (
      .clk,
      .rst,
      .s_data ({fetched_last_q, fetched_at_q, rd_bits, rd_count}),
      .s_valid(fetched_q),
      .s_ready(no_stop),
      .m_data (length),
      .m_valid(length_valid),
      .m_ready(runs_ready),
      .depth  (ahead)
  );
  assign length_dist = length.at >= TREE_BASE[TREE_DIST];
  assign take = length_valid && runs_ready;
  kumi_deflate_runs u_runs (
      .clk,
      .rst,
      .start(runs_start),
      .s_bits(length.bits),
      .s_valid(length_valid),
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
  logic item_rd, head_busy;
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

  // Costs of the ways to send the row.
  logic [8:0] step_q;  // of the passes below
  logic [4:0] order_at;
  logic [2:0] settle_q;
  logic [4:0] head_used_q;  // lengths of the items' own code that are sent
  logic [8:0] cost_items_q;
  logic cost_on_q, stored_least, fixed_least;
  assign order_at = CODELEN_ORDER[step_q[4:0]];
  kumi_deflate_cost u_cost (
      .clk,
      .rst,
      .clear(state_q == ST_IDLE),
      .size(row.size),
      .fixed_valid(tap_valid && tree_q != TREE_CODELEN),
      .fixed_dist(tree_q == TREE_DIST),
      .fixed_sym(tap_sym),
      .fixed_count(tap_count),
      .sym_valid(take),
      .sym_dist(length_dist),
      .sym(length_dist ? length.at - TREE_BASE[TREE_DIST] : length.at),
      .sym_bits(length.bits),
      .sym_count(length.count),
      .item_valid(cost_on_q),
      .item_bits(rd_bits),
      .item_count(cost_items_q),
      .extra_valid(item_valid),
      .extra_sym(item_sym),
      .lengths_valid(state_q == ST_SETTLE && settle_q == 3'd5),
      .lengths(head_used_q),
      .stored_least,
      .fixed_least
  );

  // Codes.
  logic code_on_q, code_on_2_q, code_on_3_q;
  logic [8:0] code_1_q, code_2_q, code_3_q;
  deflate_code_t made;
  kumi_deflate_codes u_codes (
      .clk,
      .fixed(kind_q != BLOCK_DYNAMIC),
      .clear(state_q == ST_IDLE || (state_q == ST_LENGTHS && tree_q == TREE_LITLEN)),
      .step(step_q[5:0]),
      .add_valid(cost_on_q ? rd_bits != '0 : take && length.bits != '0),
      .add_tree(cost_on_q ? TREE_CODELEN : length_dist ? TREE_DIST : TREE_LITLEN),
      .add_bits(cost_on_q ? rd_bits : length.bits),
      .first(state_q == ST_FIRST),
      .code_valid(code_on_q),
      .code_tree(tree_q),
      .code_sym(code_1_q),
      .code_bits(rd_bits),
      .m_code(made)
  );

  // Codes for the lanes, and those of the code lengths' code for the header.
  deflate_code_t [18:0] own_q;
  assign code_bank = bank_q;

  kumi_deflate_head u_head (
      .clk,
      .rst,
      .start(go && kind_q != BLOCK_STORED),
      .kind(kind_q),
      .last(row.last),
      .lit_used(lit_used_q),
      .dist_used(dist_used_q),
      .own_used(head_used_q),
      .items(items_q),
      .own(own_q),
      .item_rd,
      .item_at,
      .item,
      .busy(head_busy),
      .m_word,
      .m_valid,
      .m_ready
  );

  // Reading lengths.
  always_comb begin
    unique case (state_q)
      ST_RUNS: rd_at = read_q;
      ST_COST: rd_at = TREE_BASE[TREE_CODELEN] + 9'(order_at);
      default: rd_at = TREE_BASE[tree_q] + step_q;
    endcase
  end

  logic all_done;
  always_comb begin
    all_done = 1'b1;
    for (int l = 0; l < N; l++) all_done &= hist_done[l][bank_q];
  end

  logic issue_step;  // ST_COST, ST_CODES: a symbol is read
  assign issue_step = (state_q == ST_COST || state_q == ST_CODES) && step_q < TREE_SIZE[tree_q];

  deflate_code_t end_q;
  assign block = '{kind: kind_q, end_bits: end_q.bits, end_code: end_q.code, row: row};
  assign block_valid = state_q == ST_ISSUE && lanes_free;
  assign go = block_valid && block_ready;
  assign row_ready = go;

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
    code_on_3_q <= code_on_2_q;
    code_3_q <= code_2_q;
    code_lit <= code_on_3_q && tree_q == TREE_LITLEN;
    code_dist <= code_on_3_q && tree_q == TREE_DIST;
    code_at <= code_3_q;
    code_data <= made;
    if (code_on_3_q && tree_q == TREE_LITLEN && code_3_q == 9'(END_OF_BLOCK)) end_q <= made;
    if (code_on_3_q && tree_q == TREE_CODELEN) own_q[code_3_q[4:0]] <= made;
    if (item_valid) begin
      items_q <= items_q + 1'b1;
      items_of_q[item_sym] <= items_of_q[item_sym] + 1'b1;
    end
    if (cost_on_q && rd_bits != '0 && step_q > 9'd4) head_used_q <= step_q[4:0];
    step_q <= step_q + 1'b1;

    unique case (state_q)
      ST_IDLE: begin
        tree_q <= TREE_DIST;
        head_used_q <= 5'd4;
        if (row_valid && all_done) begin
          state_q   <= ST_LENGTHS;
          len_start <= 1'b1;
        end
      end
      ST_LENGTHS: begin
        // The lanes wait for their bank: distances come first, since they take less time.
        hist_release[bank_q] <= collected && tree_q == TREE_LITLEN;
        if (len_done) begin
          step_q <= '0;
          unique case (tree_q)
            TREE_DIST: begin
              dist_used_q <= used == '0 ? 9'd1 : used;
              tree_q <= TREE_LITLEN;
              len_start <= 1'b1;
            end
            TREE_LITLEN: begin
              lit_used_q <= used;
              state_q <= ST_WAIT;
            end
            default: state_q <= ST_COST;
          endcase
        end
      end
      ST_WAIT: begin
        items_q <= '0;
        items_of_q <= '0;
        runs_end_q <= 1'b0;
        if (!head_busy) begin
          runs_start <= 1'b1;
          state_q <= ST_RUNS;
        end
      end
      ST_RUNS: begin
        if (take && length.last) runs_end_q <= 1'b1;
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
        kind_q   <= stored_least ? BLOCK_STORED : fixed_least ? BLOCK_FIXED : BLOCK_DYNAMIC;
        state_q  <= stored_least ? ST_ISSUE : ST_FIRST;
      end
      ST_FIRST: begin
        if (step_q[5:0] == 6'd47) begin
          step_q <= '0;
          if (lanes_free) state_q <= ST_CODES;
          else step_q <= step_q;
        end
      end
      ST_CODES: begin
        if (!issue_step && !code_on_q && !code_on_2_q && !code_on_3_q) begin
          step_q <= '0;
          if (tree_q == TREE_LITLEN) tree_q <= TREE_DIST;
          else if (tree_q == TREE_DIST && kind_q == BLOCK_DYNAMIC) tree_q <= TREE_CODELEN;
          else state_q <= ST_ISSUE;
        end
      end
      default: begin
        step_q <= '0;
        if (go) begin
          bank_q  <= !bank_q;
          state_q <= ST_IDLE;
        end
      end
    endcase
    if (rst) begin
      state_q <= ST_IDLE;
      bank_q <= 1'b0;
      code_on_q <= 1'b0;
      code_on_2_q <= 1'b0;
      code_on_3_q <= 1'b0;
      cost_on_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = no_stop;
endmodule
